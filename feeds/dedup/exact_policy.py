"""Layers 1 and 2: guid within the feed, then canonical URL across feeds. Pure.

Theory. A guid is the most reliable sign that two deliveries are one entry, but only within its feed: guids such as "1"
or "post-12" occur in thousands of feeds. Some feeds reuse a guid for a different entry (or use one for all entries);
then title, text and URL all differ. A canonical URL is one page, so all links to it are about the same article.

Except for pages with parts: the comments on a post (`/post#comment-7`) and the entries of a single-page blog
(`/rss.html#org77`) share a canonical URL, which has no fragment. Fragments alone don't separate articles either, since
most are anchors, or added by trackers or sharing tools. So if fragments differ, the words decide. Two entries are
separate parts if their fragments differ and

- title and text both differ clearly; or
- a fragment has a number, as for comments and generated anchors, and the texts share few words, whatever the titles
  ("By: Ada", "Comment on …"). By that measure 97 % of pairs of entries of one feed differ, but also 17 % of pairs of a
  summary and a text of one entry, hence the number.

The first part gets the page's key; each further part gets a key made of the page's key and the fragment. An entry is
looked up as the same part under the page's key, then under the part's key, then by similar words under the page's key.
So the order of parts doesn't matter, and another feed's copy is found. `#top` and fragments with `=` (`#xtor=RSS-3`,
`#:~:text=…`) mean the page itself.

Of several versions, the one from the publisher's own feed (`feeds.publishers.hosts`) is kept, so that no feed can put
words in another publisher's mouth by linking to its page. It replaces another one even if title and text are equal,
because links, author, date and images may differ. Between other feeds, the version with more words is kept.

Known false positives: a live blog with fixed guid and URL is one article with revisions, as its publisher intends.
Pages that differ only in a parameter on the trackers' list become one, as do two nearly equal comments. Known false
negatives: an article linked with an anchor and a very different title and summary by another feed; a post and a part of
it that two workers store at the same moment.
Sources: strategy.md step 3, layers 1 and 2; best-practices.md, decision matrix; SPEC §6.
"""

import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Protocol

from rapidfuzz import fuzz

from feeds.dedup.decision import Decision, KnownArticle, KnownItem, Standing
from feeds.normalizing.draft import Draft
from feeds.normalizing.text import words

UNLIKE_TITLE = 45.0  # token-set ratio in [0, 100]; unrelated headlines of one language have 20 to 45
UNLIKE_TEXT = 60.0  # the same for the beginning of the text, where common words alone give 50
COMPARED_CHARACTERS = 600

_NUMBERED = re.compile(r"(?![\W_]).*\d", re.DOTALL)  # starts with a letter or digit, unlike AddThis's ".Vt1"


def guid_for_reuse(guid: str, content_hash: int) -> str:
    """The guid to store for different content under a used guid; at most 255 characters."""
    return f"{guid[:230]}#{content_hash & (2**64 - 1):016x}"


def fragment_of(url: str) -> str:
    """The part of its page that a URL points to, "" for the page itself; routes (`#!…`, `#/…`) are pages."""
    fragment = url.partition("#")[2]
    is_page = fragment[:1] in ("", "!", "/") or "=" in fragment or fragment.lower() == "top"
    return "" if is_page else fragment


def part_key(page_key: bytes, fragment: str) -> bytes:
    """The key (16 bytes) of a part of a page; with fragment "", of the page if a part has the page's key."""
    return blake2b(page_key + b"#" + fragment.encode("utf-8", "replace"), digest_size=16).digest()


def keys_of(draft: Draft) -> tuple[bytes, ...]:
    """The possible keys of the entry's article: the page's, then the part's."""
    return (draft.url_key, part_key(draft.url_key, fragment_of(draft.url))) if draft.url else (draft.url_key,)


def decide(
    draft: Draft,
    *,
    feed_id: int,
    is_own: bool,
    items: dict[str, KnownItem],
    articles: dict[bytes, KnownArticle],
    is_claimed: bool = False,
) -> Decision:
    """The decision for one entry.

    `items`: what this feed delivered under the entry's guid or its form for reuse; `articles`: what any feed delivered
    under `keys_of(draft)`. `is_own`: the feed belongs to the domain of the entry's link;
    `is_claimed`: only its claim connects it with its publisher.
    """
    standing = Standing(is_own, not is_claimed)
    item = items.get(draft.guid)
    if item is not None and item.content_hash != draft.content_hash:
        item = items.get(guid_for_reuse(draft.guid, draft.content_hash), item)
    if item is None:
        return _by_url(draft, draft.guid, standing=standing, articles=articles)
    if item.content_hash == draft.content_hash:
        return Decision("exact_duplicate", item.guid, "guid", "same guid, same content", item.article_id, item.item_id)
    if _links_elsewhere(draft, item) and is_plainly_different(draft, item):
        return _reused(draft, standing=standing, articles=articles)
    known = articles.get(item.url_key)
    if known is not None and _leads_to_another_publisher(draft, known):
        return _reused(draft, standing=standing, articles=articles)
    return _revised(draft, item, known, feed_id=feed_id, standing=standing)


@dataclass(frozen=True, slots=True)
class Part:
    """What tells an entry from another one of its page. `fragment`: as returned by `fragment_of`."""

    title: str
    text: str
    fragment: str


class Worded(Protocol):
    """Something with a title and a text."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...


def is_plainly_different(ours: Worded, theirs: Worded) -> bool:
    """Whether title and text both differ, so that one guid or page must be used for two articles."""
    if fuzz.token_set_ratio(_spaced(ours.title), _spaced(theirs.title)) >= UNLIKE_TITLE:
        return False
    our_words, their_words = _beginning(ours), _beginning(theirs)
    return not our_words or not their_words or fuzz.token_sort_ratio(our_words, their_words) < UNLIKE_TEXT


def are_parts(ours: Part, theirs: Part) -> bool:
    """Whether two entries with one canonical URL are two parts of that page. Symmetric."""
    if ours.fragment == theirs.fragment:
        return False
    if is_plainly_different(ours, theirs):
        return True
    if not (_NUMBERED.match(ours.fragment) or _NUMBERED.match(theirs.fragment)):
        return False
    our_words, their_words = _beginning(ours), _beginning(theirs)
    return bool(our_words and their_words) and fuzz.token_set_ratio(our_words, their_words) < UNLIKE_TEXT


def is_another_part(draft: Draft, known: KnownArticle) -> bool:
    """Whether the entry and the article under its page's key are two parts of that page."""
    return are_parts(
        Part(draft.title, draft.text, fragment_of(draft.url)), Part(known.title, known.text, known.fragment)
    )


def _links_elsewhere(draft: Draft, item: KnownItem) -> bool:
    """Whether the entry links to another page or part than the article under its guid, or to none."""
    if not draft.url:
        return True
    if item.url_key == draft.url_key:
        return item.fragment != fragment_of(draft.url)
    return item.url_key not in keys_of(draft)


def _leads_to_another_publisher(draft: Draft, known: KnownArticle) -> bool:
    """Whether the entry would move the article under its guid to another publisher's domain or remove its link. The
    article keeps its URL key, so its publisher must not change."""
    return bool(known.domain) and known.domain != (draft.domain if draft.url else "")


def _beginning(entry: Worded) -> str:
    """The words of the beginning of a text, separated by spaces."""
    return _spaced(entry.text[:COMPARED_CHARACTERS])


def _spaced(text: str) -> str:
    """The words of a text separated by spaces, so that Chinese and Japanese are compared by words too."""
    return " ".join(words(text))


def is_fuller(draft: Draft, known: KnownArticle, *, standing: Standing) -> bool:
    """Whether the entry's version replaces the stored one: by standing, words, characters, then the hash, so that the
    order of arrival doesn't matter."""
    ours = (standing, draft.word_count, len(draft.text), draft.content_hash)
    return ours > (
        known.standing,
        known.word_count,
        known.text_length,
        known.content_hash,
    )


def _by_url(draft: Draft, guid: str, *, standing: Standing, articles: dict[bytes, KnownArticle]) -> Decision:
    page, part = keys_of(draft)[0], keys_of(draft)[-1]
    known = articles.get(page)
    if part in articles and (known is None or known.fragment != fragment_of(draft.url)):
        return _same(draft, guid, part, articles[part], "same part of the same page", standing=standing)
    if known is None:
        return Decision("unique", guid, url_key=page)
    if is_another_part(draft, known):
        return Decision("unique", guid, "url", "another part of the same page", url_key=part)
    return _same(draft, guid, page, known, "same canonical URL", standing=standing)


def _same(draft: Draft, guid: str, key: bytes, known: KnownArticle, evidence: str, *, standing: Standing) -> Decision:
    return Decision(
        "exact_duplicate",
        guid,
        "url",
        evidence + ("" if known.content_hash == draft.content_hash else ", other wording"),
        known.article_id,
        url_key=key,
        takes_content=standing > known.standing
        or (standing.is_own and known.feed_id is None and known.content_hash != draft.content_hash)
        or (known.content_hash != draft.content_hash and is_fuller(draft, known, standing=standing)),
    )


def _revised(
    draft: Draft, item: KnownItem, known: KnownArticle | None, *, feed_id: int, standing: Standing
) -> Decision:
    ours = known is None or (known.feed_id in (None, feed_id) and standing >= known.standing)
    takes = ours or (known is not None and is_fuller(draft, known, standing=standing))
    return Decision(
        "revision",
        item.guid,
        "guid",
        "same guid, changed content" if takes else "same guid, changed content; another feed has the fuller version",
        item.article_id,
        item.item_id,
        takes_content=takes,
        keeps_revision=takes,
    )


def _reused(draft: Draft, *, standing: Standing, articles: dict[bytes, KnownArticle]) -> Decision:
    guid = guid_for_reuse(draft.guid, draft.content_hash)
    if draft.url:
        by_url = _by_url(draft, guid, standing=standing, articles=articles)
    else:
        by_url = Decision("unique", guid, url_key=blake2b(draft.url_key + guid.encode(), digest_size=16).digest())
    evidence = "; ".join(filter(None, ("guid reused for different content", by_url.evidence)))
    return replace(by_url, layer=by_url.layer or "guid", evidence=evidence)
