"""What a person set for themselves."""

from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth.models import User

from reader.models import Preferences


def time_zone_of(user: User) -> ZoneInfo:
    """The time zone a person lives by: their own, or the installation's."""
    chosen = Preferences.objects.filter(user=user).values_list("time_zone", flat=True).first()
    return ZoneInfo(chosen if chosen in available_timezones() else settings.TIME_ZONE)


def set_time_zone(user: User, name: str) -> None:
    """Live by this time zone from now on; "" is the installation's. Raises ValueError for a name that is none."""
    if name and name not in available_timezones():
        raise ValueError(f"no time zone is called {name!r}")
    Preferences.objects.update_or_create(user=user, defaults={"time_zone": name})
