"""States that wait for their article, and what happens when it comes.

Who delivers notes in the same transaction which of the states waiting belong to what was just brought (`note_arrived`);
they are moved to it afterwards (`settle_arrived`), and, where that was interrupted, a minute later. Deliveries are
locked by who marks them before subscriptions are, and the delivering transaction holds the subscriptions already: hence
the two steps.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from hashlib import blake2b

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from feeds.models import Article, Feed
from reader.carriers import carriers, own_feeds
from reader.kept_json import state_from_json
from reader.models import KeptState
from reader.reading_states import State, states_of, take_states

CHUNK = 200  # states moved in one transaction


def guid_key(feed_url: str, guid: str) -> bytes:
    """16 bytes, equal for one guid of one feed, whatever installation it is seen from."""
    return blake2b(Feed.key_of(feed_url) + guid.encode(errors="replace"), digest_size=16).digest()


def note_arrived(brought: Mapping[int, Collection[int]]) -> int:
    """Note which waiting states belong to articles just brought, by user; returns how many.

    One statement while none of these users has any.
    """
    waiting = User.objects.filter(Exists(KeptState.objects.filter(user=OuterRef("pk"))), pk__in=brought)
    return sum(_note(user, sorted(brought[user])) for user in waiting.values_list("pk", flat=True))


def settle_arrived() -> int:
    """Move states to the articles that they waited for; returns how many."""
    n_moved = 0
    while found := list(
        KeptState.objects.filter(arrived__isnull=False).order_by("pk").values_list("pk", "user_id")[:CHUNK]
    ):
        by_user: dict[int, list[int]] = defaultdict(list)
        for pk, user_id in found:
            by_user[user_id].append(pk)
        for user in User.objects.filter(pk__in=by_user):
            n_moved += _move(user, by_user[user.pk])
    return n_moved


def _note(user_id: int, article_ids: list[int]) -> int:
    n_noted, feeds = 0, own_feeds(user_id)
    for start in range(0, len(article_ids), CHUNK):
        chunk = article_ids[start : start + CHUNK]
        keys = {bytes(key): pk for pk, key in Article.objects.filter(pk__in=chunk).values_list("pk", "url_key")}
        guids = _guid_keys(chunk, feeds)
        rows = list(KeptState.objects.filter(Q(key__in=list(keys)) | Q(guid_key__in=list(guids)), user=user_id))
        for row in rows:
            row.arrived_id = keys.get(bytes(row.key)) or guids.get(bytes(row.guid_key))
        KeptState.objects.bulk_update(rows, ["arrived"])
        n_noted += len(rows)
    return n_noted


def _guid_keys(article_ids: Collection[int], feeds: Mapping[int, str]) -> dict[bytes, int]:
    return {guid_key(each.feed_url, each.guid): each.article_id for each in carriers(article_ids, feeds)}


def _move(user: User, ids: Collection[int]) -> int:
    with transaction.atomic():
        rows = list(KeptState.objects.select_for_update().filter(pk__in=ids, user=user, arrived__isnull=False))
        at_copies = states_of(user, [row.copy_id for row in rows if row.copy_id])
        states: dict[int, State] = {}
        for row in rows:
            if row.arrived_id:
                state = at_copies.get(row.copy_id, State()) if row.copy_id else state_from_json(row.data)
                states[row.arrived_id] = _both(states.get(row.arrived_id), state)
        take_states(user, states)
        KeptState.objects.filter(pk__in=[row.pk for row in rows]).delete()
        Article.objects.filter(pk__in=[row.copy_id for row in rows if row.copy_id]).delete()
    return len(rows)


def _both(one: State | None, other: State) -> State:
    """What two states waiting for one article say together."""
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
    )
