"""Positions of a story's dots and labels of its ends, in any time zone and at any distance."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from reader.stories.timeline_chart import MAX_LANES, Moment, Timeline, timeline

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)  # a Saturday
MORNING = datetime(2026, 11, 21, 8, 10, tzinfo=UTC)


def moments_at(*minutes: float, kind: str = "report", since: datetime = MORNING) -> list[Moment]:
    return [Moment(since + timedelta(minutes=minute), f"Paper {minute}", f"Title {minute}", kind) for minute in minutes]


def drawn(*minutes: float, now: datetime = NOW, since: datetime = MORNING) -> Timeline:
    chart = timeline(moments_at(*minutes, since=since), now)
    assert chart is not None
    return chart


@pytest.mark.parametrize("minutes", [(), (0,), (0, 0, 0), (0, 0.5)], ids=["none", "one", "at once", "in one minute"])
def test_draws_nothing_without_duration(minutes: tuple[float, ...]) -> None:
    assert timeline(moments_at(*minutes), NOW) is None


def test_dots_are_placed_by_time_within_margins() -> None:
    assert [dot.x for dot in drawn(0, 60, 120).dots] == ["2.00%", "50.00%", "98.00%"]


def test_dots_are_sorted_by_time() -> None:
    chart = timeline(moments_at(120, 0, 60), NOW)
    assert chart is not None
    assert [dot.words for dot in chart.dots] == [
        "Paper 0, today 08:10: Title 0",
        "Paper 60, today 09:10: Title 60",
        "Paper 120, today 10:10: Title 120",
    ]


@pytest.mark.parametrize(
    ("minutes", "lanes"),
    [
        ((0, 50, 100), [0, 0, 0]),
        ((0, 1, 100), [0, 1, 0]),
        ((0, 0, 0, 100), [0, 1, 2, 0]),
        ((0, 1, 4, 100), [0, 1, 0, 0]),
    ],
    ids=["apart", "two close", "three at once", "the lower place is free again"],
)
def test_stacks_close_dots(minutes: tuple[float, ...], lanes: list[int]) -> None:
    dots = drawn(*minutes)
    assert [(dots.height - 10 - dot.y) // 14 for dot in dots.dots] == lanes


def test_limits_height_to_its_lanes() -> None:
    dots = drawn(*[0.0] * 100, 100)
    assert min(dot.y for dot in dots.dots) == dots.height - 10 - 14 * (MAX_LANES - 1)
    assert all(dot.y > 0 for dot in dots.dots)


def test_labels_are_in_the_users_time_zone() -> None:
    dots = drawn(0, 120, now=NOW.astimezone(ZoneInfo("Asia/Tokyo")))
    assert (dots.begins, dots.ends) == ("today 17:10", "today 19:10")
    assert dots.words == (
        "2 articles within 2 h: the first from Paper 0, today 17:10; the last from Paper 120, today 19:10."
    )


def test_repeated_hour_is_an_hour_wide() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 10, 25, 12, tzinfo=berlin)  # clocks went back from 3 to 2 at 01:00 UTC
    dots = drawn(0, 60, 120, now=now, since=datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
    assert [dot.x for dot in dots.dots] == ["2.00%", "50.00%", "98.00%"]
    assert [dot.words[:20] for dot in dots.dots] == [
        "Paper 0, today 02:30",
        "Paper 60, today 02:3",
        "Paper 120, today 03:",
    ]
