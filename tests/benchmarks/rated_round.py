"""Ratings written at once, where working them out is not what is measured: `Installation.run("rated_round")`.

Standing and relevance by chance; what lists sort by follows from them as in `reader.scoring.rating`.
"""

import json
import random
from collections.abc import Iterator
from datetime import datetime

from django.db import connection, transaction

from reader.models import Delivery
from reader.scoring.decay import decay_key
from reader.scoring.ranked_order import slot_of
from reader.scoring.rating import decay_rates
from tests.benchmarks.tidying import tidy

_RATE = """
UPDATE reader_delivery
SET is_rated = %s, relevance = %s, static_importance = %s, slot = %s, sensitivity = %s, decay_key = %s
WHERE id = %s
"""
AT_ONCE = 50_000


def main() -> None:
    rows = list(Delivery.everything.order_by("pk").values_list("pk", "published_at"))
    for start in range(0, len(rows), AT_ONCE):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_RATE, _rated(rows[start : start + AT_ONCE]))
    tidy()
    print(json.dumps({"n_rated": len(rows)}))


def _rated(rows: list[tuple[int, datetime]]) -> Iterator[tuple[object, ...]]:
    rates, dice = decay_rates(), random.Random(rows[0][0])
    for pk, published_at in rows:
        relevance, static_importance, sensitivity = dice.uniform(0, 100), dice.uniform(0, 80), dice.randint(1, 5)
        at = decay_key(relevance, rate=rates[sensitivity], published_at=published_at)
        yield True, relevance, static_importance, slot_of(published_at), sensitivity, at, pk


if __name__ == "__main__":
    main()
