"""`python -m tests.reader.rating_work WORKERS`: rate an installation's articles with several processes.

First, workers are killed (-9), each at another point of a batch. Then others rate the rest concurrently while another
feed delivers some of the articles and users override sensitivity scores. Prints the final deliveries, and those that
a single process computes from the same data, as JSON.
"""

import json
import os
import signal
import sys

import django

django.setup()

from datetime import timedelta  # noqa: E402
from typing import Any  # noqa: E402

from django.contrib.auth.models import User  # noqa: E402
from django.db import connections  # noqa: E402

from feeds.models import Article, Feed  # noqa: E402
from reader.interests.terms import add_starting_interests  # noqa: E402
from reader.models import Delivery  # noqa: E402
from reader.scoring import rate  # noqa: E402
from reader.scoring.rate import mark_all, rate_waiting  # noqa: E402
from reader.scoring.sensitivity_override import set_override  # noqa: E402
from reader.subscriptions.delivery import deliver  # noqa: E402
from tests import make  # noqa: E402

N_ARTICLES = 120
BATCH = 8
KILLED_AT = ("_assess_missing", "_relevances", "_update_dates", "_write")  # the last two are within the transaction
TOPICS = ("harbour", "library", "glacier", "orchard")


def fill() -> Feed:
    """Articles of two feeds, two users who follow both, and a third feed without followers."""
    feeds = [
        make.feed(f"https://paper{number}.example/feed", source=make.source(tier=number + 1)) for number in range(3)
    ]
    people = [make.user(name) for name in ("ada", "ben")]
    for user in people:
        for feed in feeds[:2]:
            make.subscription(user, feed)
    for number in range(N_ARTICLES):
        title = f"{TOPICS[number % len(TOPICS)].title()} report {number}"
        feed = feeds[number % 2]
        published_at = make.NOW - timedelta(hours=number)
        article = make.article(title=title, feed=feed, source=feed.source, language="en", published_at=published_at)
        make.item(feed, article)
    add_starting_interests(people[0], TOPICS[:1], [], make.NOW)
    deliver()
    return feeds[2]


def started(killed_at: str = "", after: int = 0) -> int:
    """Start a process that rates waiting deliveries in small batches; return it.

    With `killed_at`, one of `KILLED_AT`, it is killed there after `after` complete batches.
    """
    connections.close_all()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        rate.BATCH = BATCH
        if killed_at:
            _die_at(killed_at, after)
        rate_waiting()
        status = 0
    finally:
        connections.close_all()
        os._exit(status)


def _die_at(function: str, after: int) -> None:
    whole = getattr(rate, function)
    passed = iter(range(after))

    def deadly(*args: Any) -> Any:
        result = whole(*args)
        if next(passed, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(rate, function, deadly)


def change_meanwhile(third: Feed) -> None:
    """Changes made while workers rate."""
    ada, ben = User.objects.get(username="ada"), User.objects.get(username="ben")
    articles = list(Article.objects.order_by("pk")[: N_ARTICLES // 4])
    for article in articles:
        make.item(third, article)
    make.subscription(ben, third)
    deliver()
    for article in articles[:10]:
        set_override(ada, article.pk, 5, now=make.NOW)
    add_starting_interests(ben, TOPICS[1:2], [], make.NOW)


def rows() -> list[list[object]]:
    """The final values of all deliveries, by user, article and feed."""
    ordered = Delivery.objects.order_by("user", "article", "subscription")
    columns = ("user", "article", "relevance", "static_importance", "slot", "sensitivity", "decay_key", "is_rated")
    return [list(row) for row in ordered.values_list(*columns)]


def main(n_workers: int) -> None:
    third = fill()
    for after, function in enumerate(KILLED_AT):
        _, status = os.waitpid(started(function, after), 0)
        assert status == signal.SIGKILL
    n_left = Delivery.objects.filter(is_rated=False).count()
    children = [started() for _ in range(n_workers)]
    change_meanwhile(third)
    for child in children:
        _, status = os.waitpid(child, 0)
        assert status == 0, "a worker failed"
    rate_waiting()
    together = rows()
    mark_all()
    rate_waiting()
    sys.stdout.write(json.dumps({"left": n_left, "together": together, "alone": rows()}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
