"""Which digest is due when for whom, and which worker makes it.

A plan that is on stores when it is due next. Due plans are found by an index; a worker claims one by a conditional
update, and the transaction that stores the digest advances the plan. If a worker dies, its claim expires and the plan
is still due, so nothing is lost; a constraint (one digest per user, kind and day) prevents duplicates. A plan that
missed its whole period is skipped.

After a journey west the digest of the day to come may already exist; then the plan waits for the next one.
"""

import logging
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.dates import WEEKDAYS
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from digests.edition.kinds import PLANNED, RULES, Hours, Kind
from digests.errors import PlanRefused
from digests.models import Digest, DigestPlan
from digests.schedule.period import end_of_period, first_day, is_still_due, local_day, next_due, time_refusal
from reader.models import Subscription
from reader.preferences.store import time_zone_of

logger = logging.getLogger(__name__)

PREPARED_BEFORE = timedelta(minutes=5)  # in which the pages of its top stories are fetched
CLAIM = timedelta(minutes=20)  # the time limit of a task; then the worker has died
MIN_TOPICS = 2
_TICK = timedelta(microseconds=1)
_TRAVELLED = timedelta(days=2)  # the world's time zones span 26 hours


def plans_of(user: User) -> list[DigestPlan]:
    """The plans of all kinds in the order of the day; unsaved ones with default values for those missing.

    If a user has none, the morning brief is on, as `ensure_plans` will create it.
    """
    stored = {plan.kind: plan for plan in DigestPlan.objects.filter(user=user)}
    return [stored.get(kind) or _usual(user, kind, is_on=kind == Kind.MORNING and not stored) for kind in PLANNED]


def ensure_plans(now: datetime) -> int:
    """Create a morning brief without email for users who follow a feed and have no plan; returns how many."""
    follows = Exists(Subscription.objects.filter(user=OuterRef("pk")))
    has_plan = Exists(DigestPlan.objects.filter(user=OuterRef("pk")))
    new = [_usual(user, Kind.MORNING, is_on=True) for user in User.objects.filter(follows, ~has_plan, is_active=True)]
    for plan in new:
        plan.next_at = _following(plan, time_zone_of(plan.user), now)
    DigestPlan.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def save_plan(
    user: User,
    kind: Kind,
    *,
    is_on: bool,
    at: time,
    weekday: int | None,
    by_mail: bool,
    n_topics: int | None,
    now: datetime,
) -> DigestPlan:
    """Save a plan. A digest that is already due stays due. Raises `PlanRefused`."""
    _check(kind, at, weekday, n_topics)
    wanted = RULES[kind].usual_weekday if weekday is None else weekday
    values = {"is_on": is_on, "at": at, "weekday": wanted, "by_mail": by_mail, "n_topics": n_topics}
    with transaction.atomic():
        plan, _ = DigestPlan.objects.update_or_create(user=user, kind=kind, defaults=values)
        _schedule(plan, time_zone_of(user), now)
    return plan


def reschedule(user: User, now: datetime) -> None:
    """Schedule a user's plans again after their time zone changed."""
    zone = time_zone_of(user)
    with transaction.atomic():
        for plan in DigestPlan.objects.select_for_update().filter(user=user).order_by("pk"):
            _schedule(plan, zone, now)


def due_plans(now: datetime) -> QuerySet[DigestPlan]:
    """Due plans that aren't claimed, longest waiting first."""
    due = DigestPlan.objects.filter(_is_free(now), is_on=True, next_at__lte=now, user__is_active=True)
    return due.select_related("user").order_by("next_at", "pk")


def plans_to_prepare(now: datetime) -> QuerySet[DigestPlan]:
    """The plans that become due in the minute that begins `PREPARED_BEFORE` from now."""
    begins = now + PREPARED_BEFORE
    soon = DigestPlan.objects.filter(next_at__gte=begins, next_at__lt=begins + timedelta(minutes=1))
    return soon.filter(is_on=True, user__is_active=True).select_related("user").order_by("next_at", "pk")


def has_due_plan(now: datetime) -> bool:
    """Whether a plan is due."""
    return due_plans(now).exists()


def claim(plan: DigestPlan, now: datetime) -> bool:
    """Claim a due plan for `CLAIM`; False if another worker was faster or it is no longer due."""
    until = now + CLAIM
    # Only conditions on the row: PostgreSQL checks them again after waiting for another update, but not a subquery.
    mine = DigestPlan.objects.filter(_is_free(now), pk=plan.pk, is_on=True, next_at=plan.next_at, next_at__lte=now)
    if not mine.update(claimed_until=until):
        return False
    plan.claimed_until = until
    return True


def move_on(plan: DigestPlan, now: datetime) -> None:
    """Schedule a plan's next digest and release the claim, in the transaction that has stored the digest.

    Uses the plan's current settings, which the user may have changed in the meantime.
    """
    with transaction.atomic():
        current = DigestPlan.objects.select_for_update().filter(pk=plan.pk).first()
        if current is None:
            return
        current.claimed_until = None
        current.next_at = _following(current, time_zone_of(plan.user), now) if current.is_on else None
        current.save(update_fields=["claimed_until", "next_at"])
    plan.claimed_until, plan.next_at = current.claimed_until, current.next_at


def skip_missed(plan: DigestPlan, now: datetime) -> bool:
    """Skip a plan whose period is over; whether it was."""
    due_at = plan.next_at
    if due_at is None or is_still_due(due_at, now, time_zone_of(plan.user), kind=Kind(plan.kind)):
        return False
    logger.warning("Skipped the digest %r of user %s, which was due at %s", plan.kind, plan.user_id, due_at)
    move_on(plan, now)
    return True


def _is_free(now: datetime) -> Q:
    return Q(claimed_until=None) | Q(claimed_until__lte=now)


def _usual(user: User, kind: Kind, *, is_on: bool) -> DigestPlan:
    return DigestPlan(user=user, kind=kind, is_on=is_on, at=_hours(kind).usual, weekday=RULES[kind].usual_weekday)


def _hours(kind: Kind) -> Hours:
    hours = RULES[kind].hours
    if hours is None:
        raise PlanRefused(time_refusal(kind, time()), field="kind")
    return hours


def _check(kind: Kind, at: time, weekday: int | None, n_topics: int | None) -> None:
    rules, name = RULES[kind], capfirst(kind.in_sentence)
    if refusal := time_refusal(kind, at):
        raise PlanRefused(refusal, field="kind" if rules.hours is None else "at")
    if weekday is not None and rules.usual_weekday is None:
        raise PlanRefused(_("%(name)s is sent daily, not on one day of the week.") % {"name": name}, field="weekday")
    if weekday is not None and weekday not in rules.weekdays:
        between = pgettext("between two days of the week", " or ")
        values = {"name": name, "days": between.join(str(WEEKDAYS[day]) for day in sorted(rules.weekdays))}
        raise PlanRefused(_("%(name)s is sent on %(days)s.") % values, field="weekday")
    most = rules.sizes.top + rules.sizes.noteworthy + rules.sizes.also
    if n_topics is not None and not MIN_TOPICS <= n_topics <= most:
        values = {"name": name, "least": str(MIN_TOPICS), "most": str(most)}
        raise PlanRefused(_("%(name)s has %(least)s to %(most)s topics.") % values, field="n_topics")


def _schedule(plan: DigestPlan, zone: ZoneInfo, now: datetime) -> None:
    """Schedule a changed plan; a digest that is due stays due. The row is locked."""
    due_at = plan.next_at
    if not plan.is_on:
        plan.next_at = None
    elif (
        due_at is None or not is_still_due(due_at, now, zone, kind=Kind(plan.kind)) or _last_digest_day(plan, zone, now)
    ):
        plan.next_at = _following(plan, zone, now)
    plan.save(update_fields=["next_at"])


def _following(plan: DigestPlan, zone: ZoneInfo, now: datetime) -> datetime:
    """When a plan is due next, after `now` and after periods that have a digest."""
    kind, last_day = Kind(plan.kind), _last_digest_day(plan, zone, now)
    after = now if last_day is None else max(now, end_of_period(kind, last_day, zone) - _TICK)
    return next_due(kind, at=plan.at, weekday=plan.weekday, zone=zone, after=after)


def _last_digest_day(plan: DigestPlan, zone: ZoneInfo, now: datetime) -> date | None:
    """The day of the latest digest of this period, or of coming days after a journey; None without one.

    Digests made by hand on a day without this kind don't count.
    """
    kind, today = Kind(plan.kind), local_day(now, zone)
    digests = Digest.objects.filter(
        user=plan.user_id, kind=kind, day__gte=first_day(kind, today), day__lte=today + _TRAVELLED
    )
    days = [day for day in digests.values_list("day", flat=True) if day.weekday() in RULES[kind].weekdays]
    return max(days, default=None)
