"""Bring new items to the people who follow their feeds: rows of `Delivery`, and the unread counts.

Set-based: a poll of a thousand feeds is delivered by a few statements. Each subscription remembers how far it was
delivered (items of one feed are stored by one worker at a time, so their ids only grow); repeating changes nothing.
"""

from collections import Counter

from django.db import connection, transaction
from django.db.models import F

from reader.models import Subscription

_CHUNK = 200  # subscriptions in one transaction

# One row an article, even when the feed delivered it twice. What was read before, through another feed, arrives read.
_DELIVER = """
INSERT INTO reader_delivery (user_id, folder_id, subscription_id, article_id, published_at, is_read)
SELECT s.user_id, s.folder_id, s.id, a.id, a.published_at, COALESCE(state.is_read, %s)
FROM reader_subscription s
JOIN feeds_article a ON a.id IN (
    SELECT i.article_id FROM feeds_item i WHERE i.feed_id = s.feed_id AND i.id > s.delivered_item_id AND i.id <= %s
)
LEFT JOIN reader_articlestate state ON state.user_id = s.user_id AND state.article_id = a.id
WHERE s.id IN ({ids})
ON CONFLICT (subscription_id, article_id) DO NOTHING
RETURNING subscription_id, is_read
"""


def deliver() -> int:
    """Deliver every item stored so far that its subscribers do not have yet; returns the number of deliveries made."""
    waiting = list(
        Subscription.objects.filter(feed__newest_item_id__gt=F("delivered_item_id")).values_list("pk", flat=True)
    )
    return sum(_deliver_to(waiting[start : start + _CHUNK]) for start in range(0, len(waiting), _CHUNK))


def _deliver_to(ids: list[int]) -> int:
    with transaction.atomic():
        subscriptions = list(
            Subscription.objects.select_for_update(of=("self",))
            .select_related("feed")
            .only("pk", "delivered_item_id", "feed__newest_item_id")
            .filter(pk__in=ids)
            .order_by("pk")
        )
        if not subscriptions:
            return 0
        newest = max(each.feed.newest_item_id for each in subscriptions)
        delivered = _insert([each.pk for each in subscriptions], newest)
        unread = Counter(pk for pk, is_read in delivered if not is_read)
        for each in subscriptions:
            each.delivered_item_id = max(each.delivered_item_id, each.feed.newest_item_id)
            each.unread_count = F("unread_count") + unread[each.pk]
        Subscription.objects.bulk_update(subscriptions, ["delivered_item_id", "unread_count"])
    return len(delivered)


def _insert(ids: list[int], newest: int) -> list[tuple[int, bool]]:
    marks = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        cursor.execute(_DELIVER.format(ids=marks), [False, newest, *ids])
        return [(pk, bool(is_read)) for pk, is_read in cursor.fetchall()]
