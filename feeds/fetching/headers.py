"""Parses headers as servers send them: validators, when to come back (`Retry-After`, `Cache-Control`, `Expires`), and
`Link`."""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin

from requests.utils import parse_header_links

from feeds.normalizing.dates import EARLIEST

MAX_RETRY_AFTER = timedelta(days=7)  # SPEC §2: "whatever it asks up to 7 days"
MAX_HTTP_INTERVAL = timedelta(hours=24)  # SPEC §3: intervals go "up to 24 h"; a year is meant for proxies

_SECONDS = re.compile(r"([+-]?)(\d+)(?:\.\d*)?", re.ASCII)
_MAX_AGE = re.compile(r'max-age\s*=\s*+"?\s*(\d+)\s*"?', re.ASCII)
_MAX_LINK_HEADER = 8_000  # characters
_MAX_DIGITS = 9  # 30 years of seconds; longer numbers only make `int` slow


def validators(headers: Mapping[str, str], *, now: datetime) -> tuple[str, str]:
    """Return the `ETag` and `Last-Modified` to send back with the next request; "" for none, or for one that is wrong.

    A document isn't changed after the response that has it, nor before there were feeds. Servers that say so compare
    such a date with their files' and answer 304 forever; some make their `ETag` of it. Source: RFC 9110 §8.8.2.
    """
    etag, last_modified = headers.get("etag", "")[:1000], headers.get("last-modified", "")[:200]
    changed_at = http_date(last_modified)
    if changed_at is None or EARLIEST <= changed_at <= (http_date(headers.get("date", "")) or now):
        return etag, last_modified
    return "" if last_modified in etag else etag, ""


def parse_retry_after(value: str, *, now: datetime) -> timedelta | None:
    """Return how long to wait from `now`, in [0, 7 days]; None when the header is absent or unreadable.

    Accepts seconds (fractions are dropped) or any HTTP date; a date in the past gives 0. Source: RFC 9110 §10.2.3.
    """
    value = value.strip()
    if match := _SECONDS.fullmatch(value):
        if match[1] == "-":
            return timedelta(0)
        seconds = int(match[2]) if len(match[2]) <= _MAX_DIGITS else 10**_MAX_DIGITS
        wait = timedelta(seconds=seconds)
    elif date := http_date(value):
        wait = date - now
    else:
        return None
    return min(max(wait, timedelta(0)), MAX_RETRY_AFTER)


def http_minimum_interval(headers: Mapping[str, str], *, now: datetime) -> timedelta | None:
    """Return the interval that `Cache-Control` or else `Expires` asks for, in (0, 24 h]; None without such a hint.

    `headers` has lower-case names. `no-store`, `no-cache`, `max-age=0` and dates in the past give no hint. `s-maxage`
    is for shared caches and ignored. `Expires` counts from the server's own `Date`, so that its clock may be wrong, or
    from `now` without one. Source: best-practices §1; RFC 9111 §4.2.1, §5.2, §5.3.
    """
    directives = [directive.strip().lower() for directive in headers.get("cache-control", "").split(",")]
    if any(directive.partition("=")[0].strip() in {"no-store", "no-cache"} for directive in directives):
        return None
    for directive in directives:
        if match := _MAX_AGE.fullmatch(directive):
            digits = match[1].lstrip("0")
            return _limited(timedelta(seconds=int(digits[:_MAX_DIGITS] or "0")))
    expires_at = http_date(headers.get("expires", ""))
    if expires_at is None:
        return None
    return _limited(expires_at - (http_date(headers.get("date", "")) or now))


def link_urls(headers: Mapping[str, str], rel: str, *, base: str, types: Collection[str] = ()) -> tuple[str, ...]:
    """Return the absolute URLs of `Link` headers with this relation, in order; `types`: only with one of these types.
    Source: RFC 8288."""
    urls = []
    for link in parse_header_links(headers.get("link", "")[:_MAX_LINK_HEADER]):
        kind = link.get("type", "").lower().partition(";")[0].strip()
        if rel in link.get("rel", "").lower().split() and (not types or kind in types):
            with suppress(ValueError):  # not a URL
                urls.append(urljoin(base, link["url"].strip()))
    return tuple(urls)


def http_date(value: str) -> datetime | None:
    """Return an HTTP date in any of its three forms as aware UTC (also when it names no zone), else None."""
    try:
        date = parsedate_to_datetime(value)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):  # what `email` raises for absurd fields
        return None


def _limited(interval: timedelta) -> timedelta | None:
    return min(interval, MAX_HTTP_INTERVAL) if interval > timedelta(0) else None
