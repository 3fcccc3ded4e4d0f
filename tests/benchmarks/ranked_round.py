"""Both ranked lists of the first person, page after page: `Installation.run("ranked_round")` after rating.

Each order is followed from its first page to its hundredth by the cursors that pages give, `SWEEPS` times; the query
alone, then whole pages as a browser gets them, through every middleware and template. The rate of recency is set to
each of the three that people choose from. In a process that only serves pages: it must not load numpy.

`--read-all-but N`: before, everything but every Nth article is marked read, below the views.
"""

import argparse
import json
import sys
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reader.lists.queries import PAGE_SIZE
from reader.models import Delivery, InterestProfile
from reader.scoring.ranked_order import RankCursor, RankedPage, page_by_adjusted_relevance, page_by_importance
from reader.scoring.rating import decay_rates
from tests.benchmarks.clock import Spent, milliseconds, spent
from tests.benchmarks.memory import memory
from tests.benchmarks.tidying import tidy

RATES = (0.01, 0.03, 0.05)
N_PAGES = 100
SHOWN = (1, 2, 10, 100)
SWEEPS = 3
SERVED = (1, 2, *range(10, N_PAGES + 1, 10))

Ask = Callable[[RankCursor | None, datetime], RankedPage]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--read-all-but", type=int, default=1)
    every = parser.parse_args().read_all_but
    user = User.objects.order_by("pk")[0]
    if every > 1:
        Delivery.objects.filter(user=user).alias(left=F("article_id") % every).exclude(left=1).update(is_read=True)
        tidy()
    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    orders: dict[str, Any] = {}
    for rate in RATES:
        InterestProfile.objects.update_or_create(user=user, defaults={"recency_rate": rate})
        ask = partial(_by_importance, user, rate)
        orders[f"important, λ {rate}"] = _order(ask, client, "/important/")
    orders["for you"] = _order(partial(_for_you, user), client, "/for-you/")
    n_unread = Delivery.objects.filter(user=user, is_read=False, is_folded=False).count()
    printed = {"n_unread": n_unread, "n_deliveries": Delivery.objects.count(), "orders": orders}
    print(json.dumps(printed | {"loads_numpy": "numpy" in sys.modules, **memory()}))


def _by_importance(user: User, rate: float, cursor: RankCursor | None, now: datetime) -> RankedPage:
    return page_by_importance(user, cursor, now=now, rate=rate, size=PAGE_SIZE)


def _for_you(user: User, cursor: RankCursor | None, now: datetime) -> RankedPage:
    return page_by_adjusted_relevance(user, cursor, now=now, rates=decay_rates(), size=PAGE_SIZE)


def _order(ask: Ask, client: Client, url: str) -> dict[str, Any]:
    now = timezone.now()
    taken: dict[int, list[Spent]] = {}
    statements: dict[int, int] = {}
    cursors: dict[int, RankCursor | None] = {1: None}
    for _ in range(SWEEPS):
        cursor = None
        for number in range(1, N_PAGES + 1):
            cursors[number] = cursor
            with spent() as asking:
                found = ask(cursor, now)
            taken.setdefault(number, []).append(asking)
            cursor = found.following
            if cursor is None:
                break
    for number in SHOWN:
        if number in cursors:
            with CaptureQueriesContext(connection) as captured:
                ask(cursors[number], now)
            statements[number] = len(captured)
    everything = [each for several in taken.values() for each in several]
    return {
        "n_pages": len(taken),
        "all": milliseconds(everything),
        "pages": {number: milliseconds(taken[number]) for number in SHOWN if number in taken},
        "statements": statements,
        "served": _served(client, url, cursors),
    }


def _served(client: Client, url: str, cursors: dict[int, RankCursor | None]) -> dict[str, Any]:
    """Whole pages, each twice after one that is not counted."""
    taken: dict[int, list[Spent]] = {}
    client.get(url)
    for number in (each for each in SERVED if each in cursors):
        cursor = cursors[number]
        for _ in range(2):
            with spent() as serving:
                answer = client.get(url, {"after": cursor.encode()} if cursor else {})
            assert answer.status_code == 200, answer.status_code
            taken.setdefault(number, []).append(serving)
    with CaptureQueriesContext(connection) as captured:
        client.get(url)
    return {
        "all": milliseconds([each for several in taken.values() for each in several]),
        "pages": {number: milliseconds(taken[number]) for number in SHOWN if number in taken},
        "n_statements": len(captured),
        "n_bytes": len(answer.content),
    }


if __name__ == "__main__":
    main()
