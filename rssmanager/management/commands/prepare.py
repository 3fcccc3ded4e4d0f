"""`manage.py prepare`: sets up an installation before it serves; safe to repeat and to run concurrently."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, ProgrammingError, connection
from django.utils import timezone

from digests.delivery.after_restore import explain_held_mail
from feeds.publishers.known import add_known
from rssmanager.authentication.setup_code import setup_hint
from rssmanager.backup import temp_dir
from rssmanager.doctor.databases import UnusableDatabase, check_usable, unusable
from rssmanager.schedules import write_schedules

_LOCK_NUMBER = 0x5072  # of our advisory lock on PostgreSQL


@contextmanager
def _setup_lock() -> Iterator[None]:
    """Hold the lock of this installation, waiting for other processes: services that start together all run `prepare`.

    Two processes that migrate at once would both find a migration missing, and the second would fail on existing
    tables. The lock ends with its process: a file in `DATA_DIR` for SQLite and static files, and a lock in PostgreSQL
    for several machines.
    """
    handle = os.open(settings.DATA_DIR / "prepare.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with _database_lock():
            yield
    finally:
        os.close(handle)  # releases the lock


@contextmanager
def _database_lock() -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK_NUMBER])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK_NUMBER])


@contextmanager
def explaining_errors() -> Iterator[None]:
    """Errors of the database end in one sentence; those of a statement are bugs."""
    try:
        yield
    except (DatabaseError, InterfaceError, UnusableDatabase) as raised:
        if isinstance(raised, ProgrammingError | IntegrityError | DataError):
            raise
        error = raised if isinstance(raised, UnusableDatabase) else unusable(raised)
        raise CommandError(f"The database of DATABASE_URL {error}. {error.to_do}") from raised


class Command(BaseCommand):
    help = "Run migrations, collect static files and create schedules; safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        verbosity = options["verbosity"] - 1
        with explaining_errors():
            check_usable()
        with explaining_errors(), _setup_lock():
            call_command("migrate", interactive=False, verbosity=verbosity)
            call_command("collectstatic", interactive=False, verbosity=verbosity)
            add_known()
            n_schedules = write_schedules()
            temp_dir.clear(settings.DATA_DIR)  # this and the next line finish an interrupted restore
            explain_held_mail(timezone.now())
        self.stdout.write(f"Ready: database and static files are up to date, {n_schedules} recurring tasks.")
        if not settings.ENV.DEMO and (hint := setup_hint()) is not None:
            self.stdout.write(hint)
