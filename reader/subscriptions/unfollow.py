"""Unfollowing feeds, and restoring them within seven days.

Unfollowing sets `Subscription.unfollowed_at` and nothing more: the subscription, its deliveries and the rules about it
stay where they are, and the default managers hide them (`reader.models.subscription`). Restoring clears it. Reading
states are kept in step in the meantime (`reader.articles.read_state`), so nothing has to be copied either way. After
seven days `purge_some` deletes the rows, a chunk in each transaction.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef
from django.utils import timezone

from feeds.models import Article, FeedStatus
from reader.articles.arrivals import arrive
from reader.articles.read_state import recount
from reader.models import (
    Arrival,
    ArticleState,
    Delivery,
    Folder,
    Highlight,
    Rule,
    Subscription,
    TaggedArticle,
    lock_deliveries,
)
from reader.scoring.rule_boosts import mark_boosted_for_rating
from reader.stories.collapse import CHUNK, fold_now, queue_fold
from reader.subscriptions.make_folders import folder_named

KEPT_FOR = timedelta(days=7)
SYNCED_AFTER = timedelta(hours=1)  # most reading apps
MAX_SHOWN = 20  # unfollow actions on the feeds page
PURGED_AT_ONCE = 2000  # deliveries in one transaction: about a quarter of a second; SQLite has one writer


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """Feeds that one action unfollowed: one of them, and how many there are."""

    subscription: Subscription
    n: int

    @property
    def n_others(self) -> int:
        return self.n - 1


def unfollow(
    user: User, subscription_ids: Collection[int], *, now: datetime, with_folders: bool = False
) -> list[Subscription]:
    """Unfollow these feeds of the user; returns those that were followed.

    Saved pages can't be: they are removed one by one. `with_folders`: also delete the folders this empties, unless a
    rule is about them. Restoring makes them again.
    """
    with transaction.atomic():
        mine = Subscription.objects.filter(user=user, pk__in=subscription_ids).exclude(feed__status=FeedStatus.SAVED)
        found = list(mine.select_related("feed").order_by("pk"))
        ids = [subscription.pk for subscription in found]
        changes = _note_changes(user, ids)
        Subscription.objects.filter(pk__in=ids).update(unfollowed_at=now)
        if with_folders:
            _delete_emptied_folders(user, ids)
    for subscription in found:
        subscription.unfollowed_at = now
    fold_now(changes[:CHUNK], user=user)  # the recurring task folds the rest
    return found


def recently_unfollowed(user: User, *, now: datetime) -> list[Unfollowed]:
    """What can be restored, the latest first."""
    unfollowed = Subscription.everything.filter(user=user, unfollowed_at__gte=now - KEPT_FOR)
    actions = unfollowed.order_by("-unfollowed_at").values_list("unfollowed_at").annotate(one=Min("pk"), n=Count("pk"))
    found = {one: n for _, one, n in actions[:MAX_SHOWN]}
    subscriptions = Subscription.everything.select_related("feed").in_bulk(found)
    return [Unfollowed(subscriptions[one], n) for one, n in found.items()]


def undo_unfollow(user: User, subscription: Subscription, *, now: datetime) -> list[Subscription]:
    """Restore a subscription and those unfollowed together with it; returns them, none once it is too late."""
    if subscription.unfollowed_at is None or subscription.unfollowed_at < now - KEPT_FOR:
        return []
    together = Subscription.everything.filter(user=user, unfollowed_at=subscription.unfollowed_at)
    return restore(user, list(together.values_list("pk", flat=True)))


def restore(user: User, subscription_ids: Collection[int]) -> list[Subscription]:
    """Follow these feeds again with everything they had; returns those that were unfollowed.

    What is unread arrives again if reading apps may have deleted it in the meantime.
    """
    with transaction.atomic():
        hidden = Subscription.everything.filter(user=user, pk__in=subscription_ids, unfollowed_at__isnull=False)
        found = list(hidden.select_related("feed").order_by("pk"))
        ids = [subscription.pk for subscription in found]
        since = timezone.now() - SYNCED_AFTER
        gone = [subscription.pk for subscription in found if (subscription.unfollowed_at or since) < since]
        _restore_folders(user, found)
        unread = Delivery.everything.filter(subscription__in=ids, is_read=False)
        lock_deliveries(unread)
        unread.update(is_rated=False)
        changes = _note_changes(user, ids)
        hidden.filter(pk__in=ids).update(unfollowed_at=None)
        arrive(unread.filter(subscription__in=gone))
    fold_now(changes[:CHUNK], user=user)
    return found


def purge_some(*, now: datetime) -> bool:
    """Delete some of what can no longer be restored, in one transaction; False when nothing is left."""
    expired = Subscription.everything.filter(unfollowed_at__lt=now - KEPT_FOR)
    with transaction.atomic():
        pk = expired.order_by("pk").values_list("pk", flat=True).first()
        if pk is None:
            return False
        rows = Delivery.everything.filter(subscription=pk).select_for_update().order_by("pk")
        articles = dict(rows.values_list("pk", "article")[:PURGED_AT_ONCE])
        subscription = expired.select_for_update().filter(pk=pk).first()
        if subscription is None:
            return True  # followed again in the meantime
        if not articles:
            subscription.delete()
            return True
        remove(articles)
        _forget_states(subscription.user_id, articles.values())
        # If the feed is followed again before everything is gone, all its articles are delivered again.
        Subscription.everything.filter(pk=pk).update(delivered_item_id=0)
        recount({pk})
    return True


def remove(delivery_ids: Collection[int]) -> None:
    """Delete deliveries with what waits for them; in two statements, where Django would load every row."""
    Arrival.objects.filter(delivery__in=delivery_ids).delete()
    going = Delivery.everything.filter(pk__in=delivery_ids)
    going._raw_delete(going.db)


def _note_changes(user: User, ids: Collection[int]) -> list[int]:
    """Have rated again what rules about these feeds lift; returns the changes to fold after the transaction."""
    mark_boosted_for_rating(user, Rule.everything.filter(subscription__in=ids))
    return queue_fold(Article.objects.filter(deliveries__subscription__in=ids))


def _delete_emptied_folders(user: User, ids: Collection[int]) -> None:
    left = Subscription.everything.filter(pk__in=ids, folder=OuterRef("pk"))
    others = Subscription.objects.filter(folder=OuterRef("pk"))
    for folder in Folder.objects.filter(Exists(left), ~Exists(others), user=user, rules=None):
        Subscription.everything.filter(pk__in=ids, folder=folder).update(deleted_folder=folder.name)
        folder.delete()


def _restore_folders(user: User, subscriptions: Collection[Subscription]) -> None:
    for subscription in subscriptions:
        if subscription.deleted_folder:
            folder = folder_named(user, subscription.deleted_folder)
            subscription.folder, subscription.deleted_folder = folder, ""
            subscription.save(update_fields=["folder", "deleted_folder"])
            Delivery.everything.filter(subscription=subscription).update(folder=folder)


def _forget_states(user_id: int, article_ids: Collection[int]) -> None:
    """Delete the reading states of articles that no feed of the user delivered and that they didn't keep (starred,
    tagged, highlighted)."""
    deliveries = Delivery.everything.filter(user=user_id, article=OuterRef("article"))
    tagged = TaggedArticle.objects.filter(user=user_id, article=OuterRef("article"))
    states = ArticleState.objects.filter(user=user_id, is_starred=False, article__in=article_ids)
    highlighted = Highlight.objects.filter(user=user_id, article=OuterRef("article"))
    states.filter(~Exists(deliveries), ~Exists(tagged), ~Exists(highlighted)).delete()
