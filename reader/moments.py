"""Moments and spans in a reader's words. Pure; both moments are aware and in the zone of the person who reads."""

from datetime import datetime, timedelta

_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


def ago(moment: datetime, now: datetime) -> str:
    """`just now`, `5 min ago`, `3 h ago`, `yesterday`, `Tuesday`, `18 Nov`, `18 Nov 2024`; ahead of now, `in 5 min`."""
    if moment > now + _MINUTE:
        return f"in {_span(moment - now)}"
    if now - moment < _MINUTE:
        return "just now"
    if now - moment < _DAY:
        return f"{_span(now - moment)} ago"
    return day(moment, now)


def since(moment: datetime, now: datetime) -> str:
    """When something began, to stand after "since": `14:05`, `yesterday`, `Tuesday`, `18 Nov`."""
    return f"{moment:%H:%M}" if moment.date() == now.date() else day(moment, now)


def day(moment: datetime, now: datetime) -> str:
    """A day as people say it: `today`, `yesterday`, a weekday within six days, else a date."""
    days = (now.date() - moment.date()).days
    if days in (0, 1):
        return ("today", "yesterday")[days]
    if 1 < days < 7:
        return f"{moment:%A}"
    if moment.year == now.year:
        return f"{moment.day} {moment:%b}"
    return f"{moment.day} {moment:%b %Y}"


def exactly(moment: datetime) -> str:
    """A moment in full: `Saturday 21 November 2026, 14:05 UTC`."""
    return f"{moment:%A} {moment.day} {moment:%B %Y, %H:%M %Z}".rstrip()


def reading_time(seconds: int) -> str:
    """`1 min` and up, rounded; "" when there is nothing to read."""
    return f"{max(1, round(seconds / 60))} min" if seconds else ""


def _span(span: timedelta) -> str:
    if span < _HOUR:
        return f"{max(1, span // _MINUTE)} min"
    if span < 2 * _DAY:
        return f"{span // _HOUR} h"
    return f"{span // _DAY} days"
