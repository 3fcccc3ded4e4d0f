"""Partitions held against each other: what became of stories."""

import pytest

from feeds.dedup.changes import Change, Changes, Kind, changes

CASES = {
    "nothing at all": ({}, {}, Changes(0, (), ())),
    "other numbers for the same stories": ({1: 7, 2: 7}, {1: 0, 2: 0}, Changes(0, (), ())),
    "made": ({}, {1: 0, 2: 0}, Changes(1, (1, 2), (Change(Kind.MADE, ((1,), (2,))),))),
    "grown": ({1: 7, 2: 7}, {1: 0, 2: 0, 3: 0}, Changes(0, (3,), (Change(Kind.GROWN, ((1, 2), (3,))),))),
    "joined, and the larger lives on": (
        {1: 7, 2: 7, 3: 8, 4: 8, 5: 8},
        dict.fromkeys(range(1, 6), 0),
        Changes(-1, (1, 2), (Change(Kind.JOINED, ((1, 2), (3, 4, 5))),)),
    ),
    "split, and the larger part stays": (
        {1: 7, 2: 7, 3: 7, 4: 7, 5: 7},
        {1: 0, 2: 0, 3: 1, 4: 1, 5: 1},
        Changes(1, (1, 2), (Change(Kind.SPLIT, ((1, 2), (3, 4, 5))),)),
    ),
    "one left alone": ({1: 7, 2: 7, 3: 7}, {1: 0, 2: 0}, Changes(0, (3,), (Change(Kind.SPLIT, ((1, 2), (3,))),))),
    "dissolved": ({1: 7, 2: 7}, {}, Changes(-1, (1, 2), (Change(Kind.DISSOLVED, ((1,), (2,))),))),
    "a part of one goes to another": (
        {1: 7, 2: 7, 3: 8, 4: 8},
        {2: 1, 3: 1, 4: 1},
        Changes(-1, (1, 2), (Change(Kind.JOINED, ((2,), (3, 4))), Change(Kind.SPLIT, ((1,), (2,))))),
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), CASES.values(), ids=CASES.keys())
def test_tells_what_became_of_stories(before: dict[int, int], after: dict[int, int], expected: Changes) -> None:
    assert changes(before, after) == expected
