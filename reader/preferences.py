"""What a person set for themselves."""

from collections.abc import Collection, Mapping
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth.models import User

from reader.models import Preferences


def preferences_of(user: User) -> Preferences:
    """What they set; the defaults, not saved, where they never did."""
    return Preferences.objects.filter(user=user).first() or Preferences(user=user)


def time_zone_of(user: User) -> ZoneInfo:
    """The time zone a person lives by: their own, or the installation's."""
    return zone_named(Preferences.objects.filter(user=user).values_list("time_zone", flat=True).first())


def zone_named(name: str | None) -> ZoneInfo:
    """The zone of that name; the installation's where there is none, or none of that name any more."""
    return ZoneInfo(name if name in time_zones() else settings.TIME_ZONE)


@cache  # the names are read from many files, and every page asks
def time_zones() -> frozenset[str]:
    """The names of all time zones that this machine knows."""
    return frozenset(available_timezones())


def language_of(user_id: int) -> str:
    """The code of the language a person is spoken to in: their own, or the installation's."""
    return languages_of([user_id])[user_id]


def languages_of(user_ids: Collection[int]) -> Mapping[int, str]:
    """The same of each of these people; one query, and none where only one language is installed."""
    chosen: dict[int, str] = {}
    if user_ids and len(installed_languages()) > 1:
        chosen = dict(Preferences.objects.filter(user__in=user_ids).values_list("user_id", "language"))
    return {user_id: language_named(chosen.get(user_id, "")) for user_id in user_ids}


def language_named(code: str) -> str:
    """That language; the installation's where there is none, or it is not installed any more."""
    return code if code in installed_languages() else settings.LANGUAGE_CODE


def installed_languages() -> Mapping[str, str]:
    """What the languages that can be chosen call themselves, by code."""
    return dict(settings.LANGUAGES)


def set_time_zone(user: User, name: str) -> None:
    """Live by this time zone from now on; "" is the installation's. Raises ValueError for a name that is none."""
    if name and name not in time_zones():
        raise ValueError(f"no time zone is called {name!r}")
    Preferences.objects.update_or_create(user=user, defaults={"time_zone": name})
