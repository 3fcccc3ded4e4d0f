"""Labelled files, one JSON object a line, into documents and pairs with their truth. The only module here that reads.

Such files come from many hands, so names are read tolerantly: the truth stands under `story`, `event`,
`final_event_id` or `label_event`, the text under `text` or `description`, the publisher under `publisher`, `source`,
`host` or `domain`; unknown fields are ignored. What is read passes through the same normalization as a feed's entry.
A line that cannot be used is refused with its number and a reason, and the rest of the file counts.

Where no language is written, it is guessed as the program does for a feed: from the first rows together, and from the
document itself where it is long enough; the script has the last word.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from feeds.dedup.corpus import Document
from feeds.normalizing.date_formats import read_date
from feeds.normalizing.language import checked_language, guessed_language
from feeds.normalizing.language_tag import primary_language
from feeds.normalizing.plain_text import cleaned, plain_text
from feeds.normalizing.text import clean_title, first_line

STORY_FIELDS = ("story", "event", "final_event_id", "label_event")  # the first that says something, says it
TEXT_FIELDS = ("text", "description")
SOURCE_FIELDS = ("publisher", "source", "host", "domain")
LANGUAGE_FIELDS = ("lang", "language")
NEW_EVENT = "new_event"  # a label that only says "none of the earlier ones"
SURE_CHARACTERS = 300  # of a text, from which its language is guessed from itself
SAMPLED_ROWS = 20  # for the language of the file, as for that of a feed

_ANSWERS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

Row = Mapping[str, object]
Label = TypeVar("Label")


class LabelledFileError(Exception):
    """A file that nothing can be measured on; the message is for people. `refusals` says what is wrong where."""

    def __init__(self, message: str, refusals: tuple["Refusal", ...] = ()) -> None:
        super().__init__(message)
        self.refusals = refusals


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that could not be used; lines count from 1."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class LabelledDocument:
    """A document and the name of its story, None if it is in none; pairs with stories in `ignored` are not scored."""

    document: Document
    story: str | None
    ignored: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two documents, and whether they report the same event."""

    first: Document
    second: Document
    same_event: bool


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """What a file holds: documents or pairs, never both, and the lines refused."""

    documents: tuple[LabelledDocument, ...] = ()
    pairs: tuple[LabelledPair, ...] = ()
    refusals: tuple[Refusal, ...] = ()


class UnusableRow(ValueError):
    """The reason for a refusal."""


def read(path: Path, *, language: str = "") -> LabelledFile:
    """The documents or pairs of a file, only those in `language` (ISO 639-1) unless it is "".

    The first usable line decides whether it is a file of documents or of pairs.

    Raises:
        LabelledFileError: the file cannot be read, or has no line that can be used.
    """
    wanted, content = _wanted(language), _content(path)
    labelled = parse(content, language=wanted)
    if not labelled.documents and not labelled.pairs:
        raise _nothing_usable(path, content, wanted, labelled.refusals)
    return labelled


def read_documents(
    path: Path, label_of: Callable[[Row], Label], *, language: str = ""
) -> tuple[tuple[tuple[Document, Label], ...], tuple[Refusal, ...]]:
    """The documents of a file with what `label_of` makes of their rows, and the lines refused.

    `label_of` raises UnusableRow where a row has no label.

    Raises:
        LabelledFileError: the file cannot be read, or has no line that can be used.
    """
    wanted, content = _wanted(language), _content(path)
    refusals: list[Refusal] = []
    rows = list(_rows(content, refusals))
    usual = _usual_language([row for _, row in rows])
    found: list[tuple[Document, Label]] = []
    for line, row in rows:
        try:
            document, label = _document(row, "", usual), label_of(row)
        except UnusableRow as error:
            refusals.append(Refusal(line, str(error)))
            continue
        found.extend([(document, label)] if wanted in ("", document.language) else [])
    refused = tuple(sorted(refusals, key=lambda refusal: refusal.line))
    if not found:
        raise _nothing_usable(path, content, wanted, refused)
    return tuple(found), refused


def _wanted(language: str) -> str:
    wanted = primary_language(language)
    if language and not wanted:
        raise LabelledFileError(f"{language} is no language code such as en or zh.")
    return wanted


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LabelledFileError(f"{path} cannot be read: {error.strerror or error}.") from error


def _nothing_usable(path: Path, content: bytes, wanted: str, refusals: tuple[Refusal, ...]) -> LabelledFileError:
    if refusals:
        count = f"{len(refusals)} lines refused, the first: {refusals[0].reason}"
        return LabelledFileError(f"{path} has no usable row ({count}).", refusals)
    return LabelledFileError(f"{path} has no row{f' in language {wanted}' if wanted and content.strip() else ''}.")


def parse(content: bytes, *, language: str = "") -> LabelledFile:
    """The same of a file's content; empty where nothing is usable."""
    refusals: list[Refusal] = []
    rows = list(_rows(content, refusals))
    usual = _usual_language([row for _, row in rows])
    documents: list[LabelledDocument] = []
    pairs: list[LabelledPair] = []
    for line, row in rows:
        try:
            if _is_pair(row):
                _refuse(bool(documents), "a pair in a file of documents")
                pair = _pair(row, usual)
                pairs.extend([pair] if language in ("", pair.first.language, pair.second.language) else [])
            else:
                _refuse(bool(pairs), "a document in a file of pairs")
                document = _labelled_document(row, usual)
                documents.extend([document] if language in ("", document.document.language) else [])
        except UnusableRow as error:
            refusals.append(Refusal(line, str(error)))
    return LabelledFile(tuple(documents), tuple(pairs), tuple(sorted(refusals, key=lambda refusal: refusal.line)))


def _rows(content: bytes, refusals: list[Refusal]) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            text = line.decode("utf-8-sig").strip()
            row = json.loads(text) if text else None
        except UnicodeDecodeError:
            refusals.append(Refusal(number, "not UTF-8"))
            continue
        except json.JSONDecodeError as error:
            refusals.append(Refusal(number, f"not JSON: {error.msg} (character {error.pos + 1})"))
            continue
        except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
            refusals.append(Refusal(number, f"not JSON: {error}"))
            continue
        if isinstance(row, dict):
            yield number, row
        elif text:
            refusals.append(Refusal(number, "not a JSON object"))


def _refuse(condition: bool, reason: str) -> None:
    if condition:
        raise UnusableRow(reason)


def _is_pair(row: Row) -> bool:
    return "same_event" in row or "title_1" in row


def _pair(row: Row, usual: str) -> LabelledPair:
    answer = _ANSWERS.get(_string(row.get("same_event")).lower())
    if answer is None:
        raise UnusableRow("same_event is neither true nor false")
    return LabelledPair(_document(row, "_1", usual), _document(row, "_2", usual), answer)


def _labelled_document(row: Row, usual: str) -> LabelledDocument:
    _refuse(not any(name in row for name in STORY_FIELDS), f"none of the fields {', '.join(STORY_FIELDS)}")
    story = next((name for name in (_string(row.get(field)) for field in STORY_FIELDS) if name), "")
    ignored = row.get("ignore_with") or []
    names = ignored if isinstance(ignored, list) else [ignored]
    return LabelledDocument(
        _document(row, "", usual),
        None if story in ("", NEW_EVENT) else story,
        frozenset(name for name in map(_string, names) if name),
    )


def _document(row: Row, suffix: str, usual: str) -> Document:
    text = plain_text(_first(row, TEXT_FIELDS, suffix))
    title = clean_title(_string(row.get(f"title{suffix}"))) or first_line(text)
    _refuse(not title, f"no title{suffix} and no text{suffix}")
    sample = f"{title} {text[:400]}"
    declared = primary_language(_first(row, LANGUAGE_FIELDS, suffix) or _first(row, LANGUAGE_FIELDS, ""))
    guessed = guessed_language(sample) if not declared and len(sample) >= SURE_CHARACTERS else ""
    return Document(
        title=title,
        text=text,
        url=cleaned(_string(row.get(f"url{suffix}"))),
        published_at=_moment(_string(row.get(f"published{suffix}"))),
        source=cleaned(_first(row, SOURCE_FIELDS, suffix)),
        language=checked_language(declared or guessed or usual, sample),
    )


def _usual_language(rows: list[Row]) -> str:
    """The language of the rows that declare none, by the first of them together; "" when it cannot be told."""
    silent = (row for row in rows if not _first(row, LANGUAGE_FIELDS, ""))
    sampled = islice(silent, SAMPLED_ROWS)
    return guessed_language(" ".join(_first(row, ("title", "title_1", *TEXT_FIELDS), "") for row in sampled))


def _first(row: Row, names: tuple[str, ...], suffix: str) -> str:
    return next((value for value in (_string(row.get(name + suffix)) for name in names) if value), "")


def _string(value: object) -> str:
    """A text, or a number as text; "" for null, NaN, lists and objects. 12 and 12.0 are the same name."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float):
        return "" if math.isnan(value) else str(int(value) if value.is_integer() else value)
    return str(value) if isinstance(value, int) else ""


def _moment(written: str) -> datetime | None:
    found = read_date(written)
    return found[0] if found else None
