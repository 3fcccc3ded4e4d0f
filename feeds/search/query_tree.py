"""Queries as trees, and as FTS5 and PostgreSQL write them. Pure.

Nothing a user types reaches an engine's syntax: phrases hold words of `feeds.search.tokenizer`, which are letters and
digits, and each is quoted as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

MIN_LETTERS = 3  # of a word that has other forms
WEIGHTS = {"title": "A", "author": "B", "body": ""}  # of PostgreSQL's lexemes


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row, in `field` ("title", "author") or anywhere.

    `is_prefix`: the last is the beginning of a word. `typed`: a single word that stands for all its forms, as typed;
    `others`: these forms, once known (`feeds.search.inflections`).
    """

    words: tuple[str, ...]
    field: str = ""
    is_prefix: bool = False
    typed: str = ""
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
    """Whether the index alone can answer: phrases and their combinations, if something must be there."""
    match node:
        case Phrase():
            return True
        case AnyOf(nodes):
            return all(map(is_text, nodes))
        case AllOf(nodes):
            wanted = [part for part in nodes if not isinstance(part, Not)]
            unwanted = [part.node for part in nodes if isinstance(part, Not)]
            return bool(wanted) and all(map(is_text, (*wanted, *unwanted)))
    return False


def as_fts5(node: Text) -> str:
    """The query in the syntax of SQLite's FTS5."""
    match node:
        case Phrase(words, field, is_prefix):
            column = f"{field} : " if field else ""
            if node.others:
                return f"{column}({' OR '.join(_doubly_quoted(word) for word in (*words, *node.others))})"
            return f"{column}{_doubly_quoted(' '.join(words))}{' *' if is_prefix else ''}"
        case AnyOf(nodes):
            return f"({' OR '.join(map(as_fts5, nodes))})"
        case AllOf(nodes):
            wanted = " AND ".join(as_fts5(part) for part in nodes if not isinstance(part, Not))
            unwanted = " OR ".join(as_fts5(part.node) for part in nodes if isinstance(part, Not))
            return f"(({wanted}) NOT ({unwanted}))" if unwanted else f"({wanted})"


def as_tsquery(node: Text | Not) -> str:
    """The query in PostgreSQL's syntax, to be cast to tsquery."""
    match node:
        case Phrase(words, field, is_prefix):
            weight = WEIGHTS.get(field, "")
            if node.others:
                mark = ":" * bool(weight) + weight
                return f"({' | '.join(f'{_quoted(word)}{mark}' for word in (*words, *node.others))})"
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
    """An article's words, to be cast to tsvector; no phrase matches across two fields."""
    places: dict[str, list[str]] = {}
    place = 0
    for field, words in (("title", title), ("author", author), ("body", body)):
        for place, word in enumerate(words, start=place + 1):  # noqa: B020 - continues from field to field
            places.setdefault(word, []).append(f"{place}{WEIGHTS[field]}")
        place += 1
    return " ".join(f"{_quoted(word)}:{','.join(several)}" for word, several in places.items())


def wanted_phrases(node: object) -> Iterator[Phrase]:
    """The phrases that must or may match, without negated ones."""
    match node:
        case Phrase():
            yield node
        case AllOf(nodes) | AnyOf(nodes):
            for part in nodes:
                yield from wanted_phrases(part)


def _doubly_quoted(words: str) -> str:
    return f'"{words}"'


def _quoted(word: str) -> str:
    doubled = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
