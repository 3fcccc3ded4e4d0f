"""A cluster of workers that outlives the death of any of them.

Its processes share queues whose locks are semaphores. A worker that waits for a task holds one, and so does one that
says what became of its task; killed then (by the kernel that needs memory, most of all) it never gives it up, and all
others wait for it for ever: the cluster stands still, and looks well. The locks here belong to a process, and the
kernel takes them back when it ends, however it ends.

What stays is the moment between the two reads that take one small message from a pipe.

It outlives changes of the clock, too. Its guard waits half a second at a time, on a semaphore, and the kernel's waits
for these go by the time of day: where that is set back by an hour, the half second lasts an hour, in which nobody
replaces a dead worker or looks at a schedule. The events here wait by a clock that only goes on.
"""

import fcntl
import os
import tempfile
from multiprocessing import Value, get_context, synchronize
from time import monotonic, sleep
from types import TracebackType
from typing import Any

from django.utils import timezone
from django_q import cluster
from django_q.queues import Queue
from django_q.scheduler import scheduler

from rssmanager.clock_changes import set_right

LOOK_EVERY = 0.1  # seconds between two looks of who waits for an event


class MortalLock:
    """Held by one process at a time, as often as it likes; free when that ends. Says nothing between threads.

    A record lock of POSIX, which is not inherited: made before a fork, it is each process's to take.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the lock
        self._holder, self._depth = 0, 0

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """True once it is held; waits for it unless told not to. Knows no end of waiting."""
        if timeout is not None:
            raise NotImplementedError("nobody here waits for so long and no longer")
        if self._holder != os.getpid():  # what it held when we were forked is not ours
            self._holder, self._depth = os.getpid(), 0
        if self._depth == 0:
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX if block else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        self._depth += 1
        return True

    def release(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            fcntl.lockf(self._file, fcntl.LOCK_UN)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class SurvivingQueue(Queue):
    """The cluster's queue, with mortal locks on reading, writing and counting."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rlock, self._wlock = MortalLock(), MortalLock()
        self.size.count = surviving_value("i", 0)
        self._reset()  # keeps the lock's methods for the thread that writes


def surviving_value(kind: str, value: float) -> Any:
    """A number shared by processes, with a mortal lock."""
    lock: Any = MortalLock()
    return Value(kind, value, lock=lock)


class SteadyEvent(synchronize.Event):
    """An event between processes; whoever waits for it so long waits no longer, whatever becomes of the clock."""

    def __init__(self) -> None:
        super().__init__(ctx=get_context())

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it is set, at the latest after `timeout` seconds."""
        until = monotonic() + (float("inf") if timeout is None else timeout)
        while not self.is_set() and (left := until - monotonic()) > 0:
            sleep(min(left, LOOK_EVERY))
        return self.is_set()


def steady_scheduler(broker: Any = None) -> None:
    """The queue's own, of schedules that are due when they should be."""
    set_right(timezone.now())
    scheduler(broker=broker)


def survive() -> None:
    """Let clusters of this process be made of these; they have no place to be told."""
    cluster.Queue, cluster.Value, cluster.Event = SurvivingQueue, surviving_value, SteadyEvent
    cluster.scheduler = steady_scheduler
