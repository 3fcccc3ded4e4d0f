"""Preparing an installation is for one process at a time: services that start together each prepare first.

Two that migrate at once would both find a migration missing, and the later one its tables already there. A lock that
ends with its process, however it ends: on a file in `DATA_DIR`, for SQLite and for static files, and in PostgreSQL, for
processes of several machines.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

_NUMBER = 0x5072  # of our advisory lock on PostgreSQL


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait for whoever prepares with this folder or database, then hold the turn."""
    handle = os.open(folder / "prepare.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with _database():
            yield
    finally:
        os.close(handle)  # which gives up the lock


@contextmanager
def _database() -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_NUMBER])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_NUMBER])
