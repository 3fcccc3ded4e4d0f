"""Where the dots of a story are, and what its ends say, in every zone and at every distance."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from reader.stories.timeline_chart import MAX_LANES, Moment, Timeline, timeline

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)  # a Saturday
MORNING = datetime(2026, 11, 21, 8, 10, tzinfo=UTC)


def told(*minutes: float, kind: str = "report", since: datetime = MORNING) -> list[Moment]:
    return [Moment(since + timedelta(minutes=minute), f"Paper {minute}", f"Title {minute}", kind) for minute in minutes]


def drawn(*minutes: float, now: datetime = NOW, since: datetime = MORNING) -> Timeline:
    found = timeline(told(*minutes, since=since), now)
    assert found is not None
    return found


@pytest.mark.parametrize("minutes", [(), (0,), (0, 0, 0), (0, 0.5)], ids=["none", "one", "at once", "in one minute"])
def test_nothing_is_drawn_where_there_is_no_length(minutes: tuple[float, ...]) -> None:
    assert timeline(told(*minutes), NOW) is None


def test_dots_lie_where_their_time_is_within_the_margins() -> None:
    assert [dot.x for dot in drawn(0, 60, 120).dots] == ["2.00%", "50.00%", "98.00%"]


def test_dots_are_in_the_order_of_time_whatever_order_they_come_in() -> None:
    found = timeline(told(120, 0, 60), NOW)
    assert found is not None
    assert [dot.words for dot in found.dots] == [
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
def test_what_is_close_lies_above_each_other(minutes: tuple[float, ...], lanes: list[int]) -> None:
    found = drawn(*minutes)
    assert [(found.height - 10 - dot.y) // 14 for dot in found.dots] == lanes


def test_the_drawing_grows_no_higher_than_its_lanes() -> None:
    found = drawn(*[0.0] * 100, 100)
    assert min(dot.y for dot in found.dots) == found.height - 10 - 14 * (MAX_LANES - 1)
    assert all(dot.y > 0 for dot in found.dots)


def test_words_and_ends_are_in_the_users_zone() -> None:
    found = drawn(0, 120, now=NOW.astimezone(ZoneInfo("Asia/Tokyo")))
    assert (found.begins, found.ends) == ("today 17:10", "today 19:10")
    assert found.words == (
        "2 articles within 2 h: the first from Paper 0, today 17:10; the last from Paper 120, today 19:10."
    )


def test_an_hour_that_comes_twice_is_an_hour_wide() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 10, 25, 12, tzinfo=berlin)  # clocks went back from 3 to 2 at 01:00 UTC
    found = drawn(0, 60, 120, now=now, since=datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
    assert [dot.x for dot in found.dots] == ["2.00%", "50.00%", "98.00%"]
    assert [dot.words[:20] for dot in found.dots] == [
        "Paper 0, today 02:30",
        "Paper 60, today 02:3",
        "Paper 120, today 03:",
    ]
