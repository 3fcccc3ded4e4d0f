"""The limit of requests in flight to one registrable domain, in this process."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class DomainSlots:
    """`per_domain` slots for each domain, given in the order of asking.

    A slot that is given back goes straight to whoever waits longest, so that nobody starves. Only domains in use are
    remembered: the table is never larger than the number of threads that hold or await a slot.
    """

    def __init__(self, per_domain: int) -> None:
        self._per_domain = per_domain
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[threading.Event]] = {}

    @contextmanager
    def held(self, domain: str) -> Iterator[None]:
        """Wait for a slot of `domain`, hold it for the block. A thread holds one at a time, so none can deadlock."""
        self._take(domain)
        try:
            yield
        finally:
            self._give_back(domain)

    def _take(self, domain: str) -> None:
        with self._lock:
            if self._held.get(domain, 0) < self._per_domain:
                self._held[domain] = self._held.get(domain, 0) + 1
                return
            handed_over = threading.Event()
            self._waiting.setdefault(domain, deque()).append(handed_over)
        try:
            handed_over.wait()
        except BaseException:  # interrupted (Ctrl-C, a task's time limit): leave the queue, or pass the slot on
            self._leave_queue(domain, handed_over)
            raise

    def _give_back(self, domain: str) -> None:
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
        self._give_back(domain)
