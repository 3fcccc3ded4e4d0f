"""Checks after each fault that nothing is lost, duplicated or miscounted."""

import json
from typing import Any

from tests.rssmanager.installation import Installation

LOOK = """
import json
from django.db.models import Count, Exists, F, OuterRef, Q
from digests.models import Digest, Mailing
from feeds.models import Article, Item
from feeds.storage.work_queue import n_given_up
from reader.models import Delivery, Quiet, Subscription
def doubled(rows, *names):
    return list(rows.order_by().values_list(*names).annotate(n=Count("pk")).filter(n__gt=1))
subscriptions = Subscription.objects.annotate(
    n_unread=Count("deliveries", Q(deliveries__is_read=False, deliveries__quiet=Quiet.NOT))
)
brought = Delivery.objects.filter(subscription__feed=OuterRef("feed"), article=OuterRef("article"))
print(json.dumps({
    "articles": Article.objects.count(),
    "items": Item.objects.exclude(article=None).count(),
    "articles in no feed": Article.objects.filter(items=None).count(),
    "delivered": Delivery.objects.values("user", "article").distinct().count(),
    "undelivered": Item.objects.exclude(Exists(brought)).count(),
    "given up": n_given_up(),
    "doubled": [
        *doubled(Article.objects.exclude(canonical_url=""), "canonical_url"),
        *doubled(Item.objects.all(), "feed", "guid"),
        *doubled(Delivery.objects.all(), "subscription", "article"),
        *doubled(Digest.objects.all(), "user", "kind", "day"),
        *doubled(Mailing.objects.all(), "message_id"),
    ],
    "counted wrong": list(
        subscriptions.exclude(unread_count=F("n_unread")).values_list("pk", "unread_count", "n_unread")
    ),
}, default=str))
"""


def inspect_reader(reader: Installation) -> dict[str, Any]:
    """The number of stored objects, and any inconsistencies."""
    report: dict[str, Any] = json.loads(reader.run("shell", "--no-imports", "-c", LOOK).stdout)
    return report


def check_whole(reader: Installation, n_entries: int, *, n_given_up: int = 0) -> dict[str, Any]:
    """Check that every entry was delivered as one article, and that stored counts match the rows."""
    state = inspect_reader(reader)
    assert state == {
        "articles": n_entries,
        "items": n_entries,
        "articles in no feed": 0,
        "delivered": n_entries,
        "undelivered": 0,
        "given up": n_given_up,
        "doubled": [],
        "counted wrong": [],
    }
    return state
