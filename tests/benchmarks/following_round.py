"""What a worker does after a user follows many feeds, on the day the feeds were saved. Prints the figures."""

import argparse
import json
from datetime import UTC, datetime
from time import perf_counter

from django.utils import timezone

from feeds.polling.engine import poll_due
from feeds.search.indexer import index_waiting
from feeds.stories.engine import match
from feeds.stories.event_engine import enrich
from reader.models import Delivery
from reader.scoring.rate import rate_waiting
from reader.tasks.recurring import deliver_new
from tests.benchmarks.memory import memory

_now = timezone.now


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("now", type=datetime.fromisoformat)
    offset = parser.parse_args().now.replace(tzinfo=UTC) - _now()
    timezone.now = lambda: _now() + offset
    began, seconds = perf_counter(), {}

    def mark(name: str) -> None:
        seconds[name] = perf_counter() - began

    n_new = poll_due().n_new
    deliver_new()
    mark("listed")
    index_waiting()
    mark("searchable")
    match()
    deliver_new()
    mark("copies folded")
    n_read = enrich().n_articles
    deliver_new()
    mark("stories")
    rate_waiting()
    mark("rated")
    n_rated = Delivery.objects.filter(is_rated=True).count()
    print(json.dumps({"new": n_new, "read": n_read, "rated": n_rated, "seconds": seconds, **memory()}))


if __name__ == "__main__":
    main()
