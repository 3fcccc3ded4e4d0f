"""A temporary folder for backups; folders left by killed processes are deleted by the next one."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PREFIX = ".rssmanager-backup-"


@contextmanager
def temp_dir(within: Path) -> Iterator[Path]:
    """A new folder in `within`, for one process at a time; others wait. Raises OSError.

    It will hold a copy of all data, so folders left by killed processes are deleted first. That is safe because the
    lock is exclusive and ends with its process.
    """
    with _locked(within), TemporaryDirectory(dir=within, prefix=PREFIX) as name:
        yield Path(name)


def clear(within: Path) -> None:
    """Delete what was left in `within`, once no other process uses it. Raises OSError."""
    with _locked(within):
        pass


@contextmanager
def _locked(within: Path) -> Iterator[None]:
    opened = os.open(within, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        for left in within.glob(f"{PREFIX}*"):
            if left.is_dir() and not left.is_symlink() and left.stat().st_uid == os.geteuid():
                shutil.rmtree(left)
        yield
    finally:
        os.close(opened)
