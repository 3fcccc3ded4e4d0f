"""Times and durations in words. Pure; times are aware and in the user's time zone."""

from datetime import date, datetime, timedelta
from functools import lru_cache

from django.utils.dateformat import format as dated
from django.utils.dates import WEEKDAYS
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


def ago(moment: datetime, now: datetime) -> str:
    """`just now`, `5 min ago`, `3 h ago`, `yesterday`, `Tuesday`, `18 Nov`, `18 Nov 2024`; ahead of now, `in 5 min`."""
    if moment > now + _MINUTE:
        return _ahead(moment - now)
    if now - moment < _MINUTE:
        return _("just now")
    if now - moment < _HOUR:
        return _("%(n)s min ago") % {"n": _minutes(now - moment)}
    if now - moment < _DAY:
        return _("%(n)s h ago") % {"n": (now - moment) // _HOUR}
    return day(moment, now)


def since(moment: datetime, now: datetime) -> str:
    """A time to follow "since": `14:05`, `yesterday`, `Tuesday`, `18 Nov`."""
    return f"{moment:%H:%M}" if moment.date() == now.date() else day(moment, now)


def day(moment: datetime, now: datetime) -> str:
    """`today`, `yesterday`, a weekday within six days, else a date."""
    days = (now.date() - moment.date()).days
    if days == 0:
        return _("today")
    if days == 1:
        return _("yesterday")
    if 1 < days < 7:
        return str(WEEKDAYS[moment.weekday()])
    form = pgettext("date format", "j M") if moment.year == now.year else pgettext("date format", "j M Y")
    return _on_day(moment.date(), form, get_language())


def exactly(moment: datetime) -> str:
    """A time in full: `Saturday 21 November 2026, 14:05 UTC`."""
    return _exactly(moment.replace(tzinfo=None), moment.tzname() or "", get_language())


@lru_cache(maxsize=4096)  # the same rows are in many lists
def _exactly(moment: datetime, zone: str, language: str | None) -> str:
    on = _on_day(moment.date(), pgettext("date format", "l j F Y"), language)
    at = f"{moment:%H:%M} {zone}".rstrip()
    return pgettext("a day and the time of it", "%(day)s, %(time)s") % {"day": on, "time": at}


@lru_cache(maxsize=1024)
def _on_day(on: date, form: str, _language: str | None) -> str:
    return dated(on, form)


def reading_time(seconds: int) -> str:
    """`1 min` and up, rounded; "" for nothing to read."""
    return _("%(n)s min") % {"n": minutes(seconds)} if seconds else ""


def minutes(seconds: float) -> int:
    """Seconds of reading as minutes, at least one."""
    return max(1, round(seconds / 60))


def _minutes(span: timedelta) -> int:
    return max(1, span // _MINUTE)


def _ahead(span: timedelta) -> str:
    if span < _HOUR:
        return _("in %(n)s min") % {"n": _minutes(span)}
    if span < 2 * _DAY:
        return _("in %(n)s h") % {"n": span // _HOUR}
    days = span // _DAY
    return ngettext("in %(n)s day", "in %(n)s days", days) % {"n": days}


def clock(seconds: int) -> str:
    """A position in a recording: `0:07`, `4:05`, `1:02:00`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
