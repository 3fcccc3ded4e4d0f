"""Whose turn it is to write to SQLite, which has one writer at a time.

A process that finds SQLite's write lock taken sleeps and looks again, up to 100 ms a time, so two busy workers lose
half their time asleep. Queueing at a lock file first, the next one is woken the moment the turn is free. Writers that
do not queue here (the web process) are safe all the same: SQLite's own lock and busy timeout decide.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def writing_turn() -> Iterator[None]:
    """Hold the turn to write; nothing to wait for on other databases and in memory."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]
        yield
        return
    handle = os.open(f"{name}-turn", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which gives up the lock
