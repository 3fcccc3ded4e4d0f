"""A feed's polls, and how much of it the user reads, for its health page; six queries, seven for one with a hub."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from statistics import median

from feeds.models import Poll, PollOutcome, PushSubscription, Tier
from feeds.models.feed import SUCCESSES
from feeds.publishers.attribution import Attribution, attribution_of_feed
from feeds.push.availability import why_off
from feeds.storage.set_aside import set_aside
from reader.models import Delivery, Engagement, Subscription
from reader.subscriptions.push_text import explain_push
from reader.subscriptions.read_rates import OPENED
from reader.subscriptions.schedule_text import explain_next_poll

DAYS = 30
POLLS_SHOWN = 60  # with the seconds they took
TROUBLES_SHOWN = 8
SET_ASIDE_SHOWN = 5
POLL_COLUMNS = (
    "feed", "started_at", "outcome", "seconds", "message", "moved_to", "well_formed", "status", "n_malformed",
    "is_pushed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Day:
    """A day in the user's time zone: polls, those with new articles, failed ones; articles dated that day, and those
    opened."""

    on: date
    n_polls: int = 0
    n_new: int = 0
    n_failed: int = 0
    n_articles: int = 0
    n_opened: int = 0


@dataclass(frozen=True, slots=True)
class FailureRun:
    """Consecutive polls that failed in the same way."""

    outcome: str
    message: str
    first_at: datetime
    last_at: datetime
    n: int


@dataclass(frozen=True, slots=True)
class Move:
    """A permanent redirect."""

    at: datetime
    url: str


@dataclass(frozen=True, slots=True)
class FeedHealth:
    """`days` oldest first; `last_polls`, `troubles` and `moves` newest first; `reasons` for the next poll's time.
    `n_malformed` entries had neither a title nor a text. `withheld_from`: where the feed redirects to, but its password
    isn't sent; "" if it doesn't. `uncompared` and `unindexed`: titles of articles that were set aside, at most
    `SET_ASIDE_SHOWN`."""

    days: tuple[Day, ...]
    last_polls: tuple[Poll, ...]
    troubles: tuple[FailureRun, ...]
    moves: tuple[Move, ...]
    withheld_from: str
    reasons: tuple[str, ...]
    n_polls: int
    n_not_modified: int
    n_malformed: int
    last_read: Poll | None
    said_by: Attribution
    uncompared: tuple[str, ...] = ()
    unindexed: tuple[str, ...] = ()

    @property
    def tier(self) -> Tier:
        return Tier(self.said_by.tier)

    @property
    def n_failed(self) -> int:
        return sum(day.n_failed for day in self.days)

    @property
    def n_days_failed(self) -> int:
        return sum(day.n_failed > 0 for day in self.days)

    @property
    def n_articles(self) -> int:
        return sum(day.n_articles for day in self.days)

    @property
    def n_opened(self) -> int:
        return sum(day.n_opened for day in self.days)

    @property
    def most_articles(self) -> int:
        """The maximum per day: the height of the chart."""
        return max(day.n_articles for day in self.days)

    @property
    def seconds(self) -> tuple[float, float] | None:
        """Median and maximum of the last successful polls; None if there are none."""
        succeeded = [poll.seconds for poll in self.last_polls if poll.succeeded]
        return (median(succeeded), max(succeeded)) if succeeded else None

    @property
    def most_seconds(self) -> float:
        """The height of the chart: at least one second, without failed polls, which would dwarf all others."""
        return max(1.0, self.seconds[1] if self.seconds else 0.0)


def feed_health_of(subscription: Subscription, *, now: datetime) -> FeedHealth:
    """The health of a feed; `now` is in the user's time zone, which days follow."""
    feed = subscription.feed
    first = now.date() - timedelta(days=DAYS - 1)
    since = datetime.combine(first, time(), tzinfo=now.tzinfo)
    polls = list(Poll.objects.filter(feed=feed, started_at__gte=since).only(*POLL_COLUMNS).order_by("started_at", "pk"))
    days = _days(first, polls, _articles(subscription, since), _opened(subscription, since), now)
    push = PushSubscription.objects.filter(feed=feed).first() if feed.hub_url else None
    aside = set_aside(feed=feed, limit=SET_ASIDE_SHOWN)
    has_hub = push is not None and push.replaces_polls(now)
    moved_to = polls[-1].moved_to if polls else ""
    withheld_from = moved_to if moved_to == feed.final_url else ""
    return FeedHealth(
        days=days,
        last_polls=tuple(reversed(polls[-POLLS_SHOWN:])),
        troubles=failure_runs(polls),
        moves=tuple(move for move in feed_moves(polls) if move.url != withheld_from),
        withheld_from=withheld_from,
        reasons=(
            *explain_push(feed, push, why_off=why_off(), now=now),
            *explain_next_poll(feed, now=now, has_hub=has_hub),
        ),
        n_polls=len(polls),
        n_not_modified=sum(poll.outcome == PollOutcome.NOT_MODIFIED for poll in polls),
        n_malformed=sum(poll.n_malformed for poll in polls),
        last_read=next((poll for poll in reversed(polls) if poll.well_formed is not None), None),
        said_by=attribution_of_feed(feed),
        uncompared=tuple(row.article.title for row in aside if row.work != "INDEX"),
        unindexed=tuple(row.article.title for row in aside if row.work == "INDEX"),
    )


def failure_runs(polls: Iterable[Poll]) -> tuple[FailureRun, ...]:
    """Failures of `polls` (oldest first), with equal consecutive ones combined; newest first."""
    found: list[FailureRun] = []
    continues = False
    for poll in polls:
        if poll.outcome in SUCCESSES:
            continues = False
            continue
        last = found[-1] if found else None
        if continues and last is not None and (last.outcome, last.message) == (_label(poll), poll.message):
            found[-1] = replace(last, last_at=poll.started_at, n=last.n + 1)
        else:
            found.append(FailureRun(_label(poll), poll.message, poll.started_at, poll.started_at, 1))
        continues = True
    return tuple(reversed(found[-TROUBLES_SHOWN:]))


def feed_moves(polls: Iterable[Poll]) -> tuple[Move, ...]:
    """The permanent redirects of these polls, newest first."""
    return tuple(reversed([Move(poll.started_at, poll.moved_to) for poll in polls if poll.moved_to]))


def _label(poll: Poll) -> str:
    label = str(PollOutcome(poll.outcome).label)
    return f"{label} ({poll.status})" if poll.outcome == PollOutcome.HTTP_ERROR and poll.status else label


def _articles(subscription: Subscription, since: datetime) -> dict[int, datetime]:
    delivered = Delivery.objects.filter(
        subscription=subscription, is_read__in=(False, True), published_at__gte=since
    ).order_by()
    return dict(delivered.values_list("article", "published_at"))


def _opened(subscription: Subscription, since: datetime) -> set[int]:
    acts = Engagement.active.filter(user=subscription.user_id, happened_at__gte=since, kind__in=OPENED)
    here = acts.filter(article__deliveries__subscription=subscription, article__deliveries__published_at__gte=since)
    return set(here.values_list("article", flat=True))


def _days(
    first: date, polls: Sequence[Poll], dates: dict[int, datetime], opened: set[int], now: datetime
) -> tuple[Day, ...]:
    def day(moment: datetime) -> date:
        return moment.astimezone(now.tzinfo).date()

    n_polls = Counter(day(poll.started_at) for poll in polls)
    n_new = Counter(day(poll.started_at) for poll in polls if poll.outcome == PollOutcome.NEW)
    n_failed = Counter(day(poll.started_at) for poll in polls if poll.outcome not in SUCCESSES)
    n_articles = Counter(day(at) for at in dates.values())
    n_opened = Counter(day(dates[pk]) for pk in opened if pk in dates)
    all_days = [first + timedelta(days=place) for place in range(DAYS)]
    return tuple(Day(on, n_polls[on], n_new[on], n_failed[on], n_articles[on], n_opened[on]) for on in all_days)
