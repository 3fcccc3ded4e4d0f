"""A subscription, as the hub confirmed it."""

from datetime import datetime, timedelta
from typing import Any

from feeds.models import Feed, PushState, PushSubscription
from tests import make
from tests.make import NOW

HUB, TOPIC = "https://hub.example/", "https://paper.example/feed.xml"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def pushed(feed: Feed | None = None, **values: Any) -> PushSubscription:
    """An active subscription of a feed that was polled an hour ago and is due in two."""
    feed = feed or make.feed(
        hub_url=HUB, topic_url=TOPIC, last_polled_at=NOW - HOUR, last_success_at=NOW - HOUR, next_poll_at=NOW + 2 * HOUR
    )
    number = make.fresh_number()
    values = {
        "key": f"key-{number}",
        "secret": f"secret-{number}",
        "hub_url": feed.hub_url,
        "topic_url": feed.topic_url,
        "state": PushState.VERIFIED,
        "verified_at": NOW - DAY,
        "lease_until": NOW + 9 * DAY,
        "try_at": NOW + 7 * DAY,
        **values,
    }
    return PushSubscription.objects.create(feed=feed, **values)


def next_poll(push: PushSubscription) -> datetime | None:
    """When the feed is polled next."""
    return Feed.objects.get(pk=push.feed_id).next_poll_at
