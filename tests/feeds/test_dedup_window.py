"""Ties found on a walk in order of publication, whatever the pieces it is taken in."""

from datetime import UTC, datetime, timedelta

import pytest

from feeds.dedup.events import Account, account_of
from feeds.dedup.names import Names
from feeds.dedup.policies import POLICIES
from feeds.dedup.subject import Subject, subject_of
from feeds.dedup.window import EventWindow, NearWindow

DAY = datetime(2026, 3, 4, tzinfo=UTC)
TEXT = (
    "Four fishing boats came home on Sunday with more herring than the small harbour could take, and the surplus went "
    "by lorry to the cannery before noon. The crews speak of the best week in nine years."
)


def subject(title: str, days: float, *, text: str = TEXT) -> Subject:
    return subject_of(
        title=title,
        text=text,
        language="en",
        domain=f"{title}.example",
        source_names=(),
        published_at=DAY + timedelta(days=days),
    )


def account(title: str, hours: float) -> Account:
    names = Names(frozenset(("ann lee",)), frozenset(), frozenset(("oslo",)))
    at = DAY + timedelta(hours=hours)
    return account_of(title=title, text="", language="en", names=names, vector=None, published_at=at)


@pytest.mark.parametrize(
    ("days", "expected"),
    [(0, {(1, 2)}), (29.9, {(1, 2)}), (30, {(1, 2)}), (30.1, set())],
    ids=["at once", "within the window", "at its end", "beyond it"],
)
def test_near_ties_end_with_the_window(days: float, expected: set[tuple[int, int]]) -> None:
    window = NearWindow(POLICIES["layered"])
    assert window.ties({1: subject("Herring", 0)}) == {}
    assert set(window.ties({2: subject("Boats", days)})) == expected


@pytest.mark.parametrize("size", [1, 2, 5])
def test_pieces_do_not_matter(size: int) -> None:
    subjects = {n: subject(f"Title{n}", 12 * n) for n in range(1, 8)}
    window, found = NearWindow(POLICIES["layered"]), set[tuple[int, int]]()
    for start in range(1, 8, size):
        found |= set(window.ties({n: subjects[n] for n in range(start, min(start + size, 8))}))
    assert found == {(n, n + apart) for n in range(1, 8) for apart in (1, 2) if n + apart < 8}


def test_memory_is_that_of_the_window() -> None:
    window = NearWindow(POLICIES["layered"])
    for n in range(50):
        window.ties({n: subject(f"Title{n}", 10 * n, text=f"{TEXT} {n}")})
    assert set(window._window.known) == {46, 47, 48, 49}
    owners = {number for several in window._window._owners.values() for number, _ in several}
    assert owners <= set(range(40, 50))


def test_what_is_only_added_is_found_and_does_not_look() -> None:
    window = NearWindow(POLICIES["layered"])
    window.add({1: subject("Herring", 0), 2: subject("Cannery", 0.1)})
    assert set(window.ties({3: subject("Boats", 1)})) == {(1, 3), (2, 3)}


def test_events_end_after_a_day() -> None:
    window = EventWindow()
    first = window.ties({1: account("Ann Lee opens ferry line in Oslo", 0), 2: account("Oslo: Ann Lee opens ferry", 1)})
    later = window.ties({3: account("Ferry line of Oslo opened by Ann Lee", 24.5)})
    assert (set(first), set(later)) == ({(1, 2)}, {(2, 3)})
    assert set(window.ties({})) == set()
