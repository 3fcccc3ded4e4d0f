"""Deliver new items to subscribers: rows of `Delivery`, and unread counts.

Set-based: a poll of a thousand feeds takes a few statements. Each subscription stores the last delivered item; items of
a feed are stored by one worker at a time, so their ids only grow. Safe to repeat.

Folding, rules and imported states are queued in the delivering transaction and done after it: that transaction locks
subscriptions before deliveries, while marking as read does the opposite. If interrupted, recurring tasks finish them
(`reader.stories.collapse`, `reader.rules.apply`, `reader.articles.pending_states`). Corroboration is updated last.

A muted article isn't delivered again by the same subscription. Articles beyond a feed's noise limits are delivered
quiet (`reader.subscriptions.noise_limits`).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from reader.articles.arrivals import last_arrival
from reader.articles.pending_states import apply_arrived, match_arrived
from reader.models import Arrival, Delivery, Quiet, Rule, Subscription
from reader.rules.apply import apply_to_arrivals
from reader.scoring.source_signals import refresh_stories
from reader.stories.collapse import fold_now, queue_fold_ids
from reader.subscriptions.noise_limits import NOISE_FIELDS, apply_noise_limits

_CHUNK = 200  # subscriptions in one transaction
_IDS = 5000  # in one statement; SQLite allows 32,766

# One row per article, even if the feed has it twice. An article without a certain date has its item's place in lists,
# which may be after the dated ones of a new feed. Articles already read through another feed are delivered as read.
# They arrive in the order of items.
_DELIVER = """
INSERT INTO reader_delivery (
    user_id, folder_id, subscription_id, article_id, published_at, date_uncertain,
    is_read, is_folded, is_folded_in_folder, is_seen, is_rated, quiet,
    arrival
)
SELECT
    s.user_id, s.folder_id, s.id, a.id, CASE WHEN a.date_uncertain THEN i.published_at ELSE a.published_at END,
    a.date_uncertain,
    COALESCE(state.is_read, %s), %s, %s, %s, %s, %s,
    i.id + %s
FROM reader_subscription s
JOIN feeds_item i ON i.feed_id = s.feed_id AND i.id > s.delivered_item_id AND i.id <= %s
JOIN feeds_article a ON a.id = i.article_id
LEFT JOIN reader_articlestate state ON state.user_id = s.user_id AND state.article_id = a.id
LEFT JOIN reader_muted muted ON muted.subscription_id = s.id AND muted.article_id = a.id
WHERE s.id IN ({ids}) AND muted.id IS NULL
ON CONFLICT (subscription_id, article_id) DO NOTHING
RETURNING id, subscription_id, article_id, is_read
"""


class _NewDelivery(NamedTuple):
    pk: int
    subscription_id: int
    article_id: int
    is_read: bool


def deliver() -> int:
    """Deliver all items that subscribers don't have yet; returns the number of new deliveries."""
    waiting = list(
        Subscription.objects.filter(feed__newest_item_id__gt=F("delivered_item_id")).values_list("pk", flat=True)
    )
    return sum(deliver_to(waiting[start : start + _CHUNK]) for start in range(0, len(waiting), _CHUNK))


def deliver_to(ids: list[int]) -> int:
    """Deliver what these few subscriptions don't have yet; returns the number of new deliveries."""
    now = timezone.now()
    with transaction.atomic():
        subscriptions = list(
            Subscription.objects.select_for_update(of=("self",))
            .select_related("feed")
            .only(
                "user_id",
                "delivered_item_id",
                "title",
                "has_own_title",
                "feed__newest_item_id",
                "feed__title",
                *NOISE_FIELDS,
            )
            .filter(pk__in=ids)
            .order_by("pk")
        )
        if not subscriptions:
            return 0
        newest = max(subscription.feed.newest_item_id for subscription in subscriptions)
        new = _insert(subscriptions, newest)
        quiet = apply_noise_limits(subscriptions, {delivery.pk: delivery.subscription_id for delivery in new}, now=now)
        unread = Counter(row.subscription_id for row in new if not row.is_read and row.pk not in quiet)
        for subscription in subscriptions:
            is_copied = subscription.title == subscription.feed.title and not subscription.has_own_title
            if not subscription.delivered_item_id and is_copied:
                subscription.title = ""  # from an imported list, so that it follows the feed's title
            subscription.delivered_item_id = max(subscription.delivered_item_id, subscription.feed.newest_item_id)
            subscription.unread_count = F("unread_count") + unread[subscription.pk]
        Subscription.objects.bulk_update(subscriptions, ["delivered_item_id", "unread_count", "title"])
        articles = {delivery.article_id for delivery in new}
        changes = queue_fold_ids(articles)
        user_of = {subscription.pk: subscription.user_id for subscription in subscriptions}
        arrived = _queue_for_rules(new, user_of)
        n_kept = match_arrived(_by_user(new, user_of))
    if n_kept:
        apply_arrived()
    apply_to_arrivals(arrived, now=now)
    # A story linked during the transaction saw none of these deliveries, so queue them again.
    if folding := [*changes, *queue_fold_ids(articles)]:
        fold_now(folding)
        _unlist_folded([delivery.pk for delivery in new])
    refresh_stories(articles)
    return len(new)


def _by_user(new: Sequence[_NewDelivery], user_of: Mapping[int, int]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for delivery in new:
        found[user_of[delivery.subscription_id]].add(delivery.article_id)
    return found


def _queue_for_rules(new: Sequence[_NewDelivery], user_of: Mapping[int, int]) -> list[int]:
    """Queue the deliveries to users with rules; returns their ids."""
    users = {user_of[delivery.subscription_id] for delivery in new}
    ruled = set(Rule.objects.filter(user__in=users, is_on=True).order_by().values_list("user_id", flat=True).distinct())
    arrived = [delivery.pk for delivery in new if user_of[delivery.subscription_id] in ruled]
    Arrival.objects.bulk_create([Arrival(delivery_id=pk) for pk in arrived], batch_size=500)
    return arrived


def _insert(subscriptions: Sequence[Subscription], newest: int) -> list[_NewDelivery]:
    last = last_arrival({subscription.user_id for subscription in subscriptions})
    last -= min(subscription.delivered_item_id for subscription in subscriptions)
    ids = [subscription.pk for subscription in subscriptions]
    sql = _DELIVER.format(ids=", ".join(["%s"] * len(ids)))
    with connection.cursor() as cursor:
        cursor.execute(sql, [*[False] * 5, Quiet.NOT.value, last, newest, *ids])
        rows = cursor.fetchall()
    return [_NewDelivery(pk, subscription, article, bool(is_read)) for pk, subscription, article, is_read in rows]


def _unlist_folded(ids: Sequence[int]) -> None:
    """Note that those of these new deliveries that were folded at once were in no list before."""
    for start in range(0, len(ids), _IDS):
        new = Delivery.objects.filter(pk__in=ids[start : start + _IDS])
        new.filter(is_folded=True, was_listed=True).update(was_listed=False)
