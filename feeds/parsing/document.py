"""Bytes in, ParsedFeed out: the one entrance to parsing."""

import re
import zlib
from collections.abc import Collection
from dataclasses import replace

from feeds.errors import ParseError
from feeds.parsing.encoding import decode
from feeds.parsing.feed import ParsedFeed
from feeds.parsing.jsonfeed import parse_json
from feeds.parsing.sniff import sniff
from feeds.parsing.xmlfeed import parse_xml
from feeds.wording import gettext as _

MAX_INFLATED = 16 * 1024 * 1024
"""Bytes of a gzip file served as such, once inflated; as much as fetching lets through (SPEC §2)."""

_GZIP = b"\x1f\x8b\x08"
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)


def parse(body: bytes, *, url: str, content_type: str = "", known_hashes: Collection[int] = frozenset()) -> ParsedFeed:
    """The feed in a response body, in whatever of RSS, RDF, Atom or JSON Feed it is written.

    `url` is where the body came from; relative addresses hang on it. Of `content_type` only the charset is used.
    Entries whose hash is in `known_hashes` (`ParsedFeed.raw_hashes` of an earlier call) are counted, not parsed.

    Raises ParseError with `reason` `empty`, `html`, `json`, `not_a_feed` or `unreadable`; nothing else, whatever
    the bytes.
    """
    if body.startswith(_GZIP):
        body = _inflate(body)
    charset = _CHARSET.search(content_type)
    document = decode(body, charset.group(1) if charset else "")
    sniffed = sniff(document.text)
    if sniffed.kind == "json":
        feed = parse_json(document.text, url=url, known_hashes=known_hashes)
    else:
        feed = parse_xml(document.text, sniffed.root_at, url=url, known_hashes=known_hashes)
    return replace(feed, encoding=document.encoding, notes=(*document.notes, *feed.notes))


def _inflate(body: bytes) -> bytes:
    """A gzip file that a server sent as if it were the feed; of a truncated one, what can be read."""
    try:
        inflated = zlib.decompressobj(wbits=31).decompress(body, MAX_INFLATED + 1)
    except zlib.error as error:
        raise ParseError(_("The document is a damaged gzip file."), reason="unreadable") from error
    if len(inflated) > MAX_INFLATED:
        raise ParseError(_("The document is a gzip file that inflates beyond the limit."), reason="unreadable")
    return inflated
