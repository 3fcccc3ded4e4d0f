"""Limits per article: candidates and links in total, per feed and per publisher."""

from datetime import UTC, datetime, timedelta

import pytest

from feeds.dedup.budgets import Budget, Origin, affordable_pairs, limit_matches, split_pairs
from feeds.dedup.comparable import Match
from feeds.dedup.rates import Day

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def origin(minutes: float, *, feed: int = 1, publisher: str = "") -> Origin:
    return Origin(NOON + timedelta(minutes=minutes), feed, publisher)


def event(closeness: float, *, joins: bool = False) -> Match:
    return Match("same_event", "entities", 1.0, closeness, "both name Ada", joins)


MANY = {n: origin(n, feed=n, publisher=f"paper{n}.example") for n in range(10)}
ALIKE = {(0, n): 2.0 for n in range(1, 10)}


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (Budget(), {(0, n) for n in range(1, 10)}),
        (Budget(candidates=3), {(0, 1), (0, 2), (0, 3)}),
    ],
    ids=["affordable_pairs it all", "the closest in time"],
)
def test_candidates_of_an_article(budget: Budget, expected: set[tuple[int, int]]) -> None:
    assert affordable_pairs(ALIKE, MANY, {0}, budget) == expected


def test_most_similar_come_first() -> None:
    assert affordable_pairs(ALIKE | {(0, 9): 5.0}, MANY, {0}, Budget(candidates=2)) == {(0, 1), (0, 9)}


def test_candidates_of_one_feed_leave_room_for_others() -> None:
    crowd = {n: origin(n, feed=7, publisher=f"paper{n}.example") for n in range(1, 9)}
    origins = {0: origin(0), **crowd, 9: origin(9, feed=8)}
    assert affordable_pairs(ALIKE, origins, {0}, Budget(of_one_feed=2)) == {(0, 1), (0, 2), (0, 9)}


def test_candidates_of_one_publisher_leave_room_for_others() -> None:
    crowd = {n: origin(n, feed=n, publisher="crowd.example") for n in range(1, 9)}
    origins = {0: origin(0), **crowd, 9: origin(9, feed=9, publisher="paper.example")}
    assert affordable_pairs(ALIKE, origins, {0}, Budget(of_one_publisher=1)) == {(0, 1), (0, 9)}


def test_pair_stays_if_either_budget_allows() -> None:
    assert affordable_pairs(ALIKE, MANY, {0, 9}, Budget(candidates=1)) == {(0, 1), (0, 9)}


def test_compares_only_across_publishers_if_configured() -> None:
    origins = {n: origin(n, publisher="paper.example") for n in range(3)} | {3: origin(3), 4: origin(4)}
    pairs = {(0, 1): 1.0, (0, 3): 1.0, (3, 4): 1.0, (0, 8): 1.0}  # 3 and 4 of unknown publishers; 8 is gone
    assert affordable_pairs(pairs, origins, {0, 3}, Budget(), across_publishers=True) == {(0, 3), (3, 4)}
    assert affordable_pairs(pairs, origins, {0, 3}, Budget()) == {(0, 1), (0, 3), (3, 4)}


def test_keeps_the_closest_matches_and_copies_first() -> None:
    matches = {(0, 1): event(0.4), (0, 2): event(0.9), (0, 3): event(0.3, joins=True), (4, 5): event(0.2)}
    assert set(limit_matches(matches, Budget(links=2))) == {(0, 2), (0, 3), (4, 5)}
    assert limit_matches(matches, Budget()) == matches


def test_parts_hold_few_other_articles() -> None:
    pairs = {(0, n) for n in range(1, 8)} | {(1, n) for n in range(2, 8)}
    parts = list(split_pairs(pairs, {0, 1}, batch_size=2))
    assert [sorted({pk for pair in part for pk in pair} - {0, 1}) for part in parts] == [[2, 3, 4], [4, 5, 6], [6, 7]]
    assert {pair for part in parts for pair in part} == pairs


def test_a_day_ends_after_24_hours() -> None:
    day = Day(NOON, 7)
    assert Day().at(NOON) == Day(NOON, 0)
    assert day.at(NOON + timedelta(hours=23)) == day
    assert day.at(NOON + timedelta(hours=24)) == Day(NOON + timedelta(hours=24), 0)
    assert day.at(NOON - timedelta(hours=1)) == Day(NOON - timedelta(hours=1), 0)  # the clock was set back
