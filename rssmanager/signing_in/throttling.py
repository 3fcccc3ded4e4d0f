"""How often something may be tried, kept in the database: all web processes count together, and a restart forgets
nothing.

A guess is counted twice. By name and address, five in a quarter of an hour: few enough that a password of ten
characters which is on no list of common ones is not found, enough for who mistypes. By address, twenty: for who tries
one password on many names. There is no count by name alone, though it would stop guesses that come from many addresses:
with one, any stranger could keep the owner out by failing often enough in their name. What bears those guesses is the
password and, better, the second factor. For the same reason a lock is short, does not grow, and what is refused
meanwhile does not make it longer: behind an address that many share somebody else's failures cost a quarter of an hour
at worst. Addresses of IPv6 count by /64, which is what one household has.

Codes of the second factor are counted by account, for six digits do not bear guesses from many addresses: five in a
quarter of an hour and twenty a day, at three of a million that are right, find one in 45 years on average. That many
failures do keep the person out until the next day; but only somebody who knows the password comes so far, and recovery
codes, counted apart, still open.

Who is signed in and types the password again, before what an unlocked screen must not allow, is counted by account,
five in a quarter of an hour.

A try is written down before it is known to fail, so that guesses sent at once do not all see the count before them;
what succeeds is taken back.

Libraries looked at: django-axes knows one limit for all it counts, and counts neither codes nor links by mail;
django-ratelimit and limits want a cache that counts atomically, which an installation without Redis has not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from unicodedata import normalize

from django.utils.crypto import salted_hmac

from rssmanager.signing_in.errors import TooManyTries
from rssmanager.signing_in.models import Try

QUARTER, HOUR, DAY = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many tries in any such window."""

    name: str
    most: int
    window: timedelta


@dataclass(frozen=True, slots=True)
class Count:
    """A limit for somebody or somewhere: `whom` is a name, an address, or both."""

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
FORGOTTEN = Limit("forgotten", 3, HOUR)
FORGOTTEN_ADDRESS = Limit("forgotten address", 10, HOUR)


def guesses(name: str, address: str) -> tuple[Count, Count]:
    """What a guess at a password counts for."""
    place = _place(address)
    return Count(PASSWORD, f"{normalize('NFKC', name).strip().casefold()}\n{place}"), Count(PASSWORD_ADDRESS, place)


def asked_from(limit: Limit, address: str) -> Count:
    """What is counted by address alone."""
    return Count(limit, _place(address))


def try_once(counts: Sequence[Count], *, now: datetime) -> list[int]:
    """Count a try; returns its rows, for `take_back`. Raises TooManyTries, and then it counts for nothing."""
    rows = Try.objects.bulk_create([Try(limit=each.limit.name, key=each.key, at=now) for each in counts])
    ids = [row.pk for row in rows]
    untils = [until for each in counts if (until := _full_until(each, ids, now=now)) is not None]
    if untils:
        take_back(ids)
        raise TooManyTries(max(untils))
    return ids


def is_free(count: Count, *, now: datetime) -> bool:
    """Count a try; False where there were too many."""
    try:
        try_once([count], now=now)
    except TooManyTries:
        return False
    return True


def take_back(ids: Sequence[int]) -> None:
    """It was no guess."""
    Try.objects.filter(pk__in=ids).delete()


def forgive(count: Count) -> None:
    """Who got it right begins anew."""
    Try.objects.filter(limit=count.limit.name, key=count.key).delete()


def forget_old(*, now: datetime) -> None:
    """Drop what counts for no limit any more."""
    Try.objects.filter(at__lt=now - DAY).delete()


def _full_until(count: Count, own: Sequence[int], *, now: datetime) -> datetime | None:
    """When a try is free again; None while there is one."""
    limit = count.limit
    earlier = Try.objects.filter(limit=limit.name, key=count.key, at__gt=now - limit.window).exclude(pk__in=own)
    times = list(earlier.order_by("-at").values_list("at", flat=True)[: limit.most])
    return times[-1] + limit.window if len(times) == limit.most else None


def _place(address: str) -> str:
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else str(found)
