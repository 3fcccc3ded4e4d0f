"""What a clock leaves behind that was set back: moments further ahead than they can be.

A clock is corrected by hours now and then: it ran wrong, or its machine slept. When it is set back, all that was
planned before seems to lie ahead: no schedule is due until the clock is where it was, and what a worker held that died
is held as long. But no schedule is due later than after its own interval, and no lease is longer than it is given. What
is further ahead was written by that clock, and is set to what it can be at most.

When feeds are polled and mails tried again is left as it is: by that nothing is asked twice in an hour that is lived
twice.
"""

import logging
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError
from django.db.models import Model
from django_q.conf import Conf
from django_q.models import OrmQ, Schedule

from digests.delivery.outbox import CLAIM_WHILE_ANSWERING
from digests.models import DigestPlan, Mailing
from digests.plans import CLAIM
from feeds import claiming, pending
from feeds.models import Pending, Source

logger = logging.getLogger(__name__)

APART = timedelta(minutes=1)  # by which clocks of machines with one database differ; `doctor` tells of half of it
LEASES: tuple[tuple[type[Model], str, timedelta], ...] = (
    (Source, "leased_until", claiming.LEASE),
    (Pending, "claimed_until", pending.LEASE),
    (DigestPlan, "claimed_until", CLAIM),
    (Mailing, "claimed_until", CLAIM_WHILE_ANSWERING),
    (OrmQ, "lock", timedelta(seconds=Conf.RETRY)),  # of what nobody took yet it is when it was queued
)


def set_right(now: datetime) -> int:
    """Let schedules and leases that are too far ahead be due and end as they should; returns how many they were.

    A database that does not answer is asked another time.
    """
    try:
        n_changed = _schedules(now) + _leases(now)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Nobody could look for what is planned too far ahead: %s", error)
        return 0
    if n_changed:
        logger.warning(
            "The clock was set back: %s schedules and leases were too far ahead, and are set right", n_changed
        )
    return n_changed


def _schedules(now: datetime) -> int:
    """They are due at once."""
    planned = Schedule.objects.filter(schedule_type=Schedule.MINUTES, next_run__gt=now + APART)
    ahead = [each.pk for each in planned if each.next_run > now + timedelta(minutes=each.minutes or 0) + APART]
    return Schedule.objects.filter(pk__in=ahead).update(next_run=now) if ahead else 0


def _leases(now: datetime) -> int:
    """They last as long as if they were taken now, for who holds one may be at work."""
    n_changed = 0
    for model, until, longest in LEASES:
        ahead = model._default_manager.filter(**{f"{until}__gt": now + longest + APART})
        if ahead.exists():  # which writes nothing
            n_changed += ahead.update(**{until: now + longest})
    return n_changed
