"""A normalized entry, ready to be compared and stored. Pure data, no Django."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

PREVIEW, PLAYER = "preview", "player"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a recording: where it starts, in seconds, its title, and the address it links to, if any."""

    start: float
    title: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A transcript of a recording, or a file with its chapters: an absolute http(s) URL; type and language if known."""

    url: str
    mime_type: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Media:
    """An attached file or image: absolute http(s) URL, MIME type ("" if unknown), bytes, pixels (None if unknown).

    `use`: "" for a file of the entry; PREVIEW for an image that stands for the entry where it has no other (a
    thumbnail, or the first image of the body); PLAYER for the address of a page that plays the entry.
    """

    url: str
    mime_type: str = ""
    length: int | None = None
    width: int | None = None
    height: int | None = None
    use: str = ""
    description: str = ""  # of a picture, for who can't see it; a recording's title
    seconds: int | None = None  # to play
    poster: str = ""  # the address of the image of a recording
    chapters: tuple[Chapter, ...] = ()
    chapters_file: TextFile | None = None
    transcripts: tuple[TextFile, ...] = ()

    def stored(self) -> dict[str, Any]:
        """The values as they are stored, without empty ones except `use`."""
        return {"use": self.use} | {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class Draft:
    """A normalized entry (SPEC §5)."""

    guid: str  # 1–255 characters, unique within its feed by intent
    published_guid: str  # "" for none; differs from `guid` if it identifies nothing
    url: str  # as published, absolute; "" when the entry has none
    canonical_url: str  # the link to open, without trackers; "" when there is no URL
    url_key: bytes  # 16 bytes, of its article if that is new: the page's or another one (`feeds.normalizing.identity`)
    page_key: bytes  # equal for URLs of one page; `own_key` when there is no URL
    own_key: bytes  # of an article that only this feed can deliver
    domain: str  # publisher at the URL, else at the feed
    title: str  # plain text, never empty (first line of the text when the entry has none)
    author: str
    published_at: datetime  # aware, UTC
    date_uncertain: bool
    markup: str  # as published, not safe
    markup_is_text: bool
    base_url: str  # base of relative URLs in the markup; "" when that is the entry's own URL
    text: str  # plain text of the body
    summary: str  # at most 500 characters, whole words
    language: str  # ISO 639-1, "" unknown
    word_count: int  # words, plus characters in scripts without spaces
    reading_seconds: int
    partial_content: bool
    categories: tuple[str, ...]
    media: tuple[Media, ...]
    content_hash: int  # signed 64 bit, of title and text
    details_hash: int  # signed 64 bit, of link, author, date, categories, media and markup
    placed_at: datetime | None = None  # where it is in lists by date, if that isn't its date

    @property
    def has_guid(self) -> bool:
        """Whether the publisher's guid identifies it; else its link and title do."""
        return self.guid == self.published_guid
