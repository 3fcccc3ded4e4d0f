"""Finds and deletes expired items, and articles that have no items left.

`reader.subscriptions.purge` decides which articles users keep, and calls this in its transactions, one feed and chunk
at a time. Stories that lose an article are marked (`Story.is_stale`) and updated by a worker.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from feeds.models import Article, Feed, Item, Story
from feeds.storage.retention import RetentionRule
from feeds.storage.tombstones import Entry, write_tombstones

CHUNK = 25  # items per transaction, because SQLite has one writer: 2 to 4 ms each in an archive of a million
EVERY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ExpiredItem(Entry):
    """An item that has expired by its feed's retention rule."""

    pk: int
    article_id: int


def next_to_purge(now: datetime, *, default: RetentionRule) -> Feed | None:
    """A feed with a retention rule that wasn't purged for a day; marks it as purged now, so no other worker gets it."""
    own = Q(keep_days__gt=0) | Q(keep_items__gt=0)
    every = default.is_limited and (Q(keep_days=None) | Q(keep_items=None))
    ruled = Feed.objects.filter(own | every if every else own)
    waiting = ruled.filter(Q(purged_at=None) | Q(purged_at__lte=now - EVERY))
    for feed in waiting.order_by(F("purged_at").asc(nulls_first=True), "pk")[:10]:
        if Feed.objects.filter(pk=feed.pk, purged_at=feed.purged_at).update(purged_at=now):
            return feed
    return None


def expired_items(
    feed_id: int, keeping: RetentionRule, *, now: datetime, behind: int = 0
) -> Iterator[list[ExpiredItem]]:
    """Expired items in chunks, sorted by id, starting after the id `behind`. Each chunk is a new query.

    A limit by days reads only old items; a limit by number reads all items of the feed.
    """
    cutoff, last = keeping.cutoff(now), behind
    expired = _beyond(feed_id, keeping.n_items)
    if cutoff is not None:
        expired |= Q(first_seen_at__lt=cutoff, pk__lt=_first_since(cutoff))
    while rows := list(_rows(Item.objects.filter(expired, feed=feed_id, pk__gt=last))):
        last = rows[-1].pk
        yield rows


def _rows(items: QuerySet[Item]) -> Iterator[ExpiredItem]:
    names = ("article__url_key", "guid", "content_hash", "published_at", "pk", "article_id")
    for key, *values in items.order_by("pk").values_list(*names)[:CHUNK]:
        yield ExpiredItem(bytes(key), *values)


def _beyond(feed_id: int, n_items: int | None) -> Q:
    """Items before the newest `n_items`; none without a limit."""
    if n_items is None:
        return Q(pk=None)
    newest = Item.objects.filter(feed=feed_id).order_by("-first_seen_at", "-published_at", "-pk")
    first_beyond = newest.values_list("first_seen_at", "published_at", "pk")[n_items : n_items + 1].first()
    if first_beyond is None:
        return Q(pk=None)
    seen_at, published_at, pk = first_beyond
    same_day = Q(first_seen_at=seen_at)
    return (
        Q(first_seen_at__lt=seen_at)
        | same_day & Q(published_at__lt=published_at)
        | same_day & Q(published_at=published_at, pk__lte=pk)
    )


def _first_since(cutoff: datetime) -> int:
    """The id of the first item that arrived at or after the cutoff; binary search, as ids follow the arrival."""
    low, high = 0, (Item.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    while low < high:
        middle = (low + high) // 2
        following = Item.objects.filter(pk__gte=middle).order_by("pk").values_list("pk", "first_seen_at").first()
        if following is None or following[1] >= cutoff:
            high = middle
        else:
            low = following[0] + 1
    return low


def sole_articles(items: Sequence[ExpiredItem], *, feed_id: int | None = None) -> set[int]:
    """Articles of these items that have no other item; with `feed_id`, no other item of that feed."""
    ids = {item.article_id for item in items}
    others = Item.objects.filter(article__in=ids).exclude(pk__in=[item.pk for item in items])
    # Not filtered by feed in SQL: SQLite would scan all items of the feed for each article.
    used = {article for article, feed in others.values_list("article_id", "feed_id") if feed_id in (None, feed)}
    return ids - used


def remove_items(feed_id: int, items: Collection[ExpiredItem]) -> None:
    """Delete items of one feed and leave tombstones. Call it in a transaction."""
    write_tombstones(feed_id, items)
    Item.objects.filter(pk__in=[item.pk for item in items]).delete()


def stale_stories() -> QuerySet[Story]:
    """Stories that lost an article and aren't updated yet."""
    return Story.objects.filter(is_stale=True).order_by("pk")


def lock_articles(article_ids: Collection[int]) -> set[int]:
    """Lock articles until the transaction ends, always in the same order; returns those that exist.

    While locked, no references to them can be added. Earlier ones are visible to later statements, not to this one.
    """
    locked = Article.objects.filter(pk__in=article_ids).select_for_update().order_by("url_key")
    return set(locked.values_list("pk", flat=True))


def remove_articles(article_ids: Collection[int]) -> int:
    """Delete locked articles without items, and all about them; returns their number. Call it in a transaction."""
    stories = dict(Article.objects.filter(pk__in=article_ids).values_list("pk", "story_id"))
    Story.objects.filter(pk__in={story for story in stories.values() if story is not None}).update(is_stale=True)
    Article.objects.filter(pk__in=stories).only("pk").delete()
    return len(stories)
