"""Users' preferences."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from feeds.storage.compiled import compiled
from reader.models import Preferences


def preferences_of(user: User) -> Preferences:
    """The user's preferences; unsaved defaults if they never changed any."""
    return next(iter(_stored(user.pk)), None) or Preferences(user=user)


@compiled
def _stored(user: int) -> QuerySet[Preferences]:
    return Preferences.objects.filter(user=user)


def time_zone_of(user: User) -> ZoneInfo:
    """The user's time zone, or the installation's."""
    return zone_named(Preferences.objects.filter(user=user).values_list("time_zone", flat=True).first())


def zone_named(name: str | None) -> ZoneInfo:
    """The time zone of that name; the installation's if it's empty or unknown."""
    return ZoneInfo(name if name in time_zones() else settings.TIME_ZONE)


@cache  # read from many files
def time_zones() -> frozenset[str]:
    """The names of all time zones."""
    return frozenset(available_timezones())


def language_of(user_id: int) -> str:
    """The code of the user's language, or the installation's."""
    return languages_of([user_id])[user_id]


def languages_of(user_ids: Collection[int]) -> Mapping[int, str]:
    """The languages of these users; one query, or none if only one language is installed."""
    codes: dict[int, Sequence[str]] = {}
    if user_ids and len(installed_languages()) > 1:
        rows = Preferences.objects.filter(user__in=user_ids)
        codes = {user_id: both for user_id, *both in rows.values_list("user_id", "language", "browser_language")}
    return {user_id: first_installed(codes.get(user_id, ())) for user_id in user_ids}


def first_installed(codes: Iterable[str]) -> str:
    """The first of the language codes that is installed; the installation's default if none is."""
    return next((code for code in codes if code in installed_languages()), settings.LANGUAGE_CODE)


def remember_browser_language(user: User, code: str) -> None:
    """Keep the language of the user's browser for emails. Nothing to keep if only one language is installed."""
    if len(installed_languages()) > 1 and first_installed([preferences_of(user).browser_language]) != code:
        Preferences.objects.update_or_create(user=user, defaults={"browser_language": code})


def installed_languages() -> Mapping[str, str]:
    """The native names of the installed languages, by code."""
    return dict(settings.LANGUAGES)


def set_time_zone(user: User, name: str) -> None:
    """Set the user's time zone; "" for the installation's. Raises ValueError for an unknown name."""
    if name and name not in time_zones():
        raise ValueError(f"unknown time zone {name!r}")
    Preferences.objects.update_or_create(user=user, defaults={"time_zone": name})
