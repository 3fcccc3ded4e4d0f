"""A normalized entry, ready to be compared and stored. Pure data, no Django."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Media:
    """An attached file or image: absolute http(s) URL, MIME type ("" if unknown), bytes, pixels (None if unknown)."""

    url: str
    mime_type: str = ""
    length: int | None = None
    width: int | None = None
    height: int | None = None


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

    @property
    def has_guid(self) -> bool:
        """Whether the publisher's guid identifies it; else its link and title do."""
        return self.guid == self.published_guid
