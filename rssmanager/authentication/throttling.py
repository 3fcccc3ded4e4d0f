"""Limits on attempts, counted in the database: all web processes share them, and a restart forgets nothing.

Passwords count twice. By name and address, five in 15 minutes: too few to find a password of ten characters that is on
no list of common ones, enough for typing errors. By address, 20: against one password tried on many names. There is no
limit by name alone, although it would stop guesses from many addresses: any stranger could then lock the owner out.
Against those guesses, the password has to be good, and a second factor or passkey is better. For the same reason a lock
is short, doesn't grow, and isn't prolonged by attempts during it: at worst, someone behind the same address costs you
15 minutes. IPv6 addresses count by /64, which is what one household has.

Codes of the second factor count by account, because six digits don't withstand guesses from many addresses: five in 15
minutes and 20 a day. With three valid codes in a million, a guess succeeds after 45 years on average. Reaching the
limit locks the user out until the next day, but only someone who knows the password gets that far, and recovery codes,
counted separately, still work. Confirming with the password counts by account, five in 15 minutes.

App passwords have a limit of their own by address, so that an app with a revoked password can't lock out the browser
beside it. They are random, so it only keeps logs and load small. The same holds for the setup code.

An attempt is written before it is known to fail, so that parallel ones don't all see the same count; a success takes
it back.

Rejected: django-axes has one limit for everything, and none for codes and emails; django-ratelimit, limits and the rate
limits of django-allauth need a shared cache, which an installation without Redis doesn't have.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from unicodedata import normalize

from django.utils.crypto import salted_hmac

from rssmanager.authentication.errors import TooManyTries
from rssmanager.authentication.models import Try

QUARTER, HOUR, DAY = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` attempts in any such window."""

    name: str
    most: int
    window: timedelta


@dataclass(frozen=True, slots=True)
class Count:
    """A limit for one user, name or address, or a combination: `whom`."""

    limit: Limit
    whom: str

    @property
    def key(self) -> str:
        return salted_hmac(f"rssmanager.tries.{self.limit.name}", self.whom, algorithm="sha256").hexdigest()


PASSWORD = Limit("password", 5, QUARTER)
PASSWORD_ADDRESS = Limit("password address", 20, QUARTER)
AGAIN = Limit("password again", 5, QUARTER)
CODE = (Limit("code", 5, QUARTER), Limit("codes a day", 20, DAY))
RECOVERY = (Limit("recovery", 5, QUARTER),)
SETUP = Limit("setup code", 20, QUARTER)
APP = Limit("app password", 20, QUARTER)
FORGOTTEN = Limit("forgotten", 3, HOUR)
FORGOTTEN_ADDRESS = Limit("forgotten address", 10, HOUR)


def password_counts(name: str, address: str) -> tuple[Count, Count]:
    """The two limits on passwords."""
    network = _network(address)
    name = normalize("NFKC", name).strip().casefold()
    return Count(PASSWORD, f"{name}\n{network}"), Count(PASSWORD_ADDRESS, network)


def address_count(limit: Limit, address: str) -> Count:
    """A limit by address alone."""
    return Count(limit, _network(address))


def count_try(counts: Sequence[Count], *, now: datetime) -> list[int]:
    """Count an attempt; returns its rows, for `uncount`. Raises TooManyTries, and then doesn't count it."""
    rows = Try.objects.bulk_create([Try(limit=count.limit.name, key=count.key, at=now) for count in counts])
    ids = [row.pk for row in rows]
    untils = [until for count in counts if (until := _full_until(count, ids, now=now)) is not None]
    if untils:
        uncount(ids)
        raise TooManyTries(max(untils))
    return ids


def allow(count: Count, *, now: datetime) -> bool:
    """Count an attempt; False if there were too many."""
    try:
        count_try([count], now=now)
    except TooManyTries:
        return False
    return True


def uncount(ids: Sequence[int]) -> None:
    """Stop counting an attempt that succeeded."""
    Try.objects.filter(pk__in=ids).delete()


def reset(count: Count) -> None:
    """Reset the count after a success."""
    Try.objects.filter(limit=count.limit.name, key=count.key).delete()


def delete_expired(*, now: datetime) -> None:
    """Delete attempts that no longer count toward a limit."""
    Try.objects.filter(at__lt=now - DAY).delete()


def _full_until(count: Count, own: Sequence[int], *, now: datetime) -> datetime | None:
    """When the next attempt is allowed; None if it is now."""
    limit = count.limit
    earlier = Try.objects.filter(limit=limit.name, key=count.key, at__gt=now - limit.window).exclude(pk__in=own)
    times = list(earlier.order_by("-at").values_list("at", flat=True)[: limit.most])
    return times[-1] + limit.window if len(times) == limit.most else None


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((parsed, 64), strict=False)) if isinstance(parsed, IPv6Address) else str(parsed)
