"""Marking a feed as private, or as public again (`feeds.storage.private`)."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from feeds.fetching.credentials import split_credentials
from feeds.models import Feed
from feeds.storage.private import make_private
from reader.articles.read_state import recount
from reader.articles.state_bulk import add_states, states_of
from reader.models import Delivery, Subscription, lock_deliveries


def set_private(subscription: Subscription, is_private: bool, *, now: datetime) -> bool:
    """Mark the feed as private or public; False if it must stay private, as others follow it.

    Any follower may make a feed private: it then shares less. A feed with a password always is. What a private feed
    delivered stays its own.
    """
    feed_id = subscription.feed_id
    is_private |= split_credentials(subscription.feed.url)[1] is not None
    if is_private:
        with transaction.atomic():
            copies = make_private(feed_id, now=now)
            for theirs in Subscription.everything.filter(feed=feed_id).select_related("user"):
                _move(theirs, copies)
        return True
    if Subscription.everything.filter(feed=feed_id).exclude(pk=subscription.pk).exists():
        return not Feed.objects.filter(pk=feed_id, is_private=True).exists()
    Feed.objects.filter(pk=feed_id).update(is_private=False)
    return True


def _move(subscription: Subscription, copies: Mapping[int, int]) -> None:
    """Give the follower the feed's own copies instead of the shared articles, with what they did with those."""
    deliveries = Delivery.everything.filter(subscription=subscription, article__in=copies)
    affected = lock_deliveries(deliveries)
    user: User = subscription.user
    states = states_of(user, list(copies))
    for shared, copy in copies.items():
        Delivery.everything.filter(subscription=subscription, article=shared).update(article=copy, is_rated=False)
    add_states(user, {copies[pk]: state for pk, state in states.items()})
    recount(affected)
