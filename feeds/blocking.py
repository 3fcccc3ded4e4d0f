"""The candidate index: keys in, articles that share one out, by one query for a whole batch.

Both sides of a pair must find each other whatever the order: a worker commits its keys before it asks for candidates.
So of two articles stored at the same moment by two workers, the one whose worker asks later sees the other.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import connection

from feeds.dedup.subject import BlockingKey

HOUR = timedelta(hours=1)
_ALL_BITS = 2**64 - 1
_SIGN = 2**63  # bits are unsigned, the database's integers are not

_INSERT = """
INSERT INTO feeds_blockingkey (value, hour, article_id, bits) {rows}
ON CONFLICT (value, hour, article_id) DO UPDATE SET bits = excluded.bits
"""
_ROWS_SQLITE = """
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(%s) WHERE true
"""
_ROWS_POSTGRESQL = """
SELECT * FROM unnest(%s::bigint[], %s::integer[], %s::bigint[], %s::bigint[])
"""
_CANDIDATES_SQLITE = """
SELECT k.value, k.article_id, k.bits FROM json_each(%s) AS w
CROSS JOIN feeds_blockingkey AS k
  ON k.value = w.value ->> 0 AND k.hour BETWEEN w.value ->> 1 AND w.value ->> 2
"""
_CANDIDATES_POSTGRESQL = """
SELECT k.value, k.article_id, k.bits FROM unnest(%s::bigint[], %s::integer[], %s::integer[]) AS w (value, lo, hi)
JOIN feeds_blockingkey AS k ON k.value = w.value AND k.hour BETWEEN w.lo AND w.hi
"""


# A key's value, an article that has it, and its bits as they are stored (`stored_bits`). Thousands of them come for
# each batch, so they stay the tuples that the database gives.
Hit = tuple[int, int, int | None]


def hour_of(moment: datetime) -> int:
    """Whole hours since 1970."""
    return int(moment.timestamp() // 3600)


def stored_bits(key: BlockingKey) -> int | None:
    """A key's bits as the signed number that they are kept as."""
    return None if key.bits is None else key.bits - _SIGN


def distance(ours: int, theirs: int) -> int:
    """In how many bits two stored numbers differ, in [0, 64]."""
    return ((ours ^ theirs) & _ALL_BITS).bit_count()


def write_keys(keys: Mapping[int, Sequence[BlockingKey]], hours: Mapping[int, int]) -> None:
    """Add the keys of articles (by id) published in `hours`; what is there already is left."""
    rows = sorted(
        (key.value, hours[article], article, stored_bits(key))
        for article, several in keys.items()
        for key in {key.value: key for key in several}.values()
    )
    if not rows:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_INSERT.format(rows=_ROWS_SQLITE), [json.dumps(rows)])
        else:
            cursor.execute(_INSERT.format(rows=_ROWS_POSTGRESQL), list(map(list, zip(*rows, strict=True))))


def candidates(keys: Mapping[int, Sequence[BlockingKey]], hours: Mapping[int, int]) -> list[Hit]:
    """Everybody who has one of the keys and was published within its window of one of the articles that ask."""
    wanted: dict[int, tuple[int, int]] = {}
    for article, several in keys.items():
        for key in several:
            apart = -(-key.window // HOUR)
            lowest, highest = wanted.get(key.value, (hours[article], hours[article]))
            wanted[key.value] = min(lowest, hours[article] - apart), max(highest, hours[article] + apart)
    if not wanted:
        return []
    rows = [(value, lowest, highest) for value, (lowest, highest) in sorted(wanted.items())]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_CANDIDATES_SQLITE, [json.dumps(rows)])
        else:
            cursor.execute(_CANDIDATES_POSTGRESQL, list(map(list, zip(*rows, strict=True))))
        found: list[Hit] = cursor.fetchall()
    return found


def forget_keys(*, published_before: datetime, seen_up_to_id: int, short_lived: bool) -> int:
    """Drop the keys of articles that are old by their date and came long ago; returns how many.

    `short_lived`: those of titles and events, else those of contents. So the index holds what can still be matched, and
    does not grow with the archive.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM feeds_blockingkey WHERE hour < %s AND article_id <= %s AND value %% 2 = %s",
            [hour_of(published_before), seen_up_to_id, int(short_lived)],
        )
        return cursor.rowcount
