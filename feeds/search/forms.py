"""The list of words by their stems, and the other forms of what is asked for.

Which language a word is of, a query does not say, and rules of the wrong one make nonsense: in German "news" is a form
of "new". So the newest articles that have the word itself say it, by a majority. A word that no article has is stemmed
by the rules of every language: what is found is then better than nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import connection

from feeds.search.match import AllOf, AnyOf, Not, Phrase, as_fts5, as_tsquery
from feeds.search.stems import LANGUAGES, LEAST_LETTERS, Form, language_of, stem_of
from feeds.search.words import folded

MOST_FORMS = 24  # of one word; the shorter ones come first
MOST_WORDS = 10  # of one query that are looked for in all their forms; more narrow it down enough
ASKED = 50  # articles that say what language a word is of
_LEAST_STEM = LEAST_LETTERS + 1  # letters of a stem that is looked for as a word in no known language


def remember(forms: Iterable[Form]) -> None:
    """Put these forms on the list. In one order, so that two who do it at once wait for each other and no more."""
    rows = sorted(set(forms))
    if not rows:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.executemany("INSERT OR IGNORE INTO feeds_word (language, stem, word) VALUES (%s, %s, %s)", rows)
        else:
            cursor.execute(
                "INSERT INTO feeds_word (language, stem, word)"
                " SELECT * FROM unnest(%s::text[], %s::text[], %s::text[]) ON CONFLICT DO NOTHING",
                [list(column) for column in zip(*rows, strict=True)],
            )


def in_all_forms(tree: Any) -> Any:
    """The tree, its words together with their other forms; two or three statements, none without words."""
    asked = list(dict.fromkeys(_written(tree)))[:MOST_WORDS]
    if not asked:
        return tree
    spoken = _languages(asked)
    stems: dict[str, set[tuple[str, str]]] = {}
    for run in asked:
        languages = [spoken[run]] if run in spoken else LANGUAGES
        stems[run] = {(language, stem) for language in languages if (stem := _stem_asked(run, language))}
    known = _known({each for several in stems.values() for each in several})
    others: dict[str, tuple[str, ...]] = {}
    for run, several in stems.items():
        least = 1 if run in spoken else _LEAST_STEM
        found = {stem for _, stem in several if len(stem) >= least}.union(*(known[each] for each in several))
        ordered = sorted(found - {folded(run)}, key=lambda word: (len(word), word))
        others[run] = tuple(ordered[:MOST_FORMS])
    return _with(tree, others)


def _stem_asked(run: str, language: str) -> str:
    return stem_of(run, language) if language_of(run, language) == language else ""


def _written(tree: Any) -> Iterable[str]:
    match tree:
        case Phrase():
            return (tree.written,) if tree.written else ()
        case AllOf(nodes) | AnyOf(nodes):
            return (run for each in nodes for run in _written(each))
        case Not(negated):
            return _written(negated)
    return ()


def _with(tree: Any, others: Mapping[str, tuple[str, ...]]) -> Any:
    match tree:
        case Phrase() if tree.written in others:
            return replace(tree, others=others[tree.written])
        case AllOf(nodes):
            return AllOf(tuple(_with(each, others) for each in nodes))
        case AnyOf(nodes):
            return AnyOf(tuple(_with(each, others) for each in nodes))
        case Not(negated):
            return Not(_with(negated, others))
    return tree


def _languages(asked: Sequence[str]) -> dict[str, str]:
    """The language of each word, as most of some articles have it that hold the word; one statement."""
    newest = (
        "SELECT rowid FROM feeds_search WHERE feeds_search MATCH %s ORDER BY rowid DESC LIMIT %s"
        if connection.vendor == "sqlite"
        else "SELECT article_id FROM feeds_search WHERE words @@ %s::tsquery LIMIT %s"
    )
    parts: list[str] = []
    parameters: list[Any] = []
    for place, run in enumerate(asked):
        phrase = Phrase((folded(run),), (folded(run),))
        parts.append(
            f"SELECT {place} AS place, language, COUNT(*) FROM feeds_article"  # noqa: S608 - a number of ours
            f" WHERE id IN (SELECT * FROM ({newest}) AS newest) GROUP BY language"
        )
        parameters += [as_fts5(phrase) if connection.vendor == "sqlite" else as_tsquery(phrase), ASKED]
    votes: dict[int, Counter[str]] = defaultdict(Counter)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), parameters)
        for place, language, n in cursor.fetchall():
            votes[place][language_of(asked[place], language)] += n
    return {asked[place]: count.most_common(1)[0][0] for place, count in sorted(votes.items())}


def _known(stems: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], set[str]]:
    """The words on the list under these stems of languages."""
    several = sorted(stems)
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    if several:
        marks = " OR ".join(["(language = %s AND stem = %s)"] * len(several))
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT language, stem, word FROM feeds_word WHERE {marks}",  # noqa: S608 - placeholders alone
                [value for pair in several for value in pair],
            )
            for language, stem, word in cursor.fetchall():
                known[language, stem].add(word)
    return known
