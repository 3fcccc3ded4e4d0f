"""What parsing gives: a feed and its entries as published, before normalization. Pure data, no Django."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ParsedDate:
    """A date as written (`text`) and, where feedparser understood it, as aware UTC (`parsed`, else None)."""

    text: str
    parsed: datetime | None = None


@dataclass(frozen=True, slots=True)
class ParsedMedia:
    """An enclosure, `media:content` or thumbnail. `length` in bytes, width and height in pixels; None: unknown."""

    url: str
    kind: str  # "enclosure" | "content" | "thumbnail"
    mime_type: str = ""
    length: int | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedEntry:
    """One `<item>`, `<entry>` or JSON Feed item. Empty strings mean: not there."""

    guid: str = ""
    guid_is_permalink: bool = False  # RSS guid that may serve as the link; also an Atom id that is a URL
    link: str = ""  # rel=alternate; absolute where a base allowed it
    base: str = ""  # what relative URLs in `markup` are relative to: xml:base, else the feed's own
    title: str = ""  # may hold markup or entities
    author: str = ""  # by priority: dc:creator, author/name, author, managingEditor; e-mail not yet dropped
    dates: tuple[ParsedDate, ...] = ()  # by priority: dc:date, published, updated, pubDate
    markup: str = ""  # by priority: content:encoded, Atom content, description, summary
    markup_is_text: bool = False  # plain text by declaration (Atom type=text, JSON content_text)
    summary: str = ""  # the shorter text that stands beside a full body, if both are there
    categories: tuple[str, ...] = ()
    media: tuple[ParsedMedia, ...] = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed document. `entries` leaves out those whose raw bytes the caller already knew (`n_known`)."""

    title: str = ""
    link: str = ""  # the site
    description: str = ""
    language: str = ""
    icon: str = ""
    format: str = ""  # "rss20", "rss10", "atom10", "json11", …
    encoding: str = ""
    ttl_minutes: int | None = None
    update_period: str = ""  # sy:updatePeriod, lower case
    update_frequency: int | None = None  # sy:updateFrequency
    skip_hours: frozenset[int] = frozenset()  # 0–23, UTC
    skip_days: frozenset[int] = frozenset()  # 0 = Monday
    entries: tuple[ParsedEntry, ...] = ()
    n_known: int = 0
    raw_hashes: tuple[int, ...] = ()  # 64-bit unsigned, one for each entry of the document, known ones included;
    # empty when the document could not be cut into entries safely
    well_formed: bool = True
    notes: tuple[str, ...] = ()  # what recovery did, in words for the poll's record
