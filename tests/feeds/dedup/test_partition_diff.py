"""Comparing two partitions: what happened to each story."""

from feeds.dedup.partition_diff import Change, Changes, Kind, diff_partitions

CASES = {
    "nothing at all": ({}, {}, Changes((), ())),
    "the same": ({1: 7, 2: 7}, {1: 7, 2: 7}, Changes((), ())),
    "made": ({}, {1: 7, 2: 7}, Changes((1, 2), (Change(Kind.MADE, ((1,), (2,))),))),
    "grown": ({1: 7, 2: 7}, {1: 7, 2: 7, 3: 7}, Changes((3,), (Change(Kind.GROWN, ((1, 2), (3,))),))),
    "joined": (
        {1: 7, 2: 7, 3: 8, 4: 8, 5: 8},
        dict.fromkeys(range(1, 6), 8),
        Changes((1, 2), (Change(Kind.JOINED, ((1, 2), (3, 4, 5))),)),
    ),
    "split": (
        {1: 7, 2: 7, 3: 7, 4: 7, 5: 7},
        {1: 9, 2: 9, 3: 7, 4: 7, 5: 7},
        Changes((1, 2), (Change(Kind.SPLIT, ((1, 2), (3, 4, 5))),)),
    ),
    "one removed": ({1: 7, 2: 7, 3: 7}, {1: 7, 2: 7}, Changes((3,), (Change(Kind.SPLIT, ((1, 2), (3,))),))),
    "dissolved": ({1: 7, 2: 7}, {}, Changes((1, 2), (Change(Kind.DISSOLVED, ((1,), (2,))),))),
    "a part moves to another story": (
        {1: 7, 2: 7, 3: 8, 4: 8},
        {2: 8, 3: 8, 4: 8},
        Changes((1, 2), (Change(Kind.JOINED, ((2,), (3, 4))), Change(Kind.SPLIT, ((1,), (2,))))),
    ),
}


def test_reports_changes_of_stories() -> None:
    wrong = {name for name, (before, after, expected) in CASES.items() if diff_partitions(before, after) != expected}
    assert wrong == set()
