"""Items that are kept no longer: which they are, and taking them away with what only they held here.

Who may not lose an article is the reader's to say (`reader.purging`), which calls this within its transaction: what is
to go of one feed, a chunk at a time. An article goes with the last of its items. What told a story with it is left to a
worker, marked in the same transaction (`Story.is_stale`).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from feeds.models import Article, Feed, Item, Story
from feeds.retention import Keeping
from feeds.tombstones import Entry, bury

CHUNK = 25  # items in one transaction, for SQLite has one writer: 2 to 4 ms each in an archive of a million
EVERY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Old(Entry):
    """An item that its feed's rule keeps no longer."""

    pk: int
    article_id: int


def next_to_purge(now: datetime, *, default: Keeping) -> Feed | None:
    """A feed with a rule that was not purged for a day, marked as purged now: nobody else gets it."""
    own = Q(keep_days__gt=0) | Q(keep_items__gt=0)
    every = default.is_limited and (Q(keep_days=None) | Q(keep_items=None))
    ruled = Feed.objects.filter(own | every if every else own)
    waiting = ruled.filter(Q(purged_at=None) | Q(purged_at__lte=now - EVERY))
    for feed in waiting.order_by(F("purged_at").asc(nulls_first=True), "pk")[:10]:
        if Feed.objects.filter(pk=feed.pk, purged_at=feed.purged_at).update(purged_at=now):
            return feed
    return None


def old_items(feed_id: int, keeping: Keeping, *, now: datetime, behind: int = 0) -> Iterator[list[Old]]:
    """What the rule keeps no longer, in chunks; each is looked up when it is asked for, so it may go meanwhile.

    They come in the order of their ids, from the one `behind` on.

    With a limit of days alone the young items are not looked at; a limit by number looks at all of the feed's.
    """
    cutoff, last = keeping.cutoff(now), behind
    expired = _beyond(feed_id, keeping.n_items)
    if cutoff is not None:
        expired |= Q(first_seen_at__lt=cutoff, pk__lt=_first_since(cutoff))
    while rows := list(_rows(Item.objects.filter(expired, feed=feed_id, pk__gt=last))):
        last = rows[-1].pk
        yield rows


def _rows(items: QuerySet[Item]) -> Iterator[Old]:
    names = ("article__url_key", "guid", "content_hash", "published_at", "pk", "article_id")
    for key, *values in items.order_by("pk").values_list(*names)[:CHUNK]:
        yield Old(bytes(key), *values)


def _beyond(feed_id: int, n_items: int | None) -> Q:
    """What came, or is dated, before the newest so many; nothing without a limit."""
    if n_items is None:
        return Q(pk=None)
    newest = Item.objects.filter(feed=feed_id).order_by("-first_seen_at", "-published_at", "-pk")
    found = newest.values_list("first_seen_at", "published_at", "pk")[n_items : n_items + 1].first()
    if found is None:
        return Q(pk=None)
    seen_at, published_at, pk = found
    same_day = Q(first_seen_at=seen_at)
    return (
        Q(first_seen_at__lt=seen_at)
        | same_day & Q(published_at__lt=published_at)
        | same_day & Q(published_at=published_at, pk__lte=pk)
    )


def _first_since(cutoff: datetime) -> int:
    """The id of the first item that came at the cutoff or later: ids are given in the order of coming, so it is
    found by halving."""
    low, high = 0, (Item.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    while low < high:
        middle = (low + high) // 2
        following = Item.objects.filter(pk__gte=middle).order_by("pk").values_list("pk", "first_seen_at").first()
        if following is None or following[1] >= cutoff:
            high = middle
        else:
            low = following[0] + 1
    return low


def last_of(items: Sequence[Old], *, feed_id: int | None = None) -> set[int]:
    """Their articles that no other item holds; with `feed_id`, no other item of that feed."""
    ids = {each.article_id for each in items}
    others = Item.objects.filter(article__in=ids).exclude(pk__in=[each.pk for each in items])
    # The feed is not asked for in SQL: SQLite would look through all that it delivered, for each article.
    held = {article for article, feed in others.values_list("article_id", "feed_id") if feed_id in (None, feed)}
    return ids - held


def remove_items(feed_id: int, items: Collection[Old]) -> None:
    """Take items of one feed away, so that they do not come back. In a transaction."""
    bury(feed_id, items)
    Item.objects.filter(pk__in=[each.pk for each in items]).delete()


def stale_stories() -> QuerySet[Story]:
    """Those that lost an article and do not say so yet."""
    return Story.objects.filter(is_stale=True).order_by("pk")


def lock_articles(article_ids: Collection[int]) -> set[int]:
    """Lock articles, in the order in which everybody does, until the transaction ends; returns those that are there.

    Nobody adds meanwhile what refers to them. What was added before shows in statements that follow, not in this one.
    """
    held = Article.objects.filter(pk__in=article_ids).select_for_update().order_by("url_key")
    return set(held.values_list("pk", flat=True))


def remove_articles(article_ids: Collection[int]) -> int:
    """Delete locked articles that no item holds, with all that is about them; returns how many. In a transaction."""
    stories = dict(Article.objects.filter(pk__in=article_ids).values_list("pk", "story_id"))
    Story.objects.filter(pk__in={story for story in stories.values() if story is not None}).update(is_stale=True)
    Article.objects.filter(pk__in=stories).only("pk").delete()
    return len(stories)
