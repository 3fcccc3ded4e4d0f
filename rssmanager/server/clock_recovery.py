"""Repairs schedules and leases after the clock was set back.

A clock that was hours ahead may be corrected. Everything planned before is then in the future: no schedule would be
due until the clock has caught up, and leases of dead workers would last as long. But no schedule is due later than
after its interval, and no lease is longer than its duration, so anything further ahead is set to that maximum.

The times of polls and email retries stay, so that nothing is requested twice in the repeated hours.
"""

import logging
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError
from django.db.models import Model
from django_q.conf import Conf
from django_q.models import OrmQ, Schedule

from digests.delivery.outbox import CLAIM_WHILE_ANSWERING
from digests.models import DigestPlan, Mailing
from digests.schedule.plans import CLAIM
from feeds.models import Pending, Source
from feeds.polling import leases
from feeds.storage import work_queue

logger = logging.getLogger(__name__)

APART = timedelta(minutes=1)  # by which the clocks of several machines may differ; `doctor` reports half of it
LEASES: tuple[tuple[type[Model], str, timedelta], ...] = (
    (Source, "leased_until", leases.LEASE),
    (Pending, "claimed_until", work_queue.LEASE),
    (DigestPlan, "claimed_until", CLAIM),
    (Mailing, "claimed_until", CLAIM_WHILE_ANSWERING),
    (OrmQ, "lock", timedelta(seconds=Conf.RETRY)),  # for waiting tasks, the time they were queued
)


def fix_future_times(now: datetime) -> int:
    """Correct schedules and leases that are too far ahead; returns how many. Database errors are only logged."""
    try:
        n_changed = _schedules(now) + _leases(now)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Couldn't check for schedules and leases too far ahead: %s", error)
        return 0
    if n_changed:
        logger.warning("The clock was set back: corrected %s schedules and leases that were too far ahead", n_changed)
    return n_changed


def _schedules(now: datetime) -> int:
    """Make them due now."""
    planned = Schedule.objects.filter(schedule_type=Schedule.MINUTES, next_run__gt=now + APART)
    ahead = [row.pk for row in planned if row.next_run > now + timedelta(minutes=row.minutes or 0) + APART]
    return Schedule.objects.filter(pk__in=ahead).update(next_run=now) if ahead else 0


def _leases(now: datetime) -> int:
    """Shorten them to expire as if they were claimed now, as their holders may be working."""
    n_changed = 0
    for model, until, longest in LEASES:
        ahead = model._default_manager.filter(**{f"{until}__gt": now + longest + APART})
        if ahead.exists():  # avoids a write
            n_changed += ahead.update(**{until: now + longest})
    return n_changed
