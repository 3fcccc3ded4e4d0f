"""Ends work on foreign content that hangs, so that one entry can't stop the work on all others.

A text can keep a regular expression busy for hours, or a library for ever. `time_limit` interrupts both after some
seconds of this process's CPU time: waiting for the database, a lock or a slow machine's other programs costs none. Code
in C that doesn't return to Python can't be interrupted; a watchdog, which needs no interpreter, then logs where it
hangs and ends the process. The guard of the cluster replaces it.

Work on a batch gets time by the size of the batch. If it fails, its parts are tried again in smaller batches
(`batch_size`), down to the one entry that fails alone, which is set aside.

Only the main thread can be interrupted; elsewhere there is no limit. Limits don't nest.
"""

import faulthandler
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import isqrt
from types import FrameType

from feeds.errors import TimeLimitExceeded

ALONE_SECONDS = 3.0  # for one entry; the longest text there may be takes 0.05
FULL_SECONDS = 8.0  # more for a full batch, which takes 0.3 to 1.2
MAX_TRIES = 3  # in a full batch, in a small one, alone
_AGAIN = 5.0  # seconds after which it interrupts again, if the first one was lost in a destructor
_WATCHDOG_FACTOR, _WATCHDOG_SECONDS = 2.0, 40.0  # of real time, for what waits and for loading models
_STDERR = 2


class _Interrupt(BaseException):
    """Raised in the middle of the work; no handler of errors there may swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitExceeded in the block after so many seconds of CPU time."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGPROF, _interrupt)
    faulthandler.dump_traceback_later(_WATCHDOG_FACTOR * seconds + _WATCHDOG_SECONDS, exit=True, file=_STDERR)
    try:
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _Interrupt as interrupt:
        raise TimeLimitExceeded(seconds) from interrupt
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGPROF, previous)


@contextmanager
def untimed() -> Iterator[None]:
    """Don't count this block, which loads a library or a model once per process."""
    left, again = signal.setitimer(signal.ITIMER_PROF, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, left, again)


def batch_seconds(n: int, *, full: int) -> float:
    """The limit for a batch of `n` entries, of `full` at most."""
    return ALONE_SECONDS + FULL_SECONDS * n / full


def batch_size(n_tries: int, *, full: int) -> int:
    """How many entries that failed `n_tries` times to try together. With these steps one that hangs costs three limits,
    and the others of its batch little; halving would cost ten."""
    return (full, isqrt(full), 1)[n_tries]


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise _Interrupt
