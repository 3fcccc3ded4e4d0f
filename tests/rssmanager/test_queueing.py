"""Urgent tasks run first, no task is queued twice, and running recurring tasks aren't queued again."""

import os
import socket
import subprocess
import threading
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models import QuerySet
from django.utils import timezone
from django_q import cluster
from django_q.brokers import Broker
from django_q.conf import Conf
from django_q.models import Schedule
from django_q.signing import SignedPackage
from django_q.tasks import async_task
from pytest_django import Settings

from feeds.tasks.enqueue import URGENT_QUEUE, call_worker
from rssmanager.operations.models import Worker
from rssmanager.operations.queue import queue_state
from rssmanager.queueing import urgent
from rssmanager.queueing.brokers import DatabaseBroker, RedisBroker
from rssmanager.queueing.running import skip_running
from rssmanager.queueing.urgent import UrgentSentinel
from rssmanager.schedules import write_schedules
from rssmanager.server.cluster import guarded_scheduler
from tests.make import NOW
from tests.rssmanager.redis_server import RedisServer

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]
PATIENCE = 10  # seconds


@pytest.fixture(params=["database", "redis"])
def broker_class(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Broker]:
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        monkeypatch.setattr(Conf, "REDIS", server.url)
    monkeypatch.setattr(Conf, "POLL", 0.01)
    name = "RedisBroker" if request.param == "redis" else "DatabaseBroker"
    monkeypatch.setattr(Conf, "BROKER_CLASS", f"rssmanager.queueing.brokers.{name}")
    return RedisBroker if request.param == "redis" else DatabaseBroker


def take_all(broker: Broker) -> list[str]:
    """Take all tasks from the queue; return their functions in the order a cluster would run them."""
    functions = []
    while package := broker.dequeue():
        functions += [SignedPackage.loads(entry[1])["func"] for entry in package]
    return functions


def test_waiting_task_is_not_queued_again(broker_class: type[Broker]) -> None:
    for _ in range(3):
        call_worker("feeds.tasks.polling.poll")
    call_worker("feeds.tasks.polling.poll_share", 0)
    call_worker("feeds.tasks.polling.poll_share", 1)
    call_worker("feeds.tasks.polling.poll_share", 1)
    broker = broker_class()
    assert broker.queue_size() == 3
    assert take_all(broker) == [
        "feeds.tasks.polling.poll",
        "feeds.tasks.polling.poll_share",
        "feeds.tasks.polling.poll_share",
    ]


def test_claimed_task_may_be_queued_again(broker_class: type[Broker]) -> None:
    broker = broker_class()
    for _ in range(2):
        call_worker("feeds.tasks.polling.poll")
        assert take_all(broker) == ["feeds.tasks.polling.poll"]


def test_foreign_signature_is_skipped(broker_class: type[Broker]) -> None:
    broker = broker_class()
    broker.connection.create(key=broker.list_key, payload="x", lock=NOW) if broker_class is DatabaseBroker else (
        broker.connection.rpush(broker.list_key, "x")
    )
    call_worker("feeds.tasks.polling.poll")
    assert broker.queue_size() == 2


def test_urgent_tasks_have_their_own_queue(broker_class: type[Broker]) -> None:
    call_worker("feeds.tasks.polling.poll")
    call_worker("reader.tasks.recurring.run_import", 7)
    assert take_all(broker_class(URGENT_QUEUE)) == ["reader.tasks.recurring.run_import"]
    assert take_all(broker_class()) == ["feeds.tasks.polling.poll"]


class Collecting:
    """Replaces a queue between processes; stops the process filling it after enough tasks."""

    def __init__(self, ending: threading.Event, others: "list[Collecting]") -> None:
        self.tasks: list[str] = []
        self._ending, self._others = ending, others
        others.append(self)

    def put(self, task: dict[str, Any]) -> None:
        self.tasks.append(task["func"])
        if all(other.tasks for other in self._others):
            self._ending.set()


@pytest.mark.django_db(transaction=True)
def test_one_process_fills_both_queues(broker_class: type[Broker]) -> None:
    call_worker("feeds.tasks.polling.poll")
    call_worker("feeds.tasks.polling.poll_feeds", [1])
    ending, queues = threading.Event(), []
    ordinary, first = Collecting(ending, queues), Collecting(ending, queues)
    for _ in range(3):  # as the guard does: a table in memory may be locked, which ends the process
        if not ending.is_set():
            urgent.push_both(ordinary, first, ending, broker_class())
    assert (ordinary.tasks, first.tasks) == (["feeds.tasks.polling.poll"], ["feeds.tasks.polling.poll_feeds"])


@pytest.fixture
def sentinel(monkeypatch: pytest.MonkeyPatch) -> UrgentSentinel:
    """A sentinel whose processes aren't started."""
    guard = UrgentSentinel(threading.Event(), threading.Event(), "cluster", start=False)
    guard.urgent_queue = object()
    guard.begun = []

    class Begun:
        def __init__(self, queue: object) -> None:
            self.queue, self.timer, self.name = queue, Timer(-2), "worker"
            self.pid = 7

        def is_alive(self) -> bool:
            return True

    def spawn(target: object, *arguments: Any) -> None:
        assert target is cluster.worker
        guard.pool.append(Begun(arguments[0]))

    monkeypatch.setattr(guard, "spawn_process", spawn)
    monkeypatch.setattr(cluster.db.connections, "close_all", lambda: None)
    return guard


def test_urgent_worker_is_replaced_by_an_urgent_one(sentinel: UrgentSentinel) -> None:
    for _ in range(3):
        sentinel.spawn_worker()
    assert [worker.queue is sentinel.urgent_queue for worker in sentinel.pool] == [True, False, False]
    sentinel.monitor = sentinel.pusher = None
    sentinel.reincarnate(sentinel.pool[1])
    assert [worker.takes_urgent for worker in sentinel.pool] == [True, False, False]
    sentinel.reincarnate(sentinel.pool[0])
    assert [worker.takes_urgent for worker in sentinel.pool] == [False, False, True]


def test_guard_schedules_then_ticks_and_ends_overdue_workers(
    sentinel: UrgentSentinel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every 15 seconds; a timer that isn't a multiple of the guard's pause ends, too."""
    calls: list[object] = []
    monkeypatch.setattr(urgent, "guarded_scheduler", lambda broker: calls.append("schedule"))
    monkeypatch.setattr(urgent.worker_heartbeat, "tick", lambda pids, now: calls.append(list(pids)))
    monkeypatch.setattr(urgent.worker_heartbeat, "on_worker_end", lambda pid: calls.append(f"end of {pid}"))
    monkeypatch.setattr(urgent.Stat, "save", lambda stat: None)
    monkeypatch.setattr(sentinel, "stop", lambda: calls.append("stop"))
    sentinel.monitor = sentinel.pusher = SimpleNamespace(is_alive=lambda: True, pid=8)
    sentinel.spawn_worker()
    sentinel.pool[0].timer = Timer(4.2)
    sentinel.pool[0].terminate = lambda: calls.append("terminate")
    cycles = iter([False] * 31 + [True])  # half a second each
    sentinel.stop_event = SimpleNamespace(wait=lambda seconds: next(cycles), is_set=lambda: False)
    sentinel.guard()
    assert calls == ["schedule", [7], "terminate", "end of 7", "schedule", [7], "stop"]


class Timer:
    """The shared number of a worker, with the lock that only processes need."""

    def __init__(self, value: float) -> None:
        self.value = value

    def get_lock(self) -> threading.Lock:
        return threading.Lock()


def schedule(task: str) -> Schedule:
    """The row of this recurring task, made due; others aren't, unless made due before."""
    if not Schedule.objects.exists():
        write_schedules()
        for row in Schedule.objects.all():
            Schedule.objects.filter(pk=row.pk).update(next_run=timezone.now() + timedelta(minutes=row.minutes))
    row = Schedule.objects.get(func=task)
    row.next_run = NOW - timedelta(seconds=5)
    row.save()
    return row


@pytest.mark.parametrize(
    ("seconds", "is_skipped"),
    [
        pytest.param(50, True, id="runs"),
        pytest.param(61, False, id="its worker is silent"),
        pytest.param(-3600, False, id="the clock was set back"),
    ],
)
def test_running_recurring_task_is_postponed(seconds: int, is_skipped: bool) -> None:
    seen = NOW - timedelta(seconds=seconds)
    Worker.objects.create(host="a", pid=1, seen_at=seen, task="feeds.tasks.polling.poll", task_began_at=seen)
    running, other = schedule("feeds.tasks.polling.poll"), schedule("feeds.tasks.polling.index_new")
    assert skip_running(NOW) == int(is_skipped)
    running.refresh_from_db()
    other.refresh_from_db()
    assert (running.next_run > NOW, other.next_run > NOW) == (is_skipped, False)


def test_task_of_a_dead_worker_is_not_delayed() -> None:
    """A dead process on this machine is detected at once."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    for pid, is_skipped in ((gone.pid, False), (os.getpid(), True)):
        Worker.objects.all().delete()
        Worker.objects.create(
            host=socket.gethostname(), pid=pid, seen_at=NOW, task="feeds.tasks.polling.poll", task_began_at=NOW
        )
        schedule("feeds.tasks.polling.poll")
        assert skip_running(NOW) == int(is_skipped)


def test_sentinel_survives_database_outage(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object, **__: object) -> int:
        raise OperationalError("gone")

    monkeypatch.setattr(QuerySet, "update", fail)
    assert skip_running(NOW) == 0
    assert "task is running: gone" in caplog.text


@pytest.mark.django_db(transaction=True)  # the scheduler closes old connections
def test_minutes_without_a_free_worker_add_no_second_task(broker_class: type[Broker]) -> None:
    due = [schedule("feeds.tasks.polling.poll").pk, schedule("reader.tasks.recurring.deliver_new").pk]
    for _ in range(5):
        Schedule.objects.filter(pk__in=due).update(next_run=timezone.now() - timedelta(minutes=1))
        guarded_scheduler(broker_class())
    assert sorted(take_all(broker_class())) == ["feeds.tasks.polling.poll", "reader.tasks.recurring.deliver_new"]


@pytest.mark.django_db(transaction=True)  # the scheduler closes old connections
def test_scheduler_catches_up_once_after_downtime(broker_class: type[Broker]) -> None:
    planned = schedule("feeds.tasks.polling.poll")
    Schedule.objects.filter(pk=planned.pk).update(next_run=timezone.now() - timedelta(days=1))
    guarded_scheduler(broker_class())
    planned.refresh_from_db()
    assert timezone.now() < planned.next_run <= timezone.now() + timedelta(minutes=1)
    assert take_all(broker_class()) == ["feeds.tasks.polling.poll"]


def test_counts_waiting_urgent_tasks(settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, REDIS_URL="")
    async_task("feeds.tasks.polling.poll_feeds", [1], broker=DatabaseBroker(URGENT_QUEUE))
    assert queue_state(timezone.now()).n_waiting == 1
