"""Detects the type of a decoded document from its content alone; the Content-Type is ignored."""

import re
from dataclasses import dataclass
from typing import Literal

from feeds.errors import ParseError
from feeds.parsing.doctype import DOCTYPE_START, end_of_doctype
from feeds.wording import gettext as _

_IGNORED = r"<\?(?:.*?\?>|.*)|<!--(?:.*?-->|.*)"
_SKIPPED = re.compile(r"\s+|" + _IGNORED, re.DOTALL)
_TAG = re.compile(_IGNORED + r"|<([A-Za-z_][\w.:-]*)", re.DOTALL)
_MARKUP = re.compile(_IGNORED + r"|<([A-Za-z_!][\w.:-]*)", re.DOTALL)
_FEED_ROOTS = frozenset({"rss", "feed", "rdf", "channel"})
_ROOT_WITH_EVIDENCE = re.compile(r"<rss\s[^<>]*\bversion\s*=|<feed\s[^<>]*\bxmlns\s*=|<rdf:RDF\s[^<>]*\bxmlns", re.I)
_HTML_NAMES = "html head body title meta link script style div p h1 h2 table br b center font span a"
_HTML_ELEMENTS = frozenset(_HTML_NAMES.split())
_HTML_START = re.compile(r"<html\b", re.IGNORECASE)
_HTML_DOCTYPE = re.compile(r"<!doctype\s+html\b", re.IGNORECASE)
_JSON_FEED = "jsonfeed.org/version/1"
_MAX_CONTROL_SHARE = 0.1  # of the characters of a text


@dataclass(frozen=True, slots=True)
class SniffedDocument:
    """`xml`: the feed's root element is at `root_at`; `json`: the text may be JSON."""

    kind: Literal["xml", "json"]
    root_at: int = 0


def sniff(text: str) -> SniffedDocument:
    """Return the type of a feed document and where the feed starts.

    Raises ParseError: `empty`, `html` (a page, even one that quotes a feed), `unreadable` (not text), `not_a_feed`
    (other text, or other XML such as OPML).
    """
    start = _first_content(text)
    if start == len(text):
        raise ParseError(_("The document is empty."), reason="empty")
    if text[start] in "{[":
        return SniffedDocument("json")
    if _HTML_START.match(text, start):
        raise _page_error()
    root_at = _find_root(text, start)
    if root_at is not None:
        return SniffedDocument("xml", root_at)
    if _JSON_FEED in text:  # after a comment, a warning, or a guard against being read as a script
        return SniffedDocument("json")
    raise _error_for(text)


def _first_content(text: str) -> int:
    """Return the position after white space, comments, processing instructions and the document type declaration."""
    position = _skip(text, 0)
    first = next((match for match in _MARKUP.finditer(text, position) if match.group(1)), None)
    if first is not None and DOCTYPE_START.match(text, first.start()):
        return _skip(text, end_of_doctype(text, first.start()))
    return position


def _skip(text: str, position: int) -> int:
    while match := _SKIPPED.match(text, position):
        position = match.end()
    return position


def _find_root(text: str, start: int) -> int | None:
    """Find the start tag of a feed: the first element, or a whole feed after a server's error page."""
    is_first = True
    for match in _TAG.finditer(text, start):
        name = match.group(1)
        if name is None:
            continue
        if name.rpartition(":")[2].lower() in _FEED_ROOTS and (
            is_first or _ROOT_WITH_EVIDENCE.match(text, match.start())
        ):
            return match.start()
        if is_first and _HTML_DOCTYPE.search(text, 0, match.start()):
            return None
        is_first = False
    return None


def _page_error() -> ParseError:
    return ParseError(_("The document is a web page, not a feed."), reason="html")


def _error_for(text: str) -> ParseError:
    head = text[:20_000]
    n_control = sum((character < " " and character not in "\t\n\r\f") or character == "\ufffd" for character in head)
    if n_control > _MAX_CONTROL_SHARE * len(head):
        return ParseError(_("The document is not text."), reason="unreadable")
    first = next((match for match in _TAG.finditer(head) if match.group(1)), None)
    is_page = first is not None and first.group(1).lower() in _HTML_ELEMENTS
    if is_page or _HTML_DOCTYPE.search(head):
        return _page_error()
    return ParseError(_("The document is neither RSS, Atom nor JSON Feed."), reason="not_a_feed")
