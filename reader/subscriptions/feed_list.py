"""The table of a user's feeds, a page at a time, and the report on one feed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery

from feeds.models import Feed, FeedStatus, Poll
from reader.models import Subscription
from reader.subscriptions.advice import Advice, Facts, advice, figures
from reader.subscriptions.filters import Order, Which, chosen, following, ordered
from reader.subscriptions.status_text import FeedState, feed_sentence, overrun_sentence, state_of

PAGE_SIZE = 100
WEEKS = 4  # in which `n_month` counts


@dataclass(frozen=True, slots=True)
class FeedReport:
    """A subscription with its state in words, reading figures and advice. `last_at`: of its newest article.

    `overrun`: a sentence about entries that weren't compared with other feeds.
    """

    subscription: Subscription
    needs_attention: bool
    sentence: str
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

    One query, two if feeds of the page have problems.
    """
    feeds = ordered(chosen(user, which, words, now=now, folder=folder), order, is_reversed=is_reversed)
    if after is not None:
        feeds = following(feeds, order, user, after, is_reversed=is_reversed)
    found = list(feeds.select_related("feed__source", "folder").defer("feed__raw_hashes")[: size + 1])
    shown = found[:size]
    polls = last_polls([each.feed_id for each in shown if each.is_ailing])
    rows = tuple(_row(each, polls.get(each.feed_id), now) for each in shown)
    return FeedTable(rows, shown[-1].pk if len(found) > size else None)


def _row(subscription: Any, last: Poll | None, now: datetime) -> FeedRow:
    n_month, n_quarter = subscription.n_month, subscription.n_quarter
    return FeedRow(
        subscription,
        needs_attention=bool(subscription.is_ailing),
        status=state_of(subscription.feed),
        sentence=feed_sentence(subscription.feed, last, now) if subscription.is_ailing else "",
        last_at=subscription.feed.last_published_at,
        # Not even one in 90 days, or too new to have been counted.
        per_week="" if not n_quarter else "<1" if n_month < WEEKS / 2 else str(round(n_month / WEEKS)),
        read_share=round(100 * min(subscription.n_opened, n_quarter) / n_quarter) if n_quarter else None,
    )


def report_of(subscription: Subscription, *, now: datetime) -> FeedReport:
    """The report on one feed; two queries."""
    mine: Any = ordered(Subscription.objects.filter(pk=subscription.pk)).select_related("feed__source", "folder").get()
    feed, facts = mine.feed, _facts(mine)
    return FeedReport(
        mine,
        needs_attention=bool(mine.is_ailing),
        sentence=feed_sentence(feed, last_polls([feed.pk]).get(feed.pk), now),
        figures=figures(
            n_month=mine.n_month,
            n_quarter=mine.n_quarter,
            n_opened=mine.n_opened,
            added_at=feed.added_at,
            last_at=facts.last_at,
            now=now,
        ),
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


def last_polls(feed_ids: Collection[int]) -> dict[int, Poll]:
    """The last poll of each feed; one query."""
    of_feed = Poll.objects.filter(feed=OuterRef("pk")).order_by("-started_at").values("pk")[:1]
    last = Feed.objects.filter(pk__in=feed_ids).values(last=Subquery(of_feed))
    return {poll.feed_id: poll for poll in Poll.objects.filter(pk__in=last)} if feed_ids else {}
