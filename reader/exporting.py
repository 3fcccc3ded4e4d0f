"""A user's subscriptions as a list that imports again to the same set."""

from django.contrib.auth.models import User

from feeds.models import FeedStatus
from feeds.subscription_list import WantedFeed
from reader.models import Folder, Subscription


def export_list(user: User) -> tuple[WantedFeed, ...]:
    """What `user` follows, by folder and name. Addresses come without the credentials in them.

    Samples are left out: elsewhere nobody would answer at their addresses.
    """
    mine = Subscription.objects.filter(user=user).exclude(feed__status=FeedStatus.SAMPLE)
    return tuple(_wanted(each) for each in mine.select_related("feed", "folder").order_by("folder__name", "pk"))


def _wanted(subscription: Subscription) -> WantedFeed:
    feed, folder = subscription.feed, subscription.folder
    return WantedFeed(
        url=feed.shown_url,
        title=feed.title or subscription.title,
        site_url=feed.site_url,
        folder=tuple(folder.name.split(Folder.PATH_SEPARATOR)) if folder else (),
        language=feed.language,
        category=subscription.category,
        max_items=feed.max_items,
        source_name=subscription.title,
    )
