"""When whom which digest is due, and who makes it.

A plan that is on says when it is due next. Due plans are found by one look at an index; a worker claims one by a
conditional update, and whoever stores the digest moves the plan on in the same transaction. A worker that dies leaves a
claim that expires and a plan that is due still, so nothing is lost; that the digest is not made twice is held by its
own constraint (one a user, kind and day). What was missed for longer than its period is passed over.

A digest that is kept already, of this period or, after a journey to the west, of one to come, is not due again.
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

from digests.errors import PlanRefused
from digests.kinds import PLANNED, RULES, Hours, Kind
from digests.models import Digest, DigestPlan
from digests.period import end_of_period, first_day, is_still_due, local_day, next_due, time_refusal
from reader.models import Subscription
from reader.preferences import time_zone_of

logger = logging.getLogger(__name__)

CLAIM = timedelta(minutes=20)  # as long as a task may run; whoever holds a plan longer has died
FEWEST_TOPICS = 2
_TICK = timedelta(microseconds=1)
_TRAVELLED = timedelta(days=2)  # from the first time zone of the world to the last it is 26 hours


def plans_of(user: User) -> list[DigestPlan]:
    """The plans of all kinds, in the order of the day; unsaved ones with the usual values for those not there.

    Of these only the morning brief is on, for somebody who has no plan yet: `ensure_plans` will give it to them.
    """
    kept = {plan.kind: plan for plan in DigestPlan.objects.filter(user=user)}
    return [kept.get(kind) or _usual(user, kind, is_on=kind == Kind.MORNING and not kept) for kind in PLANNED]


def ensure_plans(now: datetime) -> int:
    """Give a morning brief, in the reader and not by mail, to people who follow something and have no plan; returns
    how many."""
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
    """Plan this kind of digest like that. What is due already stays due. Raises `PlanRefused`."""
    _check(kind, at, weekday, n_topics)
    wanted = RULES[kind].usual_weekday if weekday is None else weekday
    values = {"is_on": is_on, "at": at, "weekday": wanted, "by_mail": by_mail, "n_topics": n_topics}
    with transaction.atomic():
        plan, _ = DigestPlan.objects.update_or_create(user=user, kind=kind, defaults=values)
        _schedule(plan, time_zone_of(user), now)
    return plan


def reschedule(user: User, now: datetime) -> None:
    """Have the person's digests due by the time zone they live by now."""
    zone = time_zone_of(user)
    with transaction.atomic():
        for plan in DigestPlan.objects.select_for_update().filter(user=user).order_by("pk"):
            _schedule(plan, zone, now)


def due_plans(now: datetime) -> QuerySet[DigestPlan]:
    """Plans whose time has come and that nobody holds, those that wait longest first."""
    due = DigestPlan.objects.filter(_is_free(now), is_on=True, next_at__lte=now, user__is_active=True)
    return due.select_related("user").order_by("next_at", "pk")


def plan_waits(now: datetime) -> bool:
    """Whether there is something for a worker to do. Only looks."""
    return due_plans(now).exists()


def claim(plan: DigestPlan, now: datetime) -> bool:
    """Hold a plan of `due_plans` for `CLAIM`; False when another worker was faster, or it is not due any more."""
    until = now + CLAIM
    # Conditions on the row alone: PostgreSQL looks at these again when it had to wait for another's update, but would
    # not ask a subquery again, which a join becomes.
    mine = DigestPlan.objects.filter(_is_free(now), pk=plan.pk, is_on=True, next_at=plan.next_at, next_at__lte=now)
    if not mine.update(claimed_until=until):
        return False
    plan.claimed_until = until
    return True


def move_on(plan: DigestPlan, now: datetime) -> None:
    """Let the plan be due at its following moment and release the claim; for the transaction that stores the digest,
    once that is stored.

    Goes by what the plan says by now, which the person may have changed while the digest was made.
    """
    with transaction.atomic():
        kept = DigestPlan.objects.select_for_update().filter(pk=plan.pk).first()
        if kept is None:
            return
        kept.claimed_until = None
        kept.next_at = _following(kept, time_zone_of(plan.user), now) if kept.is_on else None
        kept.save(update_fields=["claimed_until", "next_at"])
    plan.claimed_until, plan.next_at = kept.claimed_until, kept.next_at


def skip_missed(plan: DigestPlan, now: datetime) -> bool:
    """Whether the plan was due in a period that is over; then it moves on without a digest."""
    due_at = plan.next_at
    if due_at is None or is_still_due(due_at, now, time_zone_of(plan.user), kind=Kind(plan.kind)):
        return False
    logger.warning("Nobody made the digest %r of user %s that was due at %s", plan.kind, plan.user_id, due_at)
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
        raise PlanRefused(
            _("%(name)s is sent every day, not on one day of the week.") % {"name": name}, field="weekday"
        )
    if weekday is not None and weekday not in rules.weekdays:
        between = pgettext("between two days of the week", " or ")
        told = {"name": name, "days": between.join(str(WEEKDAYS[each]) for each in sorted(rules.weekdays))}
        raise PlanRefused(_("%(name)s is sent on %(days)s.") % told, field="weekday")
    most = rules.sizes.top + rules.sizes.noteworthy + rules.sizes.also
    if n_topics is not None and not FEWEST_TOPICS <= n_topics <= most:
        told = {"name": name, "least": str(FEWEST_TOPICS), "most": str(most)}
        raise PlanRefused(_("%(name)s has %(least)s to %(most)s topics.") % told, field="n_topics")


def _schedule(plan: DigestPlan, zone: ZoneInfo, now: datetime) -> None:
    """Write when a plan is due that was changed; what waits to be made goes on waiting. The row is locked."""
    due_at = plan.next_at
    if not plan.is_on:
        plan.next_at = None
    elif due_at is None or not is_still_due(due_at, now, zone, kind=Kind(plan.kind)) or _is_made(plan, zone, now):
        plan.next_at = _following(plan, zone, now)
    plan.save(update_fields=["next_at"])


def _following(plan: DigestPlan, zone: ZoneInfo, now: datetime) -> datetime:
    """When a plan is due next after `now` and after the periods whose digests are kept."""
    kind, made_on = Kind(plan.kind), _made_on(plan, zone, now)
    after = now if made_on is None else max(now, end_of_period(kind, made_on, zone) - _TICK)
    return next_due(kind, at=plan.at, weekday=plan.weekday, zone=zone, after=after)


def _is_made(plan: DigestPlan, zone: ZoneInfo, now: datetime) -> bool:
    return _made_on(plan, zone, now) is not None


def _made_on(plan: DigestPlan, zone: ZoneInfo, now: datetime) -> date | None:
    """The day of the latest digest of this period or, made before a journey, of days to come; None without one. What
    was made by hand on a day that the kind is not sent on does not count."""
    kind, today = Kind(plan.kind), local_day(now, zone)
    kept = Digest.objects.filter(
        user=plan.user_id, kind=kind, day__gte=first_day(kind, today), day__lte=today + _TRAVELLED
    )
    days = [day for day in kept.values_list("day", flat=True) if day.weekday() in RULES[kind].weekdays]
    return max(days, default=None)
