"""Which articles stand together, by their ties: averages, contrast, time, splits; and never by order."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from feeds.dedup.grouping import Member, stories
from feeds.dedup.subject import Tie

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
Pair = tuple[str, str]


def member(name: str, *salient: str, hours: float = 0, language: str = "en") -> Member[str]:
    return Member(name, (NOON + timedelta(hours=hours), name.encode()), language, frozenset(salient))


def copy(closeness: float = 1.0) -> Tie:
    return Tie("near_duplicate", "title", closeness, closeness, "titles the same")


def event(closeness: float) -> Tie:
    return Tie("same_event", "entities", 1.0, closeness, "both name Ada", joins=False)


def flag() -> Tie:
    return Tie("revision", "title", 1.0, 1.0, "titles the same, same publisher", joins=False)


def grouped(members: list[Member[str]], ties: dict[Pair, Tie], apart: list[Pair] | None = None) -> list[str]:
    return ["".join(story) for story in stories(members, ties, apart=apart or [])]


A, B, C, D = (member(name) for name in "abcd")


@pytest.mark.parametrize(
    ("members", "ties", "expected"),
    [
        pytest.param([], {}, [], id="nobody"),
        pytest.param([A], {}, ["a"], id="one"),
        pytest.param([A, B], {}, ["a", "b"], id="no tie"),
        pytest.param([A, B], {("a", "b"): copy()}, ["ab"], id="a copy"),
        pytest.param([A, B], {("b", "a"): copy()}, ["ab"], id="either order of names"),
        pytest.param([A, B, C], {("a", "b"): copy(), ("b", "c"): copy()}, ["abc"], id="copies of copies"),
        pytest.param([A, B], {("a", "b"): event(0.3)}, ["ab"], id="close enough"),
        pytest.param([A, B], {("a", "b"): event(0.29)}, ["a", "b"], id="not close enough"),
        pytest.param([A, B], {("a", "b"): flag()}, ["a", "b"], id="a flag ties nothing"),
        pytest.param([A], {("a", "x"): copy()}, ["a"], id="a tie to somebody unknown"),
        pytest.param(
            [A, B, C],
            {("a", "b"): event(0.5), ("b", "c"): event(0.5)},
            ["ab", "c"],
            id="no chains: on average a and b are 0.25 from c",
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
            id="one tie of four between two pairs of copies",
        ),
    ],
)
def test_groups(members: list[Member[str]], ties: dict[Pair, Tie], expected: list[str]) -> None:
    assert grouped(members, ties) == expected


def look_alikes(second: str) -> tuple[list[Member[str]], dict[Pair, Tie]]:
    """Three reports on Bush's injury and three on that of `second`, all as close as reports on one event."""
    first = [member(name, "saints", "bush") for name in "abc"]
    others = [member(name, "saints", second) for name in "xyz"]
    names = [each.name for each in first + others]
    ties = {(one, other): event(0.4) for one in names for other in names if one < other}
    ties |= {(one, other): event(0.5) for trio in ("abc", "xyz") for one in trio for other in trio if one < other}
    return first + others, ties


def test_holds_look_alike_events_apart_whose_reports_keep_naming_somebody_else() -> None:
    assert grouped(*look_alikes("thomas")) == ["abc", "xyz"]
    assert grouped(*look_alikes("bush")) == ["abcxyz"]


def test_contrast_is_counted_within_a_language() -> None:
    members, ties = look_alikes("托马斯")
    members = [Member(each.name, each.order, "zh" if each.name in "xyz" else "en", each.salient) for each in members]
    assert grouped(members, ties) == ["abcxyz"]


def test_a_story_of_one_event_stays_within_72_hours() -> None:
    days = [member(str(n), hours=20 * n) for n in range(6)]
    ties = {(str(n), str(m)): event(0.9) for n in range(6) for m in range(n + 1, 6)}
    for story in stories(days, ties):
        assert max(map(int, story)) - min(map(int, story)) <= 3  # 60 hours
    copies = {pair: copy() for pair in ties}
    assert grouped(days, copies) == ["012345"]  # copies are one text whenever they come


def test_what_was_split_stays_apart() -> None:
    assert grouped([A, B], {("a", "b"): copy()}, [("b", "a")]) == ["a", "b"]
    later = {("a", "b"): copy(), ("a", "c"): copy(0.9), ("b", "c"): copy(0.95)}
    assert grouped([A, B, C], later, [("a", "b")]) == ["a", "bc"]  # a copy of both joins the closer one
    assert grouped([A, B], {("a", "b"): event(0.9)}, [("a", "b")]) == ["a", "b"]


_NAMES = "abcdefghij"


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(_NAMES), st.sampled_from(_NAMES)).filter(lambda pair: pair[0] < pair[1]),
        st.one_of(st.floats(0.15, 1).map(event), st.just(copy())),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
@hypothesis_settings(max_examples=300)
def test_order_does_not_matter(ties: dict[Pair, Tie], chance: random.Random) -> None:
    members = [member(name, name, "all", hours=ord(name) % 7) for name in _NAMES]
    expected = stories(members, ties)
    shuffled = list(ties.items())
    chance.shuffle(members)
    chance.shuffle(shuffled)
    assert stories(members, {tuple(reversed(pair)): tie for pair, tie in shuffled}) == expected  # type: ignore[misc]
    assert sorted(name for story in expected for name in story) == list(_NAMES)
