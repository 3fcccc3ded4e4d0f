"""Figures of the operations page: about twenty queries, none of which grows with the archive."""

import shutil
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Avg, Count, Max, Q
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django_q.models import Failure, Schedule

from feeds.models import Article, Feed, FeedStatus, Poll, PollOutcome
from feeds.storage.set_aside import set_aside
from reader.models import Subscription
from reader.subscriptions.status_text import reason_text
from rssmanager.backup.create import backups_in, default_path
from rssmanager.operations import queue_depths
from rssmanager.operations.disk_usage import database_bytes
from rssmanager.operations.models import DatabaseSize, SlowQuery, TaskTally, Worker
from rssmanager.operations.names import STAGES, task_name
from rssmanager.operations.queue import QueueState, queue_state
from rssmanager.operations.queue_depths import OverdueFeeds
from rssmanager.operations.worker_heartbeat import active_workers
from rssmanager.queueing.allowed_tasks import ALLOWED_TASKS
from rssmanager.queueing.refused_tasks import GROUP, MAX_REFUSED, refused

POLL = "feeds.tasks.polling.poll"
LATE = timedelta(minutes=5)  # schedules are normally run within half a minute
MAX_ROWS = 100  # schedules; there are about twenty
MAX_FAILURES, MAX_FEEDS, MAX_QUERIES = 10, 20, 20
LAST_POLLS = 20_000  # of all feeds, among which the slowest are found
MAX_FAILING = 20
MAX_ASIDE = 20
MAX_ERROR = 5000  # characters of a failed task's error, traceback included; the end is shown
MAX_ARGUMENTS = 200  # characters
CHART_WIDTH, CHART_HEIGHT = 400, 64


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """`went_well` is None before the first run."""

    name: str
    schedule: Schedule
    tally: TaskTally | None
    is_late: bool
    went_well: bool | None


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A failed task: `summary` is the first line of its `error`."""

    name: str
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
class WorkerRow:
    """A worker and its current task in words, "" between tasks."""

    worker: Worker
    task: str


@dataclass(frozen=True, slots=True)
class AsideRow:
    """An article that was set aside, and by which stage, in words."""

    article: Article
    work: str


@dataclass(frozen=True, slots=True)
class FailingFeed:
    """`reason` in words, "" if unknown. `subscription`: of the user who looks; None if they don't follow it."""

    feed: Feed
    reason: str
    subscription: int | None


@dataclass(frozen=True, slots=True)
class FailingFeeds:
    """How many feeds are polled, how many of them failed last, and those that failed most often in a row."""

    n_active: int
    n_failing: int
    worst: tuple[FailingFeed, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """`points` of a line through the sizes by day, `CHART_WIDTH` × `CHART_HEIGHT`; "" for less than two days."""

    now_bytes: int
    days: tuple[DatabaseSize, ...]
    points: str


@dataclass(frozen=True, slots=True)
class Disk:
    """Bytes of the disk that `DATA_DIR` is on."""

    total: int
    free: int


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The state of the installation. `queue` is None if Redis doesn't respond; `waiting` and `mails` are counts."""

    queue: QueueState | None
    workers: list[WorkerRow]
    waiting: dict[str, int]
    overdue: OverdueFeeds
    feeds: FailingFeeds
    failures: list[FailureRow]
    refused: list[Failure]
    schedules: list[ScheduleRow]
    mails: dict[str, int]
    growth: Growth
    disk: Disk
    backed_up_at: datetime | None
    slow_feeds: list[SlowFeed]
    slow_queries: list[SlowQuery]
    aside: list[AsideRow]

    @property
    def checked_at(self) -> datetime | None:
        """When a worker last checked which feeds are due."""
        times = [row.tally.last_success_at for row in self.schedules if row.tally and row.schedule.func == POLL]
        return times[0] if times else None


def look(user: User, *, now: datetime) -> Dashboard:
    """The state now, for `user`."""
    return Dashboard(
        queue=queue(now),
        workers=[WorkerRow(worker, worker.task and task_name(worker.task)) for worker in active_workers(now)],
        waiting=queue_depths.waiting(),
        overdue=queue_depths.overdue_feeds(now),
        feeds=failing_feeds(user),
        failures=failures(),
        refused=list(refused()[:MAX_REFUSED]),
        schedules=schedule_rows(now),
        mails=queue_depths.mails(now),
        growth=growth(),
        disk=disk(),
        backed_up_at=backed_up_at(now),
        slow_feeds=slow_feeds(),
        slow_queries=list(SlowQuery.objects.order_by("-seconds", "key")[:MAX_QUERIES]),
        aside=[AsideRow(row.article, str(STAGES[row.work.lower()])) for row in set_aside(limit=MAX_ASIDE)],
    )


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
    name = task_name(schedule.func)
    return ScheduleRow(name, schedule, tally, is_late, tally.consecutive_failures == 0 if tally and has_run else None)


def failures() -> list[FailureRow]:
    latest = Failure.objects.exclude(group=GROUP).order_by("-stopped")[:MAX_FAILURES]
    return [_failure_row(failure) for failure in latest]


def _failure_row(failure: Failure) -> FailureRow:
    name = task_name(failure.func)
    if not is_readable(failure):
        error = _("Recorded by an older version, and no longer readable.")
        return FailureRow(name, failure, "", error, "", can_run=False)
    arguments = ", ".join(map(repr, failure.args))[:MAX_ARGUMENTS]
    error = str(failure.result)
    summary = error.partition(" : Traceback")[0].partition("\n")[0]
    return FailureRow(name, failure, arguments, summary, error[-MAX_ERROR:], can_run=can_run(failure))


def is_readable(failure: Failure) -> bool:
    """False for pickled results of older versions."""
    return isinstance(failure.args, list)


def can_run(failure: Failure) -> bool:
    """Whether it may be queued again."""
    return failure.func in ALLOWED_TASKS and is_readable(failure)


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


def failing_feeds(user: User) -> FailingFeeds:
    is_failing = Q(consecutive_failures__gt=0)
    active = Feed.objects.filter(status=FeedStatus.ACTIVE)
    counts = active.aggregate(n=Count("pk"), n_failing=Count("pk", filter=is_failing))
    worst = tuple(active.filter(is_failing).order_by("-consecutive_failures", "pk")[:MAX_FAILING])
    followed = dict(Subscription.objects.filter(user=user, feed__in=worst).values_list("feed_id", "pk"))
    rows = tuple(FailingFeed(feed, _reason(feed), followed.get(feed.pk)) for feed in worst)
    return FailingFeeds(counts["n"], counts["n_failing"], rows)


def _reason(feed: Feed) -> str:
    return capfirst(reason_text(feed.condition_reason).rstrip(".;")) if feed.condition_reason else ""


def growth() -> Growth:
    now_bytes, days = database_bytes(), tuple(DatabaseSize.objects.order_by("on"))
    return Growth(now_bytes, days, _points([day.n_bytes for day in days]))


def disk() -> Disk:
    usage = shutil.disk_usage(settings.DATA_DIR)
    return Disk(usage.total, usage.free)


def backed_up_at(now: datetime) -> datetime | None:
    """When `backup` last wrote into its default folder; backups elsewhere aren't known."""
    times = [path.stat().st_mtime for path in backups_in(default_path(now).parent)]
    return datetime.fromtimestamp(max(times), UTC) if times else None


def _points(values: list[int]) -> str:
    if len(values) < 2:
        return ""
    most, step = max(values) or 1, CHART_WIDTH / (len(values) - 1)
    return " ".join(
        f"{place * step:.1f},{CHART_HEIGHT - 1 - (CHART_HEIGHT - 2) * value / most:.1f}"
        for place, value in enumerate(values)
    )
