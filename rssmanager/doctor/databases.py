"""The database: availability, origin, migrations, encoding and clock."""

import os
from datetime import datetime, timedelta
from pathlib import Path

from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from feeds.polling.schedule import format_duration
from rssmanager.backup.create import backups_in, default_path
from rssmanager.doctor.result import Result, note, ok, problem
from rssmanager.middleware.readiness import n_migrations_missing

OUR_LABELS = frozenset({"feeds", "reader", "digests", "accounts", "authentication", "operations"})
OLD_LABELS = frozenset({"account", "signing_in", "operating"})  # of apps, before 0.1.0
_SIGNS_OF_DAMAGE = ("malformed", "not a database")
MAX_CLOCK_DIFFERENCE = timedelta(seconds=30)  # leases and emails depend on the clocks


class UnusableDatabase(Exception):
    """A database that this version can't use: what is wrong with it, as said of "the database", and what helps."""

    def __init__(self, why: str, to_do: str) -> None:
        super().__init__(why)
        self.to_do = to_do


def check_usable(*, reads_all: bool = False) -> None:
    """Raises UnusableDatabase if the database doesn't respond, is damaged, or was made by another version.

    `reads_all`: read every page of a SQLite file, which takes seconds for gigabytes.
    """
    try:
        applied = MigrationRecorder(connection).applied_migrations()
        if reads_all and connection.vendor == "sqlite":
            _read_all()
            file = Path(connection.settings_dict["NAME"])
            if file.exists() and not os.access(file, os.W_OK):
                raise OperationalError("readonly file")
    except (DatabaseError, InterfaceError) as error:
        raise unusable(error) from error
    if OLD_LABELS & {app for app, _ in applied}:
        raise UnusableDatabase(
            "was made by a development version before 0.1.0, which can't be upgraded",
            "Export your data with that version, set DATABASE_URL to a new database, and import it there.",
        )
    known = MigrationLoader(None).disk_migrations
    newer = sorted(f"{app}.{name}" for app, name in applied if app in OUR_LABELS and (app, name) not in known)
    if newer:
        raise UnusableDatabase(
            f"was made by a newer version ({newer[-1]})",
            "Update the app, or restore a backup that this version made.",
        )


def _read_all() -> None:
    """Raises DatabaseError."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        found = cursor.fetchone()[0]
    if found != "ok":
        raise DatabaseError(f"malformed: {found}")


def unusable(error: Exception) -> UnusableDatabase:
    """What is wrong with the database, from an error of it."""
    reason = str(error).strip().partition("\n")[0]
    if "readonly" in reason or "read-only" in reason:
        return UnusableDatabase("can't be written", "Let the app's user write its file and folder, or its tables.")
    if "already exists" in reason:
        return UnusableDatabase(f"has tables of another program: {reason}", "Set DATABASE_URL to one of its own.")
    if connection.vendor != "sqlite" or not any(sign in reason for sign in _SIGNS_OF_DAMAGE):
        return UnusableDatabase(f"doesn't respond: {reason}", "Check DATABASE_URL, and that the server is running.")
    file, folder = connection.settings_dict["NAME"], default_path(timezone.now()).parent
    newest = max(backups_in(folder), key=lambda path: path.stat().st_mtime, default=None)
    if newest is not None:
        to_do = f"Move it away and restore the newest backup: `python manage.py restore {newest}`."
    else:
        to_do = f"There is no backup in {folder}. `sqlite3 {file} .recover` may save some of it."
    return UnusableDatabase(f"is a damaged SQLite file ({file})", to_do)


def database() -> Result:
    """Django's error for versions of PostgreSQL that are too old shows up here."""
    try:
        check_usable(reads_all=True)
        n_missing = n_migrations_missing()
    except UnusableDatabase as error:
        return problem(f"the database {error}", error.to_do)
    except (DatabaseError, InterfaceError) as error:
        return problem(str(error).strip().partition("\n")[0], "Check DATABASE_URL, and that the server is running.")
    if n_missing:
        return problem(f"{n_missing} migrations are missing", "Run `python manage.py prepare`.")
    return ok(f"{connection.display_name}, up to date")


def encoding() -> Result:
    if connection.vendor != "postgresql":
        return ok("UTF-8, as always with SQLite")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        name = str(cursor.fetchone()[0])
    if name != "UTF8":
        return problem(
            f"the database's encoding is {name}, which can't store every article",
            "Create one with `CREATE DATABASE reader ENCODING 'UTF8' TEMPLATE template0`, and restore a backup there.",
        )
    return ok(name)


def clock() -> Result:
    if connection.vendor != "postgresql":
        return ok("one machine, one clock")
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        theirs = cursor.fetchone()[0]
    return compare_clocks(theirs, timezone.now(), source="the database's")


def compare_clocks(theirs: datetime, ours: datetime, *, source: str) -> Result:
    difference = abs(theirs - ours)
    if difference > MAX_CLOCK_DIFFERENCE:
        return note(
            f"this machine's clock and {source} differ by {format_duration(difference)}",
            "Synchronize both with NTP: `timedatectl set-ntp true`.",
        )
    return ok("the clocks agree")
