"""A folder to work in that is gone afterwards, also when whoever worked there was killed."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PREFIX = ".backup-"


@contextmanager
def workplace(within: Path) -> Iterator[Path]:
    """A new folder in `within`, for one at a time; others wait. Raises OSError.

    It holds a copy of everything, so what somebody left there who was killed is taken away first: whoever holds the
    lock is alone, and a lock ends with its process.
    """
    opened = os.open(within, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        for left in within.glob(f"{PREFIX}*"):
            shutil.rmtree(left)
        with TemporaryDirectory(dir=within, prefix=PREFIX) as name:
            yield Path(name)
    finally:
        os.close(opened)
