"""Makes a feed private: what it delivered is its own from then on. SPEC §2, private feeds.

Articles that only this feed delivered get a key of their own and leave their stories. Those that other feeds delivered
too, or that other users keep, are copied for this feed. If the text of one in other feeds came from this feed, it loses
that text until the other feeds, which are read again at once, bring their own.
"""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from feeds.models import Article, Disposition, Feed, FeedStatus, Item, Link, Revision, Sketch, Story, StoryChange
from feeds.normalizing.identity import own_key
from feeds.search import index
from feeds.search.indexer import queue_articles
from feeds.storage.purge import lock_articles
from feeds.storage.work_queue import enqueue

CHUNK = 500  # articles
_BLANK = {
    "canonical_url": "", "author": "", "markup": "", "safe_html": "", "safe_version": 0, "text": "", "summary": "",
    "word_count": 0, "reading_seconds": 0, "partial_content": True, "categories": [], "media": [], "content_hash": 0,
    "feed": None, "source": None, "revised_at": None,
}  # fmt: skip
_NOT_COMPARED = {"disposition": Disposition.UNIQUE, "layer": "", "evidence": "", "rival": None, "measure": None}


def make_private(feed_id: int, *, now: datetime, kept_by_others: Collection[int] = ()) -> dict[int, int]:
    """Make the feed private; returns its copies by the id of the shared article. Call it in a transaction.

    `kept_by_others`: articles that users keep who don't follow the feed. A poll in progress notices when storing.
    Nothing happens to a feed that is private already.
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
        kept = some & set(kept_by_others)
        _keep_apart(feed, some - shared - kept)
        copies |= _copy(feed, shared | kept)
        _withdraw(feed, shared, now)
    return copies


def _keep_apart(feed: Feed, article_ids: Collection[int]) -> None:
    _leave_stories(article_ids)
    articles = list(Article.objects.filter(pk__in=article_ids).only("url_key"))
    keys = {article.pk: own_key(bytes(article.url_key), feed.owner) for article in articles}
    taken = set(map(bytes, Article.objects.filter(url_key__in=keys.values()).values_list("url_key", flat=True)))
    for article in articles:  # one that was private before has the key; nothing else may join this one either
        key = keys[article.pk]
        article.url_key = own_key(key, str(article.pk)) if key in taken else key
        article.is_unmatched = True
    Article.objects.bulk_update(articles, ["url_key", "is_unmatched"])


def _leave_stories(article_ids: Collection[int]) -> None:
    """Remove the articles from their stories, and the evidence of them from others' items."""
    stories = set(Story.objects.filter(articles__in=article_ids).values_list("pk", flat=True))
    pairs = Link.objects.filter(Q(one__in=article_ids) | Q(other__in=article_ids))
    linked = {pk for pair in pairs.values_list("one_id", "other_id") for pk in pair}
    compared = Item.objects.filter(article__in=linked, layer__in=("title", "content", "entities"))
    compared.filter(Q(article__in=article_ids) | Q(rival__in=article_ids)).update(**_NOT_COMPARED)
    pairs.delete()
    Story.objects.filter(pk__in=stories).update(is_stale=True)
    Article.objects.filter(pk__in=article_ids).update(story=None)
    StoryChange.objects.bulk_create([StoryChange(article_id=pk) for pk in sorted(article_ids)])


def _copy(feed: Feed, article_ids: Collection[int]) -> dict[int, int]:
    copies: dict[int, int] = {}
    for article in Article.objects.filter(pk__in=article_ids).order_by("pk"):
        shared_id, key = article.pk, own_key(bytes(article.url_key), feed.owner)
        copy = Article.objects.filter(url_key=key).first()  # of an earlier time as a private feed
        if copy is None:
            copy, copy.pk = article, None
            copy.url_key, copy.is_unmatched, copy.story = key, True, None
            copy.feed, copy.source = feed, feed.publisher or article.source
            copy.save(force_insert=True)
        copies[shared_id] = copy.pk
        Item.objects.filter(feed=feed, article=shared_id).update(article=copy)
    queue_articles(copies.values())
    StoryChange.objects.bulk_create([StoryChange(article_id=pk) for pk in sorted(copies.values())])
    return copies


def _withdraw(feed: Feed, article_ids: Collection[int], now: datetime) -> None:
    """Remove what this feed wrote from these shared articles, and have the others that deliver them read again."""
    Revision.objects.filter(article__in=article_ids).delete()  # they don't say whose they were
    ours = list(Article.objects.filter(pk__in=article_ids, feed=feed).only("url", "canonical_url"))
    if not ours:
        return
    ids = [article.pk for article in ours]
    _leave_stories(ids)
    Sketch.objects.filter(article__in=ids).delete()
    for article in ours:  # the title and a personal link may be secret, too
        url = article.canonical_url or article.url
        Article.objects.filter(pk=article.pk).update(**_BLANK | {"url": url, "title": url.partition("://")[2] or "…"})
    index.write((article.pk, "", "", "", "") for article in ours)
    items = Item.objects.filter(article__in=ids)
    items.update(content_hash=0)
    others = Feed.objects.filter(pk__in=items.order_by().values("feed"), status=FeedStatus.ACTIVE)
    others.update(raw_hashes=b"", body_hash=None, etag="", last_modified="", next_poll_at=now)
    queue_articles(ids)
    enqueue(ids)
