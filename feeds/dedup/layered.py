"""The layered policy, layers 1 and 2: guid within the feed, then canonical URL across feeds. Pure.

Theory. A guid is the publisher's own word that two deliveries are one entry, and the most reliable there is, but only
within its feed: guids such as "1" or "post-12" occur in thousands of feeds. Some feeds reuse a guid for the next,
plainly different, entry (or use one for all entries); then title and text are both unlike and the URL differs as
well. A canonical URL is one page, so whoever links to it talks about the same article.

But for pages with parts: the comments on a post (`/post#comment-7`) and the entries of a single-page blog
(`/rss.html#org77`) share a canonical URL, which has no fragment. Fragments alone do not tell articles apart either,
for most are anchors, marks of trackers or of sharing tools on links to one article. So fragments that differ open the
question, and the words answer it. Two entries are parts of their own when their fragments differ and

- title and text are both plainly unlike; or
- a fragment is numbered, as those of comments and generated anchors are, and the texts are unlike by their common
  words, whatever the titles: "By: Ada" and "Comment on …" say nothing. (Of pairs of entries of one feed, 97 % are
  unlike in that measure; of summaries and texts of one entry 17 %, hence the number.)

Whoever comes first gets the page's key; every further part gets the key of the part, made of the page's and the
fragment. An entry is looked for as the same part under the page's key, then under the part's own, then, alike in
words, under the page's; so it does not matter which part came first, and another feed's copy finds it.
`#top`, and what has a `=` (`#xtor=RSS-3`, `#:~:text=…`), name the page itself.

Which version of a page's content is kept: the one from a feed of the page's own domain before anybody else's, so that
no feed can put words in another publisher's mouth by linking to its page; then the one with more words.

Known false positives: a live blog that keeps guid and URL while its content is rewritten is one article with revisions,
which is what its publisher says. Pages told apart only by a parameter on the trackers' list become one. Two comments
that say nearly the same are one. Known false negatives: an article with a title and summary all its own in another
feed that links to an anchor in it; a post and a part of it stored by two workers at the same moment, each as first.
Sources: strategy.md step 3, layers 1 and 2; best-practices.md, decision matrix; SPEC §6.
"""

import re
from dataclasses import replace
from hashlib import blake2b

from rapidfuzz import fuzz

from feeds.dedup.decision import Decision, KnownArticle, KnownItem
from feeds.normalizing.draft import Draft
from feeds.normalizing.text import words

UNLIKE_TITLE = 45.0  # token-set ratio in [0, 100]; random headlines of one language lie between 20 and 45
UNLIKE_TEXT = 60.0  # the same over the first words of the text, where common words alone reach 50
COMPARED_CHARACTERS = 600

_NUMBERED = re.compile(r"(?![\W_]).*\d", re.DOTALL)  # begins like a name, which marks such as AddThis's ".Vt1" do not


def guid_for_reuse(guid: str, content_hash: int) -> str:
    """The guid under which different content is stored that came under a guid already taken; at most 255 characters."""
    return f"{guid[:230]}#{content_hash & (2**64 - 1):016x}"


def fragment_of(url: str) -> str:
    """Which part of its page a URL names, "" for the page itself; routes (`#!…`, `#/…`) are pages."""
    fragment = url.partition("#")[2]
    is_page = fragment[:1] in ("", "!", "/") or "=" in fragment or fragment.lower() == "top"
    return "" if is_page else fragment


def part_key(page_key: bytes, fragment: str) -> bytes:
    """16 bytes that stand for one part of a page, or with fragment "" for the page where a part has the page's key."""
    return blake2b(page_key + b"#" + fragment.encode("utf-8", "replace"), digest_size=16).digest()


def keys_of(draft: Draft) -> tuple[bytes, ...]:
    """The keys under which the entry's article may be stored: its page's, then its part's."""
    return (draft.url_key, part_key(draft.url_key, fragment_of(draft.url))) if draft.url else (draft.url_key,)


def decide(
    draft: Draft, *, feed_id: int, is_own: bool, items: dict[str, KnownItem], articles: dict[bytes, KnownArticle]
) -> Decision:
    """The decision for one entry.

    `items` holds what this feed delivered under the entry's guid or its form for reuse; `articles` what any feed
    delivered under any of `keys_of(draft)`. `is_own`: the feed belongs to the domain that the entry links to.
    """
    item = items.get(draft.guid)
    if item is not None and item.content_hash != draft.content_hash:
        item = items.get(guid_for_reuse(draft.guid, draft.content_hash), item)
    if item is None:
        return _by_url(draft, draft.guid, is_own=is_own, articles=articles)
    if item.content_hash == draft.content_hash:
        return Decision("exact_duplicate", item.guid, "guid", "same guid, same content", item.article_id, item.item_id)
    if _links_elsewhere(draft, item) and is_plainly_different(draft, item):
        return _reused(draft, is_own=is_own, articles=articles)
    kept = articles.get(item.url_key)
    return _revised(draft, item, kept, feed_id=feed_id, is_own=is_own)


def is_plainly_different(draft: Draft, known: KnownItem | KnownArticle) -> bool:
    """Whether title and text are both unlike, so that one guid, or one page, must stand for two articles."""
    if fuzz.token_set_ratio(_spaced(draft.title), _spaced(known.title)) >= UNLIKE_TITLE:
        return False
    ours, theirs = _spaced(draft.text[:COMPARED_CHARACTERS]), _spaced(known.text[:COMPARED_CHARACTERS])
    return not ours or not theirs or fuzz.token_sort_ratio(ours, theirs) < UNLIKE_TEXT


def is_another_part(draft: Draft, kept: KnownArticle) -> bool:
    """Whether the entry and the article found under its page's key are two parts of that page."""
    fragment = fragment_of(draft.url)
    if fragment == kept.fragment:
        return False
    if is_plainly_different(draft, kept):
        return True
    if not (_NUMBERED.match(fragment) or _NUMBERED.match(kept.fragment)):
        return False
    ours, theirs = _spaced(draft.text[:COMPARED_CHARACTERS]), _spaced(kept.text[:COMPARED_CHARACTERS])
    return bool(ours and theirs) and fuzz.token_set_ratio(ours, theirs) < UNLIKE_TEXT


def _links_elsewhere(draft: Draft, item: KnownItem) -> bool:
    """Whether the entry links to another page, or part of one, than the article under its guid; or to none at all."""
    if not draft.url:
        return True
    if item.url_key == draft.url_key:
        return item.fragment != fragment_of(draft.url)
    return item.url_key not in keys_of(draft)


def _spaced(text: str) -> str:
    """The words of a text with spaces between them, so that Chinese and Japanese are compared by words too."""
    return " ".join(words(text))


def is_fuller(draft: Draft, kept: KnownArticle, *, is_own: bool) -> bool:
    """Whether the entry's version should replace the kept one: own domain first, then words, then characters, then the
    hash, so that the order of arrival does not matter."""
    ours = (is_own, draft.word_count, len(draft.text), draft.content_hash)
    return ours > (kept.is_own, kept.word_count, kept.text_length, kept.content_hash)


def _by_url(draft: Draft, guid: str, *, is_own: bool, articles: dict[bytes, KnownArticle]) -> Decision:
    page, part = keys_of(draft)[0], keys_of(draft)[-1]
    kept = articles.get(page)
    if part in articles and (kept is None or kept.fragment != fragment_of(draft.url)):
        return _same(draft, guid, part, articles[part], "same part of the same page", is_own=is_own)
    if kept is None:
        return Decision("unique", guid, url_key=page)
    if is_another_part(draft, kept):
        return Decision("unique", guid, "url", "another part of the same page", url_key=part)
    return _same(draft, guid, page, kept, "same canonical URL", is_own=is_own)


def _same(draft: Draft, guid: str, key: bytes, kept: KnownArticle, evidence: str, *, is_own: bool) -> Decision:
    return Decision(
        "exact_duplicate",
        guid,
        "url",
        evidence + ("" if kept.content_hash == draft.content_hash else ", other wording"),
        kept.article_id,
        url_key=key,
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
    if draft.url:
        by_url = _by_url(draft, guid, is_own=is_own, articles=articles)
    else:
        by_url = Decision("unique", guid, url_key=blake2b(draft.url_key + guid.encode(), digest_size=16).digest())
    evidence = "; ".join(filter(None, ("guid reused for different content", by_url.evidence)))
    return replace(by_url, layer=by_url.layer or "guid", evidence=evidence)
