"""Reading what is no XML (SPEC §4, recovery 2): two tolerant parsers, and the reading that found more.

libxml2 in recovery mode closes what was left open and goes on: best for a document with some wrong tags.
feedparser's SGML parser takes start and end tags as they come: best for tag soup. Neither is best for all, and
which one it is shows only in what they find. Both are bounded: libxml2 stops at 256 levels, feedparser's parser
is given no more than `MAX_LOOSE` characters, because it is slow.
"""

from collections.abc import Sequence
from typing import Any

from lxml import etree

from feeds.parsing.strict import read_strictly
from feeds.parsing.vocabulary import READER_FAILURES, LooseReader, TooManyElements

MAX_LOOSE = 2_000_000  # characters; about 10 s of CPU at worst


def read_tolerantly(text: str) -> Any | None:
    """The reader (feedparser's handlers) that found more in the document; None when neither found anything."""
    readings = [reader for reader in (_read_by_libxml2(text), _read_loosely(text)) if reader is not None]
    best = max(readings, key=_amount, default=None)
    return best if best is not None and any(_amount(best)) else None


def _read_by_libxml2(text: str) -> Any | None:
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except (etree.LxmlError, ValueError):
        return None
    if root is None:
        return None
    # As bytes: libxml2 lets a lone surrogate into a namespace, and its own text would not decode.
    document = etree.tostring(root, encoding="utf-8", xml_declaration=False, with_tail=False)
    return read_strictly(document.decode("utf-8", "replace")).reader


def _read_loosely(text: str) -> Any | None:
    reader = LooseReader("", None, "utf-8", {})
    try:
        reader.feed(text[:MAX_LOOSE])
    except (TooManyElements, *READER_FAILURES):
        return reader if reader.entries else None
    return reader


def _amount(reader: Any) -> tuple[int, int, int]:
    """How much was found: entries, titles and links of entries and feed, characters of text."""
    contexts: Sequence[dict[str, Any]] = [reader.feeddata, *reader.entries]
    named = sum(bool(dict.get(context, "title")) + bool(dict.get(context, "link")) for context in contexts)
    text = sum(len(value) for context in contexts for value in context.values() if isinstance(value, str))
    return len(reader.entries), named, text
