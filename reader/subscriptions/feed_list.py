"""The table of a user's feeds, a page at a time, and the report on one feed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from feeds.models import Feed, FeedStatus, Poll
from reader.models import Subscription
from reader.subscriptions.advice import Advice, Facts, advice, figures
from reader.subscriptions.filters import Order, Which, chosen, following, ordered
from reader.subscriptions.status_text import FeedState, feed_sentence, overrun_sentence, state_of

PAGE_SIZE = 100
POLLS_DRAWN = 30
WEEKS = 4  # in which `n_month` counts
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class FeedReport:
    """A subscription with its state in words, last polls (oldest first), reading figures and advice. `last_at`: of its
    newest article. `overrun`: a sentence about entries that weren't compared with other feeds."""

    subscription: Subscription
    needs_attention: bool
    sentence: str
    polls: tuple[Poll, ...]
    figures: str = ""
    last_at: datetime | None = None
    advice: Advice | None = None
    overrun: str = ""


@dataclass(frozen=True, slots=True)
class FeedRow:
    """A row of the table. `sentence`: what is wrong, if anything. `read_share` is in percent, None without articles."""

    subscription: Subscription
    needs_attention: bool
    status: FeedState
    sentence: str
    last_at: datetime | None
    per_week: str
    read_share: int | None


@dataclass(frozen=True, slots=True)
class FeedTable:
    """`next_after` is the subscription after which the next page begins; None on the last."""

    rows: tuple[FeedRow, ...]
    next_after: int | None = None


def feed_table(
    user: User,
    *,
    now: datetime,
    after: int | None = None,
    words: str = "",
    which: Which = Which.ALL,
    folder: int | None = None,
    order: Order = Order.ATTENTION,
    is_reversed: bool = False,
    size: int = PAGE_SIZE,
) -> FeedTable:
    """A page of the user's feeds, filtered, with `words` in their name or domain; `now` is in the user's time zone.

    One query, three if feeds of the page have problems.
    """
    feeds = ordered(chosen(user, which, words, now=now, folder=folder), order, is_reversed=is_reversed)
    if after is not None:
        feeds = following(feeds, order, user, after, is_reversed=is_reversed)
    found = list(feeds.select_related("feed__source", "folder").defer("feed__raw_hashes")[: size + 1])
    shown = found[:size]
    polls = _last_polls([each.feed_id for each in shown if each.is_ailing])
    rows = tuple(_row(each, polls.get(each.feed_id, ()), now) for each in shown)
    return FeedTable(rows, shown[-1].pk if len(found) > size else None)


def _row(subscription: Any, polls: Sequence[Poll], now: datetime) -> FeedRow:
    n_month, n_quarter = subscription.n_month, subscription.n_quarter
    return FeedRow(
        subscription,
        needs_attention=bool(subscription.is_ailing),
        status=state_of(subscription.feed),
        sentence=feed_sentence(subscription.feed, polls[-1] if polls else None, now) if subscription.is_ailing else "",
        last_at=subscription.feed.last_published_at,
        per_week="<1" if 0 < n_month < WEEKS / 2 else str(round(n_month / WEEKS)),
        read_share=round(100 * min(subscription.n_opened, n_quarter) / n_quarter) if n_quarter else None,
    )


def report_of(subscription: Subscription, *, now: datetime) -> FeedReport:
    """The report on one feed."""
    mine = ordered(Subscription.objects.filter(pk=subscription.pk))
    return _reports(list(mine.select_related("feed__source", "folder")), now)[0]


def _reports(subscriptions: Sequence[Any], now: datetime) -> tuple[FeedReport, ...]:
    polls = _last_polls([subscription.feed_id for subscription in subscriptions])
    return tuple(
        _report(subscription, tuple(polls.get(subscription.feed_id, ())), now) for subscription in subscriptions
    )


def _report(subscription: Any, polls: tuple[Poll, ...], now: datetime) -> FeedReport:
    feed = subscription.feed
    facts = _facts(subscription)
    return FeedReport(
        subscription,
        needs_attention=bool(subscription.is_ailing),
        sentence=feed_sentence(feed, polls[-1] if polls else None, now),
        polls=polls,
        figures=figures(n_month=subscription.n_month, n_quarter=subscription.n_quarter, n_opened=subscription.n_opened),
        last_at=facts.last_at,
        advice=advice(facts, now=now),
        overrun=overrun_sentence(feed, now),
    )


def _facts(subscription: Subscription) -> Facts:
    feed = subscription.feed
    failing_since = (feed.last_success_at or feed.added_at) if feed.consecutive_failures else None
    return Facts(
        followed_at=subscription.added_at,
        n_articles=subscription.n_quarter,
        n_opened=subscription.n_opened,
        last_at=max(filter(None, (feed.last_new_at, feed.newest_entry_at)), default=None),
        failing_since=failing_since,
        is_gone=feed.status == FeedStatus.DEAD,
        is_digest_only=subscription.is_digest_only,
        is_kept=subscription.is_kept,
    )


def _last_polls(feed_ids: Sequence[int]) -> dict[int, list[Poll]]:
    """The last `POLLS_DRAWN` polls of each feed, oldest first: a query for where they start, and one for the rows."""
    of_feed = Poll.objects.filter(feed=OuterRef("pk")).order_by("-started_at").values("started_at")
    starts = Feed.objects.filter(pk__in=feed_ids).annotate(
        start=Coalesce(Subquery(of_feed[POLLS_DRAWN - 1 : POLLS_DRAWN]), Value(_LONG_AGO))
    )
    latest = Q(pk=None)
    for pk, start in starts.values_list("pk", "start"):
        latest |= Q(feed=pk, started_at__gte=start)
    polls: dict[int, list[Poll]] = {}
    for poll in Poll.objects.filter(latest).order_by(F("started_at").asc(), "pk"):
        polls.setdefault(poll.feed_id, []).append(poll)
    return {pk: rows[-POLLS_DRAWN:] for pk, rows in polls.items()}
