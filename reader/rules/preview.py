"""Preview which of the newest articles a rule would match."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from django.contrib.auth.models import User

from reader.lists.queries import Row, rows_of
from reader.models import Delivery
from reader.rules.apply import load_candidates
from reader.rules.conditions import Conditions
from reader.rules.matching import compile_rule

CHECKED = 5000  # deliveries, in a few tenths of a second
SHOWN = 20
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Preview:
    """Of `n_checked` articles `n_hits` match; `rows` are the newest of these. `is_sample`: there may be older ones."""

    n_checked: int
    n_hits: int
    rows: tuple[Row, ...]
    is_sample: bool = False


def preview_rule(user: User, conditions: Conditions, *, now: datetime) -> Preview:
    """Match the conditions against the user's newest `CHECKED` deliveries."""
    newest = _newest(user)
    matcher = compile_rule(conditions)
    dates = {article: published_at for published_at, article, _ in newest}
    matched: set[int] = set()
    for ids in _chunks([pk for _, _, pk in newest]):
        candidates = load_candidates(Delivery.objects.filter(pk__in=ids), [matcher])
        matched.update(candidate.article_id for candidate in candidates if matcher.matches(candidate.subject))
    shown = heapq.nlargest(SHOWN, ((dates[pk], pk) for pk in matched))
    rows = rows_of(user, [(pk, at) for at, pk in shown], now=now)
    return Preview(len(dates), len(matched), rows, is_sample=len(newest) == CHECKED)


def _newest(user: User) -> list[tuple[datetime, int, int]]:
    """Date, article and id of the newest deliveries: from each of the four parts of the index of a user's lists."""
    found: list[tuple[datetime, int, int]] = []
    for is_folded, is_read in product((False, True), repeat=2):
        part = Delivery.objects.filter(user=user, is_folded__in=[is_folded], is_read__in=[is_read])
        found += part.order_by("-published_at", "-article_id").values_list("published_at", "article_id", "pk")[:CHECKED]
    return heapq.nlargest(CHECKED, found)


def _chunks(ids: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]
