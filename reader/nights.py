"""When a night's work is due. Pure, but for the time zone of the settings."""

from datetime import datetime, time, timedelta

from django.utils import timezone

LEARNING_AT = time(1)  # SPEC §10


def last_night(now: datetime) -> datetime:
    """The latest 01:00 of the installation's time zone that is not after `now`. Where the clock skips or repeats it,
    the first moment that is called so."""
    local = timezone.localtime(now)
    tonight = timezone.make_aware(datetime.combine(local.date(), LEARNING_AT))
    if tonight <= now:
        return tonight
    return timezone.make_aware(datetime.combine(local.date() - timedelta(days=1), LEARNING_AT))
