"""A person asks for a poll now; what may stand against it."""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from feeds.calling import call_worker
from feeds.claiming import make_due
from feeds.models import Feed, FeedStatus
from feeds.scheduling import spell

ASK_AGAIN_AFTER = timedelta(seconds=60)  # feeds are shared, and their servers are other people's


def ask_for_poll(feed: Feed, *, now: datetime) -> str:
    """Let `feed` be polled as soon as a worker is free; returns "", or why not in a sentence."""
    if feed.status == FeedStatus.DEAD:
        return _("It is gone for good; an administrator can revive it.")
    if feed.status == FeedStatus.SAMPLE:
        return _("It is a sample that came with this reader.")
    if feed.status != FeedStatus.ACTIVE:
        return _("It is not polled at present; an administrator can resume it.")
    resting = feed.source.resting_until
    if resting is not None and resting > now:
        return _("Its publisher asked us to wait; we may ask again in %(span)s.") % {"span": spell(resting - now)}
    if feed.last_polled_at is not None and now - feed.last_polled_at < ASK_AGAIN_AFTER:
        return _("It was polled less than a minute ago.")
    make_due(Feed.objects.filter(pk=feed.pk), now)
    call_worker("feeds.tasks.poll_feeds", [feed.pk])
    return ""
