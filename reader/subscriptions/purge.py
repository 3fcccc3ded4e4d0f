"""Deletes items past the retention of their feed, and articles that no feed has any more.

Articles that a user starred, tagged, highlighted or rated for time sensitivity are protected. So are those opened,
skipped, liked or disliked within the year that models learn from, and with `RETENTION_KEEP_UNREAD`, unread ones. A
protected article keeps all its items.

A feed is purged in chunks of one short transaction, which can be interrupted at any time. A chunk locks everything it
may change before it checks what is protected: deliveries, then subscriptions, then articles, the order used everywhere.
A star or item added earlier protects the article; one added later fails because the article is gone. An update to an
existing `ArticleState` isn't blocked by the article's lock, and such rows are locked before deliveries in some places
and after them in others. So they are locked without waiting, and articles whose state is locked are left for the next
purge.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest

from feeds.models import Feed
from feeds.storage.purge import (
    ExpiredItem,
    expired_items,
    lock_articles,
    next_to_purge,
    remove_articles,
    remove_items,
    sole_articles,
)
from feeds.storage.retention import RetentionRule, retention_for
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    EngagementKind,
    Highlight,
    PendingState,
    Quiet,
    SensitivityLabel,
    SensitivitySource,
    Subscription,
    TaggedArticle,
)
from reader.stories.collapse import queue_fold_ids
from reader.subscriptions.unfollow import remove

LEARNED_FROM_FOR = timedelta(days=365)  # SPEC §10: models learn from the last year
PROTECTING_KINDS = (
    EngagementKind.OPENED,
    EngagementKind.LIKED,
    EngagementKind.DISLIKED,
    EngagementKind.STARRED,
    EngagementKind.SKIPPED,
)


@dataclass(slots=True)
class Purged:
    """How much was deleted; `n_held`: expired items of protected articles."""

    n_feeds: int = 0
    n_items: int = 0
    n_articles: int = 0
    n_held: int = 0

    def __iadd__(self, other: "Purged") -> "Purged":
        self.n_feeds += other.n_feeds
        self.n_items += other.n_items
        self.n_articles += other.n_articles
        self.n_held += other.n_held
        return self


def default_retention() -> RetentionRule:
    """The retention from the settings."""
    return RetentionRule(days=settings.ENV.RETENTION_DAYS or None, n_items=settings.ENV.RETENTION_ITEMS or None)


def retention_rule(feed: Feed) -> RetentionRule:
    """The retention of a feed: its own, else from the settings."""
    return retention_for(feed.keep_days, feed.keep_items, default=default_retention())


def purge_due(*, now: datetime, is_time_left: Callable[[], bool]) -> Purged:
    """Purge feeds that weren't purged for a day, until time runs out."""
    done = Purged()
    while is_time_left() and (feed := next_to_purge(now, default=default_retention())):
        done += purge(feed, now=now, is_time_left=is_time_left, behind=feed.purged_up_to)
    return done


def purge(feed: Feed, *, now: datetime, is_time_left: Callable[[], bool] = lambda: True, behind: int = 0) -> Purged:
    """Purge one feed, starting after the item `behind`. If time runs out, the next day's purge continues there, since
    protected items at the beginning could otherwise use up the time every day.
    """
    done, up_to = Purged(n_feeds=1), 0
    for items in expired_items(feed.pk, retention_rule(feed), now=now, behind=behind):
        done += purge_chunk(feed.pk, items, now=now)
        if not is_time_left():
            up_to = items[-1].pk
            break
    if up_to != feed.purged_up_to:
        Feed.objects.filter(pk=feed.pk).update(purged_up_to=up_to)
    return done


def would_purge(feed: Feed, *, now: datetime) -> Purged:
    """What `purge` would do, without changing anything. `n_articles` doesn't count articles that other feeds have, even
    if those would be purged, too.
    """
    found = Purged(n_feeds=1)
    for items in expired_items(feed.pk, retention_rule(feed), now=now):
        deletable = _deletable(items, now=now)
        n_articles, n_held = len(sole_articles(deletable)), len(items) - len(deletable)
        found += Purged(n_items=len(deletable), n_articles=n_articles, n_held=n_held)
    return found


def purge_chunk(feed_id: int, items: Sequence[ExpiredItem], *, now: datetime) -> Purged:
    """Purge these items of one feed in one transaction, without those of protected articles."""
    candidates = _deletable(items, now=now)
    if not candidates:
        return Purged(n_held=len(items))
    with transaction.atomic():
        if not list(Feed.objects.select_for_update().filter(pk=feed_id)):  # so that no poll stores items now
            return Purged()  # deleted since
        in_use = _lock(feed_id, candidates)
        deletable = [item for item in _deletable(candidates, now=now) if item.article_id not in in_use]
        if not deletable:
            return Purged(n_held=len(items))
        orphaned = sole_articles(deletable)
        leaving = sole_articles(deletable, feed_id=feed_id)  # the feed may have a newer item of an article
        _remove_deliveries(_deliveries(feed_id, leaving, orphaned))
        queue_fold_ids(leaving - orphaned)  # to unfold what was folded under them
        remove_items(feed_id, deletable)
        n_articles = remove_articles(orphaned)
    return Purged(n_items=len(deletable), n_articles=n_articles, n_held=len(items) - len(deletable))


def _lock(feed_id: int, items: Sequence[ExpiredItem]) -> set[int]:
    """Lock everything that purging these items may change; returns articles whose state another transaction locked."""
    ids = {item.article_id for item in items}
    subscriptions = set(_deliveries(feed_id, ids, sole_articles(items)).values_list("subscription", flat=True))
    list(Subscription.everything.select_for_update().filter(pk__in=subscriptions).order_by("pk").values_list("pk"))
    states = ArticleState.objects.filter(article__in=ids)
    locked = set(states.select_for_update(skip_locked=True).values_list("pk", flat=True))
    lock_articles(ids)
    return {article for pk, article in states.values_list("pk", "article") if pk not in locked}


def _deletable(items: Collection[ExpiredItem], *, now: datetime) -> list[ExpiredItem]:
    protected = _protected({item.article_id for item in items}, now=now)
    return [item for item in items if item.article_id not in protected]


def _protected(article_ids: Collection[int], *, now: datetime) -> set[int]:
    """The articles that must not be deleted because of something a user did."""
    reasons: list[QuerySet[Any]] = [
        ArticleState.objects.filter(is_starred=True),
        TaggedArticle.objects.all(),
        Highlight.objects.all(),
        SensitivityLabel.objects.filter(source=SensitivitySource.USER),
        Engagement.objects.filter(kind__in=PROTECTING_KINDS, happened_at__gt=now - LEARNED_FROM_FOR),
    ]
    if settings.ENV.RETENTION_KEEP_UNREAD:
        reasons.append(Delivery.objects.filter(is_read=False, quiet=Quiet.NOT))
    ids = {pk for rows in reasons for pk in rows.filter(article__in=article_ids).values_list("article", flat=True)}
    pending = PendingState.objects.filter(Q(copy__in=article_ids) | Q(arrived__in=article_ids))
    return ids | {pk for pair in pending.values_list("copy", "arrived") for pk in pair if pk is not None}


def _deliveries(feed_id: int, article_ids: Collection[int], orphaned: Collection[int]) -> QuerySet[Delivery]:
    """This feed's deliveries of these articles, and all deliveries of `orphaned` ones; locked when read."""
    of_feed = Q(subscription__feed=feed_id, article__in=article_ids)
    rows = Delivery.everything.filter(of_feed | Q(article__in=orphaned))
    return rows.select_for_update(of=("self",)).order_by("pk")


def _remove_deliveries(deliveries: QuerySet[Delivery]) -> None:
    """Remove these deliveries, and subtract the unread ones from the unread counts."""
    unread: Counter[int] = Counter()
    ids = []
    for pk, subscription, is_read, quiet in deliveries.values_list("pk", "subscription_id", "is_read", "quiet"):
        ids.append(pk)
        unread[subscription] += not is_read and quiet == Quiet.NOT
    remove(ids)
    for pk, n in sorted(unread.items()):
        Subscription.everything.filter(pk=pk).update(unread_count=Greatest(F("unread_count") - n, 0))
