"""A cluster of workers that survives the death of any worker, and changes of the clock.

Its processes share queues whose locks are semaphores. A worker holds one while it waits for a task or reports a result.
If it is killed then, usually by the kernel for lack of memory, the semaphore is never released, and the whole cluster
hangs without an error. The locks here belong to a process, so the kernel releases them when it ends. A tiny risk
remains between the two reads of one message from a pipe.

The guard of the cluster waits half a second at a time on a semaphore, by the time of day. If that is set back by an
hour, the wait takes an hour, in which no dead worker is replaced and no schedule runs. The events here use a monotonic
clock.
"""

import fcntl
import os
import tempfile
from multiprocessing import Value, get_context, synchronize
from time import monotonic, sleep
from types import TracebackType
from typing import Any

from django.db import close_old_connections
from django.utils import timezone
from django_q import cluster
from django_q.queues import Queue
from django_q.scheduler import scheduler

from rssmanager.queueing.running import skip_running
from rssmanager.queueing.task_guard import remove_foreign_schedules
from rssmanager.server.clock_recovery import fix_future_times

POLL_SECONDS = 0.1  # while waiting for an event


class ProcessLock:
    """A reentrant lock between processes (not threads), released when its process ends.

    It is a POSIX record lock, which a fork doesn't inherit.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the lock
        self._holder, self._depth = 0, 0

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Acquire the lock, waiting unless `block` is False; timeouts aren't supported."""
        if timeout is not None:
            raise NotImplementedError("timeouts are not supported")
        if self._holder != os.getpid():  # a fork doesn't inherit the lock
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


class RobustQueue(Queue):
    """The cluster's queue, with process locks for reading, writing and counting."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._rlock, self._wlock = ProcessLock(), ProcessLock()
        self.size.count = robust_value("i", 0)
        self._reset()  # stores the lock's methods for the writing thread


def robust_value(kind: str, value: float) -> Any:
    """A number shared by processes, with a process lock."""
    lock: Any = ProcessLock()
    return Value(kind, value, lock=lock)


class MonotonicEvent(synchronize.Event):
    """An event between processes whose timeouts ignore changes of the clock."""

    def __init__(self) -> None:
        super().__init__(ctx=get_context())

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set, for at most `timeout` seconds; returns whether it is."""
        until = monotonic() + (float("inf") if timeout is None else timeout)
        while not self.is_set() and (left := until - monotonic()) > 0:
            sleep(min(left, POLL_SECONDS))
        return self.is_set()


def guarded_scheduler(broker: Any = None) -> None:
    """The queue's scheduler, after checking the schedules and skipping tasks that are still running.

    A connection that died with its server is replaced first; the guard lives on, and would fail forever.
    """
    close_old_connections()
    fix_future_times(timezone.now())
    if remove_foreign_schedules():
        skip_running(timezone.now())
        scheduler(broker=broker)


def use_robust_queues() -> None:
    """Patch the queue, which has no setting for these classes."""
    cluster.Queue, cluster.Value, cluster.Event = RobustQueue, robust_value, MonotonicEvent
