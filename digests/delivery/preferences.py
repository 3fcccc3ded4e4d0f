"""Saves what a user wants of digests and alerts, and cancels waiting emails they no longer want."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time

from django.contrib.auth.models import User
from django.db import transaction

from digests.delivery.enqueue import cancel_email
from digests.delivery.links import ALERTS, Subscribed
from digests.edition.kinds import PLANNED, Kind
from digests.models import AlertSettings, DigestPlan
from digests.schedule.plans import reschedule, save_plan
from reader.models import Preferences
from reader.preferences.store import set_time_zone


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """When and how a user wants one kind of digest; the values of a `DigestPlan`."""

    kind: Kind
    is_on: bool
    at: time
    weekday: int | None
    by_mail: bool
    n_topics: int | None


def save_plans(user: User, choices: Iterable[PlanChoice], *, now: datetime) -> None:
    """Save the plans of several kinds. Raises `PlanRefused` without changing anything."""
    with transaction.atomic():
        for choice in choices:
            save_plan(
                user,
                choice.kind,
                is_on=choice.is_on,
                at=choice.at,
                weekday=choice.weekday,
                by_mail=choice.by_mail,
                n_topics=choice.n_topics,
                now=now,
            )
            if not (choice.is_on and choice.by_mail):
                cancel_email(Subscribed(user.pk, choice.kind))


def save_mail_pictures(user: User, chosen: str) -> None:
    """Save how emails have pictures: one of `MailPictures`."""
    Preferences.objects.update_or_create(user=user, defaults={"mail_pictures": chosen})


def save_contact(user: User, *, email: str, time_zone: str, now: datetime) -> bool:
    """Save a user's address and time zone. Without an address all email is turned off; True if any was on.

    Raises ValueError for an unknown time zone.
    """
    with transaction.atomic():
        change_time_zone(user, time_zone, now=now)
        return change_email(user, email)


def change_email(user: User, email: str) -> bool:
    """Save a user's address. Without one all email is turned off; True if any was on."""
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(email=email)
        user.email = email
        return not email and _stop_mail(user)


def change_time_zone(user: User, time_zone: str, *, now: datetime) -> None:
    """Change the time zone and reschedule digests. Raises ValueError for an unknown time zone."""
    with transaction.atomic():
        set_time_zone(user, time_zone)
        reschedule(user, now)


def _stop_mail(user: User) -> bool:
    n_plans = DigestPlan.objects.filter(user=user, by_mail=True).update(by_mail=False)
    alerts = AlertSettings.objects.filter(user=user)
    had_alerts = alerts.exclude(breaking_by_mail=False, feeds_by_mail=False).exists()
    alerts.update(breaking_by_mail=False, feeds_by_mail=False)
    for what in (*PLANNED, ALERTS):
        cancel_email(Subscribed(user.pk, what))
    return bool(n_plans) or had_alerts


def choose_alerts(
    user: User, *, breaking: bool, breaking_by_mail: bool, feeds_by_mail: bool, now: datetime
) -> AlertSettings:
    """Save the alerts a user wants. When more email is requested, it starts with what happens from now on."""
    with transaction.atomic():
        AlertSettings.objects.get_or_create(user=user)
        chosen = AlertSettings.objects.select_for_update().get(user=user)
        wants_more = breaking_by_mail > chosen.breaking_by_mail or feeds_by_mail > chosen.feeds_by_mail
        chosen.breaking, chosen.breaking_by_mail, chosen.feeds_by_mail = breaking, breaking_by_mail, feeds_by_mail
        if wants_more:
            chosen.mail_from = now
        chosen.save()
        if not (breaking_by_mail or feeds_by_mail):
            cancel_email(Subscribed(user.pk, ALERTS))
    return chosen
