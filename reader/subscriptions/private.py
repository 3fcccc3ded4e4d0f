"""Marking a feed as private, or as public again (`feeds.storage.private`)."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from feeds.fetching.credentials import split_credentials
from feeds.models import Feed, FeedStatus, Item
from feeds.storage.private import make_private
from reader.articles.read_state import recount
from reader.articles.state_bulk import add_states, states_of
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    Highlight,
    Muted,
    PlaybackPosition,
    Subscription,
    TaggedArticle,
    lock_deliveries,
)

_KEPT = (ArticleState, TaggedArticle, Highlight, Delivery, Muted)  # rows by which a user sees an article
_STATES = (ArticleState, TaggedArticle, Highlight, Engagement, PlaybackPosition)


def set_private(subscription: Subscription, is_private: bool, *, now: datetime) -> bool:
    """Mark the feed as private or public; False if others follow it, whose articles would change.

    Only a feed's sole follower and administrators can. A feed with a password always is private. What a private feed
    delivered stays its own.
    """
    feed = subscription.feed
    is_private |= split_credentials(feed.url)[1] is not None
    if is_private == Feed.objects.values_list("is_private", flat=True).get(pk=feed.pk):
        return True
    others = Subscription.everything.filter(feed=feed).exclude(pk=subscription.pk)
    if others.exists() and not subscription.user.is_staff:
        return False
    if not is_private:
        Feed.objects.filter(pk=feed.pk).update(is_private=False)
        return True
    with transaction.atomic():
        copies = make_private(feed.pk, now=now, kept_by_others=_kept_by_others(feed))
        for theirs in Subscription.everything.filter(feed=feed).select_related("user"):
            _move(theirs, copies)
    return True


def _kept_by_others(feed: Feed) -> set[int]:
    """The feed's articles that users see who don't follow it."""
    delivered = Item.objects.filter(feed=feed).values("article")
    followers = Subscription.everything.filter(feed=feed).values("user")
    kept: set[int] = set()
    for model in _KEPT:
        rows = model._base_manager.filter(article__in=delivered).exclude(user__in=followers)
        kept.update(rows.values_list("article_id", flat=True))
    saved = Item.objects.filter(article__in=delivered, feed__status=FeedStatus.SAVED)
    kept.update(saved.exclude(feed__subscriptions__user__in=followers).values_list("article_id", flat=True))
    return kept


def _move(subscription: Subscription, copies: Mapping[int, int]) -> None:
    """Give the follower the feed's own copies instead of the shared articles, with what they did with those. What
    another feed of theirs delivered too stays as it is."""
    deliveries = Delivery.everything.filter(subscription=subscription, article__in=copies)
    affected = lock_deliveries(deliveries)
    user: User = subscription.user
    states = states_of(user, list(copies))
    for shared, copy in copies.items():
        Delivery.everything.filter(subscription=subscription, article=shared).update(article=copy, is_rated=False)
        Muted.objects.filter(subscription=subscription, article=shared).update(article=copy)
    add_states(user, {copies[pk]: state for pk, state in states.items()})
    _forget(user, copies.keys() - _delivered(user, copies))
    recount(affected)


def _delivered(user: User, article_ids: Collection[int]) -> set[int]:
    rows = Delivery.everything.filter(user=user, article__in=article_ids)
    return set(rows.values_list("article_id", flat=True))


def _forget(user: User, article_ids: Collection[int]) -> None:
    for model in _STATES:
        model._base_manager.filter(user=user, article__in=article_ids).delete()
