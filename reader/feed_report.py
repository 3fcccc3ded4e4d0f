"""The feeds page: what a user follows with its health, those needing attention first, with their last polls."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Lower, NullIf

from feeds.models import Feed, Poll
from reader.feed_words import feed_sentence
from reader.models import Subscription
from reader.sidebar import needing_attention

PAGE_SIZE = 50
POLLS_DRAWN = 30
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FeedReport:
    """One subscription, its state in words, and its last polls, oldest first."""

    subscription: Subscription
    needs_attention: bool
    sentence: str
    polls: tuple[Poll, ...]


@dataclass(frozen=True, slots=True)
class FeedReportPage:
    """`next_after` is the subscription after which the next page begins; None on the last."""

    reports: tuple[FeedReport, ...]
    next_after: int | None = None


def report_page(
    user: User, *, now: datetime, after: int | None = None, words: str = "", size: int = PAGE_SIZE
) -> FeedReportPage:
    """A page of the user's feeds whose name or domain holds `words`; `now` is in the user's zone."""
    feeds = _ordered(Subscription.objects.filter(user=user))
    if words:
        feeds = feeds.filter(
            Q(title__icontains=words) | Q(feed__title__icontains=words) | Q(feed__source__domain__icontains=words)
        )
    if after is not None:
        feeds = _following(feeds, user, after)
    found = list(feeds.select_related("feed__source", "folder")[: size + 1])
    more = len(found) > size
    return FeedReportPage(_reports(found[:size], now), found[size - 1].pk if more else None)


def report_of(subscription: Subscription, *, now: datetime) -> FeedReport:
    """The report on one feed."""
    return _reports(
        list(_ordered(Subscription.objects.filter(pk=subscription.pk)).select_related("feed__source")), now
    )[0]


def _ordered(subscriptions: QuerySet[Subscription]) -> QuerySet[Any]:
    """Subscriptions with `rank` (0 needs attention) and `name` (never an address: those hold credentials), in order."""
    attention = needing_attention(Subscription.objects.filter(pk=OuterRef("pk"))).values("pk")
    return subscriptions.annotate(
        rank=Case(When(pk__in=Subquery(attention), then=Value(0)), default=Value(1), output_field=IntegerField()),
        name=Lower(Coalesce(NullIf("title", Value("")), NullIf("feed__title", Value("")), "feed__source__domain")),
    ).order_by("rank", "name", "pk")


def _following(feeds: QuerySet[Any], user: User, after: int) -> QuerySet[Any]:
    last = _ordered(Subscription.objects.filter(user=user, pk=after)).values_list("rank", "name").first()
    if last is None:
        return feeds
    rank, name = last
    return feeds.filter(Q(rank__gt=rank) | Q(rank=rank, name__gt=name) | Q(rank=rank, name=name, pk__gt=after))


def _reports(subscriptions: Sequence[Subscription], now: datetime) -> tuple[FeedReport, ...]:
    polls = _last_polls([each.feed_id for each in subscriptions])
    reports = []
    for each in subscriptions:
        drawn = tuple(polls.get(each.feed_id, ()))
        sentence = feed_sentence(each.feed, drawn[-1] if drawn else None, now)
        reports.append(FeedReport(each, not each.rank, sentence, drawn))  # type: ignore[attr-defined]
    return tuple(reports)


def _last_polls(feed_ids: Sequence[int]) -> dict[int, list[Poll]]:
    """The last `POLLS_DRAWN` polls of each feed, oldest first: one look for where they begin, one for the rows."""
    of_feed = Poll.objects.filter(feed=OuterRef("pk")).order_by("-started_at").values("started_at")
    starts = Feed.objects.filter(pk__in=feed_ids).annotate(
        start=Coalesce(Subquery(of_feed[POLLS_DRAWN - 1 : POLLS_DRAWN]), Value(_LONG_AGO))
    )
    stretches = Q(pk=None)
    for pk, start in starts.values_list("pk", "start"):
        stretches |= Q(feed=pk, started_at__gte=start)
    polls: dict[int, list[Poll]] = {}
    for poll in Poll.objects.filter(stretches).order_by(F("started_at").asc(), "pk"):
        polls.setdefault(poll.feed_id, []).append(poll)
    return {pk: rows[-POLLS_DRAWN:] for pk, rows in polls.items()}
