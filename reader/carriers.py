"""Which of a person's own feeds carry an article, under which guid: by the article, never by all items of a feed."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from feeds.models import Feed, Item
from reader.models import Subscription


class Carrier(NamedTuple):
    """One item; `feed_url` without user name and password."""

    article_id: int
    feed_url: str
    guid: str


def own_feeds(user_id: int, *, brought: bool = False) -> dict[int, str]:
    """The feeds that the user follows, with their addresses without user name and password; `brought`: of these what
    has brought anything yet."""
    mine = Subscription.objects.filter(user=user_id)
    if brought:
        mine = mine.filter(delivered_item_id__gt=0)
    feeds = Feed.objects.filter(pk__in=mine.values("feed")).only("url")
    return {feed.pk: feed.shown_url for feed in feeds}


def carriers(article_ids: Collection[int], feeds: Mapping[int, str]) -> list[Carrier]:
    """The items of these articles in these feeds, by address and guid; one statement."""
    rows = Item.objects.filter(article__in=article_ids).values_list("article_id", "feed_id", "guid")
    return sorted(Carrier(article, feeds[feed], guid) for article, feed, guid in rows if feed in feeds)


def articles_under(guids: Mapping[int, Iterable[str]]) -> Iterable[tuple[int, str, int]]:
    """Feed, guid and article of the items of these guids by feed; a statement a feed."""
    for feed, wanted in guids.items():
        rows = Item.objects.filter(feed=feed, guid__in=list(wanted)).values_list("guid", "article_id")
        for guid, article in rows:
            yield feed, guid, article
