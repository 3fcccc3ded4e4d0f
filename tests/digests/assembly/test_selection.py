"""Sections, sizes and orders of what a digest shows: over generated windows, and the edges by hand."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.assembly.repeats import EarlierDigest, EarlierTopic
from digests.assembly.selection import MAX_UNCHANGED, TopicCluster, choose
from digests.edition.document import LeftOut, SectionName, section_of
from digests.edition.kinds import RULES, Kind, Sizes
from reader.scoring.importance import Parts, band_of
from tests.digests.candidates import candidate, cluster, parts
from tests.digests.editions import MADE_AT

NOTHING = EarlierDigest()
ROOM = Sizes(15, 10, 10)


@pytest.mark.parametrize(
    ("importance", "section"),
    [
        pytest.param(100.0, SectionName.TOP, id="the highest"),
        pytest.param(70.0, SectionName.TOP, id="exactly 70"),
        pytest.param(69.999, SectionName.NOTEWORTHY, id="just below 70, however it is rounded"),
        pytest.param(40.0, SectionName.NOTEWORTHY, id="exactly 40"),
        pytest.param(39.999, SectionName.ALSO, id="just below 40"),
        pytest.param(15.0, SectionName.ALSO, id="exactly 15"),
        pytest.param(14.999, None, id="below all"),
        pytest.param(0.0, None, id="nothing"),
    ],
)
def test_section_follows_the_best_article(importance: float, section: SectionName | None) -> None:
    assert section_of(importance) == section
    places, left_out = choose([cluster(0, candidate(1, importance), candidate(2, 3.0))], ROOM, NOTHING)
    assert [place.section for place in places] == ([section] if section else [])
    assert left_out == LeftOut()


windows = st.lists(
    st.lists(st.floats(0, 100, allow_nan=False), min_size=1, max_size=5), max_size=80
)  # importances of the articles of each topic


@given(windows, st.sampled_from(list(Kind)))
def test_sizes_sections_and_order_hold_over_any_window(window: list[list[float]], kind: Kind) -> None:
    numbers = itertools.count(1)
    clusters = [
        cluster(place, *(candidate(next(numbers), importance) for importance in importances))
        for place, importances in enumerate(window)
    ]
    sizes = RULES[kind].sizes
    places, left_out = choose(clusters, sizes, NOTHING)

    bands = [band_of(place.cluster.importance) for place in places]
    assert bands == sorted(bands, reverse=True)
    assert all(place.section == section_of(place.cluster.importance) for place in places)
    ranks = [list(SectionName).index(place.section) for place in places]
    assert ranks == sorted(ranks)
    for name, most in zip(SectionName, (sizes.top, sizes.noteworthy, sizes.also), strict=True):
        wanted = sorted(
            (band_of(each.importance) for each in clusters if section_of(each.importance) == name), reverse=True
        )
        assert [band_of(place.cluster.importance) for place in places if place.section == name] == wanted[:most]
    n_worthy = sum(section_of(each.importance) is not None for each in clusters)
    assert left_out == LeftOut(too_many=n_worthy - len(places), unchanged=0)
    assert len({place.cluster.number for place in places}) == len(places)


@given(windows.filter(bool), st.randoms(use_true_random=False))
def test_the_order_in_which_topics_come_changes_nothing(window: list[list[float]], random: object) -> None:
    numbers = itertools.count(1)
    clusters = [
        cluster(place, *(candidate(next(numbers), importance) for importance in importances))
        for place, importances in enumerate(window)
    ]
    shuffled = list(clusters)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose(clusters, ROOM, NOTHING) == choose(shuffled, ROOM, NOTHING)


def test_within_a_band_more_publishers_come_first_then_the_later() -> None:
    few = cluster(0, candidate(1, 84.9))
    large = cluster(
        1, *(candidate(n, importance, publisher="paper.example") for n, importance in ((2, 84.0), (3, 20.0)))
    )
    newer = cluster(2, candidate(4, parts=replace(parts(80.0), recency=96.0)))
    many = cluster(3, candidate(5, 80.0), candidate(6, 20.0, publisher="other.example"))
    copied = cluster(
        4, candidate(7, 80.0), copies=tuple(candidate(n, 20.0, publisher=f"{n}.example") for n in range(8, 10))
    )
    above = cluster(5, candidate(10, 85.0))
    assert _numbers([few, large, newer, many, copied, above]) == [5, 4, 3, 2, 0, 1]


def test_a_story_of_fifteen_publishers_is_before_one_of_four() -> None:
    newer = replace(parts(80.0), recency=100.0)
    four = cluster(0, *(candidate(n, parts=newer, publisher=f"{n}.example") for n in range(1, 5)))
    fifteen = cluster(1, *(candidate(n, 80.0, publisher=f"{n}.example") for n in range(5, 20)))
    assert _numbers([four, fifteen]) == [1, 0]


def test_full_section_drops_the_least_important() -> None:
    topics = [cluster(number, candidate(number + 1, 90.0 - number)) for number in range(5)]
    places, left_out = choose(topics, Sizes(3, 10, 10), NOTHING)
    assert [place.cluster.number for place in places] == [0, 1, 2]
    assert left_out == LeftOut(too_many=2)


def test_an_unchanged_top_story_keeps_a_line_and_takes_no_room() -> None:
    topics = [cluster(number, candidate(number + 1, 90.0 - number)) for number in range(4)]
    shown = EarlierTopic(SectionName.TOP, frozenset({1}), frozenset(), frozenset({"Paper"}))
    places, left_out = choose(topics, Sizes(3, 10, 10), EarlierDigest("the morning brief", MADE_AT, (shown,)))
    assert [(place.cluster.number, place.is_unchanged) for place in places] == [
        (0, True),
        (1, False),
        (2, False),
        (3, False),
    ]
    assert left_out == LeftOut()


def test_lesser_unchanged_topics_and_further_ones_are_left_out() -> None:
    ids = range(1, MAX_UNCHANGED + 3)
    topics = [cluster(0, candidate(99, 69.9)), *(cluster(number, candidate(number, 90.0 - number)) for number in ids)]
    shown = EarlierTopic(SectionName.TOP, frozenset({99, *ids}), frozenset(), frozenset({"Paper"}))
    places, left_out = choose(topics, ROOM, EarlierDigest("the morning brief", MADE_AT, (shown,)))
    assert [place.cluster.number for place in places] == list(ids[:MAX_UNCHANGED])
    assert all(place.is_unchanged for place in places)
    assert left_out == LeftOut(unchanged=3)


def _numbers(clusters: list[TopicCluster]) -> list[int]:
    return [place.cluster.number for place in choose(clusters, ROOM, NOTHING)[0]]


def test_a_story_is_placed_by_its_best_newest_and_fullest_article() -> None:
    trusted = candidate(1, parts=Parts(authority=95, recency=20, corroboration=100, relevance=50, depth=20))
    newest = candidate(2, parts=Parts(authority=30, recency=95, corroboration=100, relevance=50, depth=20))
    fullest = candidate(3, parts=Parts(authority=30, recency=20, corroboration=100, relevance=50, depth=100))
    expected = Parts(authority=95, recency=95, corroboration=100, relevance=50, depth=100).importance
    assert cluster(0, trusted, newest, fullest).importance == expected


def _of_one(n: int, publisher: str = "paper.example") -> list[TopicCluster]:
    return [cluster(number, candidate(number, 80.0, publisher=publisher)) for number in range(1, n + 1)]


def test_a_reader_of_one_newspaper_gets_a_full_section() -> None:
    places, left_out = choose(_of_one(20), ROOM, NOTHING)
    assert len(places) == ROOM.top
    assert left_out == LeftOut(too_many=5)


def test_a_publisher_has_two_topics_while_others_are_waiting() -> None:
    others = [cluster(n, candidate(n, 71.0, publisher=f"{n}.example")) for n in range(50, 53)]
    places, _ = choose([*_of_one(6), *others], Sizes(6, 0, 0), NOTHING)
    assert [place.cluster.number for place in places] == [1, 2, 3, 50, 51, 52]


def test_a_topic_of_several_publishers_takes_another_lead() -> None:
    story = cluster(
        9,
        candidate(90, 72.0, publisher="paper.example", story_id=7),
        candidate(91, 71.0, publisher="other.example", story_id=7, position=1),
        candidate(92, 70.0, publisher="third.example", story_id=7, position=2, tier=5),
    )
    places, _ = choose([*_of_one(2), story], ROOM, NOTHING)
    assert {place.cluster.number: place.cluster.lead.article_id for place in places} == {1: 1, 2: 2, 9: 91}


def test_a_topic_of_several_publishers_is_never_left_out_for_its_lead() -> None:
    partisan = candidate(91, 71.0, publisher="other.example", story_id=7, position=1, tier=5)
    story = cluster(9, candidate(90, 72.0, publisher="paper.example", story_id=7), partisan)
    others = [cluster(n, candidate(n, 71.0, publisher=f"{n}.example")) for n in range(50, 53)]
    places, _ = choose([*_of_one(2), story, *others], Sizes(6, 0, 0), NOTHING)
    assert {place.cluster.number: place.cluster.lead.article_id for place in places}[9] == 90


def test_filler_is_not_mentioned() -> None:
    places, left_out = choose([cluster(1, candidate(1, 30.0, title="Open Thread"))], ROOM, NOTHING)
    assert (places, left_out) == ((), LeftOut(too_many=1))
