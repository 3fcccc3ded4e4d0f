"""Whose turn it is to write to SQLite, which has one writer at a time.

A process that finds SQLite's write lock taken sleeps and looks again, up to 100 ms a time. Where workers write much of
the time it seldom looks at the right moment: a page that marks an article as read waited for seconds. So whoever writes
queues at lock files first. There are two: who has the place in front waits for the turn, and whoever just wrote and
wants to write again waits for that place. So nobody is overtaken twice.

A lock ends with its process, however that ends. Who waits too long goes on without the turn: then SQLite's own lock and
its busy timeout decide, as for programs that do not queue here.
"""

import fcntl
import os
from time import monotonic, sleep

LOOK_EVERY = 0.002  # seconds


class Turn:
    """One connection's place in the queue for the database file at `path`. Not for use by several threads."""

    def __init__(self, path: str, *, patience: float) -> None:
        """`patience`: seconds to wait at most."""
        self._place, self._turn = f"{path}-place", f"{path}-turn"
        self._patience = patience
        self._held: int | None = None

    def take(self) -> None:
        """Wait for the turn, and hold it until `give`."""
        if self._held is not None:
            return
        until = monotonic() + self._patience
        place = _locked(self._place, until)
        self._held = _locked(self._turn, until)
        if place is not None:
            os.close(place)

    def give(self) -> None:
        """Let the next one write; nothing to do for who does not hold the turn."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held)  # which gives up the lock


def _locked(path: str, until: float) -> int | None:
    """A handle with the lock on a file; None once it is too late, or where the disk is full or the file another's."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                os.close(handle)
                return None
            sleep(LOOK_EVERY)
        else:
            return handle
