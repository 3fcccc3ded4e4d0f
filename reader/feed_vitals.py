"""How one feed did and what its person reads of it, for its health page. Four queries, whatever the feed brings."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from feeds.models import Feed, Poll, PollOutcome
from feeds.models.feed import SUCCESSES
from reader.drawing_days import Day, Drawing, answers, articles, success
from reader.figuring import OPENED
from reader.models import Delivery, Engagement, Subscription
from reader.schedule_words import why_then

DAYS = 30
ANSWERS_DRAWN = 60
TROUBLES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Trouble:
    """Polls in a row that failed alike: how, from when to when, how many."""

    outcome: str
    message: str
    first_at: datetime
    last_at: datetime
    n: int


@dataclass(frozen=True, slots=True)
class Move:
    """The publisher moved the feed for good."""

    at: datetime
    url: str


@dataclass(frozen=True, slots=True)
class Vitals:
    """`days` oldest first, `troubles` and `moves` newest first; `reasons` say why the next poll is when it is."""

    days: tuple[Day, ...]
    success: Drawing
    answers: Drawing
    articles: Drawing
    last_answers: tuple[Poll, ...]
    troubles: tuple[Trouble, ...]
    moves: tuple[Move, ...]
    earlier: tuple[Feed, ...]
    reasons: tuple[str, ...]
    n_polls: int
    n_not_modified: int
    last_read: Poll | None


def vitals_of(subscription: Subscription, *, now: datetime) -> Vitals:
    """All of it; `now` is in the person's zone, by which days begin."""
    feed = subscription.feed
    first = now.date() - timedelta(days=DAYS - 1)
    since = datetime.combine(first, time(), tzinfo=now.tzinfo)
    polls = list(
        Poll.objects.filter(feed=feed, started_at__gte=since)
        .only("feed", "started_at", "outcome", "seconds", "message", "moved_to", "well_formed", "status")
        .order_by("started_at", "pk")
    )
    days = _days(first, polls, _articles(subscription, since), _opened(subscription, since), now)
    drawn = polls[-ANSWERS_DRAWN:]
    return Vitals(
        days=days,
        success=success(days),
        answers=answers([(each.seconds, each.succeeded) for each in drawn]),
        articles=articles(days),
        last_answers=tuple(reversed(drawn)),
        troubles=troubles_of(polls),
        moves=moves_of(polls),
        earlier=tuple(Feed.objects.filter(merged_into=feed).order_by("pk")[:10]),
        reasons=tuple(why_then(feed, now=now)),
        n_polls=len(polls),
        n_not_modified=sum(each.outcome == PollOutcome.NOT_MODIFIED for each in polls),
        last_read=next((each for each in reversed(polls) if each.well_formed is not None), None),
    )


def troubles_of(polls: Iterable[Poll]) -> tuple[Trouble, ...]:
    """Failures of `polls` (oldest first), those alike and in a row as one; the newest first."""
    found: list[Trouble] = []
    goes_on = False
    for poll in polls:
        if poll.outcome in SUCCESSES:
            goes_on = False
            continue
        last = found[-1] if found else None
        if goes_on and last is not None and (last.outcome, last.message) == (_label(poll), poll.message):
            found[-1] = replace(last, last_at=poll.started_at, n=last.n + 1)
        else:
            found.append(Trouble(_label(poll), poll.message, poll.started_at, poll.started_at, 1))
        goes_on = True
    return tuple(reversed(found[-TROUBLES_SHOWN:]))


def moves_of(polls: Iterable[Poll]) -> tuple[Move, ...]:
    """Where polls say that the feed moved to, the newest first."""
    return tuple(reversed([Move(each.started_at, each.moved_to) for each in polls if each.moved_to]))


def _label(poll: Poll) -> str:
    label = str(PollOutcome(poll.outcome).label)
    return f"{label} ({poll.status})" if poll.outcome == PollOutcome.HTTP_ERROR and poll.status else label


def _articles(subscription: Subscription, since: datetime) -> dict[int, datetime]:
    brought = Delivery.objects.filter(
        subscription=subscription, is_read__in=(False, True), published_at__gte=since
    ).order_by()
    return dict(brought.values_list("article", "published_at"))


def _opened(subscription: Subscription, since: datetime) -> set[int]:
    acts = Engagement.objects.filter(
        user=subscription.user_id, happened_at__gte=since, kind__in=OPENED, undoes=None, undone_by=None
    )
    here = acts.filter(article__deliveries__subscription=subscription, article__deliveries__published_at__gte=since)
    return set(here.values_list("article", flat=True))


def _days(
    first: date, polls: Sequence[Poll], dates: dict[int, datetime], opened: set[int], now: datetime
) -> tuple[Day, ...]:
    def day(moment: datetime) -> date:
        return moment.astimezone(now.tzinfo).date()

    n_polls = Counter(day(each.started_at) for each in polls)
    n_new = Counter(day(each.started_at) for each in polls if each.outcome == PollOutcome.NEW)
    n_failed = Counter(day(each.started_at) for each in polls if each.outcome not in SUCCESSES)
    n_articles = Counter(day(at) for at in dates.values())
    n_opened = Counter(day(dates[pk]) for pk in opened if pk in dates)
    each_day = [first + timedelta(days=place) for place in range(DAYS)]
    return tuple(Day(on, n_polls[on], n_new[on], n_failed[on], n_articles[on], n_opened[on]) for on in each_day)
