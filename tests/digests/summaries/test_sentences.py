"""Where sentences end, in seven languages: a table by hand; and that whatever comes in is put back together whole."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.summaries.language import language_of
from digests.summaries.sentences import READ_CHARACTERS, Sentence, paragraphs, sentences
from tests.digests.sentence_ends import MARKED, MARKED_LATER
from tests.tables import table

ROWS = [pytest.param(language, marked, id=name) for name, language, marked in (*MARKED, *MARKED_LATER)]


def texts(text: str, language: str) -> list[str]:
    return [sentence.text for sentence in sentences(text, language)]


@table(("language", "marked"), ROWS)
def test_splits_where_the_marks_are(language: str, marked: str) -> None:
    expected = [" ".join(piece.split()) for piece in marked.split("|")]
    assert texts(marked.replace("|", ""), language) == expected


@table(("language", "marked"), [row for row in ROWS if "\n" not in row.values[1]])
def test_splits_the_same_in_the_middle_of_a_long_block(language: str, marked: str) -> None:
    plain, filler = {
        "zh": ("他们没有回答。", "天气很好。"),
        "ja": ("誰も答えない。", "天気はよい。"),
    }.get(language, ("Nobody answered. ", "Nothing happened at all. "))
    text = filler * 200 + marked.replace("|", "") + ("" if plain.endswith("。") else " ") + plain * 200
    expected = [" ".join(piece.split()) for piece in marked.split("|")]
    assert texts(text, language)[200 : 200 + len(expected)] == expected


def test_an_empty_text_has_none() -> None:
    assert sentences("", "en") == []
    assert sentences(" \n\t\n", "en") == []


def test_numbers_the_paragraphs() -> None:
    text = "A heading\n\n  One is here.  Two is “there.”\nThree."
    assert sentences(text, "en") == [
        Sentence("A heading", 0),
        Sentence("One is here.", 1),
        Sentence("Two is “there.”", 1),
        Sentence("Three.", 2),
    ]


def test_a_wrapped_paragraph_is_put_together() -> None:
    text = (
        "The council met in the old town hall on Monday evening, and it\n"
        "was the first time in two years that all of its members came to\n"
        "Rosefield. They voted for the plan of the mayor, Ann Lee, with a\n"
        "large majority.\n"
        "Nobody spoke against it."
    )
    assert texts(text, "en") == [
        "The council met in the old town hall on Monday evening, and it was the first time in two years that all of "
        "its members came to Rosefield.",
        "They voted for the plan of the mayor, Ann Lee, with a large majority.",
        "Nobody spoke against it.",
    ]


def test_items_of_a_list_stay_apart() -> None:
    assert texts("eggs\nmilk\nbread and butter", "en") == ["eggs", "milk", "bread and butter"]


def test_uncapitalized_text_has_sentences() -> None:
    assert texts("we left. nobody saw us. it rained.", "en") == ["we left.", "nobody saw us.", "it rained."]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("The council met in the hall and voted for it.", "en", id="en"),
        pytest.param("Der Rat hat sich in der Stadt versammelt und nicht abgestimmt.", "de", id="de"),
        pytest.param("Le conseil est réuni dans la ville et les élus votent.", "fr", id="fr"),
        pytest.param("El consejo se reunió en la ciudad y los concejales votaron por el plan.", "es", id="es"),
        pytest.param("Совет собрался в ратуше и проголосовал.", "ru", id="ru"),
        pytest.param("议会在市政厅开会并投票。", "zh", id="zh"),
        pytest.param("議会は市役所で開かれた。", "ja", id="ja"),
        pytest.param("Hm.", "", id="unsure"),
    ],
)
def test_guesses_the_language_where_none_is_declared(text: str, language: str) -> None:
    assert language_of(text, "") == language
    assert language_of(text, "pt-BR") == "pt"


def test_reads_so_far_and_no_further() -> None:
    text = "word " * (READ_CHARACTERS // 5) + "Far away."
    assert texts(text, "en") == [" ".join(["word"] * (READ_CHARACTERS // 5))]
    assert sum(map(len, paragraphs("x" * 200_000))) == READ_CHARACTERS


def test_controls_and_direction_marks_are_not_shown() -> None:
    assert texts("He said\u202e no\u2069. \x00She \x07left\u200b.\ufeff", "en") == ["He said no.", "She left."]


@table("language", ["", "en", "de", "fr", "es", "ru", "zh", "ja", "tlh"])
@table(
    "piece",
    [
        "a. ",
        "“A. ",
        '" A. ',
        "‘A. ",
        "(A. ",
        "「行。",
        "A. B” ",
        "... A ",
        "(a.) B ",
        "🎉. A",
        "\ud800. A ",
        "1. A\n",
        "。",
        "№. ",
    ],
)
def test_nothing_is_lost_of_hostile_text(language: str, piece: str) -> None:
    text = piece * 300
    shown = "".join(texts(text, language))
    assert re.sub(r"\s", "", shown) == re.sub(r"[\s\ud800]", "", text)


@given(
    st.text(alphabet='aB9 .!?…,;:"“”‘’«»()「」。！？\n\u00a0—U.S.和のЯ', max_size=200),
    st.sampled_from(["en", "de", "fr", "ru", "zh", "ja"]),
)
def test_sentences_are_the_text_in_order(text: str, language: str) -> None:
    found = sentences(text, language)
    assert re.sub(r"\s", "", "".join(each.text for each in found)) == re.sub(r"\s", "", text)
    for one, other in pairwise(found):
        assert one.paragraph <= other.paragraph
