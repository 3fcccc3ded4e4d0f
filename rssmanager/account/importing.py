"""Take in a file of everything: looked through at once, shown, then carried out by a worker, piece by piece.

Safe to interrupt and to repeat. One file of a person waits at a time.
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

from digests.languages import in_language_of
from reader.delivery import deliver
from reader.models import ImportStatus
from rssmanager.account.document import KINDS
from rssmanager.account.errors import DataRefused
from rssmanager.account.models import DataImport, DataLine, DataPiece
from rssmanager.account.taking import Refused, Taking, take_lines
from rssmanager.account.unpacking import check_header, lines_of, parsed

PIECE_LINES = 400
PIECE_BYTES = 2**20
MOST_TOLD = 1000  # lines that were not taken; more are counted


def begin(user: User, file: BinaryIO, *, name: str, now: datetime) -> DataImport:
    """The file looked through and kept, waiting for its person's word. Raises DataRefused, and then keeps nothing."""
    if DataImport.objects.filter(user=user, status__in=(ImportStatus.WAITING, ImportStatus.RUNNING)).exists():
        raise DataRefused(_("An import is running already. Wait until it is done."))
    DataImport.objects.filter(user=user, status=ImportStatus.PREVIEW).delete()
    interrupted = _("The upload was interrupted. Choose the file again.")
    job = DataImport.objects.create(
        user=user, name=name[:300], status=ImportStatus.FAILED, message=interrupted, created_at=now
    )
    try:
        _keep(job, file)
    except DataRefused:
        job.delete()
        raise
    return job


def confirm(job: DataImport) -> bool:
    """Let a worker take it in; False when it was let already, or is no preview."""
    waiting = DataImport.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW)
    return bool(waiting.update(status=ImportStatus.WAITING))


def discard(job: DataImport) -> bool:
    """Forget a file that was only looked at."""
    return bool(DataImport.objects.filter(pk=job.pk, status=ImportStatus.PREVIEW).delete()[0])


def run(
    pk: int, *, now: datetime, max_items: int, on_progress: Callable[[DataImport], None] = lambda job: None
) -> DataImport:
    """Take in what is left of it; a piece a transaction. Nothing is done twice, whoever else runs it."""
    job = DataImport.objects.select_related("user").get(pk=pk)
    if job.status not in (ImportStatus.WAITING, ImportStatus.RUNNING):
        return job
    DataImport.objects.filter(pk=pk).update(status=ImportStatus.RUNNING)
    taking = Taking(job.user, now, max_items)
    with in_language_of(job.user_id):  # what is not taken is told to them
        while _take_piece(job, taking):
            deliver()  # what others' feeds have already, before articles are looked for
            on_progress(job)
    DataImport.objects.filter(pk=pk, status=ImportStatus.RUNNING).update(status=ImportStatus.DONE, finished_at=now)
    job.refresh_from_db()
    return job


def _keep(job: DataImport, file: BinaryIO) -> None:
    lines = lines_of(file)
    header = check_header(next(lines, b""))
    exported_at = header.get("exported_at")
    counts: Counter[str] = Counter()
    n_lines = 1
    for first, piece in _pieces(lines):
        for line in piece:
            found = parsed(line)
            kind = found.get("kind") if found else None
            counts[kind if isinstance(kind, str) and kind in KINDS else "unknown"] += bool(line.strip())
        DataPiece.objects.create(job=job, first_line=first, data=zlib.compress(b"\n".join(piece), 3))
        n_lines = first + len(piece) - 1
    job.holds = {"exported_at": exported_at if isinstance(exported_at, str) else "", "counts": dict(counts)}
    job.n_total, job.status, job.message = n_lines, ImportStatus.PREVIEW, ""
    job.save()


def _pieces(lines: Iterator[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """The lines after the first, some at a time, each time with the number of the first of them."""
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


def _take_piece(job: DataImport, taking: Taking) -> bool:
    """Take the next piece; False when there is none left."""
    with transaction.atomic():
        piece = DataPiece.objects.select_for_update().filter(job=job).order_by("first_line").first()
        if piece is None:
            return False
        lines = zlib.decompress(bytes(piece.data)).split(b"\n")
        refused = take_lines(taking, list(enumerate(lines, start=piece.first_line)))
        _tell(job, refused)
        job.n_done = piece.first_line + len(lines) - 1
        DataImport.objects.filter(pk=job.pk).update(n_done=job.n_done, n_refused=F("n_refused") + len(refused))
        piece.delete()
    return True


def _tell(job: DataImport, refused: list[Refused]) -> None:
    room = MOST_TOLD - job.lines.count() if refused else 0
    told = sorted(refused, key=lambda each: each.line)[: max(0, room)]
    DataLine.objects.bulk_create(
        [DataLine(job=job, line=each.line, label=each.label[:300], reason=each.reason[:500]) for each in told]
    )
