"""Whatever is in the queue, in Redis or in the schedule table: only our tasks run, and refused ones block no others.

The queue's own processes run one after the other within this process.
"""

import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from multiprocessing import Event, Value
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models import QuerySet
from django.utils import timezone
from django_q.brokers import Broker
from django_q.brokers.orm import ORM
from django_q.brokers.redis_broker import Redis
from django_q.conf import Conf
from django_q.models import Failure, OrmQ, Schedule, Task
from django_q.monitor import monitor
from django_q.pusher import pusher
from django_q.signing import SignedPackage
from django_q.tasks import async_task
from django_q.worker import worker

from rssmanager.operations.models import DatabaseSize, TaskTally
from rssmanager.queueing import refused_tasks
from rssmanager.queueing.refused_tasks import refuse, refused
from rssmanager.queueing.task_guard import TaskRefused, check_task, remove_foreign_schedules
from rssmanager.schedules import RECURRING, is_recurring, write_schedules
from rssmanager.server import cluster
from tests.rssmanager.redis_server import serving_redis

pytestmark = pytest.mark.django_db

OURS = "rssmanager.operations.tasks.record"  # stores a row of `DatabaseSize`
hooked: list[object] = []


@pytest.fixture(autouse=True)
def _settings_of_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conf, "ORM", "default")
    monkeypatch.setattr(
        Conf, "MAX_RSS", None
    )  # otherwise the worker exits after one task, because the test process is large
    for module in ("worker", "monitor", "scheduler"):  # keeps the connection of the test's transaction
        monkeypatch.setattr(f"django_q.{module}.close_old_django_connections", lambda: None)
    monkeypatch.setattr(refused_tasks, "close_old_connections", lambda: None)


@pytest.fixture(params=["database", "redis"])
def broker(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    if request.param == "database":
        yield ORM()
        return
    with serving_redis(tmp_path) as server:
        monkeypatch.setattr(Conf, "REDIS", server.url)
        yield Redis()


@pytest.fixture
def created_folder(tmp_path: Path) -> Path:
    """The folder that a foreign task would create."""
    return tmp_path / "made"


def run_queue(broker: Broker) -> None:
    """Take, run and store the queued tasks, as a cluster does."""
    tasks: Queue[Any] = Queue()
    results: Queue[Any] = Queue()
    stop = Event()
    stop.set()  # after one iteration
    while broker.queue_size():
        pusher(tasks, stop, broker)
    tasks.put("STOP")
    worker(tasks, results, Value("f", -1), timeout=-1)
    results.put("STOP")
    monitor(results, broker)


def task(func: object, *arguments: object, **values: object) -> dict[str, Any]:
    named = {"id": "a" * 32, "name": "lima", "func": func, "args": list(arguments), "kwargs": {}}
    return {**named, "started": timezone.now(), **values}


def refusals_shown() -> list[tuple[str, str, int]]:
    return list(refused().values_list("func", "name", "attempt_count"))


def look_done() -> bool:
    return DatabaseSize.objects.exists()


class TestInTheQueue:
    @pytest.mark.vendor
    def test_our_task_runs(self, broker: Broker) -> None:
        async_task(OURS, broker=broker)
        run_queue(broker)
        assert look_done()
        assert [(task.func, task.success) for task in Task.objects.all()] == [(OURS, True)]
        assert broker.queue_size() == 0

    @pytest.mark.vendor
    def test_foreign_task_is_refused_logged_and_shown(
        self, broker: Broker, created_folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        for _ in range(2):
            async_task("os.mkdir", str(created_folder), broker=broker)
        async_task(OURS, broker=broker)
        run_queue(broker)
        assert not created_folder.exists()
        assert refusals_shown() == [("os.mkdir", "queue", 2)]
        assert "Refused to run os.mkdir from the queue" in caplog.text
        assert look_done()
        assert broker.queue_size() == 0
        assert not OrmQ.objects.exists()  # nor retried later
        assert list(TaskTally.objects.values_list("task", flat=True)) == [OURS]

    @pytest.mark.parametrize(
        "package",
        [
            {},
            [],
            None,
            {"func": OURS},
            task(["os.mkdir"]),
            task("antigravity.webbrowser"),
            task(OURS, args=3),
            task(OURS, kwargs=[]),
            task(OURS, id=None),
            task(OURS, started="now"),
        ],
        ids=["empty", "list", "null", "name alone", "list of names", "module", "args", "kwargs", "id", "started"],
    )
    def test_foreign_task_ends_no_process(self, broker: Broker, package: object) -> None:
        broker.enqueue(SignedPackage.dumps(package))
        async_task(OURS, broker=broker)
        run_queue(broker)
        assert len(refusals_shown()) == 1
        assert look_done()

    def test_unsigned_task_ends_no_process(self, broker: Broker) -> None:
        broker.enqueue("\\xff:x")
        if isinstance(broker, Redis):
            broker.enqueue(b"\xff\xfe")
        async_task(OURS, broker=broker)
        run_queue(broker)
        assert look_done()

    def test_uses_only_options_of_the_allowed_task(self, broker: Broker, created_folder: Path) -> None:
        """Ignores the package's time limit, hook and chain; `sync` and `ack_failure` would end or block a worker."""
        foreign = [["os.mkdir", [str(created_folder)], {}]]
        options = {"hook": "os.mkdir", "chain": foreign, "cached": True, "iter_count": 1, "timeout": 1, "sync": True}
        broker.enqueue(SignedPackage.dumps(task(OURS, 1, ack_failure=False, group="g", **options)))
        run_queue(broker)
        run_queue(broker)
        assert not created_folder.exists()
        [failed] = Task.objects.all()
        assert (failed.func, failed.success, failed.hook, failed.group) == (OURS, False, None, "g")
        assert "takes 0 positional arguments but 1 was given" in failed.result
        assert not OrmQ.objects.exists()


def test_worker_imports_lazily(created_folder: Path) -> None:
    """Even if a foreign task gets past the process that takes tasks from the queue."""
    tasks: Queue[Any] = Queue()
    results: Queue[Any] = Queue()
    for package in (task("os.mkdir", str(created_folder)), task(OURS), "STOP"):
        tasks.put(package)
    worker(tasks, results, Value("f", -1), timeout=-1)
    first, second = results.get(), results.get()
    assert not created_folder.exists()
    assert (first["success"], second["success"]) == (False, True)
    assert first["result"].startswith("Function os.mkdir is not defined")


def hook(stored: Task) -> None:
    hooked.append(stored)


def test_storing_a_result_calls_no_hook() -> None:
    now = timezone.now()
    Task.objects.create(id="1" * 32, func=OURS, hook=f"{__name__}.hook", started=now, stopped=now, success=True)
    assert hooked == []


def test_check_names_refused_task() -> None:
    with pytest.raises(TaskRefused, match=r"tasks: 'os\.mkdir'"):
        check_task(task("os.mkdir"))
    assert check_task(task(OURS, 1, hook="x"))["args"] == [1]


def foreign_schedule(created_folder: Path, **values: Any) -> Schedule:
    given = {"name": "x", "func": "os.mkdir", "args": f"{str(created_folder)!r},", "schedule_type": Schedule.MINUTES}
    return Schedule.objects.create(**{**given, "minutes": 1, "next_run": timezone.now() - timedelta(hours=1), **values})


class TestInTheSchedules:
    @pytest.fixture(autouse=True)
    def schedules(self) -> None:
        write_schedules()
        Schedule.objects.update(next_run=timezone.now() + timedelta(seconds=50))  # a later time would be corrected
        Schedule.objects.filter(func=OURS).update(next_run=timezone.now() - timedelta(minutes=1))

    @pytest.mark.parametrize(
        ("values", "name"),
        [
            ({}, "os.mkdir"),
            ({"name": None}, "os.mkdir"),
            ({"schedule_type": Schedule.ONCE}, "os.mkdir"),
            ({"args": "1 +"}, "os.mkdir"),
            ({"name": RECURRING[0].name}, "os.mkdir"),
            ({"func": RECURRING[0].task, "args": None}, RECURRING[0].task),
            ({"name": RECURRING[0].name, "func": RECURRING[0].task, "args": "1"}, RECURRING[0].task),
            ({"name": RECURRING[0].name, "func": RECURRING[0].task, "args": None, "hook": "os.mkdir"}, "os.mkdir"),
            ({"name": RECURRING[0].name, "func": RECURRING[0].task, "kwargs": "x=1"}, RECURRING[0].task),
        ],
        ids=["foreign", "no name", "once", "broken", "our name", "our task", "arguments", "hook", "named arguments"],
    )
    def test_foreign_rows_are_removed_and_ours_queued(
        self, created_folder: Path, values: dict[str, Any], name: str
    ) -> None:
        foreign_schedule(created_folder, **values)
        cluster.guarded_scheduler(ORM())
        assert [orm_q.func() for orm_q in OrmQ.objects.all()] == [OURS]
        assert refusals_shown() == [(name, "schedules", 1)]
        assert Schedule.objects.count() == len(RECURRING)
        assert all(map(is_recurring, Schedule.objects.all()))
        cluster.guarded_scheduler(ORM())
        assert refusals_shown() == [(name, "schedules", 1)]

    def test_late_foreign_task_is_refused_in_the_queue(
        self, created_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        foreign_schedule(created_folder)
        foreign_schedule(created_folder, kwargs="{'q_options': {'hook': 'os.mkdir', 'chain': [('os.mkdir', ('x',))]}}")
        monkeypatch.setattr(cluster, "remove_foreign_schedules", lambda: True)
        cluster.guarded_scheduler(ORM())
        assert OrmQ.objects.count() == 3
        run_queue(ORM())
        assert not created_folder.exists()
        assert refusals_shown() == [("os.mkdir", "queue", 2)]
        assert look_done()

    def test_restores_missing_rows_and_removes_duplicates(self) -> None:
        Schedule.objects.filter(func="feeds.tasks.polling.poll").delete()
        Schedule.objects.create(
            name="clean up polls", func="feeds.tasks.polling.tidy", schedule_type=Schedule.MINUTES, minutes=1440
        )
        Schedule.objects.create(
            name="clean up polls", func="feeds.tasks.polling.tidy", schedule_type=Schedule.MINUTES, minutes=1440
        )
        assert remove_foreign_schedules()
        assert sorted(Schedule.objects.values_list("func", flat=True)) == sorted(
            schedule.task for schedule in RECURRING
        )
        assert refusals_shown() == []

    def test_due_times_stay(self) -> None:
        at = timezone.now() + timedelta(hours=5)
        Schedule.objects.filter(func="feeds.tasks.polling.tidy").update(next_run=at, minutes=3, repeats=2)
        write_schedules()
        row = Schedule.objects.get(func="feeds.tasks.polling.tidy")
        assert (row.next_run, row.minutes, row.repeats) == (at, 24 * 60, -1)


def test_empty_table_stays_empty() -> None:
    assert remove_foreign_schedules()
    assert not Schedule.objects.exists()


def test_schedules_nothing_without_database(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    monkeypatch.setattr(cluster, "scheduler", lambda **given: calls.append(given))
    monkeypatch.setattr(QuerySet, "_fetch_all", fail)
    cluster.guarded_scheduler(ORM())
    assert calls == []


def fail(*_: object, **__: object) -> None:
    raise OperationalError("away")


class TestRefusing:
    @pytest.mark.parametrize(
        ("name", "kept"),
        [("os.mkdir", "os.mkdir"), ("a\nb\0é", r"a\nb\x00\xe9"), (None, "None"), ("x" * 999, "x" * 256)],
        ids=["name", "odd", "none", "long"],
    )
    def test_stores_name_in_one_line(self, name: object, kept: str, caplog: pytest.LogCaptureFixture) -> None:
        refuse(name, place="queue")
        assert refusals_shown() == [(kept, "queue", 1)]
        assert f"Refused to run {kept} from the queue" in caplog.text

    def test_keeps_the_latest(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(refused_tasks, "MAX_REFUSED", 2)
        now = timezone.now()
        failed = Failure.objects.create(id="1" * 32, func=OURS, started=now, stopped=now, success=False)
        for name in "abc":
            refuse(name, place="queue")
        assert [func for func, _, _ in refusals_shown()] == ["c", "b"]
        assert Failure.objects.filter(pk=failed.pk).exists()

    def test_unavailable_database_stops_nothing(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        keep: Callable[..., None] = fail
        monkeypatch.setattr(refused_tasks, "_keep", keep)
        with caplog.at_level(logging.WARNING):
            refuse("os.mkdir", place="queue")
        assert "Couldn't record the refusal of os.mkdir" in caplog.text
