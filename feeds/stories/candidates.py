"""The candidate index: stores blocking keys and finds articles that share one, with one query per batch.

A worker commits its keys before it looks for candidates. So of two articles processed at the same moment by two
workers, at least one finds the other.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter

from django.db import connection, transaction

from feeds.dedup.budgets import DEFAULT, Budget
from feeds.dedup.comparable import BlockingKey
from feeds.models import Article

HOUR = timedelta(hours=1)
WRITTEN_AT_ONCE = 4_000  # keys in one transaction: some 40 ms on SQLite
MAX_IDS = 5_000  # in one statement; SQLite may take no more than 32,766
_ALL_BITS = 2**64 - 1
_SIGN = 2**63  # bits are unsigned, the database's integers are not

_INSERT = """
INSERT INTO feeds_blockingkey (value, hour, article_id, bits) {rows}
ON CONFLICT (value, hour, article_id) DO UPDATE SET bits = excluded.bits
"""
_INSERT_SQLITE = _INSERT.format(rows="VALUES (%s, %s, %s, %s)")
_INSERT_POSTGRESQL = _INSERT.format(
    rows="SELECT * FROM unnest(%s::bigint[], %s::integer[], %s::bigint[], %s::bigint[])"
)
_CANDIDATES_SQLITE = """
SELECT k.value, k.article_id, k.bits, k.hour FROM json_each(%s) AS w
CROSS JOIN feeds_blockingkey AS k
  ON k.value = w.value ->> 0 AND k.hour BETWEEN w.value ->> 1 AND w.value ->> 2 AND k.article_id <> w.value ->> 3
"""
_CANDIDATES_POSTGRESQL = """
SELECT k.value, k.article_id, k.bits, k.hour
FROM unnest(%s::bigint[], %s::integer[], %s::integer[], %s::bigint[]) AS w (value, lo, hi, owner)
JOIN feeds_blockingkey AS k ON k.value = w.value AND k.hour BETWEEN w.lo AND w.hi AND k.article_id <> w.owner
ORDER BY k.value
"""
_SEVERAL = -1  # instead of the id of a key's owner


# A key's value, an article that has it, its stored bits (`stored_bits`) and its hour of publication. A batch has
# thousands of them, so they stay plain tuples.
Hit = tuple[int, int, int | None, int]
KeyHit = tuple[int, BlockingKey, Hit]  # an article of the batch, one of its keys, and an article with that key


def hour_of(moment: datetime) -> int:
    """Whole hours since 1970."""
    return int(moment.timestamp() // 3600)


@cache
def _whole_hours(window: timedelta) -> int:
    """The hours of a window, rounded up."""
    return -(-window // HOUR)


def stored_bits(key: BlockingKey) -> int | None:
    """A key's bits as a signed integer, as stored."""
    return None if key.bits is None else key.bits - _SIGN


def write_keys(keys: Mapping[int, Sequence[BlockingKey]], hours: Mapping[int, int]) -> None:
    """Save the keys of articles (by id) published in `hours`.

    Committed in slices, because on SQLite no other process can write during a transaction.
    """
    rows = sorted(
        (key.value, hours[article], article, stored_bits(key))
        for article, several in keys.items()
        for key in {key.value: key for key in several}.values()
    )
    for some in (rows[start : start + WRITTEN_AT_ONCE] for start in range(0, len(rows), WRITTEN_AT_ONCE)):
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.executemany(_INSERT_SQLITE, some)
            else:
                cursor.execute(_INSERT_POSTGRESQL, list(map(list, zip(*some, strict=True))))


def find_hits(
    keys: Mapping[int, Sequence[BlockingKey]], hours: Mapping[int, int], budget: Budget = DEFAULT
) -> Iterator[KeyHit]:
    """The other articles that share a key with each article of the batch and were published within its window of one
    of them, without those whose bits differ too much; pairs within the batch come twice.

    For a key of more than `budget.crowded` articles, only the `budget.of_one_feed` closest in time of each feed.
    """
    owners: dict[int, list[tuple[int, BlockingKey]]] = {}
    wanted: dict[int, list[int]] = {}  # value, first and last hour, and the only owner
    for article, several in keys.items():
        hour = hours[article]
        for key in several:
            value, apart = key.value, _whole_hours(key.window)
            if value not in wanted:
                wanted[value] = [value, hour - apart, hour + apart, article]
                owners[value] = [(article, key)]
            else:
                _, first, last, _ = wanted[value]
                wanted[value] = [value, min(first, hour - apart), max(last, hour + apart), _SEVERAL]
                owners[value].append((article, key))
    feeds: dict[int, int | None] = {}
    for value, group in groupby(_find_candidates(sorted(wanted.values())), key=itemgetter(0)):
        hits = list(group)
        if len(hits) > budget.crowded:
            thinned = _thinned(hits, {hours[article] for article, _ in owners[value]}, feeds, budget.of_one_feed)
        else:
            thinned = {}
        for article, key in owners[value]:
            for hit in _near(thinned.get(hours[article], hits), key):
                if hit[1] != article:
                    yield article, key, hit


def _near(hits: Sequence[Hit], key: BlockingKey) -> Sequence[Hit]:
    """The hits whose bits differ from the key's in at most `most_apart` places, and those without bits."""
    ours, most_apart = stored_bits(key), key.most_apart
    if ours is None:
        return hits
    return [
        hit for hit in hits if (theirs := hit[2]) is None or ((ours ^ theirs) & _ALL_BITS).bit_count() <= most_apart
    ]  # no function call for each: common words have thousands


def _thinned(
    hits: Sequence[Hit], hours: Iterable[int], feeds: dict[int, int | None], of_one_feed: int
) -> dict[int, list[Hit]]:
    """For each hour the articles of each feed that are closest to it. `feeds` caches the feed of each article."""
    unknown = [article for _, article, _, _ in hits if article not in feeds]
    for start in range(0, len(unknown), MAX_IDS):
        some = unknown[start : start + MAX_IDS]
        feeds.update(dict.fromkeys(some))
        feeds.update(Article.objects.filter(pk__in=some).values_list("pk", "feed_id"))
    by_feed: dict[int | None, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_feed[feeds[hit[1]]].append(hit)
    return {
        hour: [
            hit
            for several in by_feed.values()
            for hit in nsmallest(of_one_feed, several, key=lambda hit: (abs(hit[3] - hour), hit[1]))
        ]
        for hour in hours
    }


def _find_candidates(wanted: Sequence[Sequence[int]]) -> Iterator[Hit]:
    """All articles with one of the keys that were published between its hours, except its only owner, sorted by key."""
    if not wanted:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_CANDIDATES_SQLITE, [json.dumps(wanted)])
        else:
            cursor.execute(_CANDIDATES_POSTGRESQL, list(map(list, zip(*wanted, strict=True))))
        yield from cursor


def delete_keys(*, published_before: datetime, seen_up_to_id: int, short_lived: bool) -> int:
    """Delete the keys of articles with an old date that arrived long ago; returns their number.

    `short_lived`: keys of titles and events, else keys of contents. So the index doesn't grow with the archive.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM feeds_blockingkey WHERE hour < %s AND article_id <= %s AND value %% 2 = %s",
            [hour_of(published_before), seen_up_to_id, int(short_lived)],
        )
        return cursor.rowcount
