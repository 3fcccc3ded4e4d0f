"""Stores drafts as articles and items: plans which are new, known or changed, then writes in the poll's transaction.

Documents of several feeds are looked up and written together, because a statement costs more than a row. The caller
holds the feeds' leases, so only one worker stores a feed. Two feeds may deliver the same article at the same
moment: its URL key is unique, and inserts are sorted by key so that transactions can't deadlock. The second one finds
the other's row and merges into it, or, if that is another part of the page, uses the key of its own part.

An article is credited to the publisher of its link only if that publisher's own feed delivers it
(`feeds.publishers.hosts`), else to the publisher of the feed that delivered it. When the publisher's own feed comes
later, its version replaces the other one, including revisions, and `reclaimed_at` is set.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection
from django.db.models import Max
from django.db.models.functions import Left, Length

from feeds.dedup.decision import Decision, KnownArticle, KnownItem
from feeds.dedup.exact_policy import COMPARED_CHARACTERS, decide, guids_of, keys_of, newer_wins
from feeds.dedup.rates import Day, Rate
from feeds.models import Article, Disposition, Feed, Item, Revision, Source
from feeds.normalizing.domains import host_of
from feeds.normalizing.draft import Draft
from feeds.normalizing.identity import fragment_of
from feeds.publishers.hosts import is_shared, origin_of, publisher_of_document, publisher_of_link, speaks_for
from feeds.search.indexer import queue_articles
from feeds.storage.insert import Row, insert, row_of
from feeds.storage.retention import Burial, was_purged
from feeds.storage.tombstones import find_burials
from feeds.storage.work_queue import enqueue

RATE = Rate()
MAX_CORRECTIONS = 200  # articles of one feed in 24 hours; some feeds change a picture's address with every poll
MAX_PAIRS = 1_000  # in one statement
_ITEMS = """
WITH wanted (feed_id, guid) AS (VALUES {pairs})
SELECT {columns} FROM wanted JOIN feeds_item item ON item.feed_id = wanted.feed_id AND item.guid = wanted.guid {join}
"""
_ITEM_COLUMNS = "item.feed_id, item.id, item.article_id, item.guid, item.content_hash, item.details_hash"
_ARTICLE = "JOIN feeds_article article ON article.id = item.article_id"
_ARTICLE_COLUMNS = "article.url_key, article.title, article.text, article.url"


@dataclass(frozen=True, slots=True)
class Stored:
    """The result for a document, each of whose drafts is counted once. `n_new`: new articles; `n_duplicates`: known
    ones, of which `n_joined` are new in this feed; `n_left_out`: purged before. `newest_item_id`: 0 if no item was
    added."""

    n_new: int = 0
    n_joined: int = 0
    n_duplicates: int = 0
    n_revised: int = 0
    n_left_out: int = 0
    newest_item_id: int = 0

    @property
    def n_added(self) -> int:
        """Articles that the feed hadn't delivered before."""
        return self.n_new + self.n_joined


@dataclass(frozen=True, slots=True)
class _Entry:
    """`is_own`: the feed speaks for the publisher that the entry links to."""

    draft: Draft
    decision: Decision
    is_own: bool


@dataclass(frozen=True, slots=True)
class Arrival:
    """The drafts that a feed's document had at `now`. `document_url`: the document's address after redirects, "" for
    the feed's address. `site_url`: its link to the site, "" for the one known. `present`: the numbers of the guids of
    all its entries."""

    feed: Feed
    drafts: Sequence[Draft]
    now: datetime
    document_url: str = ""
    site_url: str = ""
    present: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored already of several arrivals: items by feed and guid, tombstones by feed, articles by key, and the
    guids under which a feed delivered an article, by the ids of both."""

    items: Mapping[int, dict[str, KnownItem]] = field(default_factory=dict)
    burials: Mapping[int, Mapping[int, Burial]] = field(default_factory=dict)
    articles: Mapping[bytes, KnownArticle] = field(default_factory=dict)
    guids: Mapping[tuple[int, int], frozenset[str]] = field(default_factory=dict)

    def articles_for(self, feed_id: int) -> dict[bytes, KnownArticle]:
        """The articles, with the guids of this feed."""
        delivered = {article: guids for (feed, article), guids in self.guids.items() if feed == feed_id}
        return {
            key: replace(known, guids=delivered[known.article_id]) if known.article_id in delivered else known
            for key, known in self.articles.items()
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write for a document: decisions in document order, and the rows of new articles by key. `publisher`: the
    publisher of the document, None if unknown. `is_empty`: there is no document, or nothing new in it. `n_purged`:
    drafts that were deleted before."""

    feed: Feed
    now: datetime
    is_empty: bool = False
    origin: str = ""
    publisher: Source | None = None
    entries: tuple[_Entry, ...] = ()
    articles: dict[bytes, Row] = field(default_factory=dict)
    n_purged: int = 0


def pages_of(drafts: Iterable[Draft]) -> set[bytes]:
    """The keys of the pages that the drafts link to."""
    return {key for draft in drafts for key in (draft.url_key, draft.page_key)}


def look_up(arrivals: Sequence[Arrival]) -> Known:
    """Find what is stored of these arrivals, with a few queries for all; outside of a transaction."""
    arrivals = [arrival for arrival in arrivals if arrival.drafts]
    if not arrivals:
        return Known()
    items = _known_items(arrivals)
    articles = _known_articles(arrivals, items)
    return Known(
        items,
        find_burials({arrival.feed: _without_items(arrival, items) for arrival in arrivals}),
        articles,
        _guids_of(arrivals, articles),
    )


def plan(arrival: Arrival, known: Known) -> Plan:
    """Decide what each draft is; writes nothing but sources, outside of a transaction.

    `write` handles changes by other workers in the meantime: only the lease holder adds items to this feed, and if
    another feed stored an article with the same URL key, the entry joins it.
    """
    feed = arrival.feed
    if not arrival.drafts:
        return Plan(feed, arrival.now, is_empty=True)
    items = known.items[feed.pk]
    burials = known.burials.get(feed.pk, {})
    drafts = [draft for draft in arrival.drafts if draft.guid in items or not was_purged(draft, burials)]
    origin = origin_of(feed.url, arrival.document_url)
    publisher = _publisher_of(arrival, drafts)
    is_claimed = publisher is not None and _is_claimed(publisher.domain, origin)
    articles = known.articles_for(feed.pk)
    entries = []
    for draft in drafts:
        is_own = speaks_for(origin, draft.domain)
        decision = _decide(draft, feed, items, articles, present=arrival.present, is_own=is_own, is_claimed=is_claimed)
        entries.append(_Entry(draft, decision, is_own))
    new = {entry.decision.url_key: entry.draft for entry in entries if _is_new(entry)}
    return Plan(
        feed,
        arrival.now,
        origin=origin,
        publisher=publisher,
        entries=tuple(entries),
        articles=_new_articles(feed, new, arrival.now, origin, publisher),
        n_purged=len(arrival.drafts) - len(drafts),
    )


def _decide(
    draft: Draft,
    feed: Feed,
    items: Mapping[str, KnownItem],
    articles: Mapping[bytes, KnownArticle],
    *,
    present: frozenset[int] = frozenset(),
    is_own: bool,
    is_claimed: bool,
) -> Decision:
    """The decision under the policy of the settings."""
    decision = decide(
        draft,
        feed_id=feed.pk,
        is_own=is_own,
        items=items,
        articles=articles,
        present=present,
        is_claimed=is_claimed,
    )
    if settings.ENV.DEDUP_POLICY != "newest":
        return decision
    return newer_wins(draft, decision, is_own=is_own, items=items, articles=articles, is_claimed=is_claimed)


def _without_items(arrival: Arrival, items: Mapping[int, dict[str, KnownItem]]) -> list[Draft]:
    return [draft for draft in arrival.drafts if draft.guid not in items[arrival.feed.pk]]


def _publisher_of(arrival: Arrival, drafts: Sequence[Draft]) -> Source | None:
    """The document's publisher, created if needed.

    Entries that disagreed once are not forgotten: later documents only have the new ones.
    """
    feed, document_url = arrival.feed, arrival.document_url
    links = [link for draft in drafts if (link := draft.canonical_url or draft.url)]
    site_url = arrival.site_url or feed.site_url
    domain = publisher_of_document(feed.url, document_url=document_url, site_url=site_url, links=links)
    known = feed.publisher
    if known is not None and (known.domain == domain or not links):
        return known
    if not domain:
        return None
    origin = origin_of(feed.url, document_url)
    is_unclaimed = known is None if is_shared(origin) else known is not None and known.domain == origin
    if is_unclaimed and feed.last_success_at is not None:
        return known
    return Source.objects.get_or_create(domain=domain)[0]


def write(plans: Sequence[Plan], *, rate: Rate = RATE) -> list[Stored]:
    """Write plans for different feeds, inside the caller's transaction. Planning and writing the same drafts again
    changes nothing.

    Articles of private feeds and those beyond a feed's `rate` are not compared with others; the caller saves the
    changed fields of the feeds.
    """
    _check_joined(plans)
    for planned in plans:
        if not planned.is_empty:
            planned.feed.publisher = planned.publisher
            planned.feed.via = _via(planned)
    created = _create_articles(plans)
    ids = {key: pk for key, (pk, _) in created.items()}
    lost = {key for planned in plans for key in planned.articles if created[key][1] != planned.feed.pk}
    if lost:
        plans, added = _plan_again(plans, _articles_by_key(lost))
        ids |= added
    rewritten = _update_articles(plans)
    _update_items([entry for planned in plans for entry in planned.entries])
    stored = _create_items(plans, ids)
    _enqueue_matching(plans, ids, rewritten, rate=rate)
    changed = {ids[key] for planned in plans for key in planned.articles}.union(*rewritten)
    if changed:
        queue_articles(changed)
    return stored


def _check_joined(plans: Sequence[Plan]) -> None:
    """Raises IntegrityError if an article that an entry joins was made private or purged since planning; the caller
    plans again."""
    joined = {
        entry.decision.article_id: entry.decision.url_key
        for planned in plans
        for entry in planned.entries
        if entry.decision.item_id is None and entry.decision.article_id is not None
    }
    if not joined:
        return
    locked = Article.objects.select_for_update(of=("self",)).filter(pk__in=joined).order_by("url_key")
    if {pk: bytes(key) for pk, key in locked.values_list("pk", "url_key")} != joined:
        raise IntegrityError("an article was made private or purged in the meantime")


def _via(planned: Plan) -> str:
    """The host that serves the publisher's feed, "" if it is the publisher's own."""
    publisher = planned.publisher
    return "" if publisher is None or speaks_for(planned.origin, publisher.domain) else host_of(planned.feed.url)[:253]


def _plan_again(plans: Sequence[Plan], lost: dict[bytes, KnownArticle]) -> tuple[list[Plan], dict[bytes, int]]:
    """The plans after other feeds stored the articles `lost` in the meantime, and the ids of other parts of their pages
    that are created now."""
    again = []
    for planned in plans:
        theirs = {key: lost[key] for key in planned.articles if key in lost and lost[key].feed_id != planned.feed.pk}
        entries = tuple(_decide_again(entry, planned, theirs) for entry in planned.entries)
        kept = {key: article for key, article in planned.articles.items() if key not in theirs}
        parts = {e.decision.url_key: e.draft for e in entries if _is_new(e) and e.decision.url_key not in kept}
        more = _new_articles(planned.feed, parts, planned.now, planned.origin, planned.publisher)
        again.append((replace(planned, entries=entries, articles=kept), replace(planned, articles=more)))
    created = _create_articles([added for _, added in again])
    plans = [replace(planned, articles=planned.articles | added.articles) for planned, added in again]
    return plans, {key: pk for key, (pk, _) in created.items()}


def _enqueue_matching(
    plans: Sequence[Plan], ids: dict[bytes, int], rewritten: Sequence[set[int]], *, rate: Rate
) -> None:
    """Enqueue new and changed articles, and those unmatched because of another feed's rate; in order of the entries, up
    to their feed's rate."""
    unmatched = _unmatched_by_others(plans)
    left: set[int] = set()
    again: set[int] = set()
    waiting: set[int] = set()
    for planned, changed in zip(plans, rewritten, strict=True):
        new = [ids[entry.decision.url_key] for entry in planned.entries if _is_new(entry)]
        joined = _joined(planned)
        offered = list(dict.fromkeys([*new, *sorted(changed), *(pk for pk in unmatched if pk in joined)]))
        if not offered:
            continue
        room = _room(planned.feed, len(offered), now=planned.now, rate=rate)
        matched, beyond = offered[:room], offered[room:]
        left.update(beyond)
        again |= set() if planned.feed.is_private else set(matched) - set(new)
        waiting.update(matched, changed & set(beyond))  # articles that were compared before must lose their links
    if left:
        Article.objects.filter(pk__in=left).update(is_unmatched=True)
    if again:
        Article.objects.filter(pk__in=again, is_unmatched=True).update(is_unmatched=False)
    if waiting:
        enqueue(waiting)


def _room(feed: Feed, n_offered: int, *, now: datetime, rate: Rate) -> int:
    """The number of these articles to compare; also counts them on the feed."""
    if feed.last_success_at is None:
        room, n_articles = rate.at_first, n_offered
    else:
        _begin_day(feed, now)
        room, n_articles = max(0, rate.a_day - feed.day_articles), feed.day_articles + n_offered
        feed.day_articles = n_articles
    if n_offered > room:
        feed.overrun_at, feed.overrun_articles = now, n_articles
        feed.overrun_compared = min(n_articles, rate.at_first if feed.last_success_at is None else rate.a_day)
    return room


def _begin_day(feed: Feed, now: datetime) -> None:
    """Count from zero if the feed's day is over."""
    day = Day(feed.day_started_at, feed.day_articles).at(now)
    if day.began_at != feed.day_started_at:
        feed.day_started_at, feed.day_articles, feed.day_corrections = day.began_at, 0, 0


def _unmatched_by_others(plans: Sequence[Plan]) -> list[int]:
    """Articles that these feeds deliver too and that are unmatched only because the first feed exceeded its rate."""
    known = set[int]().union(*(_joined(planned) for planned in plans if not planned.feed.is_private))
    if not known:
        return []
    return list(
        Article.objects.filter(pk__in=known, is_unmatched=True).order_by("url_key").values_list("pk", flat=True)
    )


def _joined(planned: Plan) -> set[int]:
    """The stored articles that this feed didn't deliver before."""
    added = (entry.decision for entry in planned.entries if entry.decision.item_id is None)
    return {decision.article_id for decision in added if decision.article_id is not None}


def _known_items(arrivals: Sequence[Arrival]) -> dict[int, dict[str, KnownItem]]:
    known: dict[int, dict[str, KnownItem]] = {arrival.feed.pk: {} for arrival in arrivals}
    wanted = [
        (arrival.feed.pk, guid)
        for arrival in arrivals
        for draft in arrival.drafts
        for guid in ((draft.guid,) if draft.has_guid or not draft.published_guid else guids_of(draft))
    ]
    for feed, pk, article, guid, digest, details in _item_rows(wanted, _ITEM_COLUMNS):
        known[feed][guid] = KnownItem(pk, article, guid, digest, details, b"", "", "")
    changed = [
        (arrival.feed.pk, guid)
        for arrival in arrivals
        for draft in arrival.drafts
        if (item := known[arrival.feed.pk].get(draft.guid)) is not None and item.content_hash != draft.content_hash
        for guid in guids_of(draft)
    ]
    full = _item_rows(changed, f"{_ITEM_COLUMNS}, {_ARTICLE_COLUMNS}", join=_ARTICLE)
    for feed, pk, article, guid, digest, details, key, title, text, url in full:
        known[feed][guid] = KnownItem(pk, article, guid, digest, details, bytes(key), title, text, fragment_of(url))
    return known


def _item_rows(wanted: Collection[tuple[int, str]], columns: str, *, join: str = "") -> Iterator[tuple[Any, ...]]:
    """The rows of items with these feeds and guids."""
    pairs = list(dict.fromkeys(wanted))
    with connection.cursor() as cursor:
        for start in range(0, len(pairs), MAX_PAIRS):
            some = pairs[start : start + MAX_PAIRS]
            sql = _ITEMS.format(columns=columns, join=join, pairs=", ".join(["(%s, %s)"] * len(some)))
            cursor.execute(sql, [value for pair in some for value in pair])
            yield from cursor.fetchall()


def _known_articles(
    arrivals: Sequence[Arrival], items: Mapping[int, dict[str, KnownItem]]
) -> dict[bytes, KnownArticle]:
    keys: set[bytes] = set()
    for arrival in arrivals:
        known = items[arrival.feed.pk]
        unchanged = {(item.guid, item.content_hash) for item in known.values()}
        keys |= {key for d in arrival.drafts if (d.guid, d.content_hash) not in unchanged for key in keys_of(d)}
        keys |= {item.url_key for item in known.values() if item.url_key}
    return _articles_by_key(keys) if keys else {}


def _guids_of(
    arrivals: Sequence[Arrival], articles: Mapping[bytes, KnownArticle]
) -> dict[tuple[int, int], frozenset[str]]:
    ids = {known.article_id for known in articles.values() if known.article_id is not None}
    guids: dict[tuple[int, int], set[str]] = defaultdict(set)
    if ids:
        mine = Item.objects.filter(feed__in=[arrival.feed.pk for arrival in arrivals], article__in=ids).order_by()
        for feed, article, guid in mine.values_list("feed", "article", "guid"):
            guids[feed, article].add(guid)
    return {pair: frozenset(several) for pair, several in guids.items()}


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
        "published_at",
        "date_uncertain",
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
            is_claimed=bool(feed_url) and _is_claimed(source, origin_of(feed_url or "", final_url or "")),
            published_at=None if is_uncertain else date,
        )
        for (
            key, pk, digest, feed, source, feed_url, final_url, words, length, title, text, url, canonical,
            date, is_uncertain,
        ) in rows
    }  # fmt: skip


def _is_own(source_domain: str | None, feed_url: str | None, final_url: str | None, linked: str) -> bool:
    """Whether the stored version of an article is that of the publisher it links to; always for one without a link.

    It is credited to them, by a feed that speaks for them; a feed on a shared host doesn't.
    """
    if not linked:
        return True
    return source_domain == linked and (not feed_url or speaks_for(origin_of(feed_url, final_url or ""), linked))


def _is_claimed(source_domain: str | None, origin: str) -> bool:
    """Whether a version is credited to a publisher that only a claim connects with the host it came from."""
    return bool(source_domain) and not is_shared(origin) and not speaks_for(origin, source_domain or "")


def _is_new(entry: _Entry) -> bool:
    return entry.decision.article_id is None


def _decide_again(entry: _Entry, planned: Plan, lost: dict[bytes, KnownArticle]) -> _Entry:
    if not _is_new(entry) or entry.decision.url_key not in lost:
        return entry
    is_claimed = planned.publisher is not None and _is_claimed(planned.publisher.domain, planned.origin)
    decision = _decide(entry.draft, planned.feed, {}, lost, is_own=entry.is_own, is_claimed=is_claimed)
    return replace(entry, decision=replace(decision, guid=entry.decision.guid))


def _new_articles(
    feed: Feed, fullest: dict[bytes, Draft], now: datetime, origin: str, publisher: Source | None
) -> dict[bytes, Row]:
    """Rows to insert by URL key, sorted; creates missing sources."""
    sources = _sources_of(feed, fullest.values(), origin, publisher)
    return {
        key: row_of(
            Article,
            {"url_key": key, "first_seen_at": now, "is_unmatched": feed.is_private}
            | _content(feed, draft, sources[draft.domain]),
        )
        for key, draft in sorted(fullest.items(), key=lambda pair: pair[0])
    }


def _sources_of(feed: Feed, drafts: Collection[Draft], origin: str, publisher: Source | None) -> dict[str, int]:
    """The ids of the sources to credit, by the publisher of a draft's link: that one if the document speaks for it,
    else the document's, else its origin. Creates missing sources."""
    if not drafts:
        return {}
    other = publisher.domain if publisher else origin
    credited = {draft.domain: draft.domain if speaks_for(origin, draft.domain) else other for draft in drafts}
    known = {feed.source.domain: feed.source_id}
    if publisher is not None:
        known[publisher.domain] = publisher.pk
    known |= _source_ids(set(credited.values()) - known.keys())
    return {domain: known[publisher] for domain, publisher in credited.items()}


def _create_articles(plans: Sequence[Plan]) -> dict[bytes, tuple[int, int | None]]:
    """The ids of the plans' articles and the feeds that own them, which may be others; by URL key."""
    articles = [pair for planned in plans for pair in planned.articles.items()]
    if not articles:
        return {}
    articles.sort(key=lambda pair: pair[0])
    insert(Article, [article for _, article in articles], ignore_conflicts=True)
    rows = Article.objects.filter(url_key__in=[key for key, _ in articles]).values_list("url_key", "id", "feed_id")
    return {bytes(key): (pk, owner) for key, pk, owner in rows}


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
        "media": [medium.stored() for medium in draft.media],
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


def _update_articles(plans: Sequence[Plan]) -> list[set[int]]:
    """Update articles from the entries whose content or corrections they take; returns, by plan, the ids of those that
    must be compared and indexed again.

    An article that the publisher's own feed has written since planning stays as it is.
    """
    updates: dict[int, list[tuple[int, _Entry, int]]] = defaultdict(list)
    for number, planned in enumerate(plans):
        decided = [
            (entry.decision.article_id, entry)
            for entry in planned.entries
            if entry.decision.takes_content or entry.decision.corrects
        ]
        taken = {pk: entry for pk, entry in decided if pk is not None}
        drafts = [entry.draft for entry in taken.values()]
        sources = _sources_of(planned.feed, drafts, planned.origin, planned.publisher)
        for pk, entry in taken.items():
            updates[pk].append((number, entry, sources[entry.draft.domain]))
    rewritten: list[set[int]] = [set() for _ in plans]
    if not updates:
        return rewritten
    chosen = Article.objects.select_for_update(of=("self",)).filter(pk__in=list(updates))
    for article in chosen.select_related("source", "feed").order_by("url_key"):
        for number, entry, source in updates[article.pk]:
            if _update_article(article, entry, plans[number], source):
                rewritten[number].add(article.pk)
    return rewritten


def _update_article(article: Article, entry: _Entry, planned: Plan, source: int) -> bool:
    was_own = _was_own(article)
    if not entry.decision.takes_content:
        return _correct_article(article, entry, planned, source)
    if was_own and not entry.is_own:
        return False
    if entry.is_own and not was_own:
        article.revisions.all().delete()
        article.revised_at, article.reclaimed_at = None, planned.now
    elif entry.decision.keeps_revision:
        _keep_revision(article, planned.now)
    _replace_content(article, _content(planned.feed, entry.draft, source), takes_date=entry.decision.takes_date)
    article.save()
    return True


def _correct_article(article: Article, entry: _Entry, planned: Plan, source: int) -> bool:
    """Take over what changed beside title and text, if this feed's version is the stored one; returns whether that may
    change the article's story or its place in lists."""
    feed = planned.feed
    _begin_day(feed, planned.now)
    if article.feed_id != feed.pk or feed.day_corrections >= MAX_CORRECTIONS:
        return False
    feed.day_corrections += 1
    before = (article.author, article.categories, article.published_at)
    _replace_content(article, _content(feed, entry.draft, source))
    article.save()
    return before != (article.author, article.categories, article.published_at)


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


def _replace_content(article: Article, content: dict[str, object], *, takes_date: bool = False) -> None:
    """Replace the content. The date stays, so that articles don't jump in lists when they are edited, unless the old
    one was uncertain or from another feed, or the new one is from before the article arrived, so it corrects it, or
    `takes_date`."""
    published_at = content["published_at"]
    is_corrected = isinstance(published_at, datetime) and published_at <= article.first_seen_at
    is_better_date = not content["date_uncertain"] and (article.date_uncertain or is_corrected)
    if not (is_better_date or takes_date) and article.source_id == content["source_id"]:
        del content["published_at"], content["date_uncertain"]
    for name, value in content.items():
        setattr(article, name, value)
    article.safe_html, article.safe_version = "", 0


def _update_items(entries: Sequence[_Entry]) -> None:
    changed = [
        Item(
            pk=entry.decision.item_id,
            content_hash=entry.draft.content_hash,
            details_hash=entry.draft.details_hash,
            disposition=entry.decision.disposition,
            layer=entry.decision.layer,
            evidence=entry.decision.evidence,
        )
        for entry in entries
        if entry.decision.item_id is not None and entry.decision.disposition == Disposition.REVISION
    ]
    if changed:
        Item.objects.bulk_update(changed, ["content_hash", "details_hash", "disposition", "layer", "evidence"])
    corrected = [
        Item(pk=entry.decision.item_id, details_hash=entry.draft.details_hash)
        for entry in entries
        if entry.decision.item_id is not None and entry.decision.has_new_details
    ]
    if corrected:
        Item.objects.bulk_update(corrected, ["details_hash"])


def _create_items(plans: Sequence[Plan], ids: dict[bytes, int]) -> list[Stored]:
    added = [  # in the order in which apps get them
        sorted(
            (entry for entry in planned.entries if entry.decision.item_id is None),
            key=lambda entry: entry.draft.published_at,
        )
        for planned in plans
    ]
    rows = [
        row_of(
            Item,
            {
                "feed_id": planned.feed.pk,
                "article_id": entry.decision.article_id or ids[entry.decision.url_key],
                "guid": entry.decision.guid,
                "published_at": entry.draft.placed_at or entry.draft.published_at,
                "first_seen_at": planned.now,
                "disposition": entry.decision.disposition,
                "layer": entry.decision.layer,
                "evidence": entry.decision.evidence,
                "content_hash": entry.draft.content_hash,
                "details_hash": entry.draft.details_hash,
            },
        )
        for planned, entries in zip(plans, added, strict=True)
        for entry in entries
    ]
    insert(Item, rows)
    newest = _newest_items([planned.feed.pk for planned, entries in zip(plans, added, strict=True) if entries])
    return [_stored(planned, entries, newest) for planned, entries in zip(plans, added, strict=True)]


def _newest_items(feeds: Collection[int]) -> dict[int, int]:
    if not feeds:
        return {}
    found = Item.objects.filter(feed__in=feeds).order_by().values("feed").annotate(newest=Max("pk"))
    return dict(found.values_list("feed", "newest"))


def _stored(planned: Plan, added: Sequence[_Entry], newest: Mapping[int, int]) -> Stored:
    dispositions = Counter(entry.decision.disposition for entry in planned.entries)
    n_new = sum(map(_is_new, added))
    return Stored(
        n_new=n_new,
        n_joined=len(added) - n_new,
        n_duplicates=dispositions[Disposition.EXACT_DUPLICATE],
        n_revised=dispositions[Disposition.REVISION],
        n_left_out=planned.n_purged,
        newest_item_id=newest.get(planned.feed.pk, 0),
    )
