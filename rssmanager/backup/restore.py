"""Restoring a backup without sending any email twice."""

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from digests.delivery.after_restore import HeldEmail, explain_held_mail, holding_back
from reader.articles.changes import forget_all
from rssmanager.authentication.models import BrowserSession
from rssmanager.backup import databases
from rssmanager.backup.archive import Backup, BackupError, Manifest
from rssmanager.backup.create import BackupFile, default_path, make_backup
from rssmanager.backup.temp_dir import temp_dir

COPIES = 2  # of the database on the disk while restoring, besides the one in use
_DELETE_SESSIONS = f"DELETE FROM {BrowserSession._meta.db_table}"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, the backup of the previous data (None if there was none), and the emails held back."""

    manifest: Manifest
    before: BackupFile | None
    held: HeldEmail
    has_key: bool


def restore(path: Path, *, replaces: bool, now: datetime) -> Restored:
    """Restore a backup into an empty installation, or replace existing data if `replaces`.

    All users must sign in again, or sessions that were ended since would be valid again, and clients of the JSON API
    begin anew. Raises BackupError, and then changes nothing.
    """
    with Backup(path) as backup:
        _check(backup.manifest)
        is_empty = _is_empty()
        if not is_empty and not replaces:
            raise BackupError("This installation has data. Use --replace to back it up and replace it.")
        before = None if is_empty else make_backup(default_path(now), now=now)
        folder = Path(settings.DATA_DIR)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with temp_dir(folder) as work:
                _check_room(backup.n_bytes, work)
                database = work / "database"
                backup.unpack(database)
                databases.check(database)
                key = _write_key(backup.key, work)  # written first, in case the disk is full
                databases.load(database, scratch=work / "database.sql", then=(_DELETE_SESSIONS, *holding_back(now)))
                if key:
                    key.replace(folder / "secret_key")
        except OSError as error:
            raise BackupError(f"{folder} can't be written: {error.strerror or error}.") from error
    call_command("migrate", interactive=False, verbosity=0)
    forget_all()
    return Restored(backup.manifest, before, explain_held_mail(now), has_key=key is not None)


def _is_empty() -> bool:
    try:
        return databases.is_empty()
    except DatabaseError as error:
        raise BackupError(f"The database doesn't respond: {error}") from error


def _check_room(n_bytes: int, work: Path) -> None:
    needed, free = COPIES * n_bytes, shutil.disk_usage(work).free
    if free < needed:
        raise BackupError(f"Restoring needs {needed:,} bytes in {work.parent}, but only {free:,} are free.")


def _check(manifest: Manifest) -> None:
    if manifest.vendor != connection.vendor:
        raise BackupError(
            f"The backup is from {manifest.vendor}, but this installation uses {connection.vendor}. To switch, export "
            "and import each user's data: export_data, import_data."
        )
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    apps = {migration.partition(".")[0] for migration in known}
    unknown = sorted(
        migration for migration in manifest.migrations if migration not in known and migration.partition(".")[0] in apps
    )
    if unknown:
        raise BackupError(f"The backup is from a newer version ({manifest.version}: {unknown[-1]}). Update first.")


def _write_key(key: str, work: Path) -> Path | None:
    """The secret key of the backup as a file; None if it has none, or the environment sets one."""
    if not key or settings.ENV.SECRET_KEY:
        return None
    draft = work / "secret_key"
    draft.touch(mode=0o600)
    draft.write_text(key, encoding="utf-8")
    return draft
