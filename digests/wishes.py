"""What a person wants of digests, written down; and what waits to be mailed and is not wanted any more, called off."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time

from django.contrib.auth.models import User
from django.db import transaction

from digests.delivery.queueing import call_off
from digests.kinds import PLANNED, Kind
from digests.links import ALERTS, Subscribed
from digests.models import AlertSettings, DigestPlan
from digests.plans import reschedule, save_plan
from reader.preferences import set_time_zone


@dataclass(frozen=True, slots=True)
class Wish:
    """When and how a person wants one kind of digest; the values of a `DigestPlan`."""

    kind: Kind
    is_on: bool
    at: time
    weekday: int | None
    by_mail: bool
    n_topics: int | None


def plan_digests(user: User, wishes: Iterable[Wish], *, now: datetime) -> None:
    """Plan all these kinds. Raises `PlanRefused`, and then nothing was changed."""
    with transaction.atomic():
        for wish in wishes:
            save_plan(
                user,
                wish.kind,
                is_on=wish.is_on,
                at=wish.at,
                weekday=wish.weekday,
                by_mail=wish.by_mail,
                n_topics=wish.n_topics,
                now=now,
            )
            if not (wish.is_on and wish.by_mail):
                call_off(Subscribed(user.pk, wish.kind))


def settle(user: User, *, email: str, time_zone: str, now: datetime) -> bool:
    """Reach the person there, by this clock. Without an address nothing goes by mail any more; True if something did.

    Raises ValueError for a time zone that is none.
    """
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(email=email)
        user.email = email
        live_by(user, time_zone, now=now)
        return not email and _stop_mail(user)


def live_by(user: User, time_zone: str, *, now: datetime) -> None:
    """Go by this clock from now on, digests too. Raises ValueError for a time zone that is none."""
    with transaction.atomic():
        set_time_zone(user, time_zone)
        reschedule(user, now)


def _stop_mail(user: User) -> bool:
    n_plans = DigestPlan.objects.filter(user=user, by_mail=True).update(by_mail=False)
    alerts = AlertSettings.objects.filter(user=user)
    was_told = alerts.exclude(breaking_by_mail=False, feeds_by_mail=False).exists()
    alerts.update(breaking_by_mail=False, feeds_by_mail=False)
    for what in (*PLANNED, ALERTS):
        call_off(Subscribed(user.pk, what))
    return bool(n_plans) or was_told


def choose_alerts(
    user: User, *, breaking: bool, breaking_by_mail: bool, feeds_by_mail: bool, now: datetime
) -> AlertSettings:
    """What the person is told at once. Mail begins with what happens from now on, whenever more of it is asked for."""
    with transaction.atomic():
        AlertSettings.objects.get_or_create(user=user)
        chosen = AlertSettings.objects.select_for_update().get(user=user)
        asks_for_more = breaking_by_mail > chosen.breaking_by_mail or feeds_by_mail > chosen.feeds_by_mail
        chosen.breaking, chosen.breaking_by_mail, chosen.feeds_by_mail = breaking, breaking_by_mail, feeds_by_mail
        if asks_for_more:
            chosen.mail_from = now
        chosen.save()
        if not (breaking_by_mail or feeds_by_mail):
            call_off(Subscribed(user.pk, ALERTS))
    return chosen
