"""Limits the requests in flight to one registrable domain: of this process, and with a folder of this machine.

Leases keep the feeds of a domain to one worker, but redirects and pages lead to domains that others poll. So a slot is
also a locked file in a folder that all processes share; the kernel releases the lock however a process ends.
"""

import fcntl
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

logger = logging.getLogger(__name__)

N_FILES = 4096  # slots of all domains, by hash; two domains with one hash only wait for each other
TICK = 0.05  # seconds between two tries to lock a file


class DomainLimiter:
    """`per_domain` slots for each domain, first come, first served in a process.

    A released slot goes straight to the thread that has waited longest, so none starves. Only domains in use are kept
    in memory. `folder`: for the files of processes that share the slots, None for a single one.
    """

    def __init__(self, per_domain: int, folder: Path | None = None) -> None:
        self._per_domain, self._folder = per_domain, folder
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[threading.Event]] = {}

    @contextmanager
    def slot(self, domain: str, *, seconds: float = threading.TIMEOUT_MAX) -> Iterator[None]:
        """Wait for a slot of `domain` and hold it for the block. A thread holds one at a time, so none can deadlock.

        Raises TimeoutError if none is free within `seconds`.
        """
        until = time.monotonic() + seconds
        self._acquire(domain, seconds)
        try:
            file = self._lock_file(domain, until)
            try:
                yield
            finally:
                if file is not None:
                    os.close(file)
        finally:
            self._release(domain)

    def _lock_file(self, domain: str, until: float) -> int | None:
        """Lock one of the domain's files; None without a folder, or when it can't be used."""
        if self._folder is None:
            return None
        number = int.from_bytes(blake2b(domain.encode(), digest_size=4).digest(), "big") % N_FILES
        paths = [self._folder / f"{number}-{slot}" for slot in range(self._per_domain)]
        while True:
            for path in paths:
                try:
                    file = os.open(path, os.O_CREAT | os.O_RDWR)
                except OSError as error:
                    logger.warning("Can't limit connections to %s across processes: %s", domain, error)
                    return None
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return file
                except BlockingIOError:
                    os.close(file)
            if time.monotonic() >= until:
                raise TimeoutError(f"no free connection to {domain} in time")
            time.sleep(TICK)

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
