"""Queries are parsed as users mean them; invalid parts are searched as words, with a warning."""

from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from feeds.models import Article
from feeds.search.index import matching
from feeds.search.inflections import expand_forms
from feeds.search.query_tree import AllOf, AnyOf, Not, Phrase, as_fts5, as_tsquery, is_text
from reader.search import warnings
from reader.search.parser import MAX_TERMS, parse
from reader.search.query_filters import Filter

TODAY = date(2026, 3, 4)


def phrase(text: str, field: str = "", *, is_prefix: bool = False) -> Phrase:
    return Phrase((text,), field, is_prefix)


A, B, C = phrase("a"), phrase("b"), phrase("c")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        pytest.param("", None, id="nothing"),
        pytest.param(" -- … ", None, id="signs"),
        pytest.param("a", A, id="a word"),
        pytest.param("a B", AllOf((A, B)), id="words"),
        pytest.param("a AND b", AllOf((A, B)), id="AND is understood"),
        pytest.param('"a b"', Phrase(("a", "b")), id="a phrase"),
        pytest.param("“a b”", Phrase(("a", "b")), id="typographic quotes"),
        pytest.param("a-b", Phrase(("a", "b")), id="a word of two parts"),
        pytest.param("-a", Not(A), id="without"),
        pytest.param("a NOT b", AllOf((A, Not(B))), id="NOT"),
        pytest.param('a -"b c"', AllOf((A, Not(Phrase(("b", "c"))))), id="without a phrase"),
        pytest.param("a OR b", AnyOf((A, B)), id="either"),
        pytest.param("a | b OR c", AnyOf((A, B, C)), id="any"),
        pytest.param("a b OR c", AllOf((A, AnyOf((B, C)))), id="OR binds first"),
        pytest.param("(a)", A, id="parentheses around a word"),
        pytest.param("(a OR b) -c", AllOf((AnyOf((A, B)), Not(C))), id="parentheses first"),
        pytest.param("（a OR b） c", AllOf((AnyOf((A, B)), C)), id="wide parentheses"),
        pytest.param("-(a b)", Not(AllOf((A, B))), id="without both"),
        pytest.param("NOT (a OR b)", Not(AnyOf((A, B))), id="without either"),
        pytest.param("a OR (b c)", AnyOf((A, AllOf((B, C)))), id="either, one of two words"),
        pytest.param("-(-a)", A, id="without without"),
        pytest.param("((a)(b))", AllOf((A, B)), id="nested"),
        pytest.param("f(x)", Phrase(("f", "x")), id="parentheses within a word"),
        pytest.param('"(a"', A, id="and within a phrase"),
        pytest.param("or a", AllOf((phrase("or"), A)), id="or in small letters is a word"),
        pytest.param("elect*", phrase("elect", is_prefix=True), id="beginning"),
        pytest.param("Élections,", Phrase(("elections",), typed="élections"), id="in all its forms"),
        pytest.param('"elections"', phrase("elections"), id="as it is written"),
        pytest.param("author:elections", phrase("elections", "author"), id="names have no forms"),
        pytest.param("e*", phrase("e"), id="too short a beginning"),
        pytest.param("東京都", Phrase(("東京", "京都")), id="Japanese"),
        pytest.param("都", phrase("都", is_prefix=True), id="one character"),
        pytest.param("title:a", phrase("a", "title"), id="title"),
        pytest.param('TITLE:"a b"', Phrase(("a", "b"), "title"), id="phrase in a title"),
        pytest.param("author:a", phrase("a", "author"), id="author"),
        pytest.param("feed:ars", Filter("feed", "ars"), id="feed"),
        pytest.param('-feed:"Ars Technica"', Not(Filter("feed", "Ars Technica")), id="not of a feed"),
        pytest.param("folder:新闻", Filter("folder", "新闻"), id="folder"),
        pytest.param("is:Unread", Filter("is", "unread"), id="state"),
        pytest.param("a OR is:starred", AnyOf((A, Filter("is", "starred"))), id="words or state"),
        pytest.param("lang:pt-BR", Filter("lang", "pt"), id="language"),
        pytest.param("score>70", Filter("score", ("gt", 70)), id="score above"),
        pytest.param("score:>=7.5", Filter("score", ("gte", 7.5)), id="score, with a colon"),
        pytest.param("score<30", Filter("score", ("lt", 30)), id="score below"),
        pytest.param("score:70", Filter("score", ("gte", 70)), id="score of at least"),
        pytest.param("before:2026-03-01", Filter("before", date(2026, 3, 1)), id="day"),
        pytest.param("after:2026-02", Filter("after", date(2026, 2, 1)), id="month"),
        pytest.param("after:2025", Filter("after", date(2025, 1, 1)), id="year"),
        pytest.param("after:7d", Filter("after", date(2026, 2, 25)), id="days ago"),
        pytest.param("before:yesterday", Filter("before", date(2026, 3, 3)), id="yesterday"),
        pytest.param("before:0001", Filter("before", date(1900, 1, 1)), id="a day before all feeds"),
        pytest.param("https://a", Phrase(("https", "a")), id="an address is no operator"),
        pytest.param("10:30", Phrase(("10", "30")), id="nor is a time"),
        pytest.param("a>b", Phrase(("a", "b")), id="nor is a sign between words"),
    ],
)
def test_parses(text: str, tree: object) -> None:
    read = parse(text, today=TODAY)
    assert (read.tree, read.warnings) == (tree, ())


@pytest.mark.parametrize(
    ("text", "tree", "note"),
    [
        pytest.param(
            "fede:a",
            Phrase(("fede", "a")),
            "At character 1: “fede:” isn't an operator. Searched for “fede:a” as words.",
            id="unknown operator",
        ),
        pytest.param(
            "-is:red",
            Not(Phrase(("is", "red"))),
            "At character 2: “is:” can be followed by read, unread, starred, liked, disliked, skipped, opened, updated."
            " Searched for “is:red” as words.",
            id="unknown state",
        ),
        pytest.param(
            "before:2026-02-30",
            Phrase(("before", "2026", "02", "30")),
            "At character 1: That date doesn't exist. Searched for “before:2026-02-30” as words.",
            id="no such day",
        ),
        pytest.param(
            "after:soon",
            Phrase(("after", "soon")),
            "At character 1: Write dates as 2026-03-01, 2026-03, 2026, today, yesterday or 7d."
            " Searched for “after:soon” as words.",
            id="no day",
        ),
        pytest.param(
            "score>high",
            Phrase(("score", "high")),
            "At character 1: “score>” takes a number from 0 to 100. Searched for “score>high” as words.",
            id="no number",
        ),
        pytest.param(
            "lang:french",
            Phrase(("lang", "french")),
            "At character 1: “lang:” takes a code such as en, ja or zh. Searched for “lang:french” as words.",
            id="no code",
        ),
        pytest.param(
            '"a b',
            Phrase(("a", "b")),
            "At character 1: Missing closing quotation mark: the phrase runs to the end.",
            id="open quote",
        ),
        pytest.param(
            "feed: a",
            AllOf((Phrase(("feed",), typed="feed"), A)),
            "At character 1: Put a value right after “feed:”, without a space. Searched for it as a word.",
            id="a space after an operator",
        ),
    ],
)
def test_warns_in_words(text: str, tree: object, note: str) -> None:
    read = parse(text, today=TODAY)
    assert (read.tree, [str(warning) for warning in read.warnings]) == (tree, [note])


@pytest.mark.parametrize(
    ("text", "tree", "message", "at", "instead"),
    [
        pytest.param("OR", None, warnings.LONELY, 1, "", id="an operator alone"),
        pytest.param("a OR", A, warnings.LONELY, 3, "a", id="OR before nothing"),
        pytest.param("OR a", A, warnings.LONELY, 1, "a", id="OR after nothing"),
        pytest.param("a OR OR b", AnyOf((A, B)), warnings.LONELY, 3, "a OR b", id="OR beside OR"),
        pytest.param("a NOT", A, warnings.LONELY, 3, "a", id="NOT before nothing"),
        pytest.param("(a OR b", AnyOf((A, B)), warnings.NOT_CLOSED, 1, "(a OR b)", id="not closed"),
        pytest.param("a -(b", AllOf((A, Not(B))), warnings.NOT_CLOSED, 4, "a -(b)", id="not closed, left out"),
        pytest.param("a b)", AllOf((A, B)), warnings.NOT_OPENED, 4, "a b", id="not opened"),
        pytest.param("a ()", A, warnings.EMPTY, 3, "a", id="empty"),
        pytest.param('a "b', AllOf((A, B)), warnings.OPEN_QUOTE, 3, 'a "b"', id="open quote"),
        pytest.param(
            "a autor:b",
            AllOf((A, Phrase(("autor", "b")))),
            warnings.NO_OPERATOR,
            3,
            "a author:b",
            id="nearly an operator",
        ),
    ],
)
def test_warns_with_position_and_suggestion(text: str, tree: object, message: object, at: int, instead: str) -> None:
    read = parse(text, today=TODAY)
    assert (read.tree, [(warning.message, warning.at, warning.instead) for warning in read.warnings]) == (
        tree,
        [(message, at, instead)],
    )
    if instead:
        assert parse(instead, today=TODAY).warnings == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param("a  is:unread", ("a", "is:unread"), id="two"),
        pytest.param('a OR b -"c d"', ("a OR b", '-"c d"'), id="OR joins"),
        pytest.param("(a b) NOT (c OR d)", ("(a b)", "NOT (c OR d)"), id="parentheses"),
        pytest.param("(a (b", ("(a (b",), id="not closed"),
    ],
)
def test_lists_the_parts_that_must_all_match(text: str, parts: tuple[str, ...]) -> None:
    assert parse(text, today=TODAY).parts == parts


def test_truncates_long_and_deep_queries() -> None:
    query = parse(" ".join("abcdefgh" for _ in range(100)), today=TODAY)
    assert len(query.tree.nodes) == MAX_TERMS
    assert [warning.message for warning in query.warnings] == [warnings.TOO_LONG, warnings.TOO_MANY_TERMS]
    deep = parse("(" * 200 + "a" + ")" * 200, today=TODAY)
    assert deep.tree == A
    assert [warning.message for warning in deep.warnings] == [warnings.TOO_MANY_GROUPS]


ANYTHING = some.text(max_size=60) | some.text(alphabet="ab\"'-*():<>|\\ORNT東é ", max_size=60)


@given(ANYTHING)
def test_any_input_makes_a_query_for_both_databases(text: str) -> None:
    read = parse(text, today=TODAY)
    if is_text(read.tree):
        for asked in (as_fts5(read.tree), as_tsquery(read.tree)):
            assert asked.count("(") == asked.count(")")
    assert all(str(warning) for warning in read.warnings)


@given(ANYTHING)
def test_every_part_of_any_input_is_a_query(text: str) -> None:
    for part in parse(text, today=TODAY).parts:
        parse(part, today=TODAY)


@pytest.mark.django_db
@settings(deadline=1000, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANYTHING)
def test_database_accepts_any_input(text: str) -> None:
    read = parse(text, today=TODAY)
    if is_text(read.tree):
        assert list(Article.objects.filter(pk__in=matching(expand_forms(read.tree)))) == []
