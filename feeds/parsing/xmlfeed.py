"""Parses RSS, RDF and Atom from decoded text, with recovery in the order of SPEC §4.

Recovery 1 repairs the text and reads it as XML. Recovery 2 reads it with two tolerant parsers and uses the reading that
found more: libxml2 in recovery mode closes open elements, which is best for a few wrong tags; feedparser's SGML parser
takes tags as they come, which is best for tag soup. If neither finds anything, parsing fails. A truncated document
gives its complete entries.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from feeds.errors import ParseError
from feeds.parsing.doctype import expand_entities, read_doctype
from feeds.parsing.entry_splitting import SplitDocument, split_entries
from feeds.parsing.expat_reader import StrictReading, is_well_formed, read_strictly
from feeds.parsing.feed import ParsedFeed
from feeds.parsing.feedparser_handlers import READER_FAILURES, LooseReader, TooManyElements, outer_base
from feeds.parsing.from_feedparser import feed_from
from feeds.parsing.repair import repair
from feeds.wording import gettext as _

MAX_LOOSE = 2_000_000  # characters for feedparser's slow SGML parser; up to 10 s of CPU
_OUTSIDE_ROOT = re.compile(r"(?:<\?.*?\?>|<!--.*?-->|\s)*+(?:<!DOCTYPE.*)?", re.DOTALL)
_LAST_ENTRY_END = re.compile(r".*</(?:[\w.-]+:)?(?:item|entry)\s*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The state of feedparser's handlers, the split document, the number of known entries left out, and notes."""

    reader: Any
    split: SplitDocument | None = None
    n_known: int = 0
    is_well_formed: bool = True
    is_complete: bool = True  # the document was read to its end as XML, perhaps after repairs
    notes: tuple[str, ...] = ()


def parse_xml(
    head: str, text: str, *, url: str, known_hashes: Collection[int], is_out_of_time: Callable[[], bool] = lambda: False
) -> ParsedFeed:
    """Parse the feed in `text`, which begins at the root element, after `head`.

    Raises ParseError (`unreadable`), also if it has no entry and is not a complete feed without entries.
    """
    declared = read_doctype(head)
    document = expand_entities(text, declared.entities)
    notes = [_("text before the feed was dropped")] if _is_junk(head) else []
    if any(not value for value in declared.entities.values()):
        notes.append(_("external or parameter entities were not read"))
    reading = _read(document, url=url, known_hashes=known_hashes, is_out_of_time=is_out_of_time)
    entries = _closed_entries(reading)
    if not entries and not reading.n_known and not reading.is_complete:
        raise ParseError(_("Nothing in the document could be read."), reason="unreadable")
    version = "rss091n" if declared.is_netscape else str(reading.reader.version or "")
    feed = feed_from(reading.reader.feeddata, entries, url=url, version=version)
    return replace(
        feed,
        n_known=reading.n_known,
        raw_hashes=reading.split.hashes if reading.split else (),
        well_formed=reading.is_well_formed and not _is_junk(head),
        notes=(*notes, *reading.notes),
    )


def _is_junk(head: str) -> bool:
    """Whether there is text before the root that XML doesn't allow, including anything before `<?xml`."""
    return _OUTSIDE_ROOT.fullmatch(head) is None or bool(re.search(r"(?<!\A)<\?xml\s", head))


def _read(document: str, *, url: str, known_hashes: Collection[int], is_out_of_time: Callable[[], bool]) -> _Reading:
    whole = _read_unknown(document, url=url, known_hashes=known_hashes, is_out_of_time=is_out_of_time)
    if whole is not None:
        return whole
    repaired = repair(document)
    reading = _read_unknown(repaired.text, url=url, known_hashes=known_hashes, is_out_of_time=is_out_of_time)
    if reading is not None:
        return replace(reading, is_well_formed=False, notes=(*repaired.notes, *reading.notes))
    reader = read_tolerantly(_without_open_tail(repaired.text), is_out_of_time, url=url)
    if reader is None:
        raise ParseError(_("The document is too broken to read."), reason="unreadable")
    notes = (*repaired.notes, _("read with a tolerant parser"))
    return _Reading(reader, is_well_formed=False, is_complete=False, notes=notes)


def _read_unknown(
    document: str, *, url: str, known_hashes: Collection[int], is_out_of_time: Callable[[], bool]
) -> _Reading | None:
    """Read the entries that are not known; None when the document is not well-formed."""
    split = split_entries(document, url=url)
    n_known = sum(value in known_hashes for value in split.hashes) if split and known_hashes else 0
    if split is not None and n_known and is_well_formed(document):
        reading = read_strictly(split.without(known_hashes), is_out_of_time, url=url)
        if not reading.stopped_by and len(reading.reader.entries) + n_known == len(split.hashes):
            return _Reading(reading.reader, split, n_known)
    reading = read_strictly(document, is_out_of_time, url=url)
    if not reading.stopped_by:
        is_split_right = split is not None and len(reading.reader.entries) == len(split.hashes)
        return _Reading(reading.reader, split if is_split_right else None)
    return _stopped(reading)


def _stopped(reading: StrictReading) -> _Reading | None:
    if reading.stopped_by == "cut off" and (reading.reader.entries or reading.reader.feeddata):
        notes = (_("the document is cut off"),)
        return _Reading(reading.reader, is_well_formed=False, is_complete=False, notes=notes)
    if reading.stopped_by == "too long":
        return _Reading(reading.reader, notes=(_("the document is too long; its end was not read"),))
    return None


def _closed_entries(reading: _Reading) -> Sequence[dict[str, Any]]:
    """Return all entries except one that was cut off."""
    entries: list[dict[str, Any]] = reading.reader.entries
    return entries[:-1] if reading.reader.has_open_entry else entries


def _without_open_tail(text: str) -> str:
    """Cut a truncated document after its last closed entry, because tolerant parsers would close an open one."""
    if re.search(r"</(?:[\w.-]+:)?(?:rss|feed|rdf|channel)\s*>\s*\Z", text, re.IGNORECASE):
        return text
    match = _LAST_ENTRY_END.match(text)
    return match.group() if match else text


def read_tolerantly(text: str, is_out_of_time: Callable[[], bool] = lambda: False, *, url: str = "") -> Any | None:
    """Return the reader (feedparser's handlers) that found more in the document; None when neither found anything."""
    readings = [
        reader
        for reader in (_read_by_libxml2(text, is_out_of_time, url), _read_loosely(text, is_out_of_time, url))
        if reader is not None
    ]
    best = max(readings, key=_count_read, default=None)
    return best if best is not None and any(_count_read(best)) else None


def _read_by_libxml2(text: str, is_out_of_time: Callable[[], bool], url: str) -> Any | None:
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except (etree.LxmlError, ValueError):
        return None
    if root is None:
        return None
    # As bytes: libxml2 accepts a lone surrogate in a namespace, which its text output can't encode.
    document = etree.tostring(root, encoding="utf-8", xml_declaration=False, with_tail=False)
    return read_strictly(document.decode("utf-8", "replace"), is_out_of_time, url=url).reader


def _read_loosely(text: str, is_out_of_time: Callable[[], bool], url: str) -> Any | None:
    reader = LooseReader(outer_base(text, url), None, "utf-8", {})
    reader.is_out_of_time = is_out_of_time
    try:
        reader.feed(text[:MAX_LOOSE])
    except (TooManyElements, *READER_FAILURES):
        return reader if reader.entries else None
    return reader


def _count_read(reader: Any) -> tuple[int, int, int]:
    """Count entries, titles and links of entries and feed, and characters of text."""
    contexts: Sequence[dict[str, Any]] = [reader.feeddata, *reader.entries]
    named = sum(bool(dict.get(context, "title")) + bool(dict.get(context, "link")) for context in contexts)
    text = sum(len(value) for context in contexts for value in context.values() if isinstance(value, str))
    return len(reader.entries), named, text
