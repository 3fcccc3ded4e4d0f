"""The `Retry-After` header (RFC 9110 §10.2.3), as servers really send it."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

LONGEST_OBEYED = timedelta(days=7)  # SPEC §2: "whatever it asks up to 7 days"

_SECONDS = re.compile(r"([+-]?)(\d+)(?:\.\d*)?", re.ASCII)
_MOST_DIGITS = 9  # thirty years; more is only a way to make `int` work


def parse_retry_after(value: str, *, now: datetime) -> timedelta | None:
    """Return how long to wait from `now`, in [0, 7 days]; None when the header is absent or unreadable.

    Takes seconds (fractions are dropped) or any HTTP date; what lies in the past means 0.
    """
    value = value.strip()
    if match := _SECONDS.fullmatch(value):
        if match[1] == "-":
            return timedelta(0)
        seconds = int(match[2]) if len(match[2]) <= _MOST_DIGITS else 10**_MOST_DIGITS
        return _within_bounds(timedelta(seconds=seconds))
    moment = http_date(value)
    return None if moment is None else _within_bounds(moment - now)


def http_date(value: str) -> datetime | None:
    """Return the aware moment of an HTTP date in any of its three forms, UTC when no zone is named; else None."""
    try:
        moment = parsedate_to_datetime(value)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):  # what `email` raises for absurd fields
        return None


def _within_bounds(wait: timedelta) -> timedelta:
    return min(max(wait, timedelta(0)), LONGEST_OBEYED)
