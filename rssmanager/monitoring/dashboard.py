"""Figures of the operations page: about fifteen queries, none of which grows with the archive."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

import redis
from django.db.models import Avg, Count, Max, Q
from django.utils.translation import gettext as _
from django_q.models import Failure, Schedule

from feeds.models import Feed, FeedStatus, Poll, PollOutcome
from rssmanager.monitoring.disk_usage import database_bytes
from rssmanager.monitoring.models import DatabaseSize, SlowQuery, TaskTally, Worker
from rssmanager.monitoring.queue import QueueState, queue_state
from rssmanager.monitoring.worker_heartbeat import active_workers
from rssmanager.queueing.allowed_tasks import ALLOWED_TASKS
from rssmanager.queueing.refused_tasks import GROUP, MAX_REFUSED, refused

LATE = timedelta(minutes=5)  # schedules are normally run within half a minute
MAX_ROWS = 100  # schedules; there are about twenty
MAX_FAILURES, MAX_FEEDS, MAX_QUERIES = 10, 20, 20
LAST_POLLS = 20_000  # of all feeds, among which the slowest are found
MAX_FAILING = 20
MAX_ERROR = 5000  # characters of a failed task's error, traceback included; the end is shown
MAX_ARGUMENTS = 200  # characters
SPARK_WIDTH, SPARK_HEIGHT = 240, 32


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """`went_well` is None before the first run."""

    schedule: Schedule
    tally: TaskTally | None
    is_late: bool
    went_well: bool | None


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A failed task: `summary` is the first line of its `error`."""

    failure: Failure
    arguments: str
    summary: str
    error: str
    can_run: bool


@dataclass(frozen=True, slots=True)
class SlowFeed:
    feed: Feed
    median_seconds: float
    n_timeouts: int
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Growth:
    """`points` of a line through the sizes by day, `SPARK_WIDTH` × `SPARK_HEIGHT`; "" for less than two days."""

    now_bytes: int
    first: DatabaseSize | None
    points: str


def queue(now: datetime) -> QueueState | None:
    """None if Redis doesn't respond."""
    try:
        return queue_state(now)
    except (redis.RedisError, OSError):
        return None


def schedule_rows(now: datetime) -> list[ScheduleRow]:
    tallies = {task_tally.task: task_tally for task_tally in TaskTally.objects.all()}
    return [
        _schedule_row(schedule, tallies.get(schedule.func), now)
        for schedule in Schedule.objects.order_by("name")[:MAX_ROWS]
    ]


def _schedule_row(schedule: Schedule, tally: TaskTally | None, now: datetime) -> ScheduleRow:
    is_late = schedule.next_run is not None and schedule.next_run < now - LATE
    has_run = tally is not None and tally.last_began_at is not None
    return ScheduleRow(schedule, tally, is_late, tally.consecutive_failures == 0 if tally and has_run else None)


def failures() -> list[FailureRow]:
    latest = Failure.objects.exclude(group=GROUP).order_by("-stopped")[:MAX_FAILURES]
    return [_failure_row(failure) for failure in latest]


def _failure_row(failure: Failure) -> FailureRow:
    if not is_readable(failure):
        error = _("Recorded by an older version, and no longer readable.")
        return FailureRow(failure, "", error, "", can_run=False)
    arguments = ", ".join(map(repr, failure.args))[:MAX_ARGUMENTS]
    error = str(failure.result)
    summary = error.partition(" : Traceback")[0].partition("\n")[0]
    return FailureRow(failure, arguments, summary, error[-MAX_ERROR:], can_run=can_run(failure))


def is_readable(failure: Failure) -> bool:
    """False for pickled results of older versions."""
    return isinstance(failure.args, list)


def can_run(failure: Failure) -> bool:
    """Whether it may be queued again."""
    return failure.func in ALLOWED_TASKS and is_readable(failure)


def refused_tasks() -> list[Failure]:
    return list(refused()[:MAX_REFUSED])


def workers(now: datetime) -> list[Worker]:
    return list(active_workers(now))


def slow_feeds() -> list[SlowFeed]:
    """The slowest by the median of their last polls, among four times as many chosen by the mean."""
    newest = Poll.objects.aggregate(newest=Max("pk"))["newest"] or 0
    recent = Poll.objects.filter(pk__gt=newest - LAST_POLLS)
    rows = list(
        recent.order_by()
        .values("feed")
        .annotate(mean=Avg("seconds"), most=Max("n_bytes"), n=Count("pk", filter=Q(outcome=PollOutcome.TIMEOUT)))
        .order_by("-mean", "feed")[: 4 * MAX_FEEDS]
    )
    seconds_of: dict[int, list[float]] = defaultdict(list)
    for feed_id, seconds in recent.filter(feed__in=[row["feed"] for row in rows]).values_list("feed", "seconds"):
        seconds_of[feed_id].append(seconds)
    feeds = Feed.objects.in_bulk([row["feed"] for row in rows])
    slow = [SlowFeed(feeds[row["feed"]], median(seconds_of[row["feed"]]), row["n"], row["most"]) for row in rows]
    return sorted(slow, key=lambda feed: -feed.median_seconds)[:MAX_FEEDS]


def failing_feeds() -> list[Feed]:
    failing = Feed.objects.filter(status=FeedStatus.ACTIVE, consecutive_failures__gt=0)
    return list(failing.order_by("-consecutive_failures", "pk")[:MAX_FAILING])


def slow_queries() -> list[SlowQuery]:
    return list(SlowQuery.objects.order_by("-seconds", "key")[:MAX_QUERIES])


def growth() -> Growth:
    now_bytes, days = database_bytes(), list(DatabaseSize.objects.order_by("on"))
    return Growth(now_bytes, days[0] if days else None, _points([day.n_bytes for day in days]))


def _points(values: list[int]) -> str:
    if len(values) < 2:
        return ""
    most, step = max(values) or 1, SPARK_WIDTH / (len(values) - 1)
    return " ".join(
        f"{place * step:.1f},{SPARK_HEIGHT - 1 - (SPARK_HEIGHT - 2) * value / most:.1f}"
        for place, value in enumerate(values)
    )
