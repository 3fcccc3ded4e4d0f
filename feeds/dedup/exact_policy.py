"""Layers 0 to 2: guid within the feed, then canonical URL across feeds. Pure.

Theory. Within a feed, different guids are different entries, whatever their links (`feeds.normalizing.identity` sees to
entries whose guid says nothing). Some feeds reuse a guid, and even the link, for a different entry: then title and text
are both unlike. Without a guid it is enough that both are others.

Some feeds give all entries new guids, for example when their address changes. So an entry with a new guid whose link
this feed has delivered before is the same if the old guid is gone from the document and the words say so: an equal
text, or an equal title with the same date. Else it is an article of its own, though it links to the same page.

Across feeds, a canonical URL is one page, so all links to it are about the same article. Except for pages with parts:
the comments on a post (`/post#comment-7`) and the entries of a single-page blog (`/rss.html#org77`) share a canonical
URL, which has no fragment. Fragments alone don't separate articles either, since most are anchors, or added by trackers
or sharing tools. So if fragments differ, the words decide. Two entries are separate parts if their fragments differ and

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

Known false positives: a live blog with fixed guid and URL is one article with revisions, as its publisher intends, as
are the words of a day with one guid, link and title. Pages that differ only in a parameter on the trackers' list become
one, if they are in different feeds, as do two nearly equal comments. Known false negatives: an article linked with an
anchor and a very different title and summary by another feed; a post and a part of it that two workers store at the
same moment; an entry that gets a new guid, title and date at once.
Sources: strategy.md step 3, layers 1 and 2; best-practices.md, decision matrix; SPEC §6.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Protocol

from rapidfuzz import fuzz

from feeds.dedup.decision import Decision, KnownArticle, KnownItem, Standing
from feeds.normalizing.draft import Draft
from feeds.normalizing.identity import fragment_of, number_of, part_key
from feeds.normalizing.text import words

UNLIKE_TITLE = 45.0  # token-set ratio in [0, 100]; unrelated headlines of one language have 20 to 45
UNLIKE_TEXT = 60.0  # the same for the beginning of the text, where common words alone give 50
ALIKE_TEXT = 90.0  # token-sort ratio of the beginnings of two versions of one text
FEW_WORDS = 5  # of a text that may only be a note
LONG_TEXT = 20  # words, from which two equal texts are the same entry whatever their dates
COMPARED_CHARACTERS = 600

_NUMBERED = re.compile(r"(?![\W_]).*\d", re.DOTALL)  # starts with a letter or digit, unlike AddThis's ".Vt1"


def guid_for_reuse(guid: str, content_hash: int) -> str:
    """The guid to store for different content under a used guid; at most 255 characters."""
    return f"{guid[:230]}#{content_hash & (2**64 - 1):016x}"


def guids_of(draft: Draft) -> set[str]:
    """The guids under which its feed may have delivered the entry, with the same text if it is another than its own."""
    guids = {draft.guid, draft.published_guid if draft.text else ""} - {""}
    return guids | {guid_for_reuse(guid, draft.content_hash) for guid in guids}


def keys_of(draft: Draft) -> tuple[bytes, ...]:
    """The possible keys of the entry's article: the page's, its own, then the part's."""
    if not draft.url:
        return (draft.url_key,)
    return draft.page_key, draft.url_key, part_key(draft.page_key, fragment_of(draft.url))


def decide(
    draft: Draft,
    *,
    feed_id: int,
    is_own: bool,
    items: Mapping[str, KnownItem],
    articles: Mapping[bytes, KnownArticle],
    present: frozenset[int] = frozenset(),
    is_claimed: bool = False,
) -> Decision:
    """The decision for one entry.

    `items`: what this feed delivered under `guids_of(draft)`; `articles`: what any feed delivered
    under `keys_of(draft)`; `present`: the numbers of all guids in the document. `is_own`: the feed belongs to the
    domain of the entry's link; `is_claimed`: only its claim connects it with its publisher.
    """
    standing = Standing(is_own, not is_claimed)
    item = items.get(draft.guid)
    if item is None or item.content_hash != draft.content_hash:
        others = (items.get(guid) for guid in guids_of(draft))
        item = next((other for other in others if other and other.content_hash == draft.content_hash), item)
    if item is None:
        return _by_url(draft, draft.guid, standing=standing, articles=articles, present=present)
    if item.content_hash == draft.content_hash:
        return _unchanged(draft, item)
    known = articles.get(item.url_key)
    if _is_another_entry(draft, item, known, feed_id=feed_id) or (
        known is not None and _leads_to_another_publisher(draft, known)
    ):
        return _reused(draft, standing=standing, articles=articles, present=present)
    return _revised(draft, item, known, feed_id=feed_id, standing=standing)


def newer_wins(
    draft: Draft,
    decision: Decision,
    *,
    is_own: bool,
    items: Mapping[str, KnownItem],
    articles: Mapping[bytes, KnownArticle],
    is_claimed: bool = False,
) -> Decision:
    """The decision under the policy `newest`: of two versions with equal standing the one published later is kept, of
    the same date the one seen first. The arguments are those of `decide`."""
    of_item = next((item.url_key for item in items.values() if item.item_id == decision.item_id), b"")
    known = articles.get(decision.url_key or of_item)
    if decision.article_id is None or known is None or (decision.item_id and decision.disposition != "revision"):
        return decision
    is_newer = not draft.date_uncertain and (known.published_at is None or draft.published_at > known.published_at)
    takes = (Standing(is_own, not is_claimed), is_newer) > (known.standing, False)
    is_revision = decision.disposition == "revision"
    evidence = decision.evidence
    if is_revision:
        evidence = "same guid, changed content" if takes else "same guid, changed content; the newer version is kept"
    return replace(
        decision, evidence=evidence, takes_content=takes, takes_date=takes, keeps_revision=takes and is_revision
    )


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


def _is_another_entry(draft: Draft, item: KnownItem, known: KnownArticle | None, *, feed_id: int) -> bool:
    """Whether the entry is a different one than the one delivered under its guid, whose article is `known`."""
    if _links_elsewhere(draft, item):
        return is_plainly_different(draft, item)
    if known is None or known.feed_id != feed_id:
        return False  # the words of another feed's version say nothing about this entry
    if min(len(words(draft.text)), len(words(item.text))) < FEW_WORDS:
        return False
    if not draft.has_guid and _spaced(draft.title) != _spaced(item.title):
        return fuzz.token_sort_ratio(_beginning(draft), _beginning(item)) < UNLIKE_TEXT
    return is_plainly_different(draft, item)


def _links_elsewhere(draft: Draft, item: KnownItem) -> bool:
    """Whether the entry's link isn't evidence of the article under its guid: it leads to another page or part, or to
    one that other entries link to, or there is none."""
    if not draft.url or draft.url_key == draft.own_key:
        return True
    if item.url_key == draft.page_key:
        return item.fragment != fragment_of(draft.url)
    return item.url_key not in keys_of(draft)


def _is_renamed(draft: Draft, known: KnownArticle) -> bool:
    """Whether an entry with a new guid is one that its feed delivered under another guid, with the same link."""
    is_same_date = draft.date_uncertain or known.published_at in (None, draft.published_at)
    if known.content_hash == draft.content_hash:
        return is_same_date or draft.word_count >= LONG_TEXT
    if draft.url_key == draft.own_key:
        return False  # the link says nothing
    if _spaced(draft.title) == _spaced(known.title) and is_same_date:
        return True
    likeness = fuzz.token_sort_ratio(_beginning(draft), _beginning(known))
    return min(draft.word_count, known.word_count) >= LONG_TEXT and likeness >= ALIKE_TEXT


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


def _by_url(
    draft: Draft, guid: str, *, standing: Standing, articles: Mapping[bytes, KnownArticle], present: frozenset[int]
) -> Decision:
    key, evidence = _key_to_join(draft, articles)
    known = articles.get(key)
    if known is not None and known.guids:
        is_listed = any(number_of(other) in present for other in known.guids)
        if is_listed or not _is_renamed(draft, known):
            key, known, evidence = draft.own_key, None, "another entry with the same link"
    if known is not None and (known.guids or draft.url_key != draft.own_key):
        return _same(draft, guid, key, known, evidence or "same canonical URL", standing=standing)
    if draft.url_key == draft.own_key:
        key, evidence = draft.own_key, ""
    if key == draft.own_key and guid != draft.guid:
        key = blake2b(key + guid.encode(), digest_size=16).digest()
    return Decision("unique", guid, "url" if evidence else "", evidence, url_key=key)


def _key_to_join(draft: Draft, articles: Mapping[bytes, KnownArticle]) -> tuple[bytes, str]:
    """The key of the article that the entry joins, or of the new one if there is none; and evidence."""
    page, fragment = draft.page_key, fragment_of(draft.url)
    is_page = draft.url_key in (page, draft.own_key)
    part = part_key(page, fragment) if is_page else draft.url_key
    known = articles.get(page)
    if part in articles and (known is None or known.fragment != fragment):
        return part, "same part of the same page"
    if is_page:
        is_other = known is not None and is_another_part(draft, known)
        return (part, "another part of the same page") if is_other else (page, "")
    if known is not None and fragment and known.fragment == fragment:
        return page, "same part of the same page"
    return part, "another part of the same page"


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
        corrects=bool(known.guids) and known.content_hash == draft.content_hash,
    )


def _unchanged(draft: Draft, item: KnownItem) -> Decision:
    """The decision for an entry whose title and text are known, but perhaps not its link, files, date or markup."""
    return Decision(
        "exact_duplicate",
        item.guid,
        "guid",
        "same guid, same content",
        item.article_id,
        item.item_id,
        has_new_details=item.details_hash != draft.details_hash,
        corrects=item.details_hash not in (None, draft.details_hash),
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


def _reused(
    draft: Draft, *, standing: Standing, articles: Mapping[bytes, KnownArticle], present: frozenset[int]
) -> Decision:
    guid = guid_for_reuse(draft.guid, draft.content_hash)
    by_url = _by_url(draft, guid, standing=standing, articles=articles, present=present)
    evidence = "; ".join(filter(None, ("guid reused for different content", by_url.evidence)))
    return replace(by_url, layer=by_url.layer or "guid", evidence=evidence)
