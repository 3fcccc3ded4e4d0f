"""Parses bytes into a `ParsedFeed` (SPEC §4): encoding, repair, feedparser, JSON Feed. Pure: no Django, no network."""

from feeds.parsing.document import parse
from feeds.parsing.feed import ParsedDate, ParsedEntry, ParsedFeed, ParsedMedia

__all__ = ["ParsedDate", "ParsedEntry", "ParsedFeed", "ParsedMedia", "parse"]
