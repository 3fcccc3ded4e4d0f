"""Texts and queries are tokenized alike, and queries mean the same in both databases."""

import pytest

from feeds.search.query_tree import AllOf, AnyOf, Not, Phrase, as_fts5, as_tsquery, as_tsvector, is_text
from feeds.search.tokenizer import LONGEST_WORD, MAX_CHARACTERS, MAX_WORDS, folded, folded_runs, query_words, words_of

CAT, DOG = Phrase(("cat",)), Phrase(("dog",))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("… — !", [], id="signs"),
        pytest.param("The Cat's 2 hats_on", ["the", "cat", "s", "2", "hats", "on"], id="case, apostrophe, underscore"),
        pytest.param("Élection à Paris, l’été", ["election", "a", "paris", "l", "ete"], id="accents"),
        pytest.param("re\u0301sume\u0301", ["resume"], id="accents put together"),
        pytest.param("Straße ŁÓDŹ", ["strasse", "łodz"], id="letters with no accent to take off"),
        pytest.param("Ёлка йод", ["елка", "иод"], id="Cyrillic"),
        pytest.param("서울에서 만난", ["서울", "울에", "에서", "서", "만난", "난"], id="Hangul in pairs"),
        pytest.param("LG전자는 3분기", ["lg", "전자", "자는", "는", "3", "분기", "기"], id="letters joined to Hangul"),
        pytest.param("\u1109\u1165\u110b\u116e\u11af", ["서울", "울"], id="Hangul put together"),
        pytest.param("ＡＢＣ ｶﾞｽ", ["abc", "ガス", "ス"], id="wide and narrow"),
        pytest.param("東京都", ["東京", "京都", "都"], id="Han in pairs, and its last"),
        pytest.param("が", ["が"], id="a single character keeps its mark"),
        pytest.param("iPhoneの価格", ["iphone", "の価", "価格", "格"], id="scripts side by side"),
        pytest.param("x" * 60, ["x" * LONGEST_WORD], id="no word is endless"),
    ],
)
def test_words_of(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_book_is_indexed_as_far_as_a_database_takes_it() -> None:
    assert len(words_of("a " * 20_000)) == MAX_WORDS
    long = words_of(" ".join(f"{number:040}" for number in range(9_000)))
    assert MAX_CHARACTERS - LONGEST_WORD < sum(map(len, long)) <= MAX_CHARACTERS


@pytest.mark.parametrize(
    ("query", "words", "is_prefix"),
    [
        pytest.param("cat", ("cat",), False, id="a word"),
        pytest.param("big cat", ("big", "cat"), False, id="a phrase"),
        pytest.param("京", ("京",), True, id="one character begins a pair"),
        pytest.param("東京", ("東京",), False, id="two are a pair"),
        pytest.param("東京都", ("東京", "京都"), False, id="three are two in a row"),
        pytest.param("한국은행", ("한국", "국은", "은행"), False, id="a Korean word, whatever particle follows"),
        pytest.param("책", ("책",), True, id="one syllable begins a pair"),
        pytest.param("東京 x", ("東京", "京", "x"), False, id="a run that ends before the next does so in texts"),
    ],
)
def test_words_of_a_query(query: str, words: tuple[str, ...], is_prefix: bool) -> None:
    assert query_words(folded_runs(query)) == (words, is_prefix)


@pytest.mark.parametrize("query", ["東", "京", "都", "東京", "京都", "東京都", "都 x"])
def test_every_part_of_unspaced_text_is_found(query: str) -> None:
    text = words_of("今日の東京都 x は")
    words, is_prefix = query_words(folded_runs(query))
    stretches = [text[place : place + len(words)] for place in range(len(text))]
    assert any(
        part == list(words) or (is_prefix and part and part[:-1] == list(words[:-1]) and part[-1].startswith(words[-1]))
        for part in stretches
    )


def test_folding_a_character_creates_no_query_syntax() -> None:
    assert folded("⑴") == "1"
    assert " " not in folded("ﷺ")


@pytest.mark.parametrize(
    ("node", "fts5", "tsquery"),
    [
        pytest.param(CAT, '"cat"', "('cat')", id="a word"),
        pytest.param(Phrase(("a", "b")), '"a b"', "('a' <-> 'b')", id="a phrase"),
        pytest.param(Phrase(("a", "b"), "title"), 'title : "a b"', "('a':A <-> 'b':A)", id="in the title"),
        pytest.param(Phrase(("a",), "author", True), 'author : "a" *', "('a':*B)", id="begins so, by the author"),
        pytest.param(AllOf((CAT, DOG)), '("cat" AND "dog")', "(('cat') & ('dog'))", id="all"),
        pytest.param(AnyOf((CAT, DOG)), '("cat" OR "dog")', "(('cat') | ('dog'))", id="any"),
        pytest.param(AllOf((CAT, Not(DOG))), '(("cat") NOT ("dog"))', "(('cat') & !('dog'))", id="one without other"),
    ],
)
def test_queries_mean_the_same_in_both_databases(node: Phrase | AllOf | AnyOf, fts5: str, tsquery: str) -> None:
    assert is_text(node)
    assert (as_fts5(node), as_tsquery(node)) == (fts5, tsquery)


@pytest.mark.parametrize("node", [Not(CAT), AllOf((Not(CAT),)), AnyOf((CAT, Not(DOG))), AllOf((CAT, object()))])
def test_parts_of_a_query_that_are_no_text_terms(node: object) -> None:
    assert not is_text(node)


def test_phrases_do_not_span_title_and_text() -> None:
    assert as_tsvector(["a", "b"], [], ["b", "it's"]) == "'a':1A 'b':2A,5 'it''s':6"
