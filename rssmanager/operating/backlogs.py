"""How much waits for each stage. Costs as much as waits, and never more than `MOST`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Min, QuerySet

from digests.models import Mailing, MailingState
from feeds.claiming import due_feeds
from feeds.models import Pending, Stage, Unindexed
from feeds.pending import MOST_TRIES
from feeds.search import stage as search_stage
from reader.models import Subscription
from reader.waiting import to_rate

MOST = 10_000  # counted; more is the same bad news
MAIL_OF_LATE = timedelta(days=1)
_OPEN = (MailingState.WAITING, MailingState.HANDING_OVER)


def _of_stage(stage: Stage) -> QuerySet[Any]:
    return Pending.objects.filter(stage=stage, n_tries__lt=MOST_TRIES)


STAGES: dict[str, Callable[[], QuerySet[Any]]] = {
    "match": lambda: _of_stage(Stage.MATCH),
    "enrich": lambda: _of_stage(Stage.ENRICH),
    "index": lambda: Unindexed.objects.filter(n_tries__lt=search_stage.MOST_TRIES),
    "deliver": lambda: Subscription.objects.filter(feed__newest_item_id__gt=F("delivered_item_id")),
    "rate": to_rate,
}


def waiting() -> dict[str, int]:
    """How many articles (for `deliver`, subscriptions) wait for each stage, up to `MOST`. A query each."""
    return {name: up_to_most(made()) for name, made in STAGES.items()}


def up_to_most(rows: QuerySet[Any]) -> int:
    return rows.order_by().values("pk")[:MOST].count()


@dataclass(frozen=True, slots=True)
class Lateness:
    """Feeds whose time to be polled has come, and since when that of the first one has (None: none is due)."""

    n_due: int
    oldest_at: datetime | None


def lateness(now: datetime) -> Lateness:
    found = due_feeds(now).aggregate(n=Count("pk"), oldest=Min("next_poll_at"))
    return Lateness(found["n"], found["oldest"])


def mails(now: datetime) -> dict[str, int]:
    """Mails by state: all that are on their way, and what became of those written within a day."""
    found = dict.fromkeys(MailingState.values, 0)
    of_late = Mailing.objects.filter(created_at__gt=now - MAIL_OF_LATE).exclude(state__in=_OPEN)
    for rows in (Mailing.objects.filter(state__in=_OPEN), of_late):
        found |= dict(rows.order_by().values_list("state").annotate(n=Count("pk")))
    return found
