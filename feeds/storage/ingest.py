"""Stores drafts as articles and items: plans which are new, known or changed, then writes in the poll's transaction.

The caller holds the feed's lease, so only one worker stores a feed. Two feeds may deliver the same article at the same
moment: its URL key is unique, and inserts are sorted by key so that transactions can't deadlock. The second one finds
the other's row and merges into it, or, if that is another part of the page, uses the key of its own part.

An article is credited to the publisher of its link only if that publisher's own feed delivers it
(`feeds.publishers.hosts`), else to the publisher of the feed that delivered it. When the publisher's own feed comes
later, its version replaces the other one, including revisions, and `reclaimed_at` is set.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime

from django.db.models.functions import Left, Length

from feeds.dedup.decision import Decision, KnownArticle, KnownItem
from feeds.dedup.exact_policy import COMPARED_CHARACTERS, decide, fragment_of, guid_for_reuse, keys_of
from feeds.dedup.rates import Day, Rate
from feeds.models import Article, Disposition, Feed, Item, Revision, Source
from feeds.normalizing.draft import Draft
from feeds.publishers.hosts import is_shared, origin_of, publisher_of_document, publisher_of_link, speaks_for
from feeds.search.indexer import queue_articles
from feeds.storage.tombstones import drop_purged
from feeds.storage.work_queue import enqueue

RATE = Rate()


@dataclass(frozen=True, slots=True)
class Stored:
    """The result for a document. `n_new`: new articles; `n_duplicates`: new items of articles known from another feed
    or twice in the document; `newest_item_id`: 0 if no item was added."""

    n_new: int = 0
    n_duplicates: int = 0
    n_revised: int = 0
    newest_item_id: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    """`is_own`: the feed speaks for the publisher that the entry links to."""

    draft: Draft
    decision: Decision
    is_own: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write for a document: decisions in document order, and the rows of new articles by key. `publisher`: the
    publisher of the document, None if unknown."""

    origin: str = ""
    publisher: Source | None = None
    entries: tuple[_Entry, ...] = ()
    articles: dict[bytes, Article] = field(default_factory=dict)


def plan(feed: Feed, drafts: Sequence[Draft], *, now: datetime, document_url: str = "", site_url: str = "") -> Plan:
    """Decide what each draft is; reads only, outside of a transaction. `document_url`: the document's address after
    redirects, "" for the feed's address. `site_url`: its link to the site, "" for the one known.

    `write` handles changes by other workers in the meantime: only the lease holder adds items to this feed, and if
    another feed stored an article with the same URL key, the entry joins it.
    """
    if not drafts:
        return Plan(publisher=feed.publisher)
    items = _known_items(feed, drafts)
    drafts = drop_purged(feed, drafts, known=items)
    articles = _known_articles(drafts, items.values())
    origin = origin_of(feed.url, document_url)
    publisher = _publisher_of(feed, drafts, document_url=document_url, site_url=site_url or feed.site_url)
    entries, fullest = _decide_all(feed, drafts, items, articles, origin=origin)
    return Plan(origin, publisher, tuple(entries), _new_articles(feed, fullest, now, origin, publisher))


def _publisher_of(feed: Feed, drafts: Sequence[Draft], *, document_url: str, site_url: str) -> Source | None:
    """The document's publisher, created if needed.

    On a shared host, entries that disagreed once are not forgotten: later documents only have the new ones.
    """
    links = (draft.canonical_url or draft.url for draft in drafts)
    domain = publisher_of_document(feed.url, document_url=document_url, site_url=site_url, links=links)
    known = feed.publisher
    if known is not None and known.domain == domain:
        return known
    has_disagreed = known is None and feed.last_success_at is not None and is_shared(origin_of(feed.url, document_url))
    if not domain or has_disagreed:
        return None
    return Source.objects.get_or_create(domain=domain)[0]


def write(feed: Feed, planned: Plan, *, now: datetime, rate: Rate = RATE) -> Stored:
    """Write a plan, inside the caller's transaction. Planning and writing the same drafts again changes nothing.

    Articles beyond the feed's `rate` are not compared with others; the caller saves the changed fields of `feed`.
    """
    feed.publisher = planned.publisher
    entries = planned.entries
    ids, lost = _create_articles(feed, planned.articles)
    if lost:
        entries = tuple(_decide_again(entry, feed, lost) for entry in entries)
        parts = {e.decision.url_key: e.draft for e in entries if _is_new(e) and e.decision.url_key not in ids}
        ids |= _create_articles(feed, _new_articles(feed, parts, now, planned.origin, planned.publisher))[0]
    rewritten = _update_articles(feed, planned, entries, now)
    _update_items(entries)
    stored = _create_items(feed, entries, ids, now)
    _enqueue_matching(feed, entries, ids, rewritten, now=now, rate=rate)
    if planned.articles or rewritten:
        queue_articles({*ids.values(), *rewritten})
    return stored


def _enqueue_matching(
    feed: Feed, entries: Sequence[_Entry], ids: dict[bytes, int], rewritten: set[int], *, now: datetime, rate: Rate
) -> None:
    """Enqueue new and changed articles, and those unmatched because of another feed's rate; in order of the entries, up
    to this feed's rate."""
    new = [ids[entry.decision.url_key] for entry in entries if _is_new(entry)]
    offered = list(dict.fromkeys([*new, *sorted(rewritten), *_unmatched_by_others(entries)]))
    if not offered:
        return
    matched = offered[: _room(feed, len(offered), now=now, rate=rate)]
    left = set(offered) - set(matched)
    Article.objects.filter(pk__in=left).update(is_unmatched=True)
    Article.objects.filter(pk__in=set(matched) - set(new), is_unmatched=True).update(is_unmatched=False)
    enqueue({*matched, *(left & rewritten)})  # articles that were compared before must lose their links


def _room(feed: Feed, n_offered: int, *, now: datetime, rate: Rate) -> int:
    """The number of these articles to compare; also counts them on the feed."""
    if feed.last_success_at is None:
        room, n_articles = rate.at_first, n_offered
    else:
        day = Day(feed.day_started_at, feed.day_articles).at(now)
        room, n_articles = max(0, rate.a_day - day.n_articles), day.n_articles + n_offered
        feed.day_started_at, feed.day_articles = day.began_at, n_articles
    if n_offered > room:
        feed.overrun_at, feed.overrun_articles = now, n_articles
        feed.overrun_compared = min(n_articles, rate.at_first if feed.last_success_at is None else rate.a_day)
    return room


def _unmatched_by_others(entries: Sequence[_Entry]) -> list[int]:
    """Articles that this feed delivers too and that are unmatched only because the first feed exceeded its rate."""
    added = (entry.decision for entry in entries if entry.decision.item_id is None)
    known = [decision.article_id for decision in added if decision.article_id is not None]
    if not known:
        return []
    return list(
        Article.objects.filter(pk__in=known, is_unmatched=True).order_by("url_key").values_list("pk", flat=True)
    )


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
        "source__domain",
        "feed__url",
        "feed__final_url",
        "word_count",
        Length("text"),
        "title",
        Left("text", COMPARED_CHARACTERS),
        "url",
        "canonical_url",
    )
    return {
        bytes(key): KnownArticle(
            pk,
            digest,
            feed,
            _is_own(source, feed_url, final_url, publisher_of_link(url, canonical)),
            words,
            length,
            title,
            text,
            fragment_of(url),
            publisher_of_link(url, canonical),
        )
        for key, pk, digest, feed, source, feed_url, final_url, words, length, title, text, url, canonical in rows
    }


def _is_own(source_domain: str | None, feed_url: str | None, final_url: str | None, linked: str) -> bool:
    """Whether the stored version of an article is that of the publisher it links to; always for one without a link.

    It is credited to them, by a feed that speaks for them; a feed on a shared host doesn't.
    """
    if not linked:
        return True
    return source_domain == linked and (not feed_url or speaks_for(origin_of(feed_url, final_url or ""), linked))


def _decide_all(
    feed: Feed,
    drafts: Sequence[Draft],
    items: dict[str, KnownItem],
    articles: dict[bytes, KnownArticle],
    *,
    origin: str,
) -> tuple[list[_Entry], dict[bytes, Draft]]:
    """The decisions, each considering the drafts before it, and the fullest draft of each new article."""
    entries: list[_Entry] = []
    fullest: dict[bytes, Draft] = {}
    for draft in drafts:
        is_own = speaks_for(origin, draft.domain)
        decision = decide(draft, feed_id=feed.pk, is_own=is_own, items=items, articles=articles)
        if decision.item_id is None and decision.layer == "guid" and decision.guid in items:
            continue  # the same entry twice in one document
        entries.append(_Entry(draft, decision, is_own))
        key = decision.url_key
        if decision.article_id is None and (decision.takes_content or key not in fullest):
            fullest[key] = draft
            articles[key] = _article_of(draft, feed, is_own=is_own)
        if decision.item_id is None:
            items[decision.guid] = _item_of(draft, decision)
    return entries, fullest


def _article_of(draft: Draft, feed: Feed, *, is_own: bool) -> KnownArticle:
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
        draft.domain if draft.url else "",
    )


def _item_of(draft: Draft, decision: Decision) -> KnownItem:
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
    decision = decide(entry.draft, feed_id=feed.pk, is_own=entry.is_own, items={}, articles=lost)
    return replace(entry, decision=replace(decision, guid=entry.decision.guid))


def _new_articles(
    feed: Feed, fullest: dict[bytes, Draft], now: datetime, origin: str, publisher: Source | None
) -> dict[bytes, Article]:
    """Rows to insert by URL key, sorted; creates missing sources."""
    sources = _sources_of(feed, fullest.values(), origin, publisher)
    return {
        key: Article(url_key=key, first_seen_at=now, **_content(feed, draft, sources[draft.domain]))
        for key, draft in sorted(fullest.items(), key=lambda pair: pair[0])
    }


def _sources_of(feed: Feed, drafts: Collection[Draft], origin: str, publisher: Source | None) -> dict[str, int]:
    """The ids of the sources to credit, by the publisher of a draft's link: that one if the document speaks for it,
    else the document's, else its origin. Creates missing sources."""
    other = publisher.domain if publisher else origin
    credited = {draft.domain: draft.domain if speaks_for(origin, draft.domain) else other for draft in drafts}
    known = {feed.source.domain: feed.source_id}
    if publisher is not None:
        known[publisher.domain] = publisher.pk
    known |= _source_ids(set(credited.values()) - known.keys())
    return {domain: known[publisher] for domain, publisher in credited.items()}


def _create_articles(feed: Feed, articles: dict[bytes, Article]) -> tuple[dict[bytes, int], dict[bytes, KnownArticle]]:
    """The ids of new articles by URL key, and the articles that another worker stored in the meantime."""
    if not articles:
        return {}, {}
    Article.objects.bulk_create(articles.values(), ignore_conflicts=True)
    rows = list(Article.objects.filter(url_key__in=list(articles)).values_list("url_key", "id", "feed_id"))
    foreign = [bytes(key) for key, _, owner in rows if owner != feed.pk]
    return {bytes(key): pk for key, pk, _ in rows}, _articles_by_key(foreign) if foreign else {}


def _content(feed: Feed, draft: Draft, source_id: int) -> dict[str, object]:
    return {
        "feed_id": feed.pk,
        "source_id": source_id,
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
    """The ids of sources by domain; creates missing ones."""
    if not domains:
        return {}
    known = dict(Source.objects.filter(domain__in=domains).values_list("domain", "id"))
    missing = sorted(domains - known.keys())
    if missing:
        Source.objects.bulk_create([Source(domain=domain) for domain in missing], ignore_conflicts=True)
        known |= dict(Source.objects.filter(domain__in=missing).values_list("domain", "id"))
    return known


def _update_articles(feed: Feed, planned: Plan, entries: Sequence[_Entry], now: datetime) -> set[int]:
    """Update articles from the entries whose content they take; returns the ids of updated articles.

    An article that the publisher's own feed has written since planning stays as it is.
    """
    updates = {e.decision.article_id: e for e in entries if e.decision.takes_content and e.decision.article_id}
    if not updates:
        return set()
    drafts = [entry.draft for entry in updates.values()]
    sources = _sources_of(feed, drafts, planned.origin, planned.publisher)
    rewritten = set()
    chosen = Article.objects.select_for_update(of=("self",)).filter(pk__in=list(updates))
    for article in chosen.select_related("source", "feed").order_by("url_key"):
        entry = updates[article.pk]
        was_own = _was_own(article)
        if was_own and not entry.is_own:
            continue
        if entry.is_own and not was_own:
            article.revisions.all().delete()
            article.revised_at, article.reclaimed_at = None, now
        elif entry.decision.keeps_revision:
            _keep_revision(article, now)
        _replace_content(article, _content(feed, entry.draft, sources[entry.draft.domain]))
        article.save()
        rewritten.add(article.pk)
    return rewritten


def _was_own(article: Article) -> bool:
    domain = article.source.domain if article.source else None
    feed_url, final_url = (article.feed.url, article.feed.final_url) if article.feed else (None, None)
    return _is_own(domain, feed_url, final_url, publisher_of_link(article.url, article.canonical_url))


def _keep_revision(article: Article, now: datetime) -> None:
    Revision.objects.create(
        article=article,
        replaced_at=now,
        title=article.title,
        markup=article.markup,
        text=article.text,
        content_hash=article.content_hash,
    )
    article.revised_at = now


def _replace_content(article: Article, content: dict[str, object]) -> None:
    """Replace the content. The date stays, so that articles don't jump in lists, unless the old one was uncertain or
    from another feed."""
    is_better_date = article.date_uncertain and not content["date_uncertain"]
    if not is_better_date and article.source_id == content["source_id"]:
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
