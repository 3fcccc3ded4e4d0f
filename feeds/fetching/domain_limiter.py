"""Limits the requests in flight to one registrable domain, in this process."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class DomainLimiter:
    """`per_domain` slots for each domain, first come, first served.

    A released slot goes straight to the thread that has waited longest, so none starves. Only domains in use are kept
    in memory.
    """

    def __init__(self, per_domain: int) -> None:
        self._per_domain = per_domain
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[threading.Event]] = {}

    @contextmanager
    def slot(self, domain: str, *, seconds: float = threading.TIMEOUT_MAX) -> Iterator[None]:
        """Wait for a slot of `domain` and hold it for the block. A thread holds one at a time, so none can deadlock.

        Raises TimeoutError if none is free within `seconds`.
        """
        self._acquire(domain, seconds)
        try:
            yield
        finally:
            self._release(domain)

    def _acquire(self, domain: str, seconds: float) -> None:
        with self._lock:
            if self._held.get(domain, 0) < self._per_domain:
                self._held[domain] = self._held.get(domain, 0) + 1
                return
            handed_over = threading.Event()
            self._waiting.setdefault(domain, deque()).append(handed_over)
        try:
            if not handed_over.wait(seconds):
                raise TimeoutError(f"no free connection to {domain} within {seconds:g} s")
        except BaseException:  # too late or interrupted (Ctrl-C, task time limit): leave the queue, or pass the slot on
            self._leave_queue(domain, handed_over)
            raise

    def _release(self, domain: str) -> None:
        with self._lock:
            if queue := self._waiting.get(domain):
                queue.popleft().set()
                if not queue:
                    del self._waiting[domain]
            elif self._held[domain] > 1:
                self._held[domain] -= 1
            else:
                del self._held[domain]

    def _leave_queue(self, domain: str, handed_over: threading.Event) -> None:
        with self._lock:
            queue = self._waiting.get(domain, deque())
            if handed_over in queue:
                queue.remove(handed_over)
                if not queue:
                    del self._waiting[domain]
                return
        self._release(domain)
