"""Known items and articles that an entry is compared with, and the decision for it. Pure data."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item that this feed delivered before under a guid, with its article's title and text.

    `fragment`: the part of the page that the article's URL points to, "" for the page. `details_hash`: of the rest of
    the entry, None if unknown.
    """

    item_id: int
    article_id: int
    guid: str
    content_hash: int
    details_hash: int | None
    url_key: bytes
    title: str
    text: str
    fragment: str = ""


class Standing(NamedTuple):
    """Whose version of an article it is; the greater one is kept."""

    is_own: bool
    is_unclaimed: bool


@dataclass(frozen=True, slots=True)
class KnownArticle:
    """An article found by its canonical URL. `is_own`: its content came from the publisher's own feed. `domain`: the
    publisher at its link, "" without a link. `is_claimed`: it came from a host that only its feed connects with the
    publisher to whom it is credited.

    `text`: its beginning, as far as it is compared; `fragment`: the part of the page that its URL points to.
    `published_at`: None if uncertain. `article_id`: None for an unsaved entry of the same document. `guids`: those
    under which the entry's own feed delivers it.
    """

    article_id: int | None
    content_hash: int
    feed_id: int | None
    is_own: bool
    word_count: int
    text_length: int
    title: str
    text: str
    fragment: str
    domain: str = ""
    is_claimed: bool = False
    published_at: datetime | None = None
    guids: frozenset[str] = frozenset()

    @property
    def standing(self) -> Standing:
        return Standing(self.is_own, not self.is_claimed)


@dataclass(frozen=True, slots=True)
class Decision:
    """A disposition with the deciding layer (`guid`, `url`, "" for none) and the evidence as text.

    `article_id` and `item_id`: None for new rows. `guid`: the one to store, which differs from the entry's if the feed
    reuses guids. `url_key`: the key of the existing or new article, b"" if the guid identifies the article.
    `takes_content`: the entry's version replaces the stored one; `keeps_revision`: the old one becomes a revision.
    `takes_date`: its date replaces the stored one, too.
    `has_new_details`: title and text are the same, but not what is known of the rest; `corrects`: it was changed.
    """

    disposition: str
    guid: str
    layer: str = ""
    evidence: str = ""
    article_id: int | None = None
    item_id: int | None = None
    url_key: bytes = b""
    takes_content: bool = False
    keeps_revision: bool = False
    takes_date: bool = False
    has_new_details: bool = False
    corrects: bool = False
