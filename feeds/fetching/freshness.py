"""How long the publisher says that an answer stays fresh: one of the hints that set a feed's minimum interval."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from feeds.fetching.retry_after import http_date

LONGEST_BELIEVED = timedelta(hours=24)  # SPEC §3: intervals go "up to 24 h"; a year is meant for proxies, not for us

_MAX_AGE = re.compile(r'max-age\s*=\s*"?\s*(\d+)\s*"?', re.ASCII)
_MOST_DIGITS = 9


def http_minimum_interval(headers: Mapping[str, str], *, now: datetime) -> timedelta | None:
    """Return the interval that `Cache-Control` or else `Expires` asks for, in (0, 24 h]; None without such a hint.

    `headers` has lower-case names. `no-store`, `no-cache`, `max-age=0` and dates in the past mean "ask whenever you
    like": no hint. `s-maxage` speaks to shared caches and is ignored. `Expires` counts from the server's own `Date`,
    so that its clock may be wrong, and from `now` where that is missing.
    Source: best-practices §1; RFC 9111 §4.2.1, §5.2, §5.3.
    """
    directives = [directive.strip().lower() for directive in headers.get("cache-control", "").split(",")]
    if any(directive.partition("=")[0].strip() in {"no-store", "no-cache"} for directive in directives):
        return None
    for directive in directives:
        if match := _MAX_AGE.fullmatch(directive):
            digits = match[1].lstrip("0")
            return _believed(timedelta(seconds=int(digits[:_MOST_DIGITS] or "0")))
    expires_at = http_date(headers.get("expires", ""))
    if expires_at is None:
        return None
    return _believed(expires_at - (http_date(headers.get("date", "")) or now))


def _believed(interval: timedelta) -> timedelta | None:
    return min(interval, LONGEST_BELIEVED) if interval > timedelta(0) else None
