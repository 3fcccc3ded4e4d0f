"""What a spread means in sentences, and what its strips show."""

from itertools import pairwise

import pytest

from digests.diversity import Piece, Spread, spread_of
from digests.diversity_words import LEVELS, per_cent, sentences, strips
from tests.digests.spreads import feeds, pieces, spread


def plain(text: str) -> str:
    """Without the marks that isolate names."""
    return text.replace("\u2068", "").replace("\u2069", "")


def said(found: Spread) -> list[str]:
    return [plain(each) for each in sentences(found)]


HALF = {
    "one topic": ([5], "All that you get is about one topic: “A”."),
    "one of three": ([6, 3, 2], "Half of what you get is about one topic: “A”."),
    "exactly half": ([3, 2, 1], "Half of what you get is about one topic: “A”."),
    "two": ([4, 4, 1, 1], "Half of what you get is about two topics: “A” and “B”."),
    "three": ([1, 1, 1, 1, 1], "Half of what you get is about three topics: “A”, “B” and “C”."),
    "more are counted": ([1] * 10, "Half of what you get is about five topics."),
    "and more still": ([1] * 26, "Half of what you get is about 13 topics."),
}


@pytest.mark.parametrize(("sizes", "expected"), HALF.values(), ids=HALF)
def test_what_half_of_it_is_about(sizes: list[int], expected: str) -> None:
    found = spread(*(pieces(number, n, 1, 2) for number, n in enumerate(sizes)))
    assert said(found)[0] == expected


def test_what_piles_up_is_said_and_if_nothing_does() -> None:
    found = spread(pieces(0, 5, 1, 2), pieces(1, 3, 1, 2), pieces(2, 2, 1, 2))
    assert said(found)[1:3] == ["“A” alone is 50 % of it.", "“B” alone is 30 % of it."]
    even = spread(*(pieces(number, 1, 1, 2) for number in range(5)))
    assert said(even)[1] == "No topic is more than a fifth of it."


def test_variety_is_said_of_topics_and_publishers() -> None:
    one, two = "one.example", "two.example"
    even = spread(pieces(0, 2, 1, publisher=one), pieces(1, 2, 1, publisher=two))
    assert (
        said(even)[3]
        == "It is as varied as 2.0 topics of one size would be, from 2 publishers that bring about as much each."
    )
    uneven = spread(pieces(0, 19, 1, publisher=one), pieces(0, 1, 1, publisher=two))
    assert said(uneven)[2] == (
        "It is as varied as 1.0 topics of one size would be, and of 2 publishers that bring it some weigh so much more"
        " than others that they are worth 1.2."
    )
    assert said(spread(pieces(0, 1, 1)))[2] == "It is as varied as 1.0 topics of one size would be."


def test_feeds_that_bring_the_same_are_named_and_not_each_again() -> None:
    found = spread(pieces(0, 6, 1, 2, 3))
    assert said(found)[3:] == ["Three feeds bring much the same: BBC News, Le Monde and Reuters."]


def test_who_repeats_is_told_with_the_feed_that_tells_most_of_it() -> None:
    found = spread(pieces(0, 4, 1, 2), pieces(0, 1, 1), pieces(0, 20, 2))
    assert said(found)[3:] == ["Of what Reuters brings, 80 % is told by other feeds of yours, most by BBC News."]


def test_what_one_feed_brings_alone_is_said() -> None:
    found = spread(
        pieces(0, 9, 1, 2), pieces(1, 4, 4), pieces(2, 19, 5), pieces(2, 1, 3), labels=("news", "ocean", "x")
    )
    assert said(found)[-2:] == ["Nearly all of “x” comes from Rust Blog.", "Only Tidepool Science brings “ocean”."]


def test_nothing_is_said_of_nothing() -> None:
    assert sentences(spread_of([], [], feeds())) == ()


def test_names_turn_nothing_around() -> None:
    found = spread(pieces(0, 4, 7), labels=("مجلس الأمن",))
    assert sentences(found)[-1] == "Only \u2068الجزيرة\u2069 brings “\u2068مجلس الأمن\u2069”."


SHARES = {"none": (0.0, "0 %"), "little": (0.0099, "under 1 %"), "one": (0.01, "1 %"), "third": (1 / 3, "33 %")}


@pytest.mark.parametrize(("share", "expected"), SHARES.values(), ids=SHARES)
def test_shares_in_words(share: float, expected: str) -> None:
    assert per_cent(share) == expected


def test_a_strip_has_a_cell_for_each_topic_that_fill_the_width() -> None:
    found = spread(pieces(0, 6, 1), pieces(1, 4, 2), pieces(1, 2, 1), folders=("News", "Science"))
    news, science = strips(found)
    assert (news.group.name, science.group.name) == ("News", "Science")
    assert [(each.number, each.label, each.n, each.per_cent) for each in news.cells] == [
        (1, "A", 6, 75),
        (2, "B", 2, 25),
    ]
    assert [(each.x, each.width, each.middle) for each in news.cells] == [
        ("0.000%", "50.000%", "25.000%"),
        ("50.000%", "50.000%", "75.000%"),
    ]
    assert plain(news.mostly) == "“A” (75 %) and “B” (25 %)"
    assert plain(science.mostly) == "“B” (100 %)"


LEVEL = {
    "nothing": (0, 0),
    "one": (1, 1),
    "a twentieth": (5, 1),
    "more": (6, 2),
    "15": (15, 2),
    "30": (30, 3),
    "31": (31, 4),
    "49": (49, 4),
    "half": (50, 5),
    "all": (100, 5),
}


@pytest.mark.parametrize(("n", "level"), LEVEL.values(), ids=LEVEL)
def test_the_colour_is_stronger_the_more_a_group_is_about_it(n: int, level: int) -> None:
    own: list[Piece] = [*pieces(0, n, 1), *pieces(1, 100 - n, 1)]
    [strip] = strips(spread(own, labels=("A", "B")))
    [cell] = [each for each in strip.cells if each.label == "A"] or [None]
    assert (cell.level if cell else 0) == level


def test_levels_go_up() -> None:
    assert all(one < other for one, other in pairwise(LEVELS))


def test_a_group_without_a_topic_of_a_tenth_is_about_a_little_of_everything() -> None:
    own = [each for number in range(20) for each in pieces(number, 1, 1)]
    assert strips(spread(own))[0].mostly == ""
