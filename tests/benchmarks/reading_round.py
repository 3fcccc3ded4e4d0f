"""A person who reads while workers work: `Installation.start("reading_round")`; ends when its standard input does.

One article after another is marked as read or unread, twenty a second, each a write of its own.
"""

import json
import select
import sys
from time import perf_counter

from django.contrib.auth.models import User
from django.utils import timezone

from feeds.models import Article, Feed, Item, Source
from reader.articles.read_state import mark_read
from reader.models import Delivery, Subscription

PAUSE = 0.05  # seconds
N_ARTICLES = 50


def main() -> None:
    user, articles = User.objects.get(), _articles()
    print("ready", flush=True)
    taken: list[float] = []
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        began, n = perf_counter(), len(taken)
        mark_read(user, [articles[n % N_ARTICLES]], is_read=n // N_ARTICLES % 2 == 0)
        taken.append(1000 * (perf_counter() - began))
    taken.sort()
    share = {name: taken[int(part * (len(taken) - 1))] for name, part in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))}
    print(json.dumps({"n_writes": len(taken), **share, "max": taken[-1]}))


def _articles() -> list[int]:
    """Articles of a quiet feed, delivered to the only user."""

    now = timezone.now()
    source = Source.objects.create(domain="quiet.example")
    address = "https://quiet.example/feed.xml"
    feed = Feed.objects.create(url=address, url_key=Feed.key_of(address), source=source, status="paused")
    user = User.objects.get()
    subscription = Subscription.objects.create(user=user, feed=feed, unread_count=N_ARTICLES)
    made = [
        Article.objects.create(
            url_key=(10**9 + n).to_bytes(16, "big"), title=f"Quiet {n}", published_at=now, first_seen_at=now,
            content_hash=n, feed=feed, source=source,
        )
        for n in range(N_ARTICLES)
    ]  # fmt: skip
    for each in made:
        Item.objects.create(
            feed=feed, article=each, guid=str(each.pk), published_at=now, first_seen_at=now, content_hash=each.pk
        )
        Delivery.objects.create(user=user, subscription=subscription, article=each, published_at=now)
    return [each.pk for each in made]


if __name__ == "__main__":
    main()
