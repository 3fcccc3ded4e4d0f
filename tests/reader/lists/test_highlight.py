"""What was found is marked where it stands, in the text as it was written."""

import pytest

from feeds.search.query_tree import wanted_phrases
from reader.lists.highlight import READ_CHARACTERS, SNIPPET, highlight, snippet
from reader.search.parser import parse
from tests.make import NOW


def shown(text: str, query: str, field: str = "title") -> str:
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
def test_marks(text: str, query: str, expected: str) -> None:
    assert shown(text, query) == expected


def test_a_snippet_is_cut_around_the_first_place() -> None:
    text = f"{'word ' * 100}the cat {'more ' * 100}"
    found = shown(text, "cat", "body")
    assert found.startswith("… word ")
    assert " the [cat] more " in found
    assert found.endswith("more …")
    assert len(found) < SNIPPET + 10


def test_a_short_text_is_its_own_snippet() -> None:
    assert shown("The\n cat.", "cat", "body") == "The [cat]."


def test_a_text_without_spaces_has_a_snippet() -> None:
    found = shown("東" * 300 + "京都" + "市" * 300, "京都", "body")
    assert "[京都]" in found
    assert len(found) < SNIPPET + 10


def test_what_stands_too_far_on_has_no_snippet() -> None:
    assert shown("a " * READ_CHARACTERS + "cat", "cat", "body") == ""
