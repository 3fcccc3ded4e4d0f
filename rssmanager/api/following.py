"""Following the feed at an address without looking at it first: a worker fetches it soon after."""

from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User

from feeds.models import Feed, FeedStatus
from feeds.polling.merge_feeds import resume
from feeds.subscription_lists.model import ListedFeed
from reader.articles.enclosures import is_web_address
from reader.models import Folder, Subscription
from reader.subscriptions.follow import feeds_for, follow


class InvalidAddress(Exception):
    """It isn't the address of anything on the web."""


def follow_address(user: User, address: str, *, title: str, folder: Folder | None, now: datetime) -> Subscription:
    """The user's subscription of the feed at this address. Raises InvalidAddress."""
    address = address if "://" in address else f"https://{address}"
    try:
        is_valid = is_web_address(address) and urlsplit(address).port != 0
    except ValueError:  # no port
        is_valid = False
    if not is_valid:
        raise InvalidAddress("This is no web address")
    listed = ListedFeed(url=address, title=title)
    feed = feeds_for([listed], now=now, default_max_items=settings.ENV.FETCH_MAX_ITEMS)[Feed.key_of(address)]
    resume(Feed.objects.filter(pk=feed.pk, status=FeedStatus.DEAD), now)
    return follow(user, feed, folder=folder, title=title)[0]
