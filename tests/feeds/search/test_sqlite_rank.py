"""Better matches score higher."""

import pytest

from feeds.search.query_tree import Phrase
from feeds.search.sqlite_rank import Scorer

WHALE, SHIP = Phrase(("whale",), others=("whales",)), Phrase(("ship",))
FILLER = "other words " * 100
Text = tuple[str, str, str]


@pytest.mark.parametrize(
    ("phrases", "better", "worse"),
    [
        pytest.param([WHALE], ("a whale", "", ""), ("", "", "whale whale whale"), id="title above text"),
        pytest.param([WHALE], ("whale", "", ""), ("whale " + FILLER, "", ""), id="short title above long"),
        pytest.param([WHALE], ("", "", "whale a whale"), ("", "", "whale"), id="twice above once"),
        pytest.param([WHALE], ("", "", "whale"), ("", "", f"whale {FILLER}"), id="short text above long"),
        pytest.param([WHALE], ("whale", "", ""), ("whales", "", ""), id="the word above its forms"),
        pytest.param([WHALE], ("whales", "", ""), ("whalers", "", ""), id="its forms above nothing"),
        pytest.param([WHALE, SHIP], ("", "", "whale ship"), ("", "", "ship a whale"), id="in a row above apart"),
        pytest.param([WHALE, SHIP], ("", "", "whale a ship"), ("", "", "whale whale"), id="both above one"),
    ],
)
def test_orders(phrases: list[Phrase], better: Text, worse: Text) -> None:
    scorer = Scorer(phrases)
    assert scorer.score(*better) > scorer.score(*worse)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        pytest.param(Phrase(("whale",)), ("whalers", "swhale", "a whales"), id="whole words"),
        pytest.param(Phrase(("a", "b")), ("a", "b", "b a"), id="in a row"),
        pytest.param(Phrase(("a",), "title"), ("b", "a", "a"), id="in the title"),
        pytest.param(Phrase(("a",), "author"), ("a", "b", "a"), id="by the author"),
    ],
)
def test_returns_nothing_if_none_match(phrase: Phrase, text: Text) -> None:
    assert Scorer([phrase]).score(*text) == 0.0


def test_a_beginning_is_found() -> None:
    assert Scorer([Phrase(("wha",), is_prefix=True)]).score("the whale", "", "") > 0
