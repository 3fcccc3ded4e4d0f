"""Validators, Retry-After and cache lifetimes."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from feeds.fetching import http_minimum_interval, parse_retry_after
from feeds.fetching.headers import validators
from tests.tables import table

NOW = datetime(2026, 2, 17, 8, 0, 0, tzinfo=UTC)


DATE, OLD, FUTURE = (f"Tue, 17 Feb {year} 08:00:00 GMT" for year in (2026, 1970, 2041))


@table(
    ("headers", "expected"),
    [
        pytest.param({}, ("", ""), id="none"),
        pytest.param({"etag": '"a"', "last-modified": DATE}, ('"a"', DATE), id="now"),
        pytest.param({"last-modified": FUTURE}, ("", ""), id="in the future"),
        pytest.param({"etag": '"a"', "last-modified": FUTURE}, ('"a"', ""), id="with an ETag of its own"),
        pytest.param({"etag": f'W/"{FUTURE}"', "last-modified": FUTURE}, ("", ""), id="with an ETag made of it"),
        pytest.param({"last-modified": DATE, "date": "Tue, 17 Feb 2026 07:59:59 GMT"}, ("", ""), id="after Date"),
        pytest.param({"last-modified": FUTURE, "date": FUTURE}, ("", FUTURE), id="a server in the future"),
        pytest.param({"last-modified": OLD}, ("", ""), id="before there were feeds"),
        pytest.param({"last-modified": "yesterday", "etag": "b"}, ("b", "yesterday"), id="no date, sent back as it is"),
    ],
)
def test_keeps_validators_that_can_be_right(headers: dict[str, str], expected: tuple[str, str]) -> None:
    assert validators(headers, now=NOW) == expected


@table(
    ("value", "expected"),
    [
        ("120", timedelta(minutes=2)),
        (" 120 ", timedelta(minutes=2)),
        ("+120", timedelta(minutes=2)),
        ("120.9", timedelta(minutes=2)),
        ("0", timedelta(0)),
        ("-1", timedelta(0)),
        ("604800", timedelta(days=7)),
        ("604801", timedelta(days=7)),
        ("9" * 5000, timedelta(days=7)),
        ("Tue, 17 Feb 2026 09:30:00 GMT", timedelta(minutes=90)),
        ("Tuesday, 17-Feb-26 09:30:00 GMT", timedelta(minutes=90)),
        ("Tue Feb 17 09:30:00 2026", timedelta(minutes=90)),
        ("Tue, 17 Feb 2026 09:30:00 -0000", timedelta(minutes=90)),
        ("Tue, 17 Feb 2026 09:30:00 +0100", timedelta(minutes=30)),
        ("Tue, 17 Feb 2026 07:00:00 GMT", timedelta(0)),
        ("Fri, 17 Feb 2034 08:00:00 GMT", timedelta(days=7)),
        ("", None),
        ("soon", None),
        ("1 hour", None),
        ("²", None),
        ("١٢", None),
        ("Tue, 99 Feb 2026 09:30:00 GMT", None),
        ("Tue, 17 Feb 99999999999 09:30:00 GMT", None),
        ("Tue, 17 Feb 2026 09:30:00 +99999999999", None),
        ("\x00", None),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_reads_retry_after(value: str, expected: timedelta | None) -> None:
    assert parse_retry_after(value, now=NOW) == expected


def test_retry_after_counts_from_now_in_any_zone() -> None:
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))

    assert parse_retry_after("Tue, 17 Feb 2026 08:01:00 GMT", now=tokyo) == timedelta(minutes=1)


@table(
    ("headers", "expected"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"cache-control": "max-age=3600"}, timedelta(hours=1), id="max-age"),
        pytest.param({"cache-control": 'Public, MAX-AGE="600"'}, timedelta(minutes=10), id="quoted"),
        pytest.param({"cache-control": "max-age = 600"}, timedelta(minutes=10), id="spaced"),
        pytest.param({"cache-control": "max-age=600, max-age=60"}, timedelta(minutes=10), id="the-first-of-two"),
        pytest.param({"cache-control": "max-age=31536000"}, timedelta(hours=24), id="a-year"),
        pytest.param({"cache-control": "max-age=" + "9" * 5000}, timedelta(hours=24), id="absurd"),
        pytest.param({"cache-control": "max-age=0"}, None, id="zero"),
        pytest.param({"cache-control": "max-age=000"}, None, id="zeros"),
        pytest.param({"cache-control": "max-age=-5"}, None, id="negative"),
        pytest.param({"cache-control": "max-age=1h"}, None, id="unreadable"),
        pytest.param({"cache-control": "s-maxage=600"}, None, id="shared-caches"),
        pytest.param({"cache-control": "s-maxage=600, max-age=60"}, timedelta(minutes=1), id="both"),
        pytest.param({"cache-control": "no-cache, max-age=600"}, None, id="no-cache"),
        pytest.param({"cache-control": "max-age=600, NO-STORE"}, None, id="no-store"),
        pytest.param({"cache-control": 'no-cache="set-cookie", max-age=600'}, None, id="no-cache-for-a-field"),
        pytest.param({"expires": "Tue, 17 Feb 2026 08:30:00 GMT"}, timedelta(minutes=30), id="expires-from-now"),
        pytest.param(
            {"expires": "Mon, 16 Feb 2026 12:30:00 GMT", "date": "Mon, 16 Feb 2026 12:00:00 GMT"},
            timedelta(minutes=30),
            id="expires-by-a-wrong-clock",
        ),
        pytest.param(
            {"expires": "Tue, 17 Feb 2026 08:30:00 GMT", "date": "yesterday"},
            timedelta(minutes=30),
            id="unreadable-date",
        ),
        pytest.param({"expires": "Thu, 19 Nov 1981 08:52:00 GMT"}, None, id="expired"),
        pytest.param({"expires": "0"}, None, id="expires-0"),
        pytest.param({"expires": "-1"}, None, id="expires-minus-1"),
        pytest.param({"expires": "Fri, 17 Feb 2034 08:00:00 GMT"}, timedelta(hours=24), id="expires-in-years"),
        pytest.param(
            {"cache-control": "max-age=60", "expires": "Tue, 17 Feb 2026 09:00:00 GMT"},
            timedelta(minutes=1),
            id="max-age-wins",
        ),
        pytest.param(
            {"cache-control": "public", "expires": "Tue, 17 Feb 2026 09:00:00 GMT"},
            timedelta(hours=1),
            id="expires-beside-other-directives",
        ),
        pytest.param(
            {"cache-control": "max-age=0", "expires": "Tue, 17 Feb 2026 09:00:00 GMT"}, None, id="max-age-0-wins"
        ),
    ],
)
def test_reads_cache_lifetimes(headers: dict[str, str], expected: timedelta | None) -> None:
    assert http_minimum_interval(headers, now=NOW) == expected
