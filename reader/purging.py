"""Purging: what feeds delivered goes when their rule keeps it no longer, but for what somebody holds dear.

Nobody loses what they starred or tagged, nor what they said ages fast or slowly. What somebody opened, skipped or liked
stays for the year from which models learn; and, where that is set, what somebody has not read yet. All items of such an
article stay with it.

A chunk of a feed is one short transaction, so it may be killed at any moment, and go on at any other. All that it may
touch is locked before it asks what is free: deliveries first, then their subscriptions, then articles, which is the
order in which everybody locks them. A star or an item that comes earlier is seen, and holds the article; one that comes
later finds no article, and fails. What a person says of an article by a row that is there already no lock of the
article delays, and some lock such rows before deliveries, some after: so they are locked without waiting, and what
somebody is busy with stays for another time.
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
from feeds.purging import Old, last_of, lock_articles, next_to_purge, old_items, remove_articles, remove_items
from feeds.retention import Keeping, keeping_of
from reader.folding import note_ids
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    EngagementKind,
    Judge,
    KeptState,
    Quiet,
    SensitivityLabel,
    Subscription,
    TaggedArticle,
)
from reader.packing import remove

LEARNED_FROM_FOR = timedelta(days=365)  # SPEC §10: what a person opened and skipped in the last year
DELIBERATE = (
    EngagementKind.OPENED,
    EngagementKind.LIKED,
    EngagementKind.DISLIKED,
    EngagementKind.STARRED,
    EngagementKind.SKIPPED,
)


@dataclass(slots=True)
class Purged:
    """How much went, and how many items stayed though their feed's rule keeps them no longer."""

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


def default_keeping() -> Keeping:
    """What the settings say."""
    return Keeping(days=settings.ENV.RETENTION_DAYS or None, n_items=settings.ENV.RETENTION_ITEMS or None)


def keeping_for(feed: Feed) -> Keeping:
    """What holds for a feed."""
    return keeping_of(feed.keep_days, feed.keep_items, default=default_keeping())


def purge_due(*, now: datetime, is_time_left: Callable[[], bool]) -> Purged:
    """Purge feeds that were not purged for a day, as long as there is time."""
    done = Purged()
    while is_time_left() and (feed := next_to_purge(now, default=default_keeping())):
        done += purge(feed, now=now, is_time_left=is_time_left, behind=feed.purged_up_to)
    return done


def purge(feed: Feed, *, now: datetime, is_time_left: Callable[[], bool] = lambda: True, behind: int = 0) -> Purged:
    """Purge one feed from the item `behind` on; where time ends, that is noted, and it goes on there the next day.

    Else what is held, which is walked anew each time, could keep it from what follows for ever.
    """
    done, up_to = Purged(n_feeds=1), 0
    for items in old_items(feed.pk, keeping_for(feed), now=now, behind=behind):
        done += purge_chunk(feed.pk, items, now=now)
        if not is_time_left():
            up_to = items[-1].pk
            break
    if up_to != feed.purged_up_to:
        Feed.objects.filter(pk=feed.pk).update(purged_up_to=up_to)
    return done


def would_purge(feed: Feed, *, now: datetime) -> Purged:
    """What `purge` would do; nothing is changed. An article of several feeds that all let it go is in none's number."""
    found = Purged(n_feeds=1)
    for items in old_items(feed.pk, keeping_for(feed), now=now):
        going = _free(items, now=now)
        found += Purged(n_items=len(going), n_articles=len(last_of(going)), n_held=len(items) - len(going))
    return found


def purge_chunk(feed_id: int, items: Sequence[Old], *, now: datetime) -> Purged:
    """Purge these items of one feed, as far as nobody holds them dear, in one transaction; in none if all are held."""
    free = _free(items, now=now)
    if not free:
        return Purged(n_held=len(items))
    with transaction.atomic():
        if not list(Feed.objects.select_for_update().filter(pk=feed_id)):  # no poll of it stores meanwhile
            return Purged()  # deleted since
        in_use = _lock(feed_id, free)
        going = [each for each in _free(free, now=now) if each.article_id not in in_use]
        if not going:
            return Purged(n_held=len(items))
        last = last_of(going)
        leaving = last_of(going, feed_id=feed_id)  # it may hold an article by a younger item too, under another guid
        _take_from_lists(_listed(feed_id, leaving, last))
        note_ids(leaving - last)  # what was folded under them is to stand by itself
        remove_items(feed_id, going)
        n_articles = remove_articles(last)
    return Purged(n_items=len(going), n_articles=n_articles, n_held=len(items) - len(going))


def _lock(feed_id: int, items: Sequence[Old]) -> set[int]:
    """Lock what purging these items may touch; returns the articles with which somebody is busy."""
    ids = {each.article_id for each in items}
    lists = set(_listed(feed_id, ids, last_of(items)).values_list("subscription", flat=True))
    list(Subscription.everything.select_for_update().filter(pk__in=lists).order_by("pk").values_list("pk"))
    states = ArticleState.objects.filter(article__in=ids)
    locked = set(states.select_for_update(skip_locked=True).values_list("pk", flat=True))
    lock_articles(ids)
    return {article for pk, article in states.values_list("pk", "article") if pk not in locked}


def _free(items: Collection[Old], *, now: datetime) -> list[Old]:
    held = _held({each.article_id for each in items}, now=now)
    return [each for each in items if each.article_id not in held]


def _held(article_ids: Collection[int], *, now: datetime) -> set[int]:
    """Those that somebody would miss."""
    reasons: list[QuerySet[Any]] = [
        ArticleState.objects.filter(is_starred=True),
        TaggedArticle.objects.all(),
        SensitivityLabel.objects.filter(judge=Judge.PERSON),
        Engagement.objects.filter(kind__in=DELIBERATE, happened_at__gt=now - LEARNED_FROM_FOR),
    ]
    if settings.ENV.RETENTION_KEEP_UNREAD:
        reasons.append(Delivery.objects.filter(is_read=False, quiet=Quiet.NOT))
    held = {pk for rows in reasons for pk in rows.filter(article__in=article_ids).values_list("article", flat=True)}
    waiting = KeptState.objects.filter(Q(copy__in=article_ids) | Q(arrived__in=article_ids))
    return held | {pk for pair in waiting.values_list("copy", "arrived") for pk in pair if pk is not None}


def _listed(feed_id: int, article_ids: Collection[int], last: Collection[int]) -> QuerySet[Delivery]:
    """These articles in the lists of this feed, those that nothing holds any more in all; locked as they are read."""
    of_feed = Q(subscription__feed=feed_id, article__in=article_ids)
    rows = Delivery.everything.filter(of_feed | Q(article__in=last))
    return rows.select_for_update(of=("self",)).order_by("pk")


def _take_from_lists(deliveries: QuerySet[Delivery]) -> None:
    """Remove these deliveries, and count what was unread among them no more."""
    unread: Counter[int] = Counter()
    ids = []
    for pk, subscription, is_read, quiet in deliveries.values_list("pk", "subscription_id", "is_read", "quiet"):
        ids.append(pk)
        unread[subscription] += not is_read and quiet == Quiet.NOT
    remove(ids)
    for pk, n in sorted(unread.items()):
        Subscription.everything.filter(pk=pk).update(unread_count=Greatest(F("unread_count") - n, 0))
