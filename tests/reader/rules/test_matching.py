"""Rule conditions and the articles they match."""

from typing import Any

import pytest

from reader.errors import RuleRefused
from reader.rules.conditions import MAX_TEXT, Comparison, Condition, Conditions, Field, check, subject
from reader.rules.matching import compile_rule
from tests import make
from tests.tables import table

PLAIN: dict[str, Any] = {
    "title": "Harbour opens",
    "text": "The port of Łódź grows.\nA second line, about chess.",
    "author": "Ada Lovelace",
    "categories": ["Shipping", "World News"],
    "language": "en-GB",
    "subscription_id": 7,
    "folder_id": 3,
}


def is_met(conditions: Conditions, **changed: Any) -> bool:
    return compile_rule(conditions).matches(subject(**{**PLAIN, **changed}))


@table(
    ("values", "met"),
    [
        pytest.param({}, False, id="nothing asked for"),
        pytest.param({"words": " , * ,"}, False, id="commas and asterisks only"),
        pytest.param({"words": "* *"}, False, id="asterisks and a space, which would be any text"),
        pytest.param({"words": "\x0b\x85"}, False, id="line ends only"),
        pytest.param({"words": "harbour"}, True, id="a word of the title"),
        pytest.param({"words": "CHESS"}, True, id="a word of the text in capitals"),
        pytest.param({"words": "harb"}, False, id="the beginning of a word"),
        pytest.param({"words": "harb*"}, True, id="the beginning with an asterisk"),
        pytest.param({"words": "*bour"}, True, id="the end with an asterisk"),
        pytest.param({"words": "*arbo*"}, True, id="the middle with two"),
        pytest.param({"words": "łódź"}, True, id="letters beyond ASCII"),
        pytest.param({"words": "snow, port of"}, True, id="any of several, a phrase"),
        pytest.param({"words": "port  of"}, True, id="white space is one"),
        pytest.param({"words": "grows. a"}, False, id="a phrase over two lines"),
        pytest.param({"words": "snow"}, False, id="another word"),
        pytest.param({"author": "lovelace"}, True, id="a name of the author"),
        pytest.param({"author": "love"}, False, id="part of a name"),
        pytest.param({"category": "world news"}, True, id="a category"),
        pytest.param({"category": "world"}, False, id="part of a category"),
        pytest.param({"category": "art, shipping"}, True, id="any of two categories"),
        pytest.param({"language": "en"}, True, id="the language"),
        pytest.param({"language": "EN-us"}, True, id="the language of another country"),
        pytest.param({"language": "de"}, False, id="another language"),
        pytest.param({"subscription_id": 7}, True, id="the feed"),
        pytest.param({"subscription_id": 8}, False, id="another feed"),
        pytest.param({"folder_id": 3}, True, id="the folder"),
        pytest.param({"folder_id": 4}, False, id="another folder"),
        pytest.param({"pattern": "har*opens"}, True, id="pieces in order"),
        pytest.param({"pattern": "opens*har"}, False, id="pieces out of order"),
        pytest.param({"pattern": "port*chess"}, False, id="pieces in two lines"),
        pytest.param({"pattern": "snow | LINE, * CHESS"}, True, id="either, in the text"),
        pytest.param({"pattern": "***|"}, False, id="no pieces"),
        pytest.param({"pattern": "h.rbour"}, False, id="no expression: a dot is a dot"),
        pytest.param({"words": "harbour", "author": "lovelace", "folder_id": 3}, True, id="all of several"),
        pytest.param({"words": "harbour", "author": "turing"}, False, id="not all of several"),
    ],
)
def test_all_conditions_must_hold(values: dict[str, Any], met: bool) -> None:
    assert is_met(make.conditions(**values)) is met


@pytest.mark.parametrize(
    ("words", "title", "met"),
    [
        pytest.param("围棋", "中国围棋协会成立", True, id="Chinese anywhere"),
        pytest.param("将棋", "中国围棋协会成立", False, id="another in Chinese"),
        pytest.param("AI", "最新AI技術の発表", True, id="Latin among Japanese"),
        pytest.param("AI", "SAID the minister", False, id="Latin within Latin"),
        pytest.param("ＡＩ", "On AI", True, id="full width"),
        pytest.param("서울", "서울에서 열린 회의", True, id="Korean with a particle"),
        pytest.param("กรุงเทพ", "ข่าวกรุงเทพวันนี้", True, id="Thai"),
        pytest.param("C++", "Why C++ stays", True, id="signs at the end"),
        pytest.param(".net", "Learning .NET today", True, id="signs at the beginning"),
        pytest.param("STRASSE", "Die Straße", True, id="German sharp s"),
        pytest.param("мир", "Миру мир", True, id="Cyrillic, a word"),
        pytest.param("мир", "Примирение", False, id="Cyrillic, within a word"),
        pytest.param("5", "In 2025", False, id="a digit within a number"),
    ],
)
def test_matches_whole_words_in_scripts_with_spaces(words: str, title: str, met: bool) -> None:
    assert is_met(make.conditions(words=words), title=title, text="") is met


def test_searches_only_the_beginning_of_a_text() -> None:
    assert is_met(make.conditions(words="chess"), text="x " * 100 + "chess")
    assert not is_met(make.conditions(words="chess"), text="x" * MAX_TEXT + " chess")


class _Counted(str):
    """A string that counts searches in it."""

    n_checked = 0

    def find(self, *args: Any) -> int:
        type(self).n_checked += 1
        return super().find(*args)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("*".join("a" * 20) + "*b", id="one letter after another"),
        pytest.param("(a+)+$", id="nested quantifiers"),
        pytest.param("(a|a)*b", id="overlapping alternatives"),
        pytest.param("|".join(["a*a*a*b"] * 20), id="many alternatives"),
    ],
)
def test_hostile_pattern_searches_once_per_piece(pattern: str) -> None:
    """The number of searches is bounded by the pieces of the pattern; counts searches, not time."""
    _Counted.n_checked = 0
    matcher = compile_rule(make.conditions(pattern=pattern))
    article = subject(**{**PLAIN, "title": "", "text": ""})
    hostile = type(article)(
        title=_Counted("a" * MAX_TEXT),
        text="",
        author="",
        categories=frozenset(),
        language="",
        feed="",
        url="",
        subscription_id=1,
        folder_id=None,
    )
    assert not matcher.matches(hostile)
    assert 0 < _Counted.n_checked <= sum(len(pieces) for row in matcher.rows for pieces in row.pattern)


@pytest.mark.parametrize("words", ["(a+)+$", "[", "\\", "(?P<x>", "a{1000000}"])
def test_treats_regex_syntax_as_text(words: str) -> None:
    assert not is_met(make.conditions(words=words), title="aaaa" * 100)
    assert is_met(make.conditions(words=words), title=f"see {words.strip('*')} here")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        pytest.param({}, "at least one condition", id="nothing"),
        pytest.param({"words": ",,"}, "at least one condition", id="commas only"),
        pytest.param({"pattern": "* | *"}, "at least one condition", id="asterisks only"),
        pytest.param({"words": "chess", "pattern": "**"}, "at least one condition", id="a pattern of nothing"),
        pytest.param({"words": ",".join(f"w{n}" for n in range(51))}, "up to 50", id="many words"),
        pytest.param({"author": "x" * 101}, "up to 100 characters", id="long word"),
        pytest.param({"pattern": "x" * 301}, "up to 300 characters", id="long pattern"),
        pytest.param({"pattern": "*".join("x" * 21)}, "20 pieces", id="many pieces"),
        pytest.param({"pattern": "|".join("x" * 21)}, "20 alternatives", id="many alternatives"),
    ],
)
def test_refuses_empty_and_too_long_conditions(values: dict[str, Any], why: str) -> None:
    with pytest.raises(RuleRefused, match=why):
        check(make.conditions(**values))


@pytest.mark.parametrize("values", [{"subscription_id": 1}, {"words": "chess"}, {"pattern": "a*b|c"}])
def test_accepts_a_single_condition(values: dict[str, Any]) -> None:
    check(make.conditions(**values))


@table(
    ("row", "met"),
    [
        pytest.param(("title", "contains", "harbour"), True, id="in the title"),
        pytest.param(("title", "contains", "chess"), False, id="in the text only"),
        pytest.param(("title", "contains_not", "chess"), True, id="not in the title"),
        pytest.param(("text", "contains_not", "chess"), False, id="in the text"),
        pytest.param(("title", "is", "HARBOUR  opens"), True, id="the whole title"),
        pytest.param(("title", "is", "harbour"), False, id="part of the title"),
        pytest.param(("title", "is_not", "harbour"), True, id="another title"),
        pytest.param(("author", "is", "Ada Lovelace"), True, id="the author"),
        pytest.param(("author", "is", "Ada Lovelace, Bob"), False, id="a comma is part of a name"),
        pytest.param(("category", "is_not", "art, shipping"), False, id="one of its categories"),
        pytest.param(("language", "is_not", "de"), True, id="not in German"),
        pytest.param(("feed", "is", "harbour post"), True, id="the feed's name"),
        pytest.param(("feed", "contains_not", "post"), False, id="a word of the feed's name"),
        pytest.param(("url", "contains", "/opin"), True, id="part of the URL"),
        pytest.param(("url", "is", "https://paper.example/opinion/7/"), True, id="the URL with a slash"),
        pytest.param(("url", "matches", "paper*/opinion"), True, id="a pattern of URLs"),
        pytest.param(("url", "matches_not", "paper*/opinion"), False, id="no pattern of URLs"),
    ],
)
def test_compares_each_field(row: tuple[Any, Any, str], met: bool) -> None:
    condition = Condition(Field(row[0]), Comparison(row[1]), row[2])
    article = {"feed": "Harbour Post", "url": "https://paper.example/opinion/7"}
    assert is_met(Conditions((condition,)), **article) is met


def test_any_or_all_conditions_in_the_place() -> None:
    rows = make.conditions(words="harbour", author="turing").rows
    assert is_met(Conditions(rows, is_any=True))
    assert not is_met(Conditions(rows))
    assert not is_met(Conditions(rows, is_any=True, folder_id=4))
    assert not is_met(Conditions(rows[1:], is_any=True))
