"""Drafts to rows: which are new, which are known, which changed: first planned, then written in the poll's transaction.

The caller holds the feed's lease, so one feed is stored by one worker at a time. Two feeds may bring the same article
at the same moment: its URL key is unique, inserts go in the order of the keys (so that two transactions cannot wait
for each other), and whoever comes second finds the other's row and merges into it, or, where the other stored another
part of the page under the page's key, takes the key of its part.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime

from django.db.models.functions import Left, Length

from feeds.dedup.decision import Decision, KnownArticle, KnownItem
from feeds.dedup.layered import COMPARED_CHARACTERS, decide, fragment_of, guid_for_reuse, keys_of
from feeds.models import Article, Disposition, Feed, Item, Revision, Source
from feeds.normalizing.draft import Draft
from feeds.pending import enqueue
from feeds.search.stage import note
from feeds.tombstones import without_purged


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of a document's entries. `n_new` articles nobody had; `n_duplicates` new here but known from another
    feed or twice in the document; `newest_item_id` 0 when no item was added."""

    n_new: int = 0
    n_duplicates: int = 0
    n_revised: int = 0
    newest_item_id: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    draft: Draft
    decision: Decision


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be written for a document: decisions in the document's order, and the rows of new articles by key."""

    entries: tuple[_Entry, ...] = ()
    articles: dict[bytes, Article] = field(default_factory=dict)


def plan(feed: Feed, drafts: Sequence[Draft], *, now: datetime) -> Plan:
    """Decide what each draft is; reads only, and needs no transaction.

    What another worker writes before `write` is called is found there: only this feed's lease holder adds to its items,
    and a URL key taken in the meantime makes the entry join the article that took it.
    """
    if not drafts:
        return Plan()
    items = _known_items(feed, drafts)
    drafts = without_purged(feed, drafts, known=items)
    articles = _known_articles(drafts, items.values())
    entries, fullest = _decide_all(feed, drafts, items, articles)
    return Plan(tuple(entries), _new_articles(feed, fullest, now))


def write(feed: Feed, planned: Plan, *, now: datetime) -> Stored:
    """Write a plan, inside the caller's transaction. The same drafts planned and written again change nothing."""
    entries = planned.entries
    ids, lost = _create_articles(feed, planned.articles)
    if lost:
        entries = tuple(_decide_again(entry, feed, lost) for entry in entries)
        parts = {e.decision.url_key: e.draft for e in entries if _is_new(e) and e.decision.url_key not in ids}
        ids |= _create_articles(feed, _new_articles(feed, parts, now))[0]
    rewritten = _take_contents(feed, entries, now)
    _update_items(entries)
    stored = _create_items(feed, entries, ids, now)
    if planned.articles or rewritten:
        enqueue({*ids.values(), *rewritten})
        note({*ids.values(), *rewritten})
    return stored


def _known_items(feed: Feed, drafts: Sequence[Draft]) -> dict[str, KnownItem]:
    hashes = {draft.guid: draft.content_hash for draft in drafts}
    rows = Item.objects.filter(feed=feed, guid__in=list(hashes)).values_list("id", "article_id", "guid", "content_hash")
    known = {guid: KnownItem(pk, article, guid, digest, b"", "", "") for pk, article, guid, digest in rows}
    changed = [d for d in drafts if d.guid in known and known[d.guid].content_hash != d.content_hash]
    if changed:
        guids = {d.guid for d in changed} | {guid_for_reuse(d.guid, d.content_hash) for d in changed}
        full = Item.objects.filter(feed=feed, guid__in=guids).values_list(
            "id",
            "article_id",
            "guid",
            "content_hash",
            "article__url_key",
            "article__title",
            "article__text",
            "article__url",
        )
        for pk, article, guid, digest, key, title, text, url in full:
            known[guid] = KnownItem(pk, article, guid, digest, bytes(key), title, text, fragment_of(url))
    return known


def _known_articles(drafts: Sequence[Draft], items: Iterable[KnownItem]) -> dict[bytes, KnownArticle]:
    unchanged = {(item.guid, item.content_hash) for item in items}
    keys = {key for draft in drafts if (draft.guid, draft.content_hash) not in unchanged for key in keys_of(draft)}
    keys |= {item.url_key for item in items if item.url_key}
    return _articles_by_key(keys) if keys else {}


def _articles_by_key(keys: Iterable[bytes]) -> dict[bytes, KnownArticle]:
    rows = Article.objects.filter(url_key__in=list(keys)).values_list(
        "url_key",
        "id",
        "content_hash",
        "feed_id",
        "source_id",
        "feed__source_id",
        "word_count",
        Length("text"),
        "title",
        Left("text", COMPARED_CHARACTERS),
        "url",
    )
    return {
        bytes(key): KnownArticle(
            pk, digest, feed, source is not None and source == feed_source, words, length, title, text, fragment_of(url)
        )
        for key, pk, digest, feed, source, feed_source, words, length, title, text, url in rows
    }


def _decide_all(
    feed: Feed,
    drafts: Sequence[Draft],
    items: dict[str, KnownItem],
    articles: dict[bytes, KnownArticle],
) -> tuple[list[_Entry], dict[bytes, Draft]]:
    """The decision for each draft in turn, each seeing those before it; and the fullest draft of each new article."""
    own_domain = feed.source.domain
    entries: list[_Entry] = []
    fullest: dict[bytes, Draft] = {}
    for draft in drafts:
        is_own = draft.domain == own_domain
        decision = decide(draft, feed_id=feed.pk, is_own=is_own, items=items, articles=articles)
        if decision.item_id is None and decision.layer == "guid" and decision.guid in items:
            continue  # the same entry twice in one document
        entries.append(_Entry(draft, decision))
        key = decision.url_key
        if decision.article_id is None and (decision.takes_content or key not in fullest):
            fullest[key] = draft
            articles[key] = _article_of(draft, feed, is_own=is_own)
        if decision.item_id is None:
            items[decision.guid] = _item_of(draft, decision)
    return entries, fullest


def _article_of(draft: Draft, feed: Feed, *, is_own: bool) -> KnownArticle:
    """The article that a draft of the same document is going to be."""
    return KnownArticle(
        None,
        draft.content_hash,
        feed.pk,
        is_own,
        draft.word_count,
        len(draft.text),
        draft.title,
        draft.text[:COMPARED_CHARACTERS],
        fragment_of(draft.url),
    )


def _item_of(draft: Draft, decision: Decision) -> KnownItem:
    """The item that a draft of the same document is going to be."""
    return KnownItem(
        None,
        None,
        decision.guid,
        draft.content_hash,
        decision.url_key,
        draft.title,
        draft.text,
        fragment_of(draft.url),
    )


def _is_new(entry: _Entry) -> bool:
    return entry.decision.article_id is None


def _decide_again(entry: _Entry, feed: Feed, lost: dict[bytes, KnownArticle]) -> _Entry:
    if not _is_new(entry) or entry.decision.url_key not in lost:
        return entry
    is_own = entry.draft.domain == feed.source.domain
    decision = decide(entry.draft, feed_id=feed.pk, is_own=is_own, items={}, articles=lost)
    return _Entry(entry.draft, replace(decision, guid=entry.decision.guid))


def _new_articles(feed: Feed, fullest: dict[bytes, Draft], now: datetime) -> dict[bytes, Article]:
    """Rows to insert by URL key, in the order of the keys; their sources are made where they are missing."""
    if not fullest:
        return {}
    own_domain = feed.source.domain
    sources = _source_ids({draft.domain for draft in fullest.values()} - {own_domain}) | {own_domain: feed.source_id}
    return {
        key: Article(
            url_key=key, source_id=sources[fullest[key].domain], first_seen_at=now, **_content(feed, fullest[key])
        )
        for key in sorted(fullest)
    }


def _create_articles(feed: Feed, articles: dict[bytes, Article]) -> tuple[dict[bytes, int], dict[bytes, KnownArticle]]:
    """Ids of the new articles by URL key, and those that another worker stored in the meantime."""
    if not articles:
        return {}, {}
    Article.objects.bulk_create(articles.values(), ignore_conflicts=True)
    rows = list(Article.objects.filter(url_key__in=list(articles)).values_list("url_key", "id", "feed_id"))
    taken = [bytes(key) for key, _, owner in rows if owner != feed.pk]
    return {bytes(key): pk for key, pk, _ in rows}, _articles_by_key(taken) if taken else {}


def _content(feed: Feed, draft: Draft) -> dict[str, object]:
    return {
        "feed_id": feed.pk,
        "url": draft.url,
        "canonical_url": "" if draft.canonical_url == draft.url else draft.canonical_url,
        "base_url": draft.base_url,
        "title": draft.title,
        "author": draft.author,
        "published_at": draft.published_at,
        "date_uncertain": draft.date_uncertain,
        "markup": draft.markup,
        "markup_is_text": draft.markup_is_text,
        "text": draft.text,
        "summary": draft.summary,
        "language": draft.language,
        "word_count": draft.word_count,
        "reading_seconds": draft.reading_seconds,
        "partial_content": draft.partial_content,
        "categories": list(draft.categories),
        "media": [asdict(medium) for medium in draft.media],
        "content_hash": draft.content_hash,
    }


def _source_ids(domains: set[str]) -> dict[str, int]:
    """Ids of the sources of `domains`, made where they are missing."""
    if not domains:
        return {}
    known = dict(Source.objects.filter(domain__in=domains).values_list("domain", "id"))
    missing = sorted(domains - known.keys())
    if missing:
        Source.objects.bulk_create([Source(domain=domain) for domain in missing], ignore_conflicts=True)
        known |= dict(Source.objects.filter(domain__in=missing).values_list("domain", "id"))
    return known


def _take_contents(feed: Feed, entries: Sequence[_Entry], now: datetime) -> set[int]:
    """Let articles say what the entries say that take their content; returns the ids of the articles."""
    taking = {e.decision.article_id: e for e in entries if e.decision.takes_content and e.decision.article_id}
    if not taking:
        return set()
    for article in Article.objects.select_for_update().filter(pk__in=list(taking)).order_by("url_key"):
        entry = taking[article.pk]
        if entry.decision.keeps_revision:
            Revision.objects.create(
                article=article,
                replaced_at=now,
                title=article.title,
                markup=article.markup,
                text=article.text,
                content_hash=article.content_hash,
            )
            article.revised_at = now
        _replace_content(article, feed, entry.draft)
        article.save()
    return set(taking)


def _replace_content(article: Article, feed: Feed, draft: Draft) -> None:
    """Take the draft's content; the date stays, so that nothing jumps in a list, unless it was a guess and no longer
    is."""
    content = _content(feed, draft)
    if draft.date_uncertain or not article.date_uncertain:
        del content["published_at"], content["date_uncertain"]
    for name, value in content.items():
        setattr(article, name, value)
    article.safe_html, article.safe_version = "", 0


def _update_items(entries: Sequence[_Entry]) -> None:
    changed = [
        Item(
            pk=entry.decision.item_id,
            content_hash=entry.draft.content_hash,
            disposition=entry.decision.disposition,
            layer=entry.decision.layer,
            evidence=entry.decision.evidence,
        )
        for entry in entries
        if entry.decision.item_id is not None and entry.decision.disposition == Disposition.REVISION
    ]
    if changed:
        Item.objects.bulk_update(changed, ["content_hash", "disposition", "layer", "evidence"])


def _create_items(feed: Feed, entries: Sequence[_Entry], ids: dict[bytes, int], now: datetime) -> Stored:
    added = [entry for entry in entries if entry.decision.item_id is None]
    rows = [
        Item(
            feed=feed,
            article_id=entry.decision.article_id or ids[entry.decision.url_key],
            guid=entry.decision.guid,
            published_at=entry.draft.published_at,
            first_seen_at=now,
            disposition=entry.decision.disposition,
            layer=entry.decision.layer,
            evidence=entry.decision.evidence,
            content_hash=entry.draft.content_hash,
        )
        for entry in added
    ]
    created = Item.objects.bulk_create(rows)
    n_new = sum(entry.decision.disposition == Disposition.UNIQUE for entry in added)
    return Stored(
        n_new=n_new,
        n_duplicates=len(added) - n_new,
        n_revised=sum(entry.decision.disposition == Disposition.REVISION for entry in entries),
        newest_item_id=max((row.pk for row in created), default=0),
    )
