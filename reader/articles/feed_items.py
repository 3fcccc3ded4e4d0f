"""Which of a user's feeds carry an article, and under which guid: looked up by article, never by scanning a feed's
items.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from feeds.models import Feed, FeedStatus, Item
from reader.models import Subscription


class Carrier(NamedTuple):
    """One item; `feed_url` without user name and password."""

    article_id: int
    feed_url: str
    guid: str


def feed_urls(user_id: int, *, only_delivered: bool = False) -> dict[int, str]:
    """The URLs of the user's feeds, without user name and password, and without saved pages, which have none;
    `only_delivered`: of feeds that delivered items."""
    mine = Subscription.objects.filter(user=user_id)
    if only_delivered:
        mine = mine.filter(delivered_item_id__gt=0)
    feeds = Feed.objects.filter(pk__in=mine.values("feed")).exclude(status=FeedStatus.SAVED).only("url")
    return {feed.pk: feed.shown_url for feed in feeds}


def carriers(article_ids: Collection[int], feeds: Mapping[int, str]) -> list[Carrier]:
    """The items of these articles in these feeds, by URL and guid; one query."""
    rows = Item.objects.filter(article__in=article_ids).values_list("article_id", "feed_id", "guid")
    return sorted(Carrier(article, feeds[feed], guid) for article, feed, guid in rows if feed in feeds)


def articles_by_guid(guids: Mapping[int, Iterable[str]]) -> Iterable[tuple[int, str, int]]:
    """Feed, guid and article of the items with these guids; one query per feed."""
    for feed, wanted in guids.items():
        rows = Item.objects.filter(feed=feed, guid__in=list(wanted)).values_list("guid", "article_id")
        for guid, article in rows:
            yield feed, guid, article
