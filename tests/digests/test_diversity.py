"""How articles are spread: shares, effective numbers, what repeats what, and what one feed brings alone."""

import json
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.diversity import (
    MOST_GROUPS,
    MOST_LISTED,
    NO_FOLDER,
    OTHERS,
    FeedCount,
    Followed,
    Group,
    Piece,
    Repeater,
    Sole,
    Spread,
    effective_number,
    spread_of,
)
from tests.digests.spreads import feeds, pieces, spread

EFFECTIVE = {
    "nothing": ([], 0.0),
    "only empty classes": ([0, 0], 0.0),
    "one": ([7], 1.0),
    "two of one size": ([3, 3], 2.0),
    "twelve of one size": ([5] * 12, 12.0),
    "empty ones count for nothing": ([5, 0, 5, 0], 2.0),
    "three quarters and one": ([3, 1], exp(-(0.75 * log(0.75) + 0.25 * log(0.25)))),
}


@pytest.mark.parametrize(("counts", "expected"), EFFECTIVE.values(), ids=EFFECTIVE)
def test_the_effective_number(counts: list[int], expected: float) -> None:
    assert effective_number(counts) == pytest.approx(expected)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30))
def test_the_effective_number_is_between_one_and_all_and_cares_for_no_order(counts: list[int]) -> None:
    found = effective_number(counts)
    assert 1 - 1e-9 <= found <= len(counts) + 1e-9
    assert effective_number(sorted(counts)) == pytest.approx(found)
    assert effective_number(each * 3 for each in counts) == pytest.approx(found)


def test_topics_stand_by_size_with_the_feeds_that_bring_most_of_them() -> None:
    found = spread(pieces(0, 2, 1), pieces(1, 3, 2), pieces(1, 1, 3), pieces(1, 2, 1), pieces(1, 2, 4))
    assert [(each.label, each.n_articles, each.n_feeds, each.share) for each in found.topics] == [
        ("B", 8, 4, 0.8),
        ("A", 2, 1, 0.2),
    ]
    assert found.topics[0].feeds == (
        FeedCount(2, "BBC News", 3),
        FeedCount(1, "Reuters", 2),
        FeedCount(4, "Tidepool Science", 2),
    )
    assert [each.is_piled for each in found.topics] == [True, False]  # a fifth is not above a fifth
    assert (found.n_articles, found.n_feeds) == (10, 4)


def test_an_article_of_two_feeds_counts_once_and_for_both() -> None:
    [topic] = spread(pieces(0, 3, 1, 2)).topics
    assert (topic.n_articles, topic.n_feeds) == (3, 2)
    assert [each.n for each in topic.feeds] == [3, 3]


def test_publishers_are_counted_where_they_are_known() -> None:
    found = spread(pieces(0, 4, 1, publisher="one.example"), pieces(0, 4, 2, publisher="two.example"), pieces(0, 9, 3))
    assert (found.n_publishers, found.effective_publishers) == (2, pytest.approx(2.0))
    assert found.effective_topics == pytest.approx(1.0)


def test_nothing_is_spread_over_nothing() -> None:
    found = spread_of([], [], feeds("News"))
    assert found == Spread(0, 0, 0, 0.0, 0.0, 0, (), (), False, (), (), ())


def test_folders_are_groups_the_largest_first() -> None:
    found = spread(pieces(0, 2, 1), pieces(1, 4, 2), pieces(1, 1, 1, 3), folders=("News", "Science", ""))
    assert found.has_folders
    assert found.groups == (Group("Science", 4), Group("News", 3), Group(NO_FOLDER, 1))
    assert {each.label: each.by_group for each in found.topics} == {"B": (4, 1, 1), "A": (0, 2, 0)}


def test_an_article_of_two_feeds_of_a_folder_is_in_it_once() -> None:
    found = spread(pieces(0, 2, 1, 2), pieces(0, 1, 3), folders=("News", "News", "Other"))
    assert found.groups == (Group("News", 2), Group("Other", 1))
    assert found.topics[0].by_group == (2, 1)


def test_where_all_is_in_one_folder_feeds_are_groups() -> None:
    found = spread(pieces(0, 2, 1), pieces(0, 3, 2), folders=("News", "News", "Unread"))
    assert not found.has_folders
    assert found.groups == (Group("BBC News", 3), Group("Reuters", 2))


def test_two_feeds_of_one_name_are_two_groups() -> None:
    followed = {1: Followed(1, "News"), 2: Followed(2, "News")}
    found = spread_of([*pieces(0, 2, 1), *pieces(0, 1, 2)], ["A"], followed)
    assert found.groups == (Group("News", 2), Group("News", 1))
    assert found.topics[0].by_group == (2, 1)


@pytest.mark.parametrize("n", [MOST_GROUPS, MOST_GROUPS + 1, 30])
def test_many_small_groups_stand_together(n: int) -> None:
    followed = {number: Followed(number, f"Feed {number}", f"Folder {number:02}") for number in range(1, n + 1)}
    own = [each for number in followed for each in pieces(0, n + 1 - number, number)]
    found = spread_of([*own, *pieces(1, 1, n - 1, n)], ["A", "B"], followed)
    assert len(found.groups) == min(n, MOST_GROUPS)
    if n == MOST_GROUPS:
        assert found.groups[-1].name == "Folder 09"
    else:
        rest = sum(n + 1 - number for number in range(MOST_GROUPS, n + 1))
        assert found.groups[-1] == Group(OTHERS, rest + 1)
        assert found.topics[0].by_group[-1] == rest
        assert found.topics[1].by_group[-1] == 1


def test_a_feed_that_repeats_others_is_told_with_whom() -> None:
    found = spread(
        pieces(0, 2, 1, story=7),
        pieces(0, 1, 2, story=7),  # of the same event
        pieces(0, 1, 1, 3),  # the same article
        pieces(0, 2, 1),
        pieces(0, 9, 2),
        pieces(0, 9, 3),
    )
    assert found.repeaters == (
        Repeater(1, "Reuters", 5, 3, (FeedCount(2, "BBC News", 2), FeedCount(3, "Le Monde", 1))),
    )
    assert found.repeaters[0].share == 0.6


REPEATING = {
    "half": (3, 3, True),
    "less than half": (3, 4, False),
    "all": (5, 0, True),
    "too few to say anything of": (4, 0, False),
}


@pytest.mark.parametrize(("n_shared", "n_own", "expected"), REPEATING.values(), ids=REPEATING)
def test_who_is_said_to_repeat(n_shared: int, n_own: int, expected: bool) -> None:
    found = spread(pieces(0, n_shared, 1, 2), pieces(0, n_own, 1), pieces(0, 40, 2))
    assert [each.number for each in found.repeaters] == ([1] if expected else [])


def test_two_articles_of_one_story_by_one_feed_repeat_nobody() -> None:
    assert spread(pieces(0, 8, 1, story=7)).repeaters == ()


def test_only_the_feeds_that_repeat_most_are_listed() -> None:
    followed = {number: Followed(number, f"Feed {number:02}") for number in range(30)}
    own = [each for number in range(29) for each in pieces(0, 5 + number, number, 29)]
    found = spread_of(own, ["A"], followed)
    assert [each.number for each in found.repeaters] == [29, *range(28, 28 - (MOST_LISTED - 1), -1)]


def test_feeds_that_bring_the_same_are_found_as_one_set() -> None:
    found = spread(pieces(0, 6, 1, 2, 3), pieces(0, 2, 1), pieces(0, 9, 4))
    assert found.twins == (("Reuters", "BBC News", "Le Monde"),)


def test_a_small_feed_that_a_large_one_holds_is_not_the_same() -> None:
    found = spread(pieces(0, 6, 1, 2), pieces(0, 7, 1))
    assert found.twins == ()
    assert [each.number for each in found.repeaters] == [2]


def test_feeds_that_are_like_a_third_are_not_the_same_for_that() -> None:
    found = spread(pieces(0, 6, 1, 2), pieces(0, 6, 2, 3))
    assert found.twins == (("BBC News", "Le Monde"),)  # and Reuters shares nothing with Le Monde


SOLES = {
    "all": ([*pieces(0, 3, 4)], [Sole("A", 4, "Tidepool Science", 3, 3)]),
    "two are too few": ([*pieces(0, 2, 4)], []),
    "nine of ten": ([*pieces(0, 9, 4), *pieces(0, 1, 1)], [Sole("A", 4, "Tidepool Science", 10, 9)]),
    "eight of nine": ([*pieces(0, 8, 4), *pieces(0, 1, 1)], []),
    "brought by another as well": ([*pieces(0, 3, 4, 1)], []),
    "one of ten brought by another as well": (
        [*pieces(0, 9, 4), *pieces(0, 1, 4, 1)],
        [Sole("A", 4, "Tidepool Science", 10, 9)],
    ),
}


@pytest.mark.parametrize(("own", "expected"), SOLES.values(), ids=SOLES)
def test_topics_that_one_feed_brings(own: list[Piece], expected: list[Sole]) -> None:
    found = spread(own)
    assert list(found.soles) == expected
    assert all(each.is_all == (each.n_own == each.n_articles) for each in found.soles)


some_pieces = st.lists(
    st.builds(
        Piece,
        topic=st.integers(0, 4),
        feeds=st.lists(st.integers(1, 7), min_size=1, max_size=4, unique=True).map(tuple),
        publisher=st.sampled_from(["", "one.example", "two.example"]),
        story=st.none() | st.integers(1, 3),
    ),
    max_size=40,
)


@given(some_pieces, st.lists(st.sampled_from(["", "News", "Science"]), min_size=7, max_size=7))
def test_sums_agree_and_what_is_stored_is_read_back(own: list[Piece], folders: list[str]) -> None:
    found = spread_of(own, ["A", "B", "C", "D", "E"], feeds(*folders), n_left_out=3)
    assert sum(each.n_articles for each in found.topics) == found.n_articles == len(own)
    assert sum(each.share for each in found.topics) == pytest.approx(1.0 if own else 0.0)
    for place, group in enumerate(found.groups):
        assert sum(each.by_group[place] for each in found.topics) == group.n_articles
    for each in found.repeaters:
        assert 0 < each.n_repeated <= each.n_articles
        assert all(0 < other.n <= each.n_repeated for other in each.others)
    assert found.n_left_out == 3
    assert Spread.from_json(json.loads(json.dumps(found.as_json()))) == found


@pytest.mark.parametrize("content", [{}, {"version": 0}, {"version": "1"}], ids=["empty", "older", "of text"])
def test_what_was_stored_otherwise_is_not_read(content: dict[str, object]) -> None:
    assert Spread.from_json(content) is None
