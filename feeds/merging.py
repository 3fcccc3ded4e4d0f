"""Two feed rows that turned out to be one feed: the history of the one goes to the other."""

from django.db import transaction

from feeds.models import Article, Feed, FeedStatus, Item, Poll, Tombstone


def move_history(old: Feed, target: Feed) -> None:
    """Give `target` the items, polls and articles of `old`. What both delivered under one guid is kept once.

    `old` stays as a signpost (status merged): subscribing to its URL leads to `target`.
    """
    with transaction.atomic():
        ours = Item.objects.filter(feed=target).values("guid")
        for item in Item.objects.filter(feed=old, guid__in=ours):
            twin = Item.objects.get(feed=target, guid=item.guid)
            if twin.article_id == item.article_id:
                item.delete()
            else:
                item.guid = f"{item.guid[:230]}#moved-{item.pk}"
                item.save(update_fields=["guid"])
        Item.objects.filter(feed=old).update(feed=target)
        known = Tombstone.objects.filter(feed=target).values("value")
        Tombstone.objects.filter(feed=old).exclude(value__in=known).update(feed=target)
        Poll.objects.filter(feed=old).update(feed=target)
        Article.objects.filter(feed=old).update(feed=target)
        newest = Item.objects.filter(feed=target).order_by("-pk").values_list("pk", flat=True).first()
        Feed.objects.filter(pk=target.pk).update(newest_item_id=newest or 0)
        Feed.objects.filter(pk=old.pk).update(status=FeedStatus.MERGED, next_poll_at=None, newest_item_id=0)


def final_feed(feed: Feed) -> Feed:
    """The feed that `feed` was merged into, through any number of merges; itself when it was not merged."""
    seen = {feed.pk}
    while feed.merged_into is not None and feed.merged_into_id not in seen:
        feed = feed.merged_into
        seen.add(feed.pk)
    return feed
