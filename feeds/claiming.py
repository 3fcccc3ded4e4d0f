"""Who polls what: leases on sources, so that no feed is polled twice at once and no domain by two workers.

A feed is claimed through its source (its registrable domain). That makes the limit of connections to a domain hold over
any number of workers without asking anybody while fetching. A lease that outlives its worker expires; a feed stays due
until its poll is stored, so nothing that was claimed and not finished is forgotten.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from feeds.models import Feed, FeedStatus, Source

LEASE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Claim:
    """Feeds held until `expires_at`, with their sources loaded."""

    feeds: tuple[Feed, ...]
    expires_at: datetime


def due_feeds(
    now: datetime, *, only: Collection[int] | None = None, status: FeedStatus = FeedStatus.ACTIVE
) -> QuerySet[Feed]:
    """Feeds of that status whose time has come and whose domain does not rest; among the ids `only` when given."""
    due = Feed.objects.filter(status=status, next_poll_at__lte=now).filter(
        Q(source__resting_until=None) | Q(source__resting_until__lte=now)
    )
    return due if only is None else due.filter(pk__in=only)


def claim(
    now: datetime,
    *,
    token: UUID,
    limit: int,
    only: Collection[int] | None = None,
    status: FeedStatus = FeedStatus.ACTIVE,
) -> Claim:
    """Lease the sources of at most `limit` due feeds, longest overdue first, and return those feeds."""
    with transaction.atomic():
        free = due_feeds(now, only=only, status=status).filter(
            Q(source__leased_until=None) | Q(source__leased_until__lte=now)
        )
        wanted = list(free.order_by("next_poll_at").values_list("pk", "source_id")[:limit])
        sources = Source.objects.select_for_update(skip_locked=True).filter(
            Q(leased_until=None) | Q(leased_until__lte=now), pk__in={source for _, source in wanted}
        )
        held = set(sources.values_list("pk", flat=True))
        Source.objects.filter(pk__in=held).update(lease_token=token, leased_until=now + LEASE)
        ids = [pk for pk, source in wanted if source in held]
        feeds = {feed.pk: feed for feed in Feed.objects.select_related("source").filter(pk__in=ids)}
    return Claim(tuple(feeds[pk] for pk in ids if pk in feeds), now + LEASE)


def release(source_ids: Collection[int], *, token: UUID) -> None:
    """Give up the leases that are still ours."""
    Source.objects.filter(pk__in=source_ids, lease_token=token).update(lease_token=None, leased_until=None)


def give_back(token: UUID) -> None:
    """End the leases of a process that died."""
    Source.objects.filter(lease_token=token).update(lease_token=None, leased_until=None)


def take_away(feeds: QuerySet[Feed]) -> None:
    """End whatever leases hold these feeds; who has one finds it lost when storing."""
    Source.objects.filter(feeds__in=feeds).update(lease_token=None, leased_until=None)


def make_due(feeds: QuerySet[Feed], now: datetime) -> int:
    """Let these feeds be polled at the next occasion, rested or not due; returns how many."""
    return feeds.filter(status=FeedStatus.ACTIVE).update(next_poll_at=now)
