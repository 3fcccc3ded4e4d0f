"""Reads the outlines of an OPML document as a stream of starts and ends with line numbers.

A well-formed document is read with expat, whose streaming makes nesting cheap and lines exact. Other documents are read
tag by tag: where a tag begins, its attributes up to the next tag, whether it closes itself. Observed in files: bare `&`
and `<` in titles, HTML entities, quotes inside quoted titles, missing quotes, control characters, missing `</outline>`,
downloads cut off within a tag, two documents in one file. Rejected: a tree parser in recovery mode, which silently
drops `&` from titles and the URL after a stray quote, and keeps 254 of 5,000 outlines when none is closed.

The DOCTYPE is dropped before parsing, so no entity is ever defined, expanded or fetched.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from feeds.errors import ImportFileError
from feeds.wording import format_number
from feeds.wording import gettext as _

MAX_OUTLINES = 50_000  # the same as sources in a feeds.yaml
MAX_MARKS = 3 * MAX_OUTLINES  # starts, ends, and as many comments
MAX_ATTRIBUTES = 64  # of a tag in a malformed document; real ones have a dozen
_PROLOG = re.compile(r"\s*<\?xml[^>]{0,500}>\s*|\s+")
_DOCTYPE = re.compile(r"<!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*')*+(?:\[.*?\]\s*)?>", re.DOTALL)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MARK = re.compile(
    r"<!--|<!\[CDATA\[|<(?P<close>/?)(?:[\w.-]{1,64}:)?(?P<name>outline|title|body|opml)\b", re.IGNORECASE
)
_ROOT = re.compile(r"<(?![!?/])(?:[\w.-]{1,64}:)?([\w.-]{1,64})")
_SPACE = re.compile(r"\s*+")
_NAME = re.compile(r"([A-Za-z_][\w:.-]*+)\s*+(=)?\s*+")
_BARE_VALUE = re.compile(r"[^\s>\"']*")
_AFTER_VALUE = re.compile(r"\s*+(?:/?\s*>|/?\s*$|(?:[\w:.-]++\s++)?[\w:.-]++\s*+=)")
_SWALLOWED = re.compile(r"\s(?:xmlurl|htmlurl|url|text|title|type)\s?=\s?$", re.IGNORECASE)
_SWALLOWED_LENGTH = 12  # its longest match
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


@dataclass(frozen=True, slots=True)
class OutlineStart:
    """An `<outline>`; attribute names in lower case, prefixes kept. `is_damaged`: its tag never ends."""

    line: int
    attributes: dict[str, str]
    is_damaged: bool = False


@dataclass(frozen=True, slots=True)
class OutlineEnd:
    """The `</outline>` of the last open start."""


@dataclass(slots=True)
class Outlines:
    """`root` is the root element's local name in lower case, "" for none; `notes` describe repairs."""

    root: str = ""
    title: str = ""
    events: list[OutlineStart | OutlineEnd] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_outlines(text: str) -> Outlines:
    """Return all outlines in document order; none if the document isn't OPML. Raises ImportFileError for too many."""
    prolog = _PROLOG.match(text)
    skipped = prolog.end() if prolog else 0
    text = "\n" * text.count("\n", 0, skipped) + text[skipped:]
    text = _without_doctype(text)
    try:
        return _read_strictly(text)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        outlines = _read_tag_by_tag(text)
        if outlines.events:
            outlines.notes.insert(
                0,
                _("Malformed XML (%(reason)s, line %(line)s); read tag by tag instead.")
                % {"reason": reason, "line": error.lineno},
            )
        return outlines


def _without_doctype(text: str) -> str:
    """Return `text` without the DOCTYPE, keeping its line breaks; an unclosed one leaves the document malformed."""
    begin = text.find("<!DOCTYPE")
    if begin < 0:
        return text
    doctype = _DOCTYPE.match(text, begin)
    end = doctype.end() if doctype else begin + len("<!DOCTYPE")
    return text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]


def _read_strictly(text: str) -> Outlines:
    outlines = Outlines()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    path: list[str] = []
    title: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        path.append(name.rpartition(":")[2].lower())
        if path[-1] == "outline" and len(outlines.events) <= 2 * MAX_OUTLINES:
            named = {key.lower(): value for key, value in reversed(attributes.items())}
            outlines.events.append(OutlineStart(parser.CurrentLineNumber, named))
        elif len(path) == 1:
            outlines.root = path[0]

    def end(name: str) -> None:
        if path.pop() == "outline" and len(outlines.events) <= 2 * MAX_OUTLINES:
            outlines.events.append(OutlineEnd())

    def characters(data: str) -> None:
        if path[1:] == ["head", "title"]:
            title.append(data)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.Parse(text, True)
    outlines.title = "".join(title)
    return _limited(outlines)


def too_many_outlines() -> ImportFileError:
    """The error for a list above the limit."""
    text = _("The list has more than %(n)s outlines. Split it and try again.")
    return ImportFileError(text % {"n": format_number(MAX_OUTLINES)})


def _limited(outlines: Outlines) -> Outlines:
    if len(outlines.events) > 2 * MAX_OUTLINES:
        raise too_many_outlines()
    return outlines


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag: `ending` is `>`, `/>`, "" if it is unclosed, or `</` for an end tag."""

    line: int
    attributes: dict[str, str]
    ending: str

    @property
    def is_open_feed(self) -> bool:
        return self.ending == ">" and "xmlurl" in self.attributes

    @property
    def is_open_folder(self) -> bool:
        return self.ending == ">" and "xmlurl" not in self.attributes


def _read_tag_by_tag(text: str) -> Outlines:
    text = _FORBIDDEN.sub("", text)
    root = _ROOT.search(text)
    outlines = Outlines(root=root[1].lower() if root else "")
    tags: list[_Tag] = []
    line, counted = 1, 0
    marks = list(_marks(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends[: len(marks)], strict=True):
        segment = text[mark.end() : end]
        line, counted = line + text.count("\n", counted, mark.start()), mark.start()
        name = mark["name"].lower()
        if name == "outline":
            tags.append(_Tag(line, {}, "</") if mark["close"] else _Tag(line, *_attributes(segment)))
        elif name == "title" and not (mark["close"] or outlines.title or tags):
            outlines.title = _decoded(segment.partition(">")[2])
    outlines.events = list(_with_ends(tags))
    return _limited(outlines)


def _with_ends(tags: list[_Tag]) -> Iterator[OutlineStart | OutlineEnd]:
    """Yield starts and ends; where end tags are missing, a feed ends at once, because only folders contain others.

    With no more end tags than folders, no feed is assumed to have one; otherwise those directly followed by one.
    """
    closings = sum(tag.ending == "</" for tag in tags)
    folders = sum(tag.is_open_folder for tag in tags)
    some_are_missing = closings < folders + sum(tag.is_open_feed for tag in tags)
    for index, tag in enumerate(tags):
        if tag.ending == "</":
            yield OutlineEnd()
            continue
        yield OutlineStart(tag.line, tag.attributes, is_damaged=not tag.ending)
        is_empty = closings > folders and index + 1 < len(tags) and tags[index + 1].ending == "</"
        if tag.ending in ("/>", "") or (tag.is_open_feed and some_are_missing and not is_empty):
            yield OutlineEnd()


def _marks(text: str) -> Iterator[re.Match[str]]:
    """Yield the tags outside comments and CDATA; an unclosed comment is ignored."""
    position = 0
    endless: set[str] = set()
    for _number in range(MAX_MARKS):
        match = _MARK.search(text, position)
        if match is None:
            return
        position = match.end()
        closing = {"<!--": "-->", "<![CDATA[": "]]>"}.get(match[0].upper())
        if closing is None:
            yield match
        elif closing not in endless:
            end = text.find(closing, position)
            if end < 0:
                endless.add(closing)
            else:
                position = end + len(closing)


def _attributes(segment: str) -> tuple[dict[str, str], str]:
    """Return the attributes at the start of `segment` and the tag's ending: `>`, `/>`, or "" if it is unclosed."""
    attributes: dict[str, str] = {}
    position = 0
    while position < len(segment) and len(attributes) < MAX_ATTRIBUTES:
        if segment[position].isspace() and (space := _SPACE.match(segment, position)):
            position = space.end()
            continue
        if segment.startswith(("/>", ">"), position):
            return attributes, "/>" if segment[position] == "/" else ">"
        match = _NAME.match(segment, position)
        if match is None:
            position += 1
        elif match[2] is None:
            position = match.end()
        else:
            value, position = _value(segment, match.end())
            if value is None:
                return attributes, ""
            attributes.setdefault(match[1].lower(), _decoded(value))
    return attributes, ""


def _value(segment: str, position: int) -> tuple[str | None, int]:
    """Return the attribute value at `position` and its end; None if its quote is never closed."""
    quote = segment[position : position + 1]
    if quote not in ('"', "'"):
        match = _BARE_VALUE.match(segment, position)
        return (match[0], match.end()) if match else (None, position)
    begin, end = position + 1, segment.find(quote, position + 1)
    while end >= 0:
        if _AFTER_VALUE.match(segment, end + 1):
            return segment[begin:end], end + 1
        swallowed = _SWALLOWED.search(segment, max(begin, end - _SWALLOWED_LENGTH), end)
        if swallowed:
            return segment[begin : swallowed.start()], swallowed.start()
        end = segment.find(quote, end + 1)
    return None, len(segment)


def _decoded(value: str) -> str:
    """Return `value` with complete character references resolved; a bare `&` or `&copy=1` in a URL stays."""
    return _REFERENCE.sub(lambda match: html.unescape(match[0]), value)
