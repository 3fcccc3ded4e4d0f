"""The layered policy, layers 1 and 2: guid within the feed, then canonical URL across feeds. Pure.

Theory. A guid is the publisher's own word that two deliveries are one entry, and the most reliable there is, but only
within its feed: guids such as "1" or "post-12" occur in thousands of feeds. Some feeds reuse a guid for the next,
plainly different, entry (or use one for all entries); then title and text are both unlike and the URL differs as
well. A canonical URL is one page, so whoever links to it talks about the same article.

Which version of a page's content is kept: the one from a feed of the page's own domain before anybody else's, so that
no feed can put words in another publisher's mouth by linking to its page; then the one with more words.

Known false positives: a live blog that keeps guid and URL while its content is rewritten is one article with revisions,
which is what its publisher says. Pages told apart only by a parameter on the trackers' list become one.
Sources: strategy.md step 3, layers 1 and 2; best-practices.md, decision matrix; SPEC §6.
"""

from dataclasses import replace

from rapidfuzz import fuzz

from feeds.dedup.decision import Decision, KnownArticle, KnownItem
from feeds.normalizing.draft import Draft
from feeds.normalizing.text import words

UNLIKE_TITLE = 45.0  # token-set ratio in [0, 100]; random headlines of one language lie between 20 and 45
UNLIKE_TEXT = 60.0  # the same over the first words of the text, where common words alone reach 50
COMPARED_CHARACTERS = 600


def guid_for_reuse(guid: str, content_hash: int) -> str:
    """The guid under which different content is stored that came under a guid already taken; at most 255 characters."""
    return f"{guid[:230]}#{content_hash & (2**64 - 1):016x}"


def decide(
    draft: Draft, *, feed_id: int, is_own: bool, items: dict[str, KnownItem], articles: dict[bytes, KnownArticle]
) -> Decision:
    """The decision for one entry.

    `items` holds what this feed delivered under the entry's guid or its form for reuse; `articles` what any feed
    delivered for its URL. `is_own`: the feed belongs to the domain that the entry links to.
    """
    item = items.get(draft.guid)
    if item is not None and item.content_hash != draft.content_hash:
        item = items.get(guid_for_reuse(draft.guid, draft.content_hash), item)
    if item is None:
        return _by_url(draft, draft.guid, is_own=is_own, articles=articles)
    if item.content_hash == draft.content_hash:
        return Decision("exact_duplicate", item.guid, "guid", "same guid, same content", item.article_id, item.item_id)
    if (not draft.url or item.url_key != draft.url_key) and is_plainly_different(draft, item):
        return _reused(draft, is_own=is_own, articles=articles)
    kept = articles.get(item.url_key)
    return _revised(draft, item, kept, feed_id=feed_id, is_own=is_own)


def is_plainly_different(draft: Draft, item: KnownItem) -> bool:
    """Whether title and text are both unlike, so that one guid must stand for two articles."""
    if fuzz.token_set_ratio(_spaced(draft.title), _spaced(item.title)) >= UNLIKE_TITLE:
        return False
    ours, theirs = _spaced(draft.text[:COMPARED_CHARACTERS]), _spaced(item.text[:COMPARED_CHARACTERS])
    return not ours or not theirs or fuzz.token_sort_ratio(ours, theirs) < UNLIKE_TEXT


def _spaced(text: str) -> str:
    """The words of a text with spaces between them, so that Chinese and Japanese are compared by words too."""
    return " ".join(words(text))


def is_fuller(draft: Draft, kept: KnownArticle, *, is_own: bool) -> bool:
    """Whether the entry's version should replace the kept one: own domain first, then words, then characters, then the
    hash, so that the order of arrival does not matter."""
    ours = (is_own, draft.word_count, len(draft.text), draft.content_hash)
    return ours > (kept.is_own, kept.word_count, kept.text_length, kept.content_hash)


def _by_url(draft: Draft, guid: str, *, is_own: bool, articles: dict[bytes, KnownArticle]) -> Decision:
    kept = articles.get(draft.url_key)
    if kept is None:
        return Decision("unique", guid)
    return Decision(
        "exact_duplicate",
        guid,
        "url",
        "same canonical URL" + ("" if kept.content_hash == draft.content_hash else ", other wording"),
        kept.article_id,
        takes_content=kept.content_hash != draft.content_hash and is_fuller(draft, kept, is_own=is_own),
    )


def _revised(draft: Draft, item: KnownItem, kept: KnownArticle | None, *, feed_id: int, is_own: bool) -> Decision:
    ours = kept is None or kept.feed_id in (None, feed_id)
    takes = ours or (kept is not None and is_fuller(draft, kept, is_own=is_own))
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


def _reused(draft: Draft, *, is_own: bool, articles: dict[bytes, KnownArticle]) -> Decision:
    guid = guid_for_reuse(draft.guid, draft.content_hash)
    by_url = _by_url(draft, guid, is_own=is_own, articles=articles) if draft.url else Decision("unique", guid)
    evidence = "; ".join(filter(None, ("guid reused for different content", by_url.evidence)))
    return replace(by_url, layer=by_url.layer or "guid", evidence=evidence)
