"""The oldest tenth of an archive purged, chunk by chunk: `Installation.run("purging_round")` after `page_round`.

A list is asked for between chunks, as somebody does who reads meanwhile. What is starred stays.
"""

import json
from datetime import datetime, timedelta
from statistics import median, quantiles
from time import perf_counter

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from feeds.models import Feed
from feeds.storage.purge import expired_items
from feeds.storage.retention import RetentionRule
from reader.subscriptions import purge
from rssmanager.operations.disk_usage import measure_storage
from tests.benchmarks.memory import memory

DAYS = 365 - 36  # of a year
LIST_EVERY = 5  # chunks


def main() -> None:
    before = measure_storage()
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.order_by("pk")[0])
    client.get("/all/")
    now, keeping = timezone.now(), RetentionRule(days=DAYS)
    steps: list[float] = []
    lists: list[float] = []
    done = purge.Purged()
    for feed in Feed.objects.order_by("pk").values_list("pk", flat=True):
        chunks = expired_items(feed, keeping, now=now)
        while True:
            began = perf_counter()
            items = next(chunks, None)
            if items is None:
                break
            done += purge.purge_chunk(feed, items, now=now)
            steps.append(perf_counter() - began)
            if len(steps) % LIST_EVERY == 0:
                began = perf_counter()
                client.get("/all/")
                lists.append(perf_counter() - began)
    after = measure_storage()
    print(
        json.dumps(
            {
                "n_articles": done.n_articles,
                "n_held": done.n_held,
                "n_steps": len(steps),
                "seconds": sum(steps),
                "p50": 1000 * median(steps),
                "p95": 1000 * _p95(steps),
                "longest": 1000 * max(steps),
                "nothing_ms": 1000 * _nothing(now - timedelta(days=1)),
                "list_p50": 1000 * median(lists),
                "list_p95": 1000 * _p95(lists),
                "bytes_an_article": before.bytes_an_article,
                "holdings": dict(before.holdings),
                "n_bytes": before.n_bytes,
                "free_share": after.n_free / after.n_bytes,
                **memory(),
            }
        )
    )


def _nothing(now: datetime) -> float:
    """Seconds that a feed takes of which only what is held is old."""
    feed = Feed.objects.order_by("pk")[0]
    began = perf_counter()
    for items in expired_items(feed.pk, RetentionRule(days=DAYS), now=now):
        purge.purge_chunk(feed.pk, items, now=now)
    return perf_counter() - began


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[18]


if __name__ == "__main__":
    main()
