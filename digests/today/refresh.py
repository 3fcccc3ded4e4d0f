"""Requests a new front page from a worker, and reports its progress.

An unopened front page isn't replaced, and simultaneous requests make one page: the first request records its time
(`Digest.requested_at`, a conditional update), and later ones wait for it. Storing the new page clears it. If a worker
died, the page is requested again.

Before the first page there is a row that covers no time, so that the first request has a place to be recorded.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models import Q

from digests.access import front_pages
from digests.edition.kinds import Kind
from digests.models import Digest
from digests.schedule.period import local_day
from feeds.tasks.enqueue import call_worker
from reader.models import Subscription

logger = logging.getLogger(__name__)

FRESH_FOR = timedelta(minutes=15)
FILLING_FRESH_FOR = timedelta(minutes=1)  # the same while new feeds bring their first articles
FILLING_FOR = timedelta(minutes=10)  # after following a feed
REQUEST_AGAIN_AFTER = timedelta(minutes=5)  # making a page takes seconds
LATE_AFTER = timedelta(minutes=1)  # then the page shows that it takes longer than usual
RECORD_OPENING_EVERY = timedelta(minutes=1)  # how often opening the page is recorded
DELIVERED_WITHIN = timedelta(minutes=5)  # after the poll, at the latest
TASK = "digests.tasks.make.make_today"


@dataclass(frozen=True, slots=True)
class FrontPage:
    """`made_at` is None before the first front page is ready; `requested_at` is set while a new one is being made."""

    made_at: datetime | None = None
    requested_at: datetime | None = None

    def is_late(self, now: datetime) -> bool:
        return self.requested_at is not None and now - self.requested_at > LATE_AFTER


def is_ready(digest: Digest) -> bool:
    """False for the row of a front page that no worker has made yet."""
    return digest.begins_at < digest.ends_at


def open_front_page(user: User, digest: Digest | None, *, zone: ZoneInfo, now: datetime) -> FrontPage:
    """Record that a user opened their front page, and request a newer one if due.

    An existing page can be read even if nothing can be written, as on a full disk.
    """
    try:
        return _open_front_page(user, digest, zone, now)
    except OperationalError as error:
        if digest is None:
            raise
        logger.warning("The front page of user %s can't be refreshed: %s", user.pk, error)
        return _current_state(digest, now)


def _open_front_page(user: User, digest: Digest | None, zone: ZoneInfo, now: datetime) -> FrontPage:
    if digest is not None and (digest.opened_at is None or now - digest.opened_at >= RECORD_OPENING_EVERY):
        front_pages(user).update(opened_at=now)
    if digest is not None and not _is_due(user, digest, zone, now):
        return _current_state(digest, now)
    return request_refresh(user, digest, zone=zone, now=now)


def mark_requested(user: User, *, zone: ZoneInfo, now: datetime) -> None:
    """Record a request for a front page that a worker makes on its own."""
    _row(user, zone, now)
    front_pages(user).update(requested_at=now)


def _row(user: User, zone: ZoneInfo, now: datetime) -> Digest:
    nothing = {"day": local_day(now, zone), "time_zone": zone.key, "opened_at": now}
    values = {"begins_at": now, "ends_at": now, "made_at": now, **nothing}
    return Digest.objects.get_or_create(user=user, kind=Kind.TODAY, defaults=values)[0]


def request_refresh(user: User, digest: Digest | None, *, zone: ZoneInfo, now: datetime) -> FrontPage:
    """Request a newer front page from a worker, unless that was just done or the queue fails."""
    if digest is None:
        digest = _row(user, zone, now)
    free = Q(requested_at=None) | Q(requested_at__lte=now - REQUEST_AGAIN_AFTER)
    if not front_pages(user).filter(free).update(requested_at=now):
        return _current_state(digest, now, requested_at=digest.requested_at or now)
    requested_at = now if call_worker(TASK, user.pk) else None
    if requested_at is None:
        front_pages(user).filter(requested_at=now).update(requested_at=None)
    return _current_state(digest, now, requested_at=requested_at)


def _current_state(digest: Digest, now: datetime, requested_at: datetime | None = None) -> FrontPage:
    current_request = requested_at or digest.requested_at
    is_requested = current_request is not None and now - current_request < REQUEST_AGAIN_AFTER
    return FrontPage(digest.made_at if is_ready(digest) else None, current_request if is_requested else None)


def _is_filling(user: User, now: datetime) -> bool:
    return Subscription.objects.filter(user=user, added_at__gt=now - FILLING_FOR).exists()


def _is_due(user: User, digest: Digest, zone: ZoneInfo, now: datetime) -> bool:
    """Whether a new front page would differ: it was never made, is of another day, or feeds have new articles.

    Reads the user's feeds, not their articles.
    """
    if not is_ready(digest) or local_day(digest.made_at, zone) != local_day(now, zone):
        return True
    age = now - digest.made_at
    if age < FRESH_FOR and (age <= FILLING_FRESH_FOR or not _is_filling(user, now)):
        return False
    since = digest.made_at - DELIVERED_WITHIN
    has_new = Q(feed__last_new_at__gt=since) | Q(added_at__gt=since)
    return Subscription.objects.filter(has_new, user=user).exists()
