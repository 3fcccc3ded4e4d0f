"""Bring new items to the people who follow their feeds: rows of `Delivery`, and the unread counts.

Set-based: a poll of a thousand feeds is delivered by a few statements. Each subscription remembers how far it was
delivered (items of one feed are stored by one worker at a time, so their ids only grow); repeating changes nothing.

What belongs to a story is folded as soon as it is delivered. That is noted in the transaction that delivers, so that an
interruption delays it until the outbox is worked off (`reader.folding`). It is done after that transaction, which holds
the subscriptions: who marks articles read holds deliveries first and subscriptions then. One more feed may carry a
known article now, which corroborates it: that is looked up last, and half-hourly for what an interruption left out.

Whoever has rules gets a note beside each delivery, in the same transaction, and the rules are applied right after it
for the reason that folding is; what an interruption left is done a minute later (`reader.ruling`). What was muted as
one subscription brought it is not brought again by that one. Of a feed whose noise is bounded, what is too much arrives
quiet (`reader.quieting`). What a person brought along of an article from another reader is put to it as it comes, in
the same two steps (`reader.kept_states`).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from reader.folding import note_ids, settle
from reader.kept_states import note_arrived, settle_arrived
from reader.models import Arrival, Quiet, Rule, Subscription
from reader.quieting import BUDGET, quieten
from reader.ruling import apply_to_arrivals
from reader.standings import refresh_told_with

_CHUNK = 200  # subscriptions in one transaction

# One row an article, even when the feed delivered it twice. What was read before, through another feed, arrives read.
_DELIVER = """
INSERT INTO reader_delivery (
    user_id, folder_id, subscription_id, article_id, published_at, date_uncertain,
    is_read, is_folded, is_folded_in_folder, is_seen, is_rated, quiet
)
SELECT DISTINCT
    s.user_id, s.folder_id, s.id, a.id, a.published_at, a.date_uncertain,
    COALESCE(state.is_read, %s), %s, %s, %s, %s, %s
FROM reader_subscription s
JOIN feeds_item i ON i.feed_id = s.feed_id AND i.id > s.delivered_item_id AND i.id <= %s
JOIN feeds_article a ON a.id = i.article_id
LEFT JOIN reader_articlestate state ON state.user_id = s.user_id AND state.article_id = a.id
LEFT JOIN reader_muted muted ON muted.subscription_id = s.id AND muted.article_id = a.id
WHERE s.id IN ({ids}) AND muted.id IS NULL
ON CONFLICT (subscription_id, article_id) DO NOTHING
RETURNING id, subscription_id, article_id, is_read
"""


class _Made(NamedTuple):
    """A delivery just made."""

    pk: int
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
    now = timezone.now()
    with transaction.atomic():
        subscriptions = list(
            Subscription.objects.select_for_update(of=("self",))
            .select_related("feed")
            .only("user_id", "delivered_item_id", "feed__newest_item_id", *BUDGET)
            .filter(pk__in=ids)
            .order_by("pk")
        )
        if not subscriptions:
            return 0
        newest = max(each.feed.newest_item_id for each in subscriptions)
        made = _insert([each.pk for each in subscriptions], newest)
        quiet = quieten(subscriptions, {each.pk: each.subscription_id for each in made}, now=now)
        unread = Counter(each.subscription_id for each in made if not each.is_read and each.pk not in quiet)
        for each in subscriptions:
            each.delivered_item_id = max(each.delivered_item_id, each.feed.newest_item_id)
            each.unread_count = F("unread_count") + unread[each.pk]
        Subscription.objects.bulk_update(subscriptions, ["delivered_item_id", "unread_count"])
        articles = {each.article_id for each in made}
        changes = note_ids(articles)
        user_of = {each.pk: each.user_id for each in subscriptions}
        arrived = _note_arrivals(made, user_of)
        n_kept = note_arrived(_by_user(made, user_of))
    if n_kept:
        settle_arrived()
    apply_to_arrivals(arrived, now=now)
    # Who tied a story meanwhile did not see these deliveries, nor did this transaction see the story: look once more.
    settle([*changes, *note_ids(articles)])
    refresh_told_with(articles)
    return len(made)


def _by_user(made: Sequence[_Made], user_of: Mapping[int, int]) -> dict[int, set[int]]:
    """The articles that were brought to each user."""
    found: dict[int, set[int]] = defaultdict(set)
    for each in made:
        found[user_of[each.subscription_id]].add(each.article_id)
    return found


def _note_arrivals(made: Sequence[_Made], user_of: Mapping[int, int]) -> list[int]:
    """Leave word of what was brought to people who have rules; returns the ids of those deliveries."""
    users = {user_of[each.subscription_id] for each in made}
    ruled = set(Rule.objects.filter(user__in=users, is_on=True).order_by().values_list("user_id", flat=True).distinct())
    arrived = [each.pk for each in made if user_of[each.subscription_id] in ruled]
    Arrival.objects.bulk_create([Arrival(delivery_id=pk) for pk in arrived], batch_size=500)
    return arrived


def _insert(ids: list[int], newest: int) -> list[_Made]:
    marks = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        cursor.execute(_DELIVER.format(ids=marks), [*[False] * 5, Quiet.NOT.value, newest, *ids])
        return [_Made(pk, each, article, bool(is_read)) for pk, each, article, is_read in cursor.fetchall()]
