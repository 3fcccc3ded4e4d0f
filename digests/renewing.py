"""The front page is made by a worker: when one is asked to, and how far it is.

A page that nobody looks at is not made anew, and one that is looked at often is made once: who asks first writes down
when (`Digest.asked_at`, a conditional update), and whoever looks meanwhile is told so. Storing the new page clears it.
A worker that died is replaced by asking again.

Before the first time there is a row that covers no time at all, so that this asking, too, has a place to be written.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models import Q

from digests.access import front_pages
from digests.kinds import Kind
from digests.models import Digest
from digests.period import local_day
from feeds.calling import call_worker
from reader.models import Subscription

logger = logging.getLogger(__name__)

FRESH_FOR = timedelta(minutes=15)
ASK_AGAIN_AFTER = timedelta(minutes=5)  # without an answer; making one takes seconds
LATE_AFTER = timedelta(minutes=1)  # from which on people are told that it takes longer than it should
LOOKED_EVERY = timedelta(minutes=1)  # that it was looked at is written down
DELIVERED_WITHIN = timedelta(minutes=5)  # of the poll that brought it, at the latest
TASK = "digests.making_tasks.make_today"


@dataclass(frozen=True, slots=True)
class FrontPage:
    """What there is of a person's front page: `made_at` is None before the first time; `asked_at` while a worker is
    asked for a newer one.
    """

    made_at: datetime | None = None
    asked_at: datetime | None = None

    def is_late(self, now: datetime) -> bool:
        return self.asked_at is not None and now - self.asked_at > LATE_AFTER


def is_made(digest: Digest) -> bool:
    """False for the row of a front page that no worker has made yet."""
    return digest.begins_at < digest.ends_at


def look(user: User, digest: Digest | None, *, zone: ZoneInfo, now: datetime) -> FrontPage:
    """Note that the person looks at their front page, and ask a worker for a newer one where that is due.

    A page that is there can be read where nothing can be written, as on a full disk.
    """
    try:
        return _look(user, digest, zone, now)
    except OperationalError as error:
        if digest is None:
            raise
        logger.warning("The front page of user %s stays as it is: %s", user.pk, error)
        return _as_it_is(digest, now)


def _look(user: User, digest: Digest | None, zone: ZoneInfo, now: datetime) -> FrontPage:
    if digest is not None and (digest.looked_at is None or now - digest.looked_at >= LOOKED_EVERY):
        front_pages(user).update(looked_at=now)
    if digest is not None and not _is_due(user, digest, zone, now):
        return _as_it_is(digest, now)
    return ask(user, digest, zone=zone, now=now)


def promise(user: User, *, zone: ZoneInfo, now: datetime) -> None:
    """Write down that a front page is on its way, where a worker makes one without being asked by its reader."""
    _row(user, zone, now)
    front_pages(user).update(asked_at=now)


def _row(user: User, zone: ZoneInfo, now: datetime) -> Digest:
    nothing = {"day": local_day(now, zone), "time_zone": zone.key, "looked_at": now}
    values = {"begins_at": now, "ends_at": now, "made_at": now, **nothing}
    return Digest.objects.get_or_create(user=user, kind=Kind.TODAY, defaults=values)[0]


def ask(user: User, digest: Digest | None, *, zone: ZoneInfo, now: datetime) -> FrontPage:
    """Ask a worker for a newer front page, unless one was asked just now; where the queue fails, nobody was."""
    if digest is None:
        digest = _row(user, zone, now)
    free = Q(asked_at=None) | Q(asked_at__lte=now - ASK_AGAIN_AFTER)
    if not front_pages(user).filter(free).update(asked_at=now):
        return _as_it_is(digest, now, asked_at=digest.asked_at or now)
    asked_at = now if call_worker(TASK, user.pk) else None
    if asked_at is None:
        front_pages(user).filter(asked_at=now).update(asked_at=None)
    return _as_it_is(digest, now, asked_at=asked_at)


def _as_it_is(digest: Digest, now: datetime, asked_at: datetime | None = None) -> FrontPage:
    asked = asked_at or digest.asked_at
    is_asked = asked is not None and now - asked < ASK_AGAIN_AFTER
    return FrontPage(digest.made_at if is_made(digest) else None, asked if is_asked else None)


def _is_due(user: User, digest: Digest, zone: ZoneInfo, now: datetime) -> bool:
    """Whether the front page would say something else by now: it was never made, it is of another day, or something
    came since. Looks at the person's feeds, not at what these brought.
    """
    if not is_made(digest) or local_day(digest.made_at, zone) != local_day(now, zone):
        return True
    if now - digest.made_at < FRESH_FOR:
        return False
    since = digest.made_at - DELIVERED_WITHIN
    came = Q(feed__last_new_at__gt=since) | Q(added_at__gt=since)
    return Subscription.objects.filter(came, user=user).exists()
