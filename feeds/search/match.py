"""What is looked for in texts, as a tree, and the same in the languages of both databases. Pure.

Nothing a person typed reaches an engine's syntax: phrases hold words of `feeds.search.words`, which are letters and
digits, and each is quoted all the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

WEIGHTS = {"title": "A", "author": "B", "body": ""}  # of PostgreSQL's lexemes: where a word stands


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row, in `field` ("title", "author") or anywhere; `runs` as they were written, folded.

    `is_prefix`: the last is only the beginning of a word. `written`: the one word as it was typed, where all its forms
    are meant; `others` are these, once they are known (`feeds.search.forms`).
    """

    words: tuple[str, ...]
    runs: tuple[str, ...]
    field: str = ""
    is_prefix: bool = False
    written: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AllOf:
    nodes: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    nodes: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Not:
    node: Any


Text = Phrase | AllOf | AnyOf  # where `is_text` says so


def is_text(node: object) -> TypeGuard[Text]:
    """Whether an index of words alone can answer: phrases, what is made of them, and of these what lacks others."""
    match node:
        case Phrase():
            return True
        case AnyOf(nodes):
            return all(map(is_text, nodes))
        case AllOf(nodes):
            wanted = [each for each in nodes if not isinstance(each, Not)]
            unwanted = [each.node for each in nodes if isinstance(each, Not)]
            return bool(wanted) and all(map(is_text, (*wanted, *unwanted)))
    return False


def as_fts5(node: Text) -> str:
    """The query in the language of SQLite's FTS5."""
    match node:
        case Phrase(words, _, field, is_prefix):
            column = f"{field} : " if field else ""
            if node.others:
                return f"{column}({' OR '.join(_doubly_quoted(each) for each in (*words, *node.others))})"
            return f"{column}{_doubly_quoted(' '.join(words))}{' *' if is_prefix else ''}"
        case AnyOf(nodes):
            return f"({' OR '.join(map(as_fts5, nodes))})"
        case AllOf(nodes):
            wanted = " AND ".join(as_fts5(each) for each in nodes if not isinstance(each, Not))
            unwanted = " OR ".join(as_fts5(each.node) for each in nodes if isinstance(each, Not))
            return f"(({wanted}) NOT ({unwanted}))" if unwanted else f"({wanted})"


def as_tsquery(node: Text | Not) -> str:
    """The query in the language of PostgreSQL, to be cast to tsquery."""
    match node:
        case Phrase(words, _, field, is_prefix):
            weight = WEIGHTS.get(field, "")
            if node.others:
                mark = ":" * bool(weight) + weight
                return f"({' | '.join(f'{_quoted(each)}{mark}' for each in (*words, *node.others))})"
            marks = [*[weight] * (len(words) - 1), f"{'*' if is_prefix else ''}{weight}"]
            lexemes = (f"{_quoted(word)}{':' * bool(mark)}{mark}" for word, mark in zip(words, marks, strict=True))
            return f"({' <-> '.join(lexemes)})"
        case AnyOf(nodes):
            return f"({' | '.join(map(as_tsquery, nodes))})"
        case AllOf(nodes):
            return f"({' & '.join(map(as_tsquery, nodes))})"
        case Not(negated):
            return f"!{as_tsquery(negated)}"


def as_tsvector(title: Sequence[str], author: Sequence[str], body: Sequence[str]) -> str:
    """An article's words, to be cast to tsvector; no phrase reaches from one field into the next."""
    places: dict[str, list[str]] = {}
    place = 0
    for field, words in (("title", title), ("author", author), ("body", body)):
        for place, word in enumerate(words, start=place + 1):  # noqa: B020 - goes on from field to field
            places.setdefault(word, []).append(f"{place}{WEIGHTS[field]}")
        place += 1
    return " ".join(f"{_quoted(word)}:{','.join(several)}" for word, several in places.items())


def wanted_phrases(node: object) -> Iterator[Phrase]:
    """The phrases that are looked for, without those that must be missing."""
    match node:
        case Phrase():
            yield node
        case AllOf(nodes) | AnyOf(nodes):
            for each in nodes:
                yield from wanted_phrases(each)


def _doubly_quoted(words: str) -> str:
    return f'"{words}"'


def _quoted(word: str) -> str:
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
