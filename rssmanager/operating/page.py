"""What the page of operations shows: some fifteen queries, of which none grows with the archive."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

import redis
from django.db.models import Avg, Count, Max, Q
from django_q.models import Failure, Schedule

from feeds.models import Feed, FeedStatus, Poll, PollOutcome
from rssmanager.operating.growth import sizes
from rssmanager.operating.models import DatabaseSize, SlowQuery, TaskTally, Worker
from rssmanager.operating.queue import QueueState, queue_state
from rssmanager.operating.working import alive
from rssmanager.storage import database_bytes

LATE = timedelta(minutes=5)  # a schedule is normally taken within half a minute
MOST_FAILURES, MOST_FEEDS, MOST_QUERIES = 10, 20, 20
LAST_POLLS = 20_000  # of all feeds, of which the slowest are looked for
MOST_FAILING = 20
SPARK_WIDTH, SPARK_HEIGHT = 240, 32


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    schedule: Schedule
    tally: TaskTally | None
    is_late: bool


@dataclass(frozen=True, slots=True)
class SlowFeed:
    feed: Feed
    median_seconds: float
    n_timeouts: int
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Growth:
    """`points` of a line through the days' sizes, for a drawing of `SPARK_WIDTH` × `SPARK_HEIGHT`; "" for under two."""

    now_bytes: int
    first: DatabaseSize | None
    points: str


def queue(now: datetime) -> QueueState | None:
    """None where Redis does not answer."""
    try:
        return queue_state(now)
    except (redis.RedisError, OSError):
        return None


def schedule_rows(now: datetime) -> list[ScheduleRow]:
    tallies = {each.task: each for each in TaskTally.objects.all()}
    return [
        ScheduleRow(each, tallies.get(each.func), each.next_run is not None and each.next_run < now - LATE)
        for each in Schedule.objects.order_by("name")
    ]


def failures() -> list[Failure]:
    return list(Failure.objects.order_by("-stopped")[:MOST_FAILURES])


def workers(now: datetime) -> list[Worker]:
    return list(alive(now))


def slow_feeds() -> list[SlowFeed]:
    """The slowest by the median of their last polls; chosen by the mean, of which four times as many are looked at."""
    newest = Poll.objects.aggregate(newest=Max("pk"))["newest"] or 0
    lately = Poll.objects.filter(pk__gt=newest - LAST_POLLS)
    rows = list(
        lately.order_by()
        .values("feed")
        .annotate(mean=Avg("seconds"), most=Max("n_bytes"), n=Count("pk", filter=Q(outcome=PollOutcome.TIMEOUT)))
        .order_by("-mean", "feed")[: 4 * MOST_FEEDS]
    )
    took: dict[int, list[float]] = defaultdict(list)
    for feed_id, seconds in lately.filter(feed__in=[row["feed"] for row in rows]).values_list("feed", "seconds"):
        took[feed_id].append(seconds)
    feeds = Feed.objects.in_bulk([row["feed"] for row in rows])
    found = [SlowFeed(feeds[row["feed"]], median(took[row["feed"]]), row["n"], row["most"]) for row in rows]
    return sorted(found, key=lambda each: -each.median_seconds)[:MOST_FEEDS]


def failing_feeds() -> list[Feed]:
    ailing = Feed.objects.filter(status=FeedStatus.ACTIVE, failures_running__gt=0)
    return list(ailing.order_by("-failures_running", "pk")[:MOST_FAILING])


def slow_queries() -> list[SlowQuery]:
    return list(SlowQuery.objects.order_by("-seconds", "key")[:MOST_QUERIES])


def growth() -> Growth:
    now_bytes, days = database_bytes(), sizes()
    return Growth(now_bytes, days[0] if days else None, _points([each.n_bytes for each in days]))


def _points(values: list[int]) -> str:
    if len(values) < 2:
        return ""
    most, step = max(values) or 1, SPARK_WIDTH / (len(values) - 1)
    return " ".join(
        f"{place * step:.1f},{SPARK_HEIGHT - 1 - (SPARK_HEIGHT - 2) * value / most:.1f}"
        for place, value in enumerate(values)
    )
