"""Restoring a backup: everything as it was, and nothing sent twice."""

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from digests.restored import Held, holding_back, settle
from rssmanager.backup import databases
from rssmanager.backup.archive import Backup, BackupError, Manifest
from rssmanager.backup.making import Made, make_backup, usual_place
from rssmanager.backup.workplace import workplace
from rssmanager.signing_in.models import BrowserSession

COPIES = 2  # of the database that lie on the disk for a moment, beside the one in use
# Tables of sessions, by the migration that makes each.
_SESSIONS = {
    "sessions.0001_initial": Session._meta.db_table,
    "signing_in.0003_browser_sessions": BrowserSession._meta.db_table,
}


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored; what was there before as a backup of its own, None if nothing; which mail is held back."""

    manifest: Manifest
    before: Made | None
    held: Held
    has_key: bool


def restore(path: Path, *, replaces: bool, now: datetime) -> Restored:
    """Put what the backup holds in place of what is here, which must be nothing unless `replaces`.

    Everybody has to sign in again: a session that was ended since would otherwise be open again. Raises `BackupError`;
    then everything is as it was.
    """
    with Backup(path) as backup:
        _check(backup.manifest)
        is_empty = _is_empty()
        if not is_empty and not replaces:
            raise BackupError("This reader is in use. --replace makes a backup of it, and restores this one.")
        before = None if is_empty else make_backup(usual_place(now), now=now)
        folder = Path(settings.DATA_DIR)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with workplace(folder) as work:
                _check_room(backup.n_bytes, work)
                database = work / "database"
                backup.unpack(database)
                databases.check(database)
                key = _key_to_put(backup.key, work)  # before: afterwards a full disk would be too late
                databases.load(
                    database, scratch=work / "database.sql", then=(*_signing_out(backup.manifest), *holding_back(now))
                )
                if key:
                    key.replace(folder / "secret_key")
        except OSError as error:
            raise BackupError(f"{folder} cannot be written: {error.strerror or error}.") from error
    call_command("migrate", interactive=False, verbosity=0)
    return Restored(backup.manifest, before, settle(now), has_key=key is not None)


def _is_empty() -> bool:
    try:
        return databases.is_empty()
    except DatabaseError as error:
        raise BackupError(f"The database does not answer: {error}") from error


def _signing_out(manifest: Manifest) -> list[str]:
    return [f"DELETE FROM {table}" for had, table in _SESSIONS.items() if had in manifest.migrations]  # noqa: S608


def _check_room(n_bytes: int, work: Path) -> None:
    needed, free = COPIES * n_bytes, shutil.disk_usage(work).free
    if free < needed:
        raise BackupError(f"{work.parent} has {free:,} bytes free, and restoring needs {needed:,}.")


def _check(manifest: Manifest) -> None:
    if manifest.vendor != connection.vendor:
        raise BackupError(
            f"The backup is of {manifest.vendor}, and this reader uses {connection.vendor}. From one to the other each"
            " person takes their own things: export_data, import_data."
        )
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    ours = {each.partition(".")[0] for each in known}
    unknown = sorted(each for each in manifest.migrations if each not in known and each.partition(".")[0] in ours)
    if unknown:
        raise BackupError(f"The backup is of a later version ({manifest.version}: {unknown[-1]}). Update first.")


def _key_to_put(key: str, work: Path) -> Path | None:
    """The signing key of the backup as a file; None where there is none, or the environment gives one."""
    if not key or settings.ENV.SECRET_KEY:
        return None
    draft = work / "secret_key"
    draft.touch(mode=0o600)
    draft.write_text(key, encoding="utf-8")
    return draft
