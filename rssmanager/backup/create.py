"""Creating a backup while the app runs. It gets its name only when complete."""

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
from rssmanager.backup.temp_dir import temp_dir

_NAME = "rssmanager-{:%Y-%m-%d-%H%M%S}.zip"
_PATTERN = "rssmanager-????-??-??-??????.zip"  # `keep` counts these


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A new backup, its size, and older ones that were deleted."""

    path: Path
    n_bytes: int
    removed: tuple[Path, ...] = ()


def default_path(now: datetime) -> Path:
    """The default file of a backup, named by the time in UTC."""
    return Path(settings.DATA_DIR) / "backups" / _NAME.format(now.astimezone(UTC))


def backups_in(folder: Path) -> list[Path]:
    """Backups with default names, newest first."""
    return sorted(folder.glob(_PATTERN), reverse=True)


def make_backup(path: Path, *, now: datetime, keep: int | None = None) -> BackupFile:
    """Write a backup to a new file, and `keep` only the newest backups with default names beside it.

    Raises BackupError, and then has written nothing.
    """
    if path.exists():
        raise BackupError(f"{path} already exists.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temp_dir(path.parent) as folder:
            draft, database = folder / "backup", folder / "database"
            databases.dump(database)
            archive.write(draft, _manifest(now), database=database, key=_stored_key())
            _fsync(draft)
            os.link(draft, path)  # fails if the file exists by now
    except OSError as error:
        raise BackupError(f"{path} can't be written: {error.strerror or error}.") from error
    _fsync(path.parent)
    return BackupFile(path, path.stat().st_size, _delete_old(path, keep))


def _manifest(now: datetime) -> Manifest:
    try:
        applied = sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
    except DatabaseError as error:
        raise BackupError(f"The database doesn't respond: {error}") from error
    return Manifest(now.astimezone(UTC).isoformat(timespec="seconds"), __version__, connection.vendor, tuple(applied))


def _stored_key() -> str:
    path = Path(settings.DATA_DIR) / "secret_key"
    return path.read_text(encoding="utf-8") if not settings.ENV.SECRET_KEY and path.exists() else ""


def _fsync(path: Path) -> None:
    """Wait until the file is on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _delete_old(path: Path, keep: int | None) -> tuple[Path, ...]:
    if keep is None:
        return ()
    others = [backup for backup in backups_in(path.parent) if backup != path]
    removed = tuple(others[max(keep - 1, 0) :])
    for backup in removed:
        backup.unlink(missing_ok=True)
    return removed
