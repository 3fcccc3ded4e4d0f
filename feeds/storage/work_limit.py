"""`time_limit` for work that uses the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from feeds.errors import TimeLimitExceeded
from feeds.time_limit import time_limit


@contextmanager
def work_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitExceeded in the block after so many seconds of CPU time. The connection, which may have been
    interrupted in the middle of a query, is then closed."""
    try:
        with time_limit(seconds):
            yield
    except TimeLimitExceeded:
        if not connection.in_atomic_block:
            connection.close()
        raise
