"""A parsed feed and its entries as published, before normalization. Pure data, no Django."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ParsedDate:
    """A date as written (`text`), and as aware UTC if feedparser could read it (`parsed`, else None)."""

    text: str
    parsed: datetime | None = None


@dataclass(frozen=True, slots=True)
class ParsedMedia:
    """A file, or the address of a page that plays it. `length` in bytes, width and height in pixels; None if unknown.

    Those with the same `group`, not 0, are one thing in several forms; a thumbnail in a group shows that thing.
    """

    url: str
    kind: str  # "enclosure" | "content" | "thumbnail" | "player" (of Media RSS: a page, or a frame for pages)
    mime_type: str = ""
    length: int | None = None
    width: int | None = None
    height: int | None = None
    group: int = 0
    is_default: bool = False  # the form that its group recommends
    description: str = ""  # may hold markup
    seconds: int | None = None  # to play


@dataclass(frozen=True, slots=True)
class ParsedChapter:
    """A chapter of a recording; `start` as written, such as `8:26.250`."""

    start: str
    title: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The address of a transcript, or of a file with chapters, of a recording."""

    url: str
    mime_type: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class ParsedEntry:
    """One `<item>`, `<entry>` or JSON Feed item. Missing values are empty strings."""

    guid: str = ""
    link: str = ""  # rel=alternate, else the comments; absolute if there is a base
    related_url: str = ""  # of the page that it is about, beside its own: JSON's external_url, Atom's rel=related
    base: str = ""  # xml:base of relative URLs in `markup`, "" if there is none
    title: str = ""  # may hold markup or entities
    author: str = ""  # by priority: dc:creator, author/name, author, managingEditor; may include an email address
    dates: tuple[ParsedDate, ...] = ()  # by priority: dc:date, published, updated, pubDate
    markup: str = ""  # by priority: content:encoded, Atom content, description, summary
    markup_is_text: bool = False  # declared as plain text (Atom type=text, JSON content_text)
    summary: str = ""  # the shorter text, if there is one beside a full body
    categories: tuple[str, ...] = ()
    media: tuple[ParsedMedia, ...] = ()
    chapters: tuple[ParsedChapter, ...] = ()  # Podlove Simple Chapters
    chapters_file: ParsedText | None = None  # podcast:chapters
    transcripts: tuple[ParsedText, ...] = ()  # podcast:transcript
    language: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed document. `entries` leaves out the `n_known` entries whose raw bytes the caller already knows."""

    title: str = ""
    link: str = ""  # the site
    description: str = ""
    language: str = ""
    icon: str = ""
    hubs: tuple[str, ...] = ()  # WebSub hubs it names, absolute
    self_url: str = ""  # its own address, by which hubs know it
    new_url: str = ""  # where it says it moved (itunes:new-feed-url), absolute
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
    # empty when the document could not be split safely
    well_formed: bool = True
    notes: tuple[str, ...] = ()  # repairs, described for the poll's record
