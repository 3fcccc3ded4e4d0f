"""Export a user's subscriptions as a list that imports to the same set."""

from django.contrib.auth.models import User

from feeds.models import FeedStatus
from feeds.subscription_lists.model import ListedFeed
from reader.models import Folder, Subscription


def export_list(user: User) -> tuple[ListedFeed, ...]:
    """The user's feeds by folder and name, without samples, and without credentials in URLs."""
    mine = Subscription.objects.filter(user=user).exclude(feed__status=FeedStatus.SAMPLE)
    return tuple(
        _wanted(subscription) for subscription in mine.select_related("feed", "folder").order_by("folder__name", "pk")
    )


def _wanted(subscription: Subscription) -> ListedFeed:
    feed, folder = subscription.feed, subscription.folder
    return ListedFeed(
        url=feed.shown_url,
        title=feed.title or subscription.title,
        site_url=feed.site_url,
        folder=tuple(folder.name.split(Folder.PATH_SEPARATOR)) if folder else (),
        language=feed.language,
        category=subscription.category,
        max_items=feed.max_items,
        source_name=subscription.title,
    )
