"""Words are reduced to stems by the rules of their language, and left alone where there are none."""

import pytest

from feeds.search.inflections import forms_in, language_of, stem_of


@pytest.mark.parametrize(
    ("run", "language", "stem"),
    [
        pytest.param("Elections", "en", "elect", id="English"),
        pytest.param("news", "en", "news", id="an exception"),
        pytest.param("Häuser", "de", "haus", id="German, without its accent"),
        pytest.param("Hauser", "de", "haus", id="and so when it is typed without"),
        pytest.param("élections", "fr", "elect", id="French"),
        pytest.param("книги", "ru", "книг", id="Russian"),
        pytest.param("b2b", "en", "", id="no word"),
        pytest.param("is", "en", "", id="short"),
        pytest.param("東京都", "ja", "", id="a script without spaces"),
        pytest.param("word", "xx", "", id="no such language"),
        pytest.param("x" * 50, "en", "", id="too long"),
    ],
)
def test_stems(run: str, language: str, stem: str) -> None:
    assert stem_of(run, language) == stem


@pytest.mark.parametrize(
    ("run", "language", "spoken"),
    [
        pytest.param("Haus", "de", "de", id="the text's"),
        pytest.param("hus", "nb", "no", id="two kinds of Norwegian are one"),
        pytest.param("iPhone", "zh", "en", id="Latin letters in Chinese"),
        pytest.param("iPhone", "ru", "en", id="or in Russian"),
        pytest.param("word", "", "en", id="unknown"),
        pytest.param("слово", "", "", id="unknown, not Latin"),
    ],
)
def test_knows_the_language_of_a_word(run: str, language: str, spoken: str) -> None:
    assert language_of(run, language) == spoken


def test_lists_words_that_differ_from_their_stem() -> None:
    found = sorted(set(forms_in("The elections, the whale: 2026 ELECTIONS 東京", "en")))
    assert found == [("en", "elect", "elections")]
