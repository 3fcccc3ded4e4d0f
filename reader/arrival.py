"""The first minutes after feeds were followed: how many have answered, and what they brought."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Count, Q

from reader.models import Delivery, Import, ImportStatus, Subscription

WATCHED_FOR = timedelta(minutes=10)  # after an import; what has not answered by then is told of on the health page
COUNTED_UP_TO = 1000  # articles


@dataclass(frozen=True, slots=True)
class Arrival:
    """Of `n_feeds` followed, `n_asked` were polled at least once; `n_articles` stops at 1,000. `is_over`: all were, or
    it has been long enough.
    """

    n_feeds: int
    n_asked: int
    n_articles: int
    is_over: bool


def arrival_of(user: User, job: Import, *, now: datetime) -> Arrival | None:
    """How far the feeds of an import are that is done; None before it is, and for one that failed. Two queries."""
    if job.status != ImportStatus.DONE or job.finished_at is None:
        return None
    asked = Count("pk", Q(feed__last_polled_at__isnull=False))
    feeds = Subscription.objects.filter(user=user).aggregate(n=Count("pk"), n_asked=asked)
    brought = Delivery.objects.filter(user=user, is_folded__in=(False, True)).order_by()
    return Arrival(
        n_feeds=feeds["n"],
        n_asked=feeds["n_asked"],
        n_articles=len(brought.values_list("pk")[:COUNTED_UP_TO]),
        is_over=feeds["n_asked"] == feeds["n"] or now - job.finished_at > WATCHED_FOR,
    )
