"""Hosts that are down (`feeds.polling.outages`), with the user's feeds that wait for them."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet

from feeds.models import FeedStatus
from reader.models import Subscription

# `Feed.waits_for_host` as a condition on subscriptions.
WAITS_FOR_HOST = Q(
    ~Q(feed__last_polled_at=F("feed__last_success_at")) | Q(feed__last_success_at=None),
    feed__source__down_since__isnull=False,
    feed__last_polled_at__isnull=False,
    feed__consecutive_failures=0,
    feed__status=FeedStatus.ACTIVE,
)


@dataclass(frozen=True, slots=True)
class HostDown:
    """A host with the number of a user's feeds that wait for it."""

    user_id: int
    domain: str
    since: datetime
    n_feeds: int


def hosts_down(subscriptions: QuerySet[Subscription]) -> list[HostDown]:
    """The hosts that these subscriptions wait for, for each of their users."""
    waiting = subscriptions.filter(WAITS_FOR_HOST).order_by("feed__source__domain")
    columns = ("user_id", "feed__source__domain", "feed__source__down_since")
    return [HostDown(*row) for row in waiting.values_list(*columns).annotate(n=Count("pk"))]


def hosts_down_for(user: User) -> list[HostDown]:
    """The same for one user; one query."""
    return hosts_down(Subscription.objects.filter(user=user))
