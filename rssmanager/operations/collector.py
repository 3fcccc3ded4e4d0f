"""Metrics of the whole installation, read from the database when they are scraped.

Workers and web processes come and go, but share the database, so their figures are rows that any web process can read.
About fifteen queries, none of which grows with the archive.
"""

import platform
from collections.abc import Callable, Iterator
from datetime import datetime

import django
import redis
from django.db import DatabaseError, InterfaceError, connection
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)

from feeds.models import PollTally
from rssmanager import __version__
from rssmanager.operations import queue_depths
from rssmanager.operations.background_work import Fault, stoppages
from rssmanager.operations.disk_usage import database_bytes
from rssmanager.operations.models import TaskTally
from rssmanager.operations.queue import queue_state
from rssmanager.operations.worker_heartbeat import active_workers

Families = Iterator[Metric]


class InstallationCollector:
    """Registered for one scrape, at the time `now`."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def collect(self) -> Families:
        yield _build()
        try:
            families = [family for part in _PARTS for family in part(self._now)]
        except (DatabaseError, InterfaceError):
            yield GaugeMetricFamily("rssmanager_database_up", "Whether the database responds.", 0)
            return
        yield GaugeMetricFamily("rssmanager_database_up", "Whether the database responds.", 1)
        yield from families


def _build() -> Metric:
    versions = {
        "version": __version__,
        "python": platform.python_version(),
        "django": django.get_version(),
        "database": connection.vendor,
    }
    return InfoMetricFamily("rssmanager_build", "Installed versions.", versions)


def _database(now: datetime) -> Families:
    yield GaugeMetricFamily("rssmanager_database_bytes", "Size of the database.", database_bytes())


def _polls(now: datetime) -> Families:
    seconds = HistogramMetricFamily("rssmanager_poll_seconds", "Duration of polls.", labels=["outcome"])
    articles = CounterMetricFamily("rssmanager_articles", "Entries from polls.", labels=["as"])
    n_new = n_duplicates = 0
    for row in PollTally.objects.order_by("outcome"):
        seconds.add_metric([row.outcome], _cumulative(row), row.seconds)
        n_new, n_duplicates = n_new + row.n_new, n_duplicates + row.n_duplicates
    articles.add_metric(["new"], n_new)
    articles.add_metric(["duplicate"], n_duplicates)
    overdue = queue_depths.overdue_feeds(now)
    yield seconds
    yield articles
    yield GaugeMetricFamily("rssmanager_feeds_due", "Feeds due to be polled.", overdue.n_due)
    yield GaugeMetricFamily(
        "rssmanager_feeds_lag_seconds", "How long the longest overdue feed has been due.", _age(overdue.oldest_at, now)
    )


def _pushes(now: datetime) -> Families:
    states = GaugeMetricFamily("rssmanager_push_subscriptions", "Subscriptions at hubs of feeds.", labels=["state"])
    for state, n in queue_depths.push_subscriptions().items():
        states.add_metric([state], n)
    yield states
    help_text = "Polls of the last 24 hours that hubs caused."
    yield GaugeMetricFamily("rssmanager_push_polls", help_text, queue_depths.pushed_polls(now))


def _cumulative(row: PollTally) -> list[tuple[str, float]]:
    limits = [*map(str, PollTally.SECONDS), "+Inf"]
    return [(limit, sum(row.within[: place + 1])) for place, limit in enumerate(limits)]


def _queue(now: datetime) -> Families:
    up = GaugeMetricFamily("rssmanager_queue_up", "Whether the task queue responds.")
    try:
        state = queue_state(now)
    except (redis.RedisError, OSError):
        up.add_metric([], 0)
        yield up
        return
    up.add_metric([], 1)
    yield up
    yield GaugeMetricFamily("rssmanager_queue_waiting", "Tasks not yet taken by a worker.", state.n_waiting)
    yield GaugeMetricFamily(
        "rssmanager_queue_oldest_seconds", "Age of the oldest waiting task.", _age(state.oldest_at, now)
    )


def _stages(now: datetime) -> Families:
    help_text = f"Work waiting for each stage; counted up to {queue_depths.MAX_COUNT}."
    family = GaugeMetricFamily("rssmanager_stage_waiting", help_text, labels=["stage"])
    for stage, n in queue_depths.waiting().items():
        family.add_metric([stage], n)
    yield family


def _mails(now: datetime) -> Families:
    help_text = "Emails being sent, and the outcome of those from the last 24 hours."
    family = GaugeMetricFamily("rssmanager_mails", help_text, labels=["state"])
    for state, n in queue_depths.mails(now).items():
        family.add_metric([state], n)
    yield family


def _tasks(now: datetime) -> Families:
    runs = CounterMetricFamily("rssmanager_task_runs", "Runs of each task.", labels=["task", "outcome"])
    seconds = CounterMetricFamily("rssmanager_task_seconds", "Total run time of each task.", labels=["task"])
    success = GaugeMetricFamily(
        "rssmanager_task_last_success_timestamp_seconds", "Last successful run.", labels=["task"]
    )
    for row in TaskTally.objects.order_by("task"):
        runs.add_metric([row.task, "done"], row.n_done)
        runs.add_metric([row.task, "failed"], row.n_failed)
        seconds.add_metric([row.task], row.seconds)
        if row.last_success_at is not None:
            success.add_metric([row.task], row.last_success_at.timestamp())
    yield from (runs, seconds, success)


def _workers(now: datetime) -> Families:
    states = [bool(worker.task) for worker in active_workers(now)]
    family = GaugeMetricFamily("rssmanager_workers", "Active worker processes.", labels=["state"])
    family.add_metric(["busy"], sum(states))
    family.add_metric(["idle"], len(states) - sum(states))
    yield family


def _background(now: datetime) -> Families:
    help_text = "Why background work isn't done: 1 for each reason that applies."
    family = GaugeMetricFamily("rssmanager_background_stopped", help_text, labels=["reason"])
    found = {stoppage.fault for stoppage in stoppages(now)}
    for fault in Fault:
        family.add_metric([fault], int(fault in found))
    yield family


def _age(at: datetime | None, now: datetime) -> float:
    return max(0.0, (now - at).total_seconds()) if at is not None else 0.0


_PARTS: tuple[Callable[[datetime], Families], ...] = (
    _database, _polls, _pushes, _queue, _stages, _mails, _tasks, _workers, _background,
)  # fmt: skip
