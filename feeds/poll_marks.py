"""What a process was polling when it died: a small file for each run of the poller, in a folder of this machine.

The file is locked while its process lives, and the kernel lets go of it however that ends: a crash in a library, or no
memory left. Whoever finds one that nobody holds knows which leases to give back and which feed was being read.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

_LOCK = "lock"  # held for the moment in which files are made or looked for, so that none is found half made
_N_BYTES = 8


@dataclass(frozen=True, slots=True)
class Mark:
    """`token` is that of its leases; `feed_id` is 0 where no feed was being read."""

    token: UUID
    feed_id: int


class Marking:
    """This process's own mark. `close` it when all is well."""

    def __init__(self, folder: Path, token: UUID) -> None:
        """Raises OSError where nothing can be written."""
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / token.hex
        with _locked(folder):
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._handle, fcntl.LOCK_EX)
        try:
            self.at(0)
        except OSError:
            self.close()
            raise

    def at(self, feed_id: int) -> None:
        """Note which feed is being read from now on; 0 for none."""
        os.pwrite(self._handle, feed_id.to_bytes(_N_BYTES, "big"), 0)

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def left_behind(folder: Path) -> Iterator[Mark]:
    """The marks of processes that are no more; each is forgotten once the next is asked for."""
    if not folder.is_dir():
        return
    with _locked(folder):
        found = [(path, handle) for path in folder.iterdir() if (handle := _taken(path)) is not None]
    try:
        for path, handle in found:
            yield Mark(UUID(hex=path.name), int.from_bytes(os.pread(handle, _N_BYTES, 0), "big"))
            path.unlink(missing_ok=True)
    finally:
        for _, handle in found:
            os.close(handle)


def _taken(path: Path) -> int | None:
    """A handle with its lock; None where its process lives, or came to its end this moment."""
    if path.name == _LOCK:
        return None
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    if not os.fstat(handle).st_nlink:
        os.close(handle)
        return None
    return handle


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
