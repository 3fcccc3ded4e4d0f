"""Bring new items to the people who follow their feeds: rows of `Delivery`, and the unread counts.

Set-based: a poll of a thousand feeds is delivered by a few statements. Each subscription remembers how far it was
delivered (items of one feed are stored by one worker at a time, so their ids only grow); repeating changes nothing.

What belongs to a story is folded as soon as it is delivered. That is noted in the transaction that delivers, so that an
interruption delays it until the outbox is worked off (`reader.folding`). It is done after that transaction, which holds
the subscriptions: who marks articles read holds deliveries first and subscriptions then. One more feed may carry a
known article now, which corroborates it: that is looked up last, and half-hourly for what an interruption left out.
"""

from collections import Counter
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import F

from reader.folding import note_ids, settle
from reader.models import Subscription
from reader.standings import refresh_told_with

_CHUNK = 200  # subscriptions in one transaction

# One row an article, even when the feed delivered it twice. What was read before, through another feed, arrives read.
_DELIVER = """
INSERT INTO reader_delivery (
    user_id, folder_id, subscription_id, article_id, published_at, date_uncertain,
    is_read, is_folded, is_folded_in_folder, is_seen, is_rated
)
SELECT DISTINCT
    s.user_id, s.folder_id, s.id, a.id, a.published_at, a.date_uncertain,
    COALESCE(state.is_read, %s), %s, %s, %s, %s
FROM reader_subscription s
JOIN feeds_item i ON i.feed_id = s.feed_id AND i.id > s.delivered_item_id AND i.id <= %s
JOIN feeds_article a ON a.id = i.article_id
LEFT JOIN reader_articlestate state ON state.user_id = s.user_id AND state.article_id = a.id
WHERE s.id IN ({ids})
ON CONFLICT (subscription_id, article_id) DO NOTHING
RETURNING subscription_id, article_id, is_read
"""


class _Made(NamedTuple):
    """A delivery just made."""

    subscription_id: int
    article_id: int
    is_read: bool


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
        made = _insert([each.pk for each in subscriptions], newest)
        unread = Counter(each.subscription_id for each in made if not each.is_read)
        for each in subscriptions:
            each.delivered_item_id = max(each.delivered_item_id, each.feed.newest_item_id)
            each.unread_count = F("unread_count") + unread[each.pk]
        Subscription.objects.bulk_update(subscriptions, ["delivered_item_id", "unread_count"])
        articles = {each.article_id for each in made}
        changes = note_ids(articles)
    # Who tied a story meanwhile did not see these deliveries, nor did this transaction see the story: look once more.
    settle([*changes, *note_ids(articles)])
    refresh_told_with(articles)
    return len(made)


def _insert(ids: list[int], newest: int) -> list[_Made]:
    marks = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        cursor.execute(_DELIVER.format(ids=marks), [*[False] * 5, newest, *ids])
        return [_Made(pk, article, bool(is_read)) for pk, article, is_read in cursor.fetchall()]
