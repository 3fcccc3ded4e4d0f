"""What deduplication knows about an entry's rivals, and what it decides. Pure data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownItem:
    """What this feed delivered before under a guid: article, hash of its content, and that article's words to compare.

    `fragment` names the part of the page that the article's URL points to, "" for the page. Both ids are None for an
    entry of the same document that is not stored yet.
    """

    item_id: int | None
    article_id: int | None
    guid: str
    content_hash: int
    url_key: bytes
    title: str
    text: str
    fragment: str = ""


@dataclass(frozen=True, slots=True)
class KnownArticle:
    """An article found by its canonical URL. `is_own`: its content came from a feed of the article's own domain.

    `text` is its beginning, as far as it is compared; `fragment` the part of the page that its URL points to.
    `article_id` is None for one of the same document that is not stored yet.
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


@dataclass(frozen=True, slots=True)
class Decision:
    """A disposition with the layer that decided (`guid`, `url`, "" for none) and the evidence in words.

    `article_id` and `item_id` are None for what is not stored yet. `guid` is the one to store, which differs from the
    entry's when the feed reuses guids. `url_key` is the one under which the article is found or to be stored, b"" where
    an earlier delivery under the guid tells the article. `takes_content`: the entry's version replaces the stored one;
    `keeps_revision`: and the replaced one is kept.
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
