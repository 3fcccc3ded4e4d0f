"""Reading labelled files (JSON Lines, also compressed with gzip) as documents or pairs with their labels.

Field names vary between files: the label is in `story`, `event`, `final_event_id` or `label_event`, the text in `text`
or `description`, the publisher in `publisher`, `source`, `host` or `domain`; unknown fields are ignored. Everything is
normalized like a feed's entry. An unusable line is refused with its number and a reason.

A missing language is detected as for feeds: from the document itself if it is long enough, else from the first rows
together; the script has the last word.
"""

import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from feeds.dedup.in_memory import Document
from feeds.normalizing.dates import parse_date
from feeds.normalizing.language import check_language, guess_language, primary_language
from feeds.normalizing.plain_text import plain_text, strip_invisible
from feeds.normalizing.text import clean_title, first_line

STORY_FIELDS = ("story", "event", "final_event_id", "label_event")  # the first one that isn't empty
TEXT_FIELDS = ("text", "description")
SOURCE_FIELDS = ("publisher", "source", "host", "domain")
LANGUAGE_FIELDS = ("lang", "language")
NEW_EVENT = "new_event"  # means "none of the earlier ones"
SURE_CHARACTERS = 300  # minimum length to detect a text's own language
SAMPLED_ROWS = 20  # for the language of the file, as for that of a feed

_ANSWERS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

Row = Mapping[str, object]
Label = TypeVar("Label")


class LabelledFileError(Exception):
    """A file without usable content. `refusals` has the reasons by line."""

    def __init__(self, message: str, refusals: tuple["Refusal", ...] = ()) -> None:
        super().__init__(message)
        self.refusals = refusals


@dataclass(frozen=True, slots=True)
class Refusal:
    """An unusable line, counted from 1."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class LabelledDocument:
    """A document and its story, None for none; pairs with stories in `ignored` aren't scored."""

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
    """Documents or pairs, never both, and refused lines."""

    documents: tuple[LabelledDocument, ...] = ()
    pairs: tuple[LabelledPair, ...] = ()
    refusals: tuple[Refusal, ...] = ()


class UnusableRow(ValueError):
    """Raised for a line, with the reason."""


def read(path: Path, *, language: str = "") -> LabelledFile:
    """The documents or pairs of a file, only those in `language` (ISO 639-1) unless it is "".

    The first usable line decides whether it is a file of documents or of pairs.

    Raises:
        LabelledFileError: the file can't be read, or has no usable line.
    """
    wanted, content = _wanted(language), _content(path)
    labelled = parse(content, language=wanted)
    if not labelled.documents and not labelled.pairs:
        raise _nothing_usable(path, content, wanted, labelled.refusals)
    return labelled


def read_documents(
    path: Path, label_of: Callable[[Row], Label], *, language: str = ""
) -> tuple[tuple[tuple[Document, Label], ...], tuple[Refusal, ...]]:
    """The documents of a file with the results of `label_of` for their rows, and the refused lines.

    `label_of` raises UnusableRow if a row has no label.

    Raises:
        LabelledFileError: the file can't be read, or has no usable line.
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


def read_unlabelled(path: Path) -> tuple[tuple[Document, ...], tuple[Refusal, ...]]:
    """The documents of a file, both of each pair, whether labelled or not; and the refused lines.

    Raises:
        LabelledFileError: the file can't be read, or has no usable line.
    """
    content = _content(path)
    refusals: list[Refusal] = []
    rows = list(_rows(content, refusals))
    usual = _usual_language([row for _, row in rows])
    found: list[Document] = []
    for line, row in rows:
        try:
            found += [_document(row, suffix, usual) for suffix in (("_1", "_2") if "title_1" in row else ("",))]
        except UnusableRow as error:
            refusals.append(Refusal(line, str(error)))
    if not found:
        raise _nothing_usable(path, content, "", tuple(refusals))
    return tuple(found), tuple(sorted(refusals, key=lambda refusal: refusal.line))


def _wanted(language: str) -> str:
    wanted = primary_language(language)
    if language and not wanted:
        raise LabelledFileError(f"{language} is not a language code such as en or zh.")
    return wanted


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise LabelledFileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def _nothing_usable(path: Path, content: bytes, wanted: str, refusals: tuple[Refusal, ...]) -> LabelledFileError:
    if refusals:
        count = f"{len(refusals)} lines refused, the first: {refusals[0].reason}"
        return LabelledFileError(f"{path} has no usable row ({count}).", refusals)
    return LabelledFileError(f"{path} has no row{f' in language {wanted}' if wanted and content.strip() else ''}.")


def parse(content: bytes, *, language: str = "") -> LabelledFile:
    """Parse a file's content; empty if nothing is usable."""
    refusals: list[Refusal] = []
    rows = list(_rows(content, refusals))
    usual = _usual_language([row for _, row in rows])
    documents: list[LabelledDocument] = []
    pairs: list[LabelledPair] = []
    for line, row in rows:
        try:
            if "same_event" in row or "title_1" in row:
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
    guessed = guess_language(sample) if not declared and len(sample) >= SURE_CHARACTERS else ""
    return Document(
        title=title,
        text=text,
        url=strip_invisible(_string(row.get(f"url{suffix}"))),
        published_at=_moment(_string(row.get(f"published{suffix}"))),
        source=strip_invisible(_first(row, SOURCE_FIELDS, suffix)),
        language=check_language(declared or guessed or usual, sample),
    )


def _usual_language(rows: list[Row]) -> str:
    """The language detected from the first rows that declare none; "" if uncertain."""
    silent = (row for row in rows if not _first(row, LANGUAGE_FIELDS, ""))
    sampled = islice(silent, SAMPLED_ROWS)
    return guess_language(" ".join(_first(row, ("title", "title_1", *TEXT_FIELDS), "") for row in sampled))


def _first(row: Row, names: tuple[str, ...], suffix: str) -> str:
    return next((value for value in (_string(row.get(name + suffix)) for name in names) if value), "")


def _string(value: object) -> str:
    """Text, or a number as text; "" for null, NaN, lists and objects. 12 and 12.0 are equal."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float):
        return "" if math.isnan(value) else str(int(value) if value.is_integer() else value)
    return str(value) if isinstance(value, int) else ""


def _moment(written: str) -> datetime | None:
    found = parse_date(written)
    return found[0] if found else None
