"""How much work waits for each stage. Counting stops at `MAX_COUNT`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Min, QuerySet

from digests.models import Mailing, MailingState
from feeds.models import Pending, Poll, PushState, PushSubscription, Stage, Unindexed
from feeds.polling.leases import due_feeds
from feeds.time_limit import MAX_TRIES
from reader.interests.backlog import unrated
from reader.models import Subscription

MAX_COUNT = 10_000
RECENT = timedelta(days=1)
_OPEN = (MailingState.WAITING, MailingState.HANDING_OVER)


def _of_stage(stage: Stage) -> QuerySet[Any]:
    return Pending.objects.filter(stage=stage, n_tries__lt=MAX_TRIES)


STAGES: dict[str, Callable[[], QuerySet[Any]]] = {
    "match": lambda: _of_stage(Stage.MATCH),
    "enrich": lambda: _of_stage(Stage.ENRICH),
    "index": lambda: Unindexed.objects.filter(n_tries__lt=MAX_TRIES),
    "deliver": lambda: Subscription.objects.filter(feed__newest_item_id__gt=F("delivered_item_id")),
    "rate": unrated,
}


def waiting() -> dict[str, int]:
    """How many articles (for `deliver`, subscriptions) wait for each stage, up to `MAX_COUNT`; one query each."""
    return {name: get_rows().order_by().values("pk")[:MAX_COUNT].count() for name, get_rows in STAGES.items()}


@dataclass(frozen=True, slots=True)
class OverdueFeeds:
    """How many feeds are due, and since when the first one has been; None if none is."""

    n_due: int
    oldest_at: datetime | None


def overdue_feeds(now: datetime) -> OverdueFeeds:
    counts = due_feeds(now).aggregate(n=Count("pk"), oldest=Min("next_poll_at"))
    return OverdueFeeds(counts["n"], counts["oldest"])


def push_subscriptions() -> dict[str, int]:
    """Subscriptions at hubs by state."""
    states = PushSubscription.objects.order_by().values_list("state").annotate(n=Count("pk"))
    return dict.fromkeys(PushState.values, 0) | dict(states)


def pushed_polls(now: datetime) -> int:
    """Polls within a day that hubs caused."""
    return Poll.objects.filter(is_pushed=True, started_at__gt=now - RECENT).count()


def mails(now: datetime) -> dict[str, int]:
    """Emails by state: all that are being sent, and the outcome of those created within a day."""
    counts = dict.fromkeys(MailingState.values, 0)
    recent = Mailing.objects.filter(created_at__gt=now - RECENT).exclude(state__in=_OPEN)
    for rows in (Mailing.objects.filter(state__in=_OPEN), recent):
        counts |= dict(rows.order_by().values_list("state").annotate(n=Count("pk")))
    return counts
