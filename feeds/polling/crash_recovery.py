"""Recovers from processes that died while polling: releases their leases, and delays a feed that crashes its reader.

Each run of the poller has a small file in a folder of this machine, which holds the id of the feed being read. The file
is locked while the process lives, and the kernel releases the lock however it ends: a crash in a library, or no memory
left. An unlocked file shows which leases to release and which feed was being read.

Any process may be ended once, by a user or for lack of memory. So that feed is polled again at once. When it happens a
second time in a row, the feed is the likely cause and backs off like a failing one.
"""

import fcntl
import logging
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from feeds.models import Feed, FeedStatus, PollOutcome
from feeds.polling import leases, record
from feeds.polling.record import PollResult

logger = logging.getLogger(__name__)

_LOCK = "lock"  # held while files are created or searched, so that none is seen before it is locked
_N_BYTES = 8


def recover(folder: Path, now: datetime) -> None:
    """Release the leases of processes of this machine that died while polling, and record the failed polls."""
    for crash in find_crashes(folder):
        logger.warning(
            "A process died while polling feed %s; its other feeds are polled again", crash.feed_id or "none"
        )
        with transaction.atomic():
            leases.release(crash.token)
            _record_crash(crash.feed_id, now)


def _record_crash(feed_id: int, now: datetime) -> None:
    locked = Feed.objects.select_for_update(of=("self",)).select_related("source")
    feed = locked.filter(pk=feed_id, status=FeedStatus.ACTIVE).first()
    if feed is None:
        return
    before, last = vars(feed).copy(), feed.polls.order_by("-started_at").first()
    result = PollResult(PollOutcome.INTERNAL, _("the program crashed while reading this feed"))
    jitter = random.uniform(-1, 1)  # noqa: S311 - spreads polls, guards nothing
    record.record(feed, result, now=now, jitter=jitter).save()
    if last is None or last.outcome != PollOutcome.INTERNAL:
        feed.next_poll_at = now
    record.save_changes(feed, before)


@dataclass(frozen=True, slots=True)
class Crash:
    """A process that died: the `token` of its leases, and the feed it was reading, 0 for none."""

    token: UUID
    feed_id: int


class CrashMarker:
    """The file of this process. Close it at the end."""

    def __init__(self, folder: Path, token: UUID) -> None:
        """Raises OSError if the file can't be written."""
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / token.hex
        with _locked(folder):
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._handle, fcntl.LOCK_EX)
        try:
            self.set_feed(0)
        except OSError:
            self.close()
            raise

    def set_feed(self, feed_id: int) -> None:
        """Store which feed is being read, 0 for none."""
        os.pwrite(self._handle, feed_id.to_bytes(_N_BYTES, "big"), 0)

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._handle)


def find_crashes(folder: Path) -> Iterator[Crash]:
    """Yield the processes that died; each file is deleted when the next one is requested."""
    if not folder.is_dir():
        return
    with _locked(folder):
        unlocked = [(path, handle) for path in folder.iterdir() if (handle := _lock(path)) is not None]
    try:
        for path, handle in unlocked:
            yield Crash(UUID(hex=path.name), int.from_bytes(os.pread(handle, _N_BYTES, 0), "big"))
            path.unlink(missing_ok=True)
    finally:
        for _path, handle in unlocked:
            os.close(handle)


def _lock(path: Path) -> int | None:
    """Return a handle with the lock; None while the process lives, or if it has just ended."""
    if path.name == _LOCK:
        return None
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    if not os.fstat(handle).st_nlink:
        os.close(handle)
        return None
    return handle


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
