"""Grouping articles by their matches: averages, contrast, time and splits; the order never matters."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.dedup.clustering import Member, group_into_stories
from feeds.dedup.comparable import Match

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
Pair = tuple[str, str]


def member(name: str, *salient: str, hours: float = 0, language: str = "en", publisher: str = "") -> Member[str]:
    return Member(name, (NOON + timedelta(hours=hours), name.encode()), language, frozenset(salient), publisher)


def copy(closeness: float = 1.0) -> Match:
    return Match("near_duplicate", "title", closeness, closeness, "titles the same")


def event(closeness: float) -> Match:
    return Match("same_event", "entities", 1.0, closeness, "both name Ada", joins=False)


def flag() -> Match:
    return Match("revision", "title", 1.0, 1.0, "titles the same, same publisher", joins=False)


def grouped(members: list[Member[str]], matches: dict[Pair, Match], apart: list[Pair] | None = None) -> list[str]:
    return ["".join(story) for story in group_into_stories(members, matches, apart=apart or [])]


A, B, C, D = (member(name) for name in "abcd")


@pytest.mark.parametrize(
    ("members", "matches", "expected"),
    [
        pytest.param([], {}, [], id="nobody"),
        pytest.param([A], {}, ["a"], id="one"),
        pytest.param([A, B], {}, ["a", "b"], id="no match"),
        pytest.param([A, B], {("a", "b"): copy()}, ["ab"], id="a copy"),
        pytest.param([A, B], {("b", "a"): copy()}, ["ab"], id="either order of names"),
        pytest.param([A, B, C], {("a", "b"): copy(), ("b", "c"): copy()}, ["abc"], id="copies of copies"),
        pytest.param([A, B], {("a", "b"): event(0.5)}, ["ab"], id="close enough"),
        pytest.param([A, B], {("a", "b"): event(0.49)}, ["a", "b"], id="not close enough"),
        pytest.param([A, B], {("a", "b"): flag()}, ["a", "b"], id="a flag matches nothing"),
        pytest.param([A], {("a", "x"): copy()}, ["a"], id="a match to somebody unknown"),
        pytest.param(
            [A, B, C],
            {("a", "b"): event(0.5), ("b", "c"): event(0.48)},
            ["ab", "c"],
            id="no chains: on average a and b are 0.24 from c",
        ),
        pytest.param(
            [A, B, C],
            {("a", "b"): event(0.5), ("b", "c"): event(0.5), ("a", "c"): event(0.2)},
            ["abc"],
            id="close on average",
        ),
        pytest.param(
            [A, B, C, D],
            {("a", "b"): copy(), ("c", "d"): copy(), ("a", "c"): event(0.9)},
            ["ab", "cd"],
            id="one match of four between two pairs of copies",
        ),
    ],
)
def test_groups(members: list[Member[str]], matches: dict[Pair, Match], expected: list[str]) -> None:
    assert grouped(members, matches) == expected


def look_alikes(second: str) -> tuple[list[Member[str]], dict[Pair, Match]]:
    """Three reports on Bush's injury and three on that of `second`, all as close as reports on one event."""
    first = [member(name, "saints", "bush") for name in "abc"]
    others = [member(name, "saints", second) for name in "xyz"]
    names = [report.name for report in first + others]
    matches = {(one, other): event(0.3) for one in names for other in names if one < other}
    matches |= {(one, other): event(0.5) for trio in ("abc", "xyz") for one in trio for other in trio if one < other}
    return first + others, matches


def test_contrast_keeps_similar_events_apart() -> None:
    assert grouped(*look_alikes("thomas")) == ["abc", "xyz"]
    assert grouped(*look_alikes("bush")) == ["abcxyz"]


def test_contrast_is_counted_within_a_language() -> None:
    members, matches = look_alikes("托马斯")
    members = [Member(m.name, m.order, "zh" if m.name in "xyz" else "en", m.salient) for m in members]
    assert grouped(members, matches) == ["abcxyz"]


def test_a_story_of_one_event_stays_within_72_hours() -> None:
    days = [member(str(n), hours=20 * n) for n in range(6)]
    matches = {(str(n), str(m)): event(0.9) for n in range(6) for m in range(n + 1, 6)}
    for story in group_into_stories(days, matches):
        assert max(map(int, story)) - min(map(int, story)) <= 3  # 60 hours
    copies = {pair: copy() for pair in matches}
    assert grouped(days, copies) == ["012345"]  # copies are one text whenever they come


def test_split_articles_stay_apart() -> None:
    assert grouped([A, B], {("a", "b"): copy()}, [("b", "a")]) == ["a", "b"]
    later = {("a", "b"): copy(), ("a", "c"): copy(0.9), ("b", "c"): copy(0.95)}
    assert grouped([A, B, C], later, [("a", "b")]) == ["a", "bc"]  # a copy of both joins the closer one
    assert grouped([A, B], {("a", "b"): event(0.9)}, [("a", "b")]) == ["a", "b"]


P, Q = (member(name, publisher="one") for name in "pq")  # two articles of one publisher
R = member("r", publisher="two")


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        pytest.param({("p", "q"): event(0.9)}, ["p", "q", "r"], id="one publisher's alone"),
        pytest.param(
            {("p", "r"): event(0.9), ("q", "r"): event(0.9), ("p", "q"): event(0.9)}, ["pqr"], id="each with evidence"
        ),
        pytest.param({("p", "r"): event(0.9), ("q", "r"): event(0.2)}, ["pr", "q"], id="one of them without"),
        pytest.param({("p", "q"): copy(), ("p", "r"): event(0.9)}, ["pqr"], id="a copy counts as its original"),
        pytest.param({("p", "q"): copy()}, ["pq", "r"], id="copies need nobody else"),
    ],
)
def test_one_publishers_articles_need_another_publisher(matches: dict[Pair, Match], expected: list[str]) -> None:
    assert grouped([P, Q, R], matches) == expected


def test_evidence_belongs_to_the_article_not_its_publisher() -> None:
    others = [member(name, publisher=name) for name in "rstu"]
    close = {(a, b): event(0.9) for a in "prstu" for b in "prstu" if a < b}
    assert grouped([P, Q, *others], close | {("q", name): event(0.2) for name in "rstu"}) == ["prstu", "q"]
    assert grouped([P, Q, *others], close | {("q", name): event(0.5) for name in "rstu"}) == ["pqrstu"]


def test_pairs_of_one_publisher_do_not_lower_the_average() -> None:
    first, second = (member(name, publisher="one") for name in "xy")
    matches = {("p", "r"): event(0.9), ("q", "r"): event(0.3), ("x", "r"): event(0.3), ("y", "r"): event(0.3)}
    assert grouped([P, Q, R, first, second], matches) == ["pqrxy"]


def test_unknown_publishers_are_different_ones() -> None:
    assert grouped([A, B], {("a", "b"): event(0.9)}) == ["ab"]


_NAMES = "abcdefghij"


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(_NAMES), st.sampled_from(_NAMES)).filter(lambda pair: pair[0] < pair[1]),
        st.one_of(st.floats(0.15, 1).map(event), st.just(copy())),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_order_does_not_matter(matches: dict[Pair, Match], chance: random.Random) -> None:
    members = [member(name, name, "all", hours=ord(name) % 7, publisher="xyz"[ord(name) % 3]) for name in _NAMES]
    expected = group_into_stories(members, matches)
    shuffled = list(matches.items())
    chance.shuffle(members)
    chance.shuffle(shuffled)
    assert group_into_stories(members, {tuple(reversed(pair)): match for pair, match in shuffled}) == expected  # type: ignore[misc]
    assert sorted(name for story in expected for name in story) == list(_NAMES)
