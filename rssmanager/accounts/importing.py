"""Importing an export: checked at once, previewed, then imported by a worker in pieces.

Safe to interrupt and to repeat. Each user can have one import at a time.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from digests.schedule.user_language import in_language_of
from reader.models import ImportStatus
from reader.subscriptions.delivery import deliver
from rssmanager.accounts.errors import DataRefused
from rssmanager.accounts.import_records import ImportContext, RefusedLine, import_lines
from rssmanager.accounts.models import DataImport, DataLine, DataPiece
from rssmanager.accounts.zip_reader import check_header, kind_of, read_lines

PIECE_LINES = 400
PIECE_BYTES = 2**20
MAX_SHOWN = 1000  # refused lines; further ones are only counted


def begin(user: User, file: BinaryIO, *, name: str, now: datetime) -> DataImport:
    """Check and store the file, for its user to confirm. Raises DataRefused, and then stores nothing."""
    if DataImport.objects.filter(user=user, status__in=(ImportStatus.WAITING, ImportStatus.RUNNING)).exists():
        raise DataRefused(_("An import is already running. Wait until it finishes."))
    DataImport.objects.filter(user=user, status=ImportStatus.PREVIEW).delete()
    interrupted = _("The upload was interrupted. Choose the file again.")
    job = DataImport.objects.create(
        user=user, name=name[:300], status=ImportStatus.FAILED, message=interrupted, created_at=now
    )
    try:
        _store(job, file)
    except DataRefused:
        job.delete()
        raise
    return job


def confirm(job: DataImport) -> bool:
    """Queue the import; False unless it is a preview."""
    waiting = DataImport.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW)
    return bool(waiting.update(status=ImportStatus.WAITING))


def discard(job: DataImport) -> bool:
    """Delete a preview."""
    return bool(DataImport.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW).delete()[0])


def run(
    pk: int,
    *,
    now: datetime,
    max_items: int,
    on_progress: Callable[[DataImport], None] = lambda job: None,
    is_time_left: Callable[[], bool] = lambda: True,
) -> DataImport:
    """Import the remaining pieces, each in a transaction, as long as there is time; then the import is still running.
    Nothing is imported twice, even if several workers run it."""
    job = DataImport.objects.select_related("user").get(pk=pk)
    if job.status not in (ImportStatus.WAITING, ImportStatus.RUNNING):
        return job
    DataImport.objects.filter(pk=pk).update(status=ImportStatus.RUNNING)
    context = ImportContext(job.user, now, max_items)
    with in_language_of(job.user_id):  # for the reasons of refused lines
        while _import_piece(job, context):
            deliver()  # articles that other users' feeds have already, before the next piece looks for them
            on_progress(job)
            if not is_time_left():
                job.refresh_from_db()
                return job
    DataImport.objects.filter(pk=pk, status=ImportStatus.RUNNING).update(status=ImportStatus.DONE, finished_at=now)
    job.refresh_from_db()
    return job


def _store(job: DataImport, file: BinaryIO) -> None:
    lines = read_lines(file)
    header = check_header(next(lines, b""))
    exported_at = header.get("exported_at")
    counts: Counter[str] = Counter()
    n_lines = 1
    for first, piece in _pieces(lines):
        for line in piece:
            counts[kind_of(line)] += bool(line.strip())
        DataPiece.objects.create(job=job, first_line=first, data=zlib.compress(b"\n".join(piece), 3))
        n_lines = first + len(piece) - 1
    job.holds = {"exported_at": exported_at if isinstance(exported_at, str) else "", "counts": dict(counts)}
    job.n_total, job.status, job.message = n_lines, ImportStatus.PREVIEW, ""
    job.save()


def _pieces(lines: Iterator[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """The lines after the header in pieces, each with the number of its first line."""
    first, n_bytes = 2, 0
    piece: list[bytes] = []
    for line in lines:
        piece.append(line)
        n_bytes += len(line)
        if len(piece) >= PIECE_LINES or n_bytes >= PIECE_BYTES:
            yield first, piece
            first, piece, n_bytes = first + len(piece), [], 0
    if piece:
        yield first, piece


def _import_piece(job: DataImport, context: ImportContext) -> bool:
    """Import the next piece; False if none is left."""
    with transaction.atomic():
        piece = DataPiece.objects.select_for_update().filter(job=job).order_by("first_line").first()
        if piece is None:
            return False
        lines = zlib.decompress(bytes(piece.data)).split(b"\n")
        refused = import_lines(context, list(enumerate(lines, start=piece.first_line)))
        _store_refused(job, refused)
        job.n_done = piece.first_line + len(lines) - 1
        DataImport.objects.filter(pk=job.pk).update(n_done=job.n_done, n_refused=F("n_refused") + len(refused))
        piece.delete()
    return True


def _store_refused(job: DataImport, refused: list[RefusedLine]) -> None:
    n_free = MAX_SHOWN - job.lines.count() if refused else 0
    shown = sorted(refused, key=lambda row: row.line)[: max(0, n_free)]
    DataLine.objects.bulk_create(
        [DataLine(job=job, line=row.line, label=row.label[:300], reason=row.reason[:500]) for row in shown]
    )
