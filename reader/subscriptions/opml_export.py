"""Export a user's subscriptions as a list that imports to the same set."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q

from feeds.models import FeedStatus
from feeds.subscription_lists.model import ListedFeed, TabSettings
from feeds.subscription_lists.opml import write_opml
from reader.models import Folder, Subscription

# Feeds that exist only here: nothing else could follow them.
UNLISTED = (FeedStatus.SAMPLE, FeedStatus.SAVED)


def export_opml(user: User, *, title: str, now: datetime) -> bytes:
    """The user's feeds and folders as an OPML document."""
    with_settings = Folder.objects.exclude(Q(language="") & Q(item_limit_per_category=None)).filter(user=user)
    tabs = with_settings.values_list("name", "language", "item_limit_per_category")
    return write_opml(
        export_list(user),
        title=title,
        created_at=now,
        tabs=[TabSettings(name, language=language, item_limit_per_category=limit) for name, language, limit in tabs],
    )


def export_list(user: User) -> tuple[ListedFeed, ...]:
    """The user's feeds by folder and name, without samples and saved pages, and without credentials in URLs."""
    mine = Subscription.objects.filter(user=user).exclude(feed__status__in=UNLISTED)
    return tuple(
        _wanted(subscription) for subscription in mine.select_related("feed", "folder").order_by("folder__name", "pk")
    )


def _wanted(subscription: Subscription) -> ListedFeed:
    feed, folder = subscription.feed, subscription.folder
    return ListedFeed(
        url=feed.shown_url,
        title=subscription.title or feed.title,
        site_url=feed.site_url,
        folder=tuple(folder.name.split(Folder.PATH_SEPARATOR)) if folder else (),
        language=feed.language if feed.language_is_fixed else "",
        category=subscription.category,
        max_items=feed.max_items,
        source_name=subscription.title,
    )
