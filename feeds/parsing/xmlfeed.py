"""RSS, RDF and Atom: from the decoded text to a ParsedFeed, with recovery in the order of SPEC §4.

Recovery 1 repairs the text and reads it as XML; recovery 2 reads it with a tolerant parser; if that finds nothing,
the document is a parse failure. A document that only lost its tail gives the entries that were complete.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from feeds.errors import ParseError
from feeds.parsing.doctype import expand_entities, read_doctype
from feeds.parsing.feed import ParsedFeed
from feeds.parsing.mapping import feed_from
from feeds.parsing.repair import repair
from feeds.parsing.segments import CutDocument, cut
from feeds.parsing.strict import StrictReading, is_well_formed, read_strictly
from feeds.parsing.tolerant import read_tolerantly
from feeds.wording import gettext as _

_OUTSIDE_ROOT = re.compile(r"<\?.*?\?>|<!--.*?-->|<!DOCTYPE.*|\s+", re.DOTALL)
_LAST_ENTRY_END = re.compile(r".*</(?:[\w.-]+:)?(?:item|entry)\s*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What reading found, and how: the handlers' state, the document as cut, entries left out as known, notes."""

    reader: Any
    cut_document: CutDocument | None = None
    n_known: int = 0
    is_well_formed: bool = True
    notes: tuple[str, ...] = ()


def parse_xml(text: str, root_at: int, *, url: str, known_hashes: Collection[int]) -> ParsedFeed:
    """The feed whose root element begins at `root_at`. Raises ParseError (`unreadable`)."""
    head = text[:root_at]
    declared = read_doctype(head)
    document = expand_entities(text[root_at:], declared.entities)
    notes = [_("text before the feed was dropped")] if _is_junk(head) else []
    if any(not value for value in declared.entities.values()):
        notes.append(_("external or parameter entities were not read"))
    reading = _read(document, url=url, known_hashes=known_hashes)
    version = "rss091n" if declared.is_netscape else str(reading.reader.version or "")
    feed = feed_from(reading.reader.feeddata, _closed_entries(reading), url=url, version=version)
    return replace(
        feed,
        n_known=reading.n_known,
        raw_hashes=reading.cut_document.hashes if reading.cut_document else (),
        well_formed=reading.is_well_formed and not _is_junk(head),
        notes=(*notes, *reading.notes),
    )


def _is_junk(head: str) -> bool:
    """Whether something stands before the root that XML does not allow there, anything before `<?xml` included."""
    return bool(_OUTSIDE_ROOT.sub("", head)) or bool(re.search(r"(?<!\A)<\?xml\s", head))


def _read(document: str, *, url: str, known_hashes: Collection[int]) -> _Reading:
    whole = _read_unknown(document, url=url, known_hashes=known_hashes)
    if whole is not None:
        return whole
    repaired = repair(document)
    mended = _read_unknown(repaired.text, url=url, known_hashes=known_hashes)
    if mended is not None:
        return replace(mended, is_well_formed=False, notes=(*repaired.notes, *mended.notes))
    reader = read_tolerantly(_without_open_tail(repaired.text))
    if reader is None:
        raise ParseError(_("The document is broken beyond repair."), reason="unreadable")
    return _Reading(reader, is_well_formed=False, notes=(*repaired.notes, _("read by a tolerant parser")))


def _read_unknown(document: str, *, url: str, known_hashes: Collection[int]) -> _Reading | None:
    """The entries that are not known; None when the document is not well-formed."""
    cut_document = cut(document, url=url)
    n_known = sum(value in known_hashes for value in cut_document.hashes) if cut_document and known_hashes else 0
    if cut_document is not None and n_known and is_well_formed(document):
        reading = read_strictly(cut_document.without(known_hashes))
        if not reading.stopped_by and len(reading.reader.entries) + n_known == len(cut_document.hashes):
            return _Reading(reading.reader, cut_document, n_known)
    reading = read_strictly(document)
    if not reading.stopped_by:
        is_cut_right = cut_document is not None and len(reading.reader.entries) == len(cut_document.hashes)
        return _Reading(reading.reader, cut_document if is_cut_right else None)
    return _stopped(reading)


def _stopped(reading: StrictReading) -> _Reading | None:
    if reading.stopped_by == "cut off" and (reading.reader.entries or reading.reader.feeddata):
        return _Reading(reading.reader, is_well_formed=False, notes=(_("the document ends in the middle"),))
    if reading.stopped_by == "too long":
        return _Reading(reading.reader, notes=(_("the document is too long: its end was not read"),))
    return None


def _closed_entries(reading: _Reading) -> Sequence[dict[str, Any]]:
    """All entries but one that the cut of the document went through."""
    entries: list[dict[str, Any]] = reading.reader.entries
    return entries[:-1] if reading.reader.has_open_entry else entries


def _without_open_tail(text: str) -> str:
    """The document up to its last closed entry, if it lost its end: tolerant parsers would close a torn entry."""
    if re.search(r"</(?:[\w.-]+:)?(?:rss|feed|rdf|channel)\s*>\s*\Z", text, re.IGNORECASE):
        return text
    match = _LAST_ENTRY_END.match(text)
    return match.group() if match else text
