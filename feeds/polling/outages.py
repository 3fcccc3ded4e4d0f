"""Recognizes hosts that are down: most of their feeds failed alike when they were last polled.

Such a failure says nothing about a feed, so no feed counts it: the poll is recorded as an outage, the feed is tried
again within the hour, and its source remembers since when. Only feeds that worked lately take part: one that never
worked, or that hasn't for a week, has a problem of its own.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, F, Q, QuerySet

from feeds.models import Condition, Feed, FeedStatus, Poll, PollOutcome, Source
from feeds.models.feed import FAILING_ALIKE, SUCCESSES
from feeds.polling.record import PollResult
from feeds.polling.schedule import SOON

WINDOW = timedelta(hours=2)  # of the polls that are compared
LONGEST_OUTAGE = timedelta(days=7)
MIN_FEEDS = 2
_SILENT = frozenset({PollOutcome.TIMEOUT, PollOutcome.UNREACHABLE})


class Polled(NamedTuple):
    """A feed with the result that is about to be recorded, and whether its host was down before."""

    feed: Feed
    result: PollResult
    was_down: bool = False


def with_outages(polled: Sequence[Polled], now: datetime) -> list[PollResult]:
    """The results, with those as outages that are their host's fault; updates the sources and earlier polls.

    No query unless a feed fails that worked lately, or one works whose host was down.
    """
    up = {feed.source_id for feed, result, was_down in polled if was_down and result.outcome in SUCCESSES}
    if up:
        Source.objects.filter(pk__in=up).update(down_since=None)
    by_source: dict[int, list[Polled]] = defaultdict(list)
    for one in polled:
        if _worked_lately(one.feed, now):
            by_source[one.feed.source_id].append(one)
    down = {source: kind for source, its in by_source.items() if (kind := _common_failure(source, its, now))}
    if down:
        Source.objects.filter(pk__in=down, down_since=None).update(down_since=now)
    return [_judged(one, down.get(one.feed.source_id, ""), now) for one in polled]


def _judged(polled: Polled, common: str, now: datetime) -> PollResult:
    if common and _kind_of(polled.result) == common and _worked_lately(polled.feed, now):
        return replace(polled.result, outcome=PollOutcome.OUTAGE, is_transient=False)
    return polled.result


def _worked_lately(feed: Feed, now: datetime) -> bool:
    return feed.last_success_at is not None and now - feed.last_success_at <= LONGEST_OUTAGE


def _common_failure(source: int, polled: Collection[Polled], now: datetime) -> str:
    """How most feeds of the source fail, "" if they don't. Two queries if any does."""
    kinds = [_kind_of(one.result) for one in polled]
    kind = max(filter(None, kinds), key=kinds.count, default="")
    if not kind:
        return ""
    others = Feed.objects.filter(source=source, status=FeedStatus.ACTIVE, last_polled_at__gt=now - WINDOW)
    others = others.filter(last_success_at__gt=now - LONGEST_OUTAGE).exclude(pk__in=[one.feed.pk for one in polled])
    failing = ~Q(last_polled_at=F("last_success_at"))
    counts = others.aggregate(n=Count("pk"), n_failing=Count("pk", failing))
    n_feeds, n_alike = len(polled) + counts["n"], kinds.count(kind)
    if n_feeds < MIN_FEEDS or 2 * (n_alike + counts["n_failing"]) <= n_feeds:
        return ""
    alike = list(_alike(others.filter(failing), kind, now))
    if 2 * (n_alike + len(alike)) <= n_feeds:
        return ""
    _uncount([*alike, *(one.feed.pk for one in polled if _kind_of(one.result) == kind)], kind, now)
    return kind


def _alike(feeds: QuerySet[Feed], kind: str, now: datetime) -> Iterator[int]:
    """Those whose last poll failed in this way, or was counted as an outage."""
    polls = Poll.objects.filter(feed__in=feeds, started_at__gt=now - WINDOW).order_by("started_at", "pk")
    last = {feed: (outcome, status) for feed, outcome, status in polls.values_list("feed", "outcome", "status")}
    return (feed for feed, poll in last.items() if poll[0] == PollOutcome.OUTAGE or _kind(*poll) == kind)


def _uncount(ids: Collection[int], kind: str, now: datetime) -> None:
    """Take back what these feeds counted since the host is down, before that was known."""
    polls = Poll.objects.filter(feed__in=ids, started_at__gt=now - WINDOW, outcome__in=FAILING_ALIKE)
    same = [
        pk for pk, outcome, status in polls.values_list("pk", "outcome", "status") if _kind(outcome, status) == kind
    ]
    Poll.objects.filter(pk__in=same).update(outcome=PollOutcome.OUTAGE)
    counted = Feed.objects.filter(pk__in=ids, consecutive_failures__gt=0).exclude(condition=Condition.UNHEALTHY)
    counted.update(consecutive_failures=0, consecutive_parse_failures=0, consecutive_timeouts=0)
    Feed.objects.filter(pk__in=ids, next_poll_at__gt=now + SOON).update(next_poll_at=now + SOON)


def _kind(outcome: str, status: int | None) -> str:
    """Equal for failures that may have one cause; "" for other outcomes."""
    if outcome not in FAILING_ALIKE:
        return ""
    if outcome in _SILENT:
        return "silent"
    if outcome == PollOutcome.HTTP_ERROR:
        return "5xx" if status is not None and status >= 500 else f"{status}"
    return outcome


def _kind_of(result: PollResult) -> str:
    return _kind(result.outcome, result.response.status if result.response else None)
