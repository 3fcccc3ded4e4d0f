"""Turns a kind of email off and on by a link in an email."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from digests.delivery.enqueue import cancel_email
from digests.delivery.links import ALERTS, Subscribed
from digests.models import AlertSettings, DigestPlan

DIGEST_SWITCH = "by_mail"
ALERT_SWITCHES = ("breaking_by_mail", "feeds_by_mail")


@dataclass(frozen=True, slots=True)
class Switches:
    """Whether email is on, and the settings that turn it on again; none if unknown."""

    is_on: bool
    names: tuple[str, ...] = ()


def switches(subscribed: Subscribed) -> Switches:
    """The current state. A digest can be turned on again while its plan exists."""
    if subscribed.what == ALERTS:
        names = _alerts_on(subscribed)
        return Switches(bool(names), names)
    subscribes = _plans(subscribed).values_list(DIGEST_SWITCH, flat=True).first()
    return Switches(bool(subscribes), () if subscribes is None else (DIGEST_SWITCH,))


def stop(subscribed: Subscribed) -> Switches:
    """Turn this email off and cancel what waits; returns how to turn it on again."""
    with transaction.atomic():
        before = switches(subscribed)
        if subscribed.what == ALERTS:
            AlertSettings.objects.filter(user=subscribed.user_id).update(**dict.fromkeys(ALERT_SWITCHES, False))
        else:
            _plans(subscribed).update(**{DIGEST_SWITCH: False})
        cancel_email(subscribed)
    return Switches(False, before.names)


def resume(subscribed: Subscribed, names: tuple[str, ...], *, now: datetime) -> Switches:
    """Turn this email on again, by those of the `names` it has. Alerts start with what happens from now on."""
    with transaction.atomic():
        if subscribed.what != ALERTS:
            _plans(subscribed).update(**{DIGEST_SWITCH: True})
        elif wanted := [name for name in ALERT_SWITCHES if name in names]:
            theirs = AlertSettings.objects.filter(user=subscribed.user_id)
            theirs.update(mail_from=now, **dict.fromkeys(wanted, True))
        return switches(subscribed)


def _plans(subscribed: Subscribed) -> QuerySet[DigestPlan]:
    return DigestPlan.objects.filter(user=subscribed.user_id, kind=subscribed.what)


def _alerts_on(subscribed: Subscribed) -> tuple[str, ...]:
    values = AlertSettings.objects.filter(user=subscribed.user_id).values(*ALERT_SWITCHES).first() or {}
    return tuple(name for name in ALERT_SWITCHES if values.get(name))
