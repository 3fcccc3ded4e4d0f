"""Makes a feed private: what it delivered is its own from then on. SPEC §2, private feeds.

Articles that only this feed delivered get a key of their own and leave their stories. Those that other feeds delivered
too are copied for this feed; if their text came from it, the shared one loses that text until the other feeds, which
are read again at once, bring their own.
"""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from feeds.models import Article, Disposition, Feed, FeedStatus, Item, Link, Revision, Story, StoryChange
from feeds.normalizing.entry import own_key
from feeds.search.indexer import queue_articles
from feeds.storage.purge import lock_articles

CHUNK = 500  # articles
_BLANK = {
    "author": "", "markup": "", "safe_html": "", "safe_version": 0, "text": "", "summary": "", "word_count": 0,
    "reading_seconds": 0, "partial_content": True, "categories": [], "media": [], "content_hash": 0, "feed": None,
    "revised_at": None,
}  # fmt: skip

_NOT_COMPARED = {"disposition": Disposition.UNIQUE, "layer": "", "evidence": "", "rival": None, "measure": None}


def make_private(feed_id: int, *, now: datetime) -> dict[int, int]:
    """Make the feed private; returns its copies by the id of the shared article. Call it in a transaction.

    A poll in progress notices when storing. Nothing happens to a feed that is private already.
    """
    feed = Feed.objects.select_for_update().get(pk=feed_id)
    if feed.is_private:
        return {}
    Feed.objects.filter(pk=feed_id).update(is_private=True)
    feed.is_private = True
    ids = sorted(set(Item.objects.filter(feed=feed).order_by().values_list("article", flat=True)))
    copies: dict[int, int] = {}
    for start in range(0, len(ids), CHUNK):
        some = lock_articles(ids[start : start + CHUNK])
        others = Item.objects.filter(article__in=some).exclude(feed=feed).exclude(feed__status=FeedStatus.SAVED)
        shared = set(others.order_by().values_list("article", flat=True))
        _keep_apart(feed, some - shared)
        copies |= _copy(feed, shared)
        _withdraw(feed, shared, now)
    return copies


def _keep_apart(feed: Feed, article_ids: Collection[int]) -> None:
    articles = list(Article.objects.filter(pk__in=article_ids).only("url_key"))
    stories = set(Story.objects.filter(articles__in=article_ids).values_list("pk", flat=True))
    compared = Item.objects.filter(article__story__in=stories, layer__in=("title", "content", "entities"))
    compared.filter(Q(article__in=article_ids) | Q(rival__in=article_ids)).update(**_NOT_COMPARED)
    Story.objects.filter(pk__in=stories).update(is_stale=True)
    Link.objects.filter(Q(one__in=article_ids) | Q(other__in=article_ids)).delete()
    StoryChange.objects.bulk_create([StoryChange(article_id=pk) for pk in sorted(article_ids)])
    for article in articles:
        article.url_key, article.is_unmatched, article.story = own_key(bytes(article.url_key), feed.owner), True, None
    Article.objects.bulk_update(articles, ["url_key", "is_unmatched", "story"])


def _copy(feed: Feed, article_ids: Collection[int]) -> dict[int, int]:
    copies: dict[int, int] = {}
    for article in Article.objects.filter(pk__in=article_ids).order_by("pk"):
        shared_id, article.pk = article.pk, None
        article.url_key, article.is_unmatched, article.story = own_key(bytes(article.url_key), feed.owner), True, None
        article.feed, article.source = feed, feed.publisher or article.source
        article.save(force_insert=True)
        copies[shared_id] = article.pk
        Item.objects.filter(feed=feed, article=shared_id).update(article=article)
    queue_articles(copies.values())
    return copies


def _withdraw(feed: Feed, article_ids: Collection[int], now: datetime) -> None:
    """Remove what this feed wrote from these shared articles, and have the others that deliver them read again."""
    ours = list(Article.objects.filter(pk__in=article_ids, feed=feed).values_list("pk", flat=True))
    if not ours:
        return
    Article.objects.filter(pk__in=ours).update(**_BLANK)
    Revision.objects.filter(article__in=ours).delete()
    items = Item.objects.filter(article__in=ours)
    items.update(content_hash=0)
    others = Feed.objects.filter(pk__in=items.order_by().values("feed"), status=FeedStatus.ACTIVE)
    others.update(raw_hashes=b"", body_hash=None, etag="", last_modified="", next_poll_at=now)
    queue_articles(ours)
