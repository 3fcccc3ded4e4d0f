"""Leases on sources, so that no feed is polled twice at once and no domain by two workers.

A feed is claimed through its source (its registrable domain), so that the limit of connections to a domain holds for
any number of workers without coordination while fetching. The lease of a dead worker expires. A feed stays due until
its poll is stored, so an unfinished poll is repeated.

Feeds of each pace are claimed separately, so slow ones never delay the others. The holder of a source's lease may claim
more of its feeds: a prompt feed doesn't wait for a slow one of its domain.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from feeds.models import Feed, FeedStatus, Source
from feeds.normalizing.domains import registrable_domain
from feeds.polling.lanes import Pace
from feeds.polling.rate_limits import limited_domains
from feeds.storage.compiled import compiled

LEASE = timedelta(minutes=15)
_PACES: dict[Pace, dict[str, bool]] = {
    Pace.PROMPT: {"is_slow": False, "last_polled_at__isnull": False},
    Pace.NEW: {"is_slow": False, "last_polled_at__isnull": True},
    Pace.SLOW: {"is_slow": True},
}


@dataclass(frozen=True, slots=True)
class Claim:
    """Feeds leased until `expires_at`."""

    feeds: tuple[Feed, ...]
    expires_at: datetime


def due_feeds(
    now: datetime, *, only: Collection[int] | None = None, status: FeedStatus = FeedStatus.ACTIVE
) -> QuerySet[Feed]:
    """Return the feeds of that status that are due and not rate limited; among the ids `only` if given."""
    due = Feed.objects.filter(status=status, next_poll_at__lte=now).filter(
        Q(source__rate_limited_until=None) | Q(source__rate_limited_until__lte=now)
    )
    return due if only is None else due.filter(pk__in=only)


def claim(
    now: datetime,
    *,
    token: UUID,
    limit: int,
    pace: Pace | None = None,
    exclude: Collection[int] = (),
    only: Collection[int] | None = None,
    status: FeedStatus = FeedStatus.ACTIVE,
) -> Claim:
    """Lease the sources of at most `limit` due feeds of this pace, longest overdue first, and return those feeds.

    Feeds in `exclude` are left out.
    """
    with transaction.atomic():
        free = due_feeds(now, only=only, status=status).filter(
            Q(source__leased_until=None) | Q(source__leased_until__lte=now) | Q(source__lease_token=token)
        )
        if pace is not None:
            free = free.filter(**_PACES[pace])
        due = list(free.exclude(pk__in=exclude).order_by("next_poll_at").values_list("pk", "source_id")[:limit])
        leased = set(_lock_free({source for _, source in due}, token, now))
        Source.objects.filter(pk__in=leased).update(lease_token=token, leased_until=now + LEASE)
        ids = [pk for pk, source in due if source in leased]
        feeds = {feed.pk: feed for feed in _feeds(ids)}
        _postpone(feeds, now)
    return Claim(tuple(feeds[pk] for pk in ids if pk in feeds), now + LEASE)


@compiled
def _lock_free(sources: Collection[int], token: UUID, now: datetime) -> QuerySet[Source, int]:
    free = Q(leased_until=None) | Q(leased_until__lte=now) | Q(lease_token=token)
    locked = Source.objects.select_for_update(skip_locked=True).filter(free, pk__in=sources)
    return locked.values_list("pk", flat=True)


@compiled
def _feeds(ids: Collection[int]) -> QuerySet[Feed]:
    return Feed.objects.filter(pk__in=ids)


def _postpone(feeds: dict[int, Feed], now: datetime) -> None:
    """Remove the feeds that redirect to a rate-limited domain; they are due when its pause is over."""
    redirected = {pk: registrable_domain(feed.final_url) for pk, feed in feeds.items() if feed.final_url}
    limited = limited_domains(now) if redirected else {}
    for pk, domain in redirected.items():
        if domain in limited:
            del feeds[pk]
            Feed.objects.filter(pk=pk).update(next_poll_at=limited[domain])


def release(token: UUID, source_ids: Collection[int] | None = None) -> None:
    """Release the leases with this token, on these sources or on all."""
    leased = Source.objects.filter(lease_token=token)
    if source_ids is not None:
        leased = leased.filter(pk__in=source_ids)
    leased.update(lease_token=None, leased_until=None)


def revoke(feeds: QuerySet[Feed]) -> None:
    """Release all leases on these feeds; their holders notice when storing a poll."""
    Source.objects.filter(feeds__in=feeds).update(lease_token=None, leased_until=None)


def make_due(feeds: QuerySet[Feed], now: datetime) -> int:
    """Make these feeds due now; returns how many."""
    return feeds.filter(status=FeedStatus.ACTIVE).update(next_poll_at=now)
