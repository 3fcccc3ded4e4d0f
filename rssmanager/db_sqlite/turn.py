"""A fair queue for writing to SQLite, which has one writer at a time.

A process that finds SQLite's write lock taken sleeps up to 100 ms before it retries. While workers write a lot, it
rarely retries at the right time, and a page could wait for seconds. So writers queue at two lock files first: the one
with the first place waits for the turn, and a process that just wrote and wants to write again waits for the first
place. No writer is overtaken twice.

The locks end with their process. After waiting too long, a writer continues without the turn, and SQLite's own lock and
busy timeout apply, as for other programs.
"""

import fcntl
import os
from time import monotonic, sleep

POLL_SECONDS = 0.002


class Turn:
    """One connection's place in the queue for the database file at `path`. Not for use by several threads."""

    def __init__(self, path: str, *, patience: float) -> None:
        """`patience`: the maximum wait in seconds."""
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
        """Release the turn, if held."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held)  # releases the lock


def _locked(path: str, until: float) -> int | None:
    """A handle with the lock on a file; None after the timeout, or if the file can't be opened."""
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
            sleep(POLL_SECONDS)
        else:
            return handle
