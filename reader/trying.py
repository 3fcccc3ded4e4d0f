"""What a rule would meet, before it is saved: a look over the newest deliveries. Changes nothing."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from django.contrib.auth.models import User

from reader.models import Delivery
from reader.queries import Row, rows_of
from reader.rules.conditions import Conditions
from reader.rules.matching import compile_rule
from reader.ruling import brought

LOOKED_OVER = 5000  # deliveries; their beginnings are read in some tenths of a second
SHOWN = 20
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Trial:
    """Of `n_looked` articles `n_hits` would be met; `rows` are the newest of them. `is_sample`: there may be older."""

    n_looked: int
    n_hits: int
    rows: tuple[Row, ...]
    is_sample: bool = False


def try_rule(user: User, conditions: Conditions, *, now: datetime) -> Trial:
    """Look over the newest `LOOKED_OVER` deliveries of the user's."""
    newest = _newest(user)
    matcher = compile_rule(conditions)
    dates = {article: published_at for published_at, article, _ in newest}
    met: set[int] = set()
    for ids in _chunks([pk for _, _, pk in newest]):
        several = brought(Delivery.objects.filter(pk__in=ids), with_text=matcher.reads_text)
        met.update(each.article_id for each in several if matcher.matches(each.subject))
    shown = heapq.nlargest(SHOWN, ((dates[pk], pk) for pk in met))
    rows = rows_of(user, [(pk, at) for at, pk in shown], now=now)
    return Trial(len(dates), len(met), rows, is_sample=len(newest) == LOOKED_OVER)


def _newest(user: User) -> list[tuple[datetime, int, int]]:
    """Date, article and id of the newest deliveries: of each of the four stretches of the index of a person's lists."""
    found: list[tuple[datetime, int, int]] = []
    for is_folded, is_read in product((False, True), repeat=2):
        stretch = Delivery.objects.filter(user=user, is_folded__in=[is_folded], is_read__in=[is_read])
        found += stretch.order_by("-published_at", "-article_id").values_list("published_at", "article_id", "pk")[
            :LOOKED_OVER
        ]
    return heapq.nlargest(LOOKED_OVER, found)


def _chunks(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]
