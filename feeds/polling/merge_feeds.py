"""Merges a feed that moved permanently into the feed at its new URL.

A permanent redirect only concerns the server that sends it. So the feed at the new URL doesn't change: not its title,
settings, tier, polls or items, nor its schedule, unless it was dead or merged and turns out to be alive. The old feed
stays with status merged and everything it delivered, visible only to its former followers: its items may be forged
under another publisher's name, or come from a secret URL. Its followers are moved to the other feed
(`reader.subscriptions.follow`).
"""

from datetime import datetime
from urllib.parse import urlsplit

from django.db.models import QuerySet

from feeds.fetching.credentials import is_secret_address, without_credentials
from feeds.models import Feed, FeedStatus, Source
from feeds.normalizing.domains import registrable_domain


def resume(feeds: QuerySet[Feed], now: datetime) -> int:
    """Poll these paused, dead or merged feeds again, starting now; returns how many."""
    stopped = feeds.filter(status__in=(FeedStatus.PAUSED, FeedStatus.DEAD, FeedStatus.MERGED))
    return stopped.update(status=FeedStatus.ACTIVE, merged_into=None, followers_moved_at=None, next_poll_at=now)


def final_feed(feed: Feed) -> Feed:
    """Return the feed that `feed` was merged into, through any number of merges; itself if it wasn't merged."""
    seen = {feed.pk}
    while feed.merged_into is not None and feed.merged_into_id not in seen:
        feed = feed.merged_into
        seen.add(feed.pk)
    return feed


def can_update_url(feed: Feed, new_url: str) -> bool:
    """Whether a feed that moved is the same feed at another URL of its publisher. Not if a secret is gone or new, or a
    query that may be one is gone: followers of one URL must not see what the other delivered."""
    old_url = without_credentials(feed.url)
    if registrable_domain(old_url) != registrable_domain(new_url):
        return False
    if is_secret_address(new_url) != feed.is_private:
        return False
    query = urlsplit(old_url).query
    return not query or query == urlsplit(new_url).query


def get_successor(feed: Feed, url: str, *, now: datetime) -> Feed | None:
    """Return the feed at `url` to follow instead of `feed`, created if needed; None if that one is paused.

    `url` has just returned a feed, so one there that was dead or merged, perhaps into `feed`, is polled again.
    """
    there = Feed.objects.filter(url_key=Feed.key_of(url))
    if feed.status == FeedStatus.ACTIVE:
        resume(there.filter(status__in=(FeedStatus.DEAD, FeedStatus.MERGED)), now)
    other = there.first()
    if other is None:
        source, _ = Source.objects.get_or_create(domain=registrable_domain(url))
        return Feed.objects.create(
            url=url,
            url_key=Feed.key_of(url),
            source=source,
            is_private=feed.is_private or is_secret_address(url),
            is_added_by_hand=feed.is_added_by_hand,
            status=feed.status,
            max_items=feed.max_items,
            next_poll_at=now,
        )
    return other if other.pk != feed.pk and other.status == feed.status else None
