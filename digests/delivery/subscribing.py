"""Which mail a person gets, switched by a link that a mail holds."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from digests.delivery.queueing import call_off
from digests.links import ALERTS, Subscribed
from digests.models import AlertSettings, DigestPlan

DIGEST_SWITCH = "by_mail"
ALERT_SWITCHES = ("breaking_by_mail", "feeds_by_mail")


@dataclass(frozen=True, slots=True)
class Switches:
    """Whether mail is sent, and the switches that turn it on as it was; none where that is unknown."""

    is_on: bool
    names: tuple[str, ...] = ()


def switches(subscribed: Subscribed) -> Switches:
    """As they are now. A digest that is off can be switched on again while its plan is there."""
    if subscribed.what == ALERTS:
        names = _alerts_on(subscribed)
        return Switches(bool(names), names)
    found = _plans(subscribed).values_list(DIGEST_SWITCH, flat=True).first()
    return Switches(bool(found), () if found is None else (DIGEST_SWITCH,))


def stop(subscribed: Subscribed) -> Switches:
    """Switch this mail off and call off what waits of it; returns how to switch on again."""
    with transaction.atomic():
        before = switches(subscribed)
        if subscribed.what == ALERTS:
            AlertSettings.objects.filter(user=subscribed.user_id).update(**dict.fromkeys(ALERT_SWITCHES, False))
        else:
            _plans(subscribed).update(**{DIGEST_SWITCH: False})
        call_off(subscribed)
    return Switches(False, before.names)


def resume(subscribed: Subscribed, names: tuple[str, ...], *, now: datetime) -> Switches:
    """Switch this mail on again, by those of the `names` that it has. Alerts begin with what is told from now on."""
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
    found = AlertSettings.objects.filter(user=subscribed.user_id).values(*ALERT_SWITCHES).first() or {}
    return tuple(name for name in ALERT_SWITCHES if found.get(name))
