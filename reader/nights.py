"""When a night's work is due. Pure, but for the time zone of the settings."""

from datetime import UTC, date, datetime, time, timedelta

from django.utils import timezone

LEARNING_AT = time(1)  # SPEC §10


def last_night(now: datetime) -> datetime:
    """The latest 01:00 of the installation's time zone that is not after `now`, in UTC. Where the clock skips or
    repeats it, the first moment that is called so."""
    today = timezone.localtime(now).date()
    tonight = _one_o_clock(today)
    return tonight if tonight <= now else _one_o_clock(today - timedelta(days=1))


def _one_o_clock(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, LEARNING_AT)).astimezone(UTC)
