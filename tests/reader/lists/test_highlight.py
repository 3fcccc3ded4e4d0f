"""Matches are marked in the original text."""

import pytest

from feeds.search.query_tree import wanted_phrases
from reader.lists.highlight import READ_CHARACTERS, SNIPPET, highlight, snippet
from reader.search.parser import parse
from tests.make import NOW


def rendered(text: str, query: str, field: str = "title") -> str:
    phrases = list(wanted_phrases(parse(query, today=NOW.date()).tree))
    pieces = snippet(text, phrases) if field == "body" else highlight(text, phrases, field)
    return "".join(f"[{piece.text}]" if piece.is_found else piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        pytest.param("A cat sat", "cat", "A [cat] sat", id="a word"),
        pytest.param("A cat sat", "dog", "", id="nothing of it"),
        pytest.param("A cat sat", "a sat", "[A] cat [sat]", id="two words"),
        pytest.param("Cats, cat", "cat", "Cats, [cat]", id="whole words"),
        pytest.param("Elections", "elect*", "[Elections]", id="words that begin so"),
        pytest.param("L'Élection", "election", "L'[Élection]", id="without accents"),
        pytest.param("Big red fox; red", '"red fox"', "Big [red fox]; red", id="a phrase"),
        pytest.param("red-fox", '"red fox"', "[red-fox]", id="a phrase across a sign"),
        pytest.param("今日の東京都は", "東京都", "今日の[東京都]は", id="Japanese within a sentence"),
        pytest.param("京東京都", "京", "[京]東[京]都", id="one character"),
        pytest.param("ｶﾞｽの価格", "ガス", "[ｶﾞｽの価格]", id="the whole run where widths differ"),
        pytest.param("iPhoneの価格", "価格", "iPhoneの[価格]", id="mixed scripts"),
        pytest.param("a <b>cat</b>", "cat", "a <b>[cat]</b>", id="markup stays text"),
        pytest.param("cat", "author:cat", "", id="asked of another field"),
        pytest.param("cat dog", "cat -dog", "[cat] dog", id="what is left out is not marked"),
        pytest.param("a b c", '"a b" b "b c"', "[a b] c", id="marks do not overlap"),
        pytest.param("", "cat", "", id="empty"),
    ],
)
def test_marks_matches(text: str, query: str, expected: str) -> None:
    assert rendered(text, query) == expected


def test_snippet_surrounds_the_first_match() -> None:
    text = f"{'word ' * 100}the cat {'more ' * 100}"
    snippet = rendered(text, "cat", "body")
    assert snippet.startswith("… word ")
    assert " the [cat] more " in snippet
    assert snippet.endswith("more …")
    assert len(snippet) < SNIPPET + 10


def test_short_text_is_its_own_snippet() -> None:
    assert rendered("The\n cat.", "cat", "body") == "The [cat]."


def test_text_without_spaces_has_a_snippet() -> None:
    snippet = rendered("東" * 300 + "京都" + "市" * 300, "京都", "body")
    assert "[京都]" in snippet
    assert len(snippet) < SNIPPET + 10


def test_has_no_snippet_for_distant_matches() -> None:
    assert rendered("a " * READ_CHARACTERS + "cat", "cat", "body") == ""
