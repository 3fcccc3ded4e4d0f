"""The interval rules of SPEC §3, and their invariants."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.polling import schedule
from feeds.polling.schedule import BASE_INTERVALS, NextInterval, PollHistory, next_interval
from tests.tables import table

NOW = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)  # a Wednesday
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@table(
    ("history", "interval", "reason"),
    [
        pytest.param(PollHistory("breaking"), 15 * MINUTE, "every 15 min: default for this kind", id="first-breaking"),
        pytest.param(PollHistory("major"), 30 * MINUTE, "every 30 min: default", id="first-major"),
        pytest.param(PollHistory("blog"), 3 * HOUR, "every 3 h: default", id="first-blog"),
        pytest.param(PollHistory("newsletter"), 18 * HOUR, "every 18 h: default", id="first-newsletter"),
        pytest.param(PollHistory("dormant"), 24 * HOUR, "every 24 h: default", id="first-dormant"),
        pytest.param(
            PollHistory("breaking", publisher_minimum=HOUR), HOUR, "every 60 min: the publisher asks", id="ttl-wins"
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_unchanged=5), 2 * HOUR, "unchanged in 5", id="double"
        ),
        pytest.param(
            PollHistory("blog", interval=20 * HOUR, consecutive_unchanged=5), 24 * HOUR, "unchanged", id="double-capped"
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_new=3, average_new=2),
            30 * MINUTE,
            "new entries in the last",
            id="halve",
        ),
        pytest.param(
            PollHistory("blog", interval=6 * MINUTE, consecutive_new=4, average_new=2),
            5 * MINUTE,
            "",
            id="never-under-5-min",
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_new=3, publisher_minimum=45 * MINUTE),
            45 * MINUTE,
            "the publisher asks for at most one poll in 45 min",
            id="halve-stops-at-the-publishers-minimum",
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_unchanged=2, average_new=1.0), HOUR, "1.0 new", id="steady"
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_new=1, average_new=2.0),
            HOUR * (0.5**0.5),
            "2.0 new",
            id="steers-down",
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_unchanged=1, silence=14 * DAY),
            DAY,
            "nothing new for 14",
            id="daily",
        ),
        pytest.param(PollHistory("blog", interval=DAY, silence=30 * DAY), 7 * DAY, "nothing new for 30", id="weekly"),
        pytest.param(
            PollHistory("blog", interval=7 * DAY, consecutive_new=1, average_new=1), DAY, "", id="wakes-from-weekly"
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_failures=1, is_transient=True),
            MINUTE,
            "again in 60 s: the last poll failed",
            id="second-try",
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_failures=2, is_transient=True),
            2 * HOUR,
            "2 polls failed",
            id="after-the-second-try",
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_failures=1),
            2 * HOUR,
            "in 2 h: the last poll failed",
            id="error-1",
        ),
        pytest.param(
            PollHistory("blog", interval=HOUR, consecutive_failures=3), 8 * HOUR, "3 polls failed", id="error-3"
        ),
        pytest.param(PollHistory("blog", interval=HOUR, consecutive_failures=400), 24 * HOUR, "400", id="error-capped"),
        pytest.param(
            PollHistory("blog", interval=DAY, consecutive_failures=1, is_passing=True),
            50 * MINUTE,
            "in 50 min: the last poll failed",
            id="passing-1",
        ),
        pytest.param(
            PollHistory("blog", interval=15 * MINUTE, consecutive_failures=1, is_passing=True),
            30 * MINUTE,
            "in 30 min",
            id="passing-of-a-prompt-feed",
        ),
        pytest.param(
            PollHistory("blog", interval=DAY, consecutive_failures=1, is_passing=True, is_transient=True),
            MINUTE,
            "again in 60 s",
            id="passing-second-try",
        ),
        pytest.param(
            PollHistory("blog", interval=3 * HOUR, consecutive_failures=12, is_passing=True),
            50 * MINUTE,
            "12 polls failed",
            id="passing-12",
        ),
        pytest.param(
            PollHistory("blog", interval=3 * HOUR, consecutive_failures=13, is_passing=True),
            6 * HOUR,
            "13 polls failed",
            id="passing-13",
        ),
        pytest.param(PollHistory("blog", interval=HOUR, limited=True), 2 * HOUR, "asked us to slow down", id="limited"),
        pytest.param(
            PollHistory("blog", interval=20 * HOUR, limited=True), 24 * HOUR, "slow down", id="limited-capped"
        ),
    ],
)
def test_interval_and_reason(history: PollHistory, interval: timedelta, reason: str) -> None:
    following = next_interval(history)
    assert following.interval == interval
    assert reason in following.reason


def test_remembers_the_interval_through_failures() -> None:
    assert next_interval(PollHistory("blog", interval=HOUR, consecutive_failures=1)).base == HOUR
    assert next_interval(PollHistory("blog", interval=HOUR, consecutive_failures=6)).base == HOUR


histories = st.builds(
    PollHistory,
    kind=st.sampled_from(sorted(BASE_INTERVALS)),
    interval=st.none() | st.timedeltas(timedelta(0), timedelta(days=60)),
    publisher_minimum=st.timedeltas(timedelta(0), timedelta(days=400)),
    consecutive_failures=st.integers(0, 10_000),
    consecutive_unchanged=st.integers(0, 10_000),
    consecutive_new=st.integers(0, 10_000),
    average_new=st.floats(0, 1e6),
    silence=st.none() | st.timedeltas(timedelta(0), timedelta(days=9000)),
    limited=st.booleans(),
    is_transient=st.booleans(),
    is_passing=st.booleans(),
)


@given(histories)
def test_stays_within_bounds(history: PollHistory) -> None:
    following = next_interval(history)
    longest = max(history.interval or timedelta(0), timedelta(days=7))
    assert timedelta(seconds=60) <= following.interval <= longest
    if not history.consecutive_failures or history.limited:
        assert following.interval >= max(timedelta(minutes=5), min(history.publisher_minimum, timedelta(days=7)))
    assert following.reason


@given(histories, st.integers(1, 200), st.integers(1, 200))
def test_is_monotonic_in_failures(history: PollHistory, fewer: int, more: int) -> None:
    fewer, more = sorted((fewer, more))

    def after(failures: int) -> timedelta:
        return next_interval(
            PollHistory(
                history.kind,
                history.interval,
                history.publisher_minimum,
                consecutive_failures=failures,
                is_transient=history.is_transient,
                is_passing=history.is_passing,
            )
        ).interval

    assert after(fewer) <= after(more)


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        pytest.param({}, timedelta(0), id="none"),
        pytest.param({"ttl_minutes": 60}, HOUR, id="ttl"),
        pytest.param({"ttl_minutes": -5}, timedelta(0), id="negative-ttl"),
        pytest.param({"ttl_minutes": 99_999_999}, 7 * DAY, id="absurd-ttl"),
        pytest.param({"update_period": "hourly"}, HOUR, id="hourly"),
        pytest.param({"update_period": "hourly", "update_frequency": 4}, 15 * MINUTE, id="4-an-hour"),
        pytest.param({"update_frequency": 2}, 12 * HOUR, id="frequency-alone-is-a-day"),
        pytest.param({"update_period": "fortnightly"}, timedelta(0), id="unknown-period"),
        pytest.param({"ttl_minutes": 10, "http_minimum": HOUR}, HOUR, id="longest-wins"),
        pytest.param({"update_period": "daily", "update_frequency": 0}, DAY, id="zero-frequency"),
    ],
)
def test_publisher_minimum(hints: dict[str, object], expected: timedelta) -> None:
    assert schedule.publisher_hint(**hints).interval == expected


def test_jitter_never_goes_under_the_publishers_minimum() -> None:
    following = NextInterval(HOUR, HOUR, "")
    assert schedule.poll_at(NOW, following, jitter=-1.0) == NOW + 54 * MINUTE
    assert schedule.poll_at(NOW, following, jitter=1.0) == NOW + 66 * MINUTE
    assert schedule.poll_at(NOW, following, jitter=-1.0, minimum=HOUR) == NOW + HOUR


@pytest.mark.parametrize(
    ("hours", "days", "expected"),
    [
        pytest.param(0, 0, NOW, id="nothing-skipped"),
        pytest.param(1 << 11, 0, NOW, id="other-hour"),
        pytest.param(1 << 12 | 1 << 13, 0, datetime(2026, 3, 4, 14, tzinfo=UTC), id="two-hours"),
        pytest.param(0, 1 << 2, datetime(2026, 3, 5, tzinfo=UTC), id="this-day"),
        pytest.param(1, 1 << 2, datetime(2026, 3, 5, 1, tzinfo=UTC), id="day-and-hour"),
        pytest.param((1 << 24) - 1, 0, NOW, id="all-hours-is-nonsense"),
        pytest.param(0, (1 << 7) - 1, NOW, id="all-days-is-nonsense"),
    ],
)
def test_avoids_skipped_hours_and_days(hours: int, days: int, expected: datetime) -> None:
    assert schedule.avoid_skipped(NOW, skip_hours=hours, skip_days=days) == expected


@pytest.mark.parametrize(
    ("ages_in_hours", "kind"),
    [
        pytest.param([], "blog", id="empty"),
        pytest.param([h / 2 for h in range(20)], "breaking", id="two-an-hour"),
        pytest.param([4 * h for h in range(20)], "major", id="six-a-day"),
        pytest.param([48 * h for h in range(10)], "blog", id="every-other-day"),
        pytest.param([24 * 7 * h for h in range(8)], "newsletter", id="weekly"),
        pytest.param([24 * 60], "dormant", id="two-months-ago"),
        pytest.param([1], "newsletter", id="one-entry-is-not-a-rate"),
    ],
)
def test_kind_by_rate(ages_in_hours: list[float], kind: str) -> None:
    assert schedule.classify([NOW - timedelta(hours=age) for age in ages_in_hours], now=NOW) == kind
