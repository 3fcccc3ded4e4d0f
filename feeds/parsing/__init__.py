"""Parses bytes into a `ParsedFeed` (SPEC §4): encoding, repair, feedparser, JSON Feed. Pure: no Django, no network."""

from feeds.parsing.document import parse
from feeds.parsing.feed import ParsedChapter, ParsedDate, ParsedEntry, ParsedFeed, ParsedMedia, ParsedText

__all__ = ["ParsedChapter", "ParsedDate", "ParsedEntry", "ParsedFeed", "ParsedMedia", "ParsedText", "parse"]
