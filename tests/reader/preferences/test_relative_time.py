"""Times and durations in words."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from reader.preferences.relative_time import ago, clock, day, exactly, reading_time, since

NOW = datetime(2026, 11, 21, 14, 5, tzinfo=UTC)  # a Saturday


@pytest.mark.parametrize(
    ("before", "words"),
    [
        pytest.param(timedelta(0), "just now", id="now"),
        pytest.param(timedelta(seconds=59), "just now", id="under a minute"),
        pytest.param(timedelta(seconds=60), "1 min ago", id="a minute"),
        pytest.param(timedelta(minutes=59, seconds=59), "59 min ago", id="under an hour"),
        pytest.param(timedelta(hours=1), "1 h ago", id="an hour"),
        pytest.param(timedelta(hours=23, minutes=59), "23 h ago", id="yesterday by date, hours by distance"),
        pytest.param(timedelta(hours=24), "yesterday", id="a day"),
        pytest.param(timedelta(days=1, hours=14), "yesterday", id="yesterday, just after midnight"),
        pytest.param(timedelta(days=1, hours=15), "Thursday", id="the evening before yesterday"),
        pytest.param(timedelta(days=6), "Sunday", id="within six days"),
        pytest.param(timedelta(days=7), "14 Nov", id="a week"),
        pytest.param(timedelta(days=400), "17 Oct 2025", id="another year"),
        pytest.param(timedelta(seconds=-30), "just now", id="clocks that differ"),
        pytest.param(timedelta(minutes=-5), "in 5 min", id="ahead by minutes"),
        pytest.param(timedelta(hours=-20), "in 20 h", id="ahead by hours"),
        pytest.param(timedelta(days=-3), "in 3 days", id="ahead by days"),
    ],
)
def test_describes_time_ago(before: timedelta, words: str) -> None:
    assert ago(NOW - before, NOW) == words


@pytest.mark.parametrize(
    ("before", "words"),
    [
        pytest.param(timedelta(hours=2), "12:05", id="today"),
        pytest.param(timedelta(hours=15), "yesterday", id="yesterday"),
        pytest.param(timedelta(days=4), "Tuesday", id="a weekday"),
        pytest.param(timedelta(days=40), "12 Oct", id="a date"),
    ],
)
def test_describes_since_when(before: timedelta, words: str) -> None:
    assert since(NOW - before, NOW) == words


def test_days_follow_the_users_time_zone() -> None:
    zone = ZoneInfo("Pacific/Auckland")
    now = datetime(2026, 11, 21, 0, 30, tzinfo=zone)
    assert day(now - timedelta(hours=1), now) == "yesterday"
    assert exactly(now) == "Saturday 21 November 2026, 00:30 NZDT"


@pytest.mark.parametrize(("seconds", "words"), [(0, ""), (1, "1 min"), (89, "1 min"), (91, "2 min"), (3600, "60 min")])
def test_describes_reading_time(seconds: int, words: str) -> None:
    assert reading_time(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00"), (7, "0:07"), (245, "4:05"), (3600, "1:00:00"), (36_061, "10:01:01")]
)
def test_formats_position_in_a_recording(seconds: int, words: str) -> None:
    assert clock(seconds) == words
