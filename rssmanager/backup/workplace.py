"""A folder to work in that is gone afterwards; what somebody left there who was killed goes with the next."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PREFIX = ".rssmanager-backup-"  # nobody else's


@contextmanager
def workplace(within: Path) -> Iterator[Path]:
    """A new folder in `within`, for one at a time; others wait. Raises OSError.

    It holds a copy of everything, so what somebody left there who was killed is taken away first: whoever holds the
    lock is alone, and a lock ends with its process.
    """
    with _alone(within), TemporaryDirectory(dir=within, prefix=PREFIX) as name:
        yield Path(name)


def clear(within: Path) -> None:
    """Take away what was left in `within`, once nobody works there. Raises OSError."""
    with _alone(within):
        pass


@contextmanager
def _alone(within: Path) -> Iterator[None]:
    opened = os.open(within, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        for left in within.glob(f"{PREFIX}*"):
            if left.is_dir() and not left.is_symlink() and left.stat().st_uid == os.geteuid():
                shutil.rmtree(left)
        yield
    finally:
        os.close(opened)
