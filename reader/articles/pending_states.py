"""Imported states that wait for their article, and moving them to the article once it arrives.

The delivering transaction only marks which pending states match (`match_arrived`); they are moved afterwards
(`apply_arrived`), or a minute later after an interruption. Two steps, because marking articles locks deliveries before
subscriptions, and delivering holds the subscriptions already.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from hashlib import blake2b

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from feeds.content.saved_copies import keep_page_of_copy
from feeds.models import Article, Feed
from reader.articles.feed_items import carriers, feed_urls
from reader.articles.read_state import recount
from reader.articles.state_bulk import State, add_states, states_of
from reader.articles.state_json import state_from_json
from reader.models import Delivery, Highlight, PendingState, lock_deliveries

CHUNK = 200  # states moved in one transaction


def guid_key(feed_url: str, guid: str) -> bytes:
    """A 16-byte hash of a feed's URL and a guid, the same in every installation."""
    return blake2b(Feed.key_of(feed_url) + guid.encode(errors="replace"), digest_size=16).digest()


def match_arrived(delivered: Mapping[int, Collection[int]]) -> int:
    """Mark the pending states that match newly delivered articles, given by user; returns how many.

    One query unless one of these users has any.
    """
    waiting = User.objects.filter(Exists(PendingState.objects.filter(user=OuterRef("pk"))), pk__in=delivered)
    return sum(_match(user, sorted(delivered[user])) for user in waiting.values_list("pk", flat=True))


def apply_arrived() -> int:
    """Move states to the articles that arrived; returns how many."""
    n_moved = 0
    while found := list(
        PendingState.objects.filter(arrived__isnull=False).order_by("pk").values_list("pk", "user_id")[:CHUNK]
    ):
        by_user: dict[int, list[int]] = defaultdict(list)
        for pk, user_id in found:
            by_user[user_id].append(pk)
        for user in User.objects.filter(pk__in=by_user):
            n_moved += _move(user, by_user[user.pk])
    return n_moved


def _match(user_id: int, article_ids: list[int]) -> int:
    n_matched, feeds = 0, feed_urls(user_id)
    for start in range(0, len(article_ids), CHUNK):
        chunk = article_ids[start : start + CHUNK]
        keys = {bytes(key): pk for pk, key in Article.objects.filter(pk__in=chunk).values_list("pk", "url_key")}
        guids = _guid_keys(chunk, feeds)
        rows = list(PendingState.objects.filter(Q(key__in=list(keys)) | Q(guid_key__in=list(guids)), user=user_id))
        for row in rows:
            row.arrived_id = keys.get(bytes(row.key)) or guids.get(bytes(row.guid_key))
        PendingState.objects.bulk_update(rows, ["arrived"])
        n_matched += len(rows)
    return n_matched


def _guid_keys(article_ids: Collection[int], feeds: Mapping[int, str]) -> dict[bytes, int]:
    return {guid_key(carrier.feed_url, carrier.guid): carrier.article_id for carrier in carriers(article_ids, feeds)}


def _move(user: User, ids: Collection[int]) -> int:
    with transaction.atomic():
        rows = list(PendingState.objects.select_for_update().filter(pk__in=ids, user=user, arrived__isnull=False))
        at_copies = states_of(user, [row.copy_id for row in rows if row.copy_id])
        states: dict[int, State] = {}
        for row in rows:
            if row.arrived_id:
                state = at_copies.get(row.copy_id, State()) if row.copy_id else state_from_json(row.data)
                states[row.arrived_id] = _both(states.get(row.arrived_id), state)
        add_states(user, states)
        PendingState.objects.filter(pk__in=[row.pk for row in rows]).delete()
        _delete_copies(user, {row.copy_id: row.arrived_id for row in rows if row.copy_id and row.arrived_id})
    return len(rows)


def _delete_copies(user: User, arrived: Mapping[int, int]) -> None:
    """Delete copies whose article arrived, which takes over a page that was fetched for them."""
    if not arrived:
        return
    copies = Article.objects.select_related("feed").in_bulk(arrived)
    for pk, article in Article.objects.in_bulk(arrived.values()).items():
        for copy in (copies[one] for one, other in arrived.items() if other == pk and one in copies):
            keep_page_of_copy(copy, article)
    affected = lock_deliveries(Delivery.everything.filter(user=user, article__in=copies))
    Highlight.objects.filter(user=user, article__in=copies).delete()
    Article.objects.filter(pk__in=copies).delete()
    recount(affected)


def _both(one: State | None, other: State) -> State:
    if one is None:
        return other
    return State(
        is_read=one.is_read or other.is_read,
        is_seen=one.is_seen or other.is_seen,
        is_starred=one.is_starred or other.is_starred,
        starred_at=one.starred_at or other.starred_at,
        tags=[*one.tags, *other.tags],
        acts=list(dict.fromkeys([*one.acts, *other.acts])),
        positions=[*one.positions, *other.positions],
        highlights=list(dict.fromkeys([*one.highlights, *other.highlights])),
        saved_at=min(filter(None, (one.saved_at, other.saved_at)), default=None),
    )
