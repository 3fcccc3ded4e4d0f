"""Other forms of a word: "elections" for "election", by Snowball's rules for each language.

The index holds words as they are written, so that phrases stay exact, and works the same in SQLite and PostgreSQL
(FTS5 stems English only, and neither knows the language of a query). Beside it, the table `feeds_word` lists words by
their stems. A word that is its own stem isn't listed: most names aren't, and the stem is known from the search.

A query doesn't say its language, and rules of the wrong one make nonsense: in German, "news" is a form of "new". The
newest articles that have the word decide, by majority. A word in no article is stemmed by the rules of every language.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import connection

from feeds.normalizing.stemming import STEMMED_LANGUAGES, get_stemmer
from feeds.normalizing.text import is_spaceless, runs
from feeds.search.query_tree import MIN_LETTERS, AllOf, AnyOf, Not, Phrase, as_fts5, as_tsquery
from feeds.search.tokenizer import LONGEST_WORD, folded

MAX_FORMS = 24  # of one word, the shortest first
MAX_WORDS = 10  # of one query that are searched in all their forms; more narrow it down enough
SAMPLE = 50  # articles that decide on the language of a word
_MIN_STEM = MIN_LETTERS + 1  # letters of a stem that is searched as a word when its language isn't known
_NOT_LATIN = frozenset(("ar", "el", "fa", "hi", "hy", "ne", "ru", "ta", "yi"))
_SAME = {"nb": "no", "nn": "no"}
LANGUAGES = tuple(sorted({_SAME.get(language, language) for language in STEMMED_LANGUAGES}))

Form = tuple[str, str, str]  # language, stem, word; both folded


def forms_in(text: str, language: str) -> Iterator[Form]:
    """The words of a text that differ from their stems, possibly repeated."""
    for run in {match[0] for match in runs(text)}:
        rules = language_of(run, language)
        if rules and (stem := stem_of(run, rules)) and stem != (word := folded(run)):
            yield rules, stem, word


def language_of(run: str, language: str) -> str:
    """The language whose rules apply to a word in a text of `language`, "" for none: Latin letters in Chinese,
    Japanese, Russian … are stemmed as English."""
    if run.isascii() and (language in _NOT_LATIN or language not in STEMMED_LANGUAGES):
        return "en"
    return _SAME.get(language, language) if language in STEMMED_LANGUAGES else ""


def stem_of(run: str, language: str) -> str:
    """The stem of a word, folded; "" for numbers, short words and scripts without spaces.

    It is stemmed with its accents, because the rules know them.
    """
    stemmer = get_stemmer(language)
    if stemmer is None or not MIN_LETTERS <= len(run) <= LONGEST_WORD or not run.isalpha() or is_spaceless(run):
        return ""
    return folded(stemmer.stemWord(run.lower()))


def save_forms(forms: Iterable[Form]) -> None:
    """Add these forms to the table, always in the same order, so that concurrent writers don't deadlock."""
    rows = sorted(set(forms))
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO feeds_word (language, stem, word) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", rows
        )


def expand_forms(tree: Any) -> Any:
    """The tree with the other forms of its words. Two queries, none if there are no words."""
    words = list(dict.fromkeys(_typed(tree)))[:MAX_WORDS]
    if not words:
        return tree
    languages = _languages(words)
    stems = {
        word: {
            (language, stem)
            for language in ([languages[word]] if word in languages else LANGUAGES)
            if language_of(word, language) == language and (stem := stem_of(word, language))
        }
        for word in words
    }
    listed = _listed(set().union(*stems.values()))
    others: dict[str, tuple[str, ...]] = {}
    for word, pairs in stems.items():
        forms = {stem for _, stem in pairs if word in languages or len(stem) >= _MIN_STEM}
        forms = forms.union(*(listed[pair] for pair in pairs)) - {folded(word)}
        others[word] = tuple(sorted(forms, key=lambda form: (len(form), form))[:MAX_FORMS])
    return _with(tree, others)


def _typed(tree: Any) -> Iterator[str]:
    match tree:
        case Phrase(typed=typed) if typed:
            yield typed
        case AllOf(nodes) | AnyOf(nodes):
            for node in nodes:
                yield from _typed(node)
        case Not(node):
            yield from _typed(node)


def _with(tree: Any, others: Mapping[str, tuple[str, ...]]) -> Any:
    match tree:
        case Phrase(typed=typed) if typed in others:
            return replace(tree, others=others[typed])
        case AllOf(nodes) | AnyOf(nodes):
            return type(tree)(tuple(_with(node, others) for node in nodes))
        case Not(node):
            return Not(_with(node, others))
    return tree


def _languages(words: Sequence[str]) -> dict[str, str]:
    """The language of each word that is in an article: the commonest among the newest ones. One query."""
    is_sqlite = connection.vendor == "sqlite"
    newest = (
        "SELECT rowid FROM feeds_search WHERE feeds_search MATCH %s ORDER BY rowid DESC LIMIT %s"
        if is_sqlite
        else "SELECT article_id FROM feeds_search WHERE words @@ %s::tsquery LIMIT %s"
    )
    selects: list[str] = []
    parameters: list[Any] = []
    for number, word in enumerate(words):
        phrase = Phrase((folded(word),))
        selects.append(
            f"SELECT {number}, language, COUNT(*) FROM feeds_article"  # noqa: S608 - a number of ours
            f" WHERE id IN (SELECT * FROM ({newest}) AS newest) GROUP BY language"
        )
        parameters += [as_fts5(phrase) if is_sqlite else as_tsquery(phrase), SAMPLE]
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(selects), parameters)
        for number, language, n in cursor.fetchall():
            votes[words[number]][language_of(words[number], language)] += n
    return {word: counts.most_common(1)[0][0] for word, counts in votes.items()}


def _listed(stems: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], set[str]]:
    """The words in the table for each language and stem."""
    pairs = sorted(stems)
    listed: dict[tuple[str, str], set[str]] = defaultdict(set)
    if pairs:
        marks = " OR ".join(["(language = %s AND stem = %s)"] * len(pairs))
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT language, stem, word FROM feeds_word WHERE {marks}",  # noqa: S608 - placeholders only
                [value for pair in pairs for value in pair],
            )
            for language, stem, word in cursor.fetchall():
                listed[language, stem].add(word)
    return listed
