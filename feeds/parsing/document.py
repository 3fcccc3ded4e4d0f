"""The entry point of parsing: bytes to ParsedFeed."""

import re
import sys
import zlib
from collections.abc import Callable, Collection
from dataclasses import replace

from feeds.errors import ParseError
from feeds.parsing.encoding import DecodedDocument, decode
from feeds.parsing.feed import ParsedFeed
from feeds.parsing.jsonfeed import parse_json
from feeds.parsing.sniff import sniff
from feeds.parsing.xmlfeed import parse_xml
from feeds.wording import gettext as _

MAX_INFLATED = 16 * 1024 * 1024
"""Bytes of a feed served as a gzip file, once inflated; the limit of fetching (SPEC §2)."""

MAX_TEXT = 32 * 1024 * 1024
"""Bytes of a document's text in memory. One character outside the Basic Multilingual Plane, such as an emoji, makes
Python use four bytes for each; a document that exceeds the limit is cut off."""

_GZIP = b"\x1f\x8b\x08"
_CHARSET = re.compile(r"charset\s*=\s*+[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)


def parse(
    body: bytes,
    *,
    url: str,
    content_type: str = "",
    known_hashes: Collection[int] = frozenset(),
    is_out_of_time: Callable[[], bool] = lambda: False,
) -> ParsedFeed:
    """Parse a response body in RSS, RDF, Atom or JSON Feed.

    `url` is where the body came from, the base of relative URLs. Of `content_type`, only the charset is used. Entries
    whose hash is in `known_hashes` (`ParsedFeed.raw_hashes` of an earlier call) are counted, not parsed.
    `is_out_of_time` is called now and then; once it returns True, parsing stops and returns what it has read.

    Raises ParseError with `reason` `empty`, `html`, `json`, `not_a_feed` or `unreadable`, and no other error.
    """
    if body.startswith(_GZIP):
        body = _inflate(body)
    charset = _CHARSET.search(content_type)
    document = _limit_text(decode(body, charset.group(1) if charset else ""))
    del body  # frees memory if the caller keeps no reference
    text, encoding, notes = document.text, document.encoding, document.notes
    sniffed = sniff(text)
    if sniffed.kind == "json":
        feed = parse_json(text, url=url, known_hashes=known_hashes)
    else:
        head, text = text[: sniffed.root_at], text[sniffed.root_at :]
        del document
        feed = parse_xml(head, text, url=url, known_hashes=known_hashes, is_out_of_time=is_out_of_time)
    return replace(feed, encoding=encoding, notes=(*notes, *feed.notes))


def _limit_text(document: DecodedDocument) -> DecodedDocument:
    size = sys.getsizeof(document.text)
    if size <= MAX_TEXT + 1024:  # overhead of a string
        return document
    end = len(document.text) * MAX_TEXT // size
    note = _("the document is too long; its end was not read")
    return DecodedDocument(document.text[:end], document.encoding, (*document.notes, note))


def _inflate(body: bytes) -> bytes:
    """Inflate a feed that was served as a gzip file; of a truncated one, what can be read."""
    try:
        inflated = zlib.decompressobj(wbits=31).decompress(body, MAX_INFLATED + 1)
    except zlib.error as error:
        raise ParseError(_("The document is a damaged gzip file."), reason="unreadable") from error
    if len(inflated) > MAX_INFLATED:
        raise ParseError(_("The document is a gzip file that inflates beyond the limit."), reason="unreadable")
    return inflated
