"""Making a backup while everything goes on: under another name until it is whole, so no half of one is ever there."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from rssmanager import __version__
from rssmanager.backup import archive, databases
from rssmanager.backup.archive import BackupError, Manifest
from rssmanager.backup.workplace import workplace

_NAME = "rssmanager-{:%Y-%m-%d-%H%M%S}.zip"
_PATTERN = "rssmanager-????-??-??-??????.zip"  # of which as many are kept as were asked for


@dataclass(frozen=True, slots=True)
class Made:
    """Where a backup lies, its bytes, and older ones that were taken away for it."""

    path: Path
    n_bytes: int
    removed: tuple[Path, ...] = ()


def usual_place(now: datetime) -> Path:
    """Where a backup goes for which no place was named; its name says when, in UTC."""
    return Path(settings.DATA_DIR) / "backups" / _NAME.format(now.astimezone(UTC))


def backups_in(folder: Path) -> list[Path]:
    """Backups with names of their own, the newest first."""
    return sorted(folder.glob(_PATTERN), reverse=True)


def make_backup(path: Path, *, now: datetime, keep: int | None = None) -> Made:
    """Write a backup to a new file; `keep` so many of those with names of their own beside it, the newest.

    Raises `BackupError`; then nothing was written.
    """
    if path.exists():
        raise BackupError(f"{path} is there already.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with workplace(path.parent) as folder:
            draft, database = folder / "backup", folder / "database"
            databases.dump(database)
            archive.write(draft, _manifest(now), database=database, key=_kept_key())
            _settle(draft)
            os.link(draft, path)  # fails where somebody else was faster
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror or error}.") from error
    _settle(path.parent)
    return Made(path, path.stat().st_size, _thinned(path, keep))


def _manifest(now: datetime) -> Manifest:
    try:
        had = sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
    except DatabaseError as error:
        raise BackupError(f"The database does not answer: {error}") from error
    return Manifest(now.astimezone(UTC).isoformat(timespec="seconds"), __version__, connection.vendor, tuple(had))


def _kept_key() -> str:
    path = Path(settings.DATA_DIR) / "secret_key"
    return path.read_text(encoding="utf-8") if not settings.ENV.SECRET_KEY and path.exists() else ""


def _settle(path: Path) -> None:
    """Have it on the disk, and not only on its way there."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _thinned(path: Path, keep: int | None) -> tuple[Path, ...]:
    if keep is None:
        return ()
    others = [each for each in backups_in(path.parent) if each != path]
    removed = tuple(others[max(keep - 1, 0) :])
    for each in removed:
        each.unlink(missing_ok=True)
    return removed
