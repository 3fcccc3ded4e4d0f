"""Workers' records of themselves and their tasks, which survive database errors."""

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from rssmanager.operations import worker_heartbeat
from rssmanager.operations.logs import current_context
from rssmanager.operations.models import DatabaseSize, TaskTally, Worker
from rssmanager.operations.tasks import record
from tests.faults.processes import cluster, n_rows, wait_until
from tests.rssmanager.installation import installation


def make_task(**values: Any) -> dict[str, Any]:
    return {"id": "a1b2", "name": "lima-nine", "func": "feeds.tasks.polling.tidy", **values}


@pytest.mark.django_db
class TestTask:
    def test_is_recorded_at_start_and_end(self) -> None:
        task = make_task()
        worker_heartbeat.on_task_start(task=task)
        worker = Worker.objects.get()
        assert (worker.task, worker.task_began_at is not None) == ("feeds.tasks.polling.tidy", True)
        worker_heartbeat.on_task_end(task=task | {"success": True})
        worker.refresh_from_db()
        assert (worker.task, worker.task_began_at, worker.n_tasks) == ("", None, 1)
        tally = TaskTally.objects.get()
        assert (tally.task, tally.n_done, tally.n_failed) == ("feeds.tasks.polling.tidy", 1, 0)
        assert tally.last_success_at is not None

    def test_failing_task_is_counted_until_it_succeeds(self) -> None:
        for success in (False, False, True, False):
            task = make_task()
            worker_heartbeat.on_task_start(task=task)
            worker_heartbeat.on_task_end(task=task | {"success": success})
        tally = TaskTally.objects.get()
        assert (tally.n_done, tally.n_failed, tally.consecutive_failures) == (1, 3, 1)

    def test_is_named_in_log_lines(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO)
        task = make_task()
        worker_heartbeat.on_task_start(task=task)
        assert current_context() == {"task": "feeds.tasks.polling.tidy", "task_id": "a1b2"}
        worker_heartbeat.on_task_end(task=task | {"success": True})
        assert current_context() == {}

    def test_continues_without_a_writable_database(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OperationalError("database is locked")

        monkeypatch.setattr(worker_heartbeat, "_record_worker", fail)
        task = make_task()
        worker_heartbeat.on_task_start(task=task)
        worker_heartbeat.on_task_end(task=task | {"success": True})
        assert (Worker.objects.count(), TaskTally.objects.count()) == (0, 0)
        assert [record.getMessage() for record in caplog.records] == [
            "The start of feeds.tasks.polling.tidy couldn't be recorded: database is locked",
            "The end of feeds.tasks.polling.tidy couldn't be recorded: database is locked",
        ]


@pytest.mark.django_db
@pytest.mark.vendor
class TestGuard:
    def test_tick_shows_idle_and_busy_workers_alike(self) -> None:
        worker_heartbeat.on_task_start(task=make_task())
        busy = Worker.objects.get()
        later = timezone.now() + timedelta(minutes=5)
        assert not worker_heartbeat.active_workers(later).exists()
        worker_heartbeat.tick([busy.pid, busy.pid + 1], later)
        assert [(worker.pid, worker.task) for worker in worker_heartbeat.active_workers(later)] == [
            (busy.pid, "feeds.tasks.polling.tidy"),
            (busy.pid + 1, ""),
        ]

    def test_tick_is_one_statement(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_num_queries(1):
            worker_heartbeat.tick([1, 2, 3], timezone.now())

    def test_unfinished_task_of_an_ended_worker_has_failed(self) -> None:
        worker_heartbeat.on_task_start(task=make_task())
        worker_heartbeat.on_worker_end(Worker.objects.get().pid)
        worker_heartbeat.on_worker_end(1)
        assert not Worker.objects.exists()
        tally = TaskTally.objects.get()
        assert (tally.task, tally.n_failed, tally.consecutive_failures) == ("feeds.tasks.polling.tidy", 1, 1)

    def test_recycled_worker_leaves_no_failure(self) -> None:
        task = make_task()
        worker_heartbeat.on_task_start(task=task)
        worker_heartbeat.on_task_end(task=task | {"success": True})
        worker_heartbeat.on_worker_end(Worker.objects.get().pid)
        assert TaskTally.objects.get().n_failed == 0


@pytest.mark.django_db
def test_inactive_workers_are_deleted_and_size_recorded_daily() -> None:
    now = timezone.now()
    Worker.objects.create(host="a", pid=1, seen_at=now - timedelta(days=2))
    Worker.objects.create(host="a", pid=2, seen_at=now)
    DatabaseSize.objects.create(on=(now - timedelta(days=400)).date(), n_bytes=1)
    record()
    record()
    assert list(Worker.objects.values_list("pid", flat=True)) == [2]
    assert DatabaseSize.objects.count() == 1


@pytest.mark.slow
def test_running_cluster_and_its_tasks_are_counted(tmp_path: Path) -> None:
    with installation(tmp_path) as reader:
        reader.prepare()
        reader.environment["LOG_LEVEL"] = "INFO"
        with cluster(reader) as workers:
            wait_until(lambda: n_rows(reader, "operations_tasktally"), "no task was counted")
            assert n_rows(reader, "operations_worker")
        log = workers.log.read_text()
    assert "[task=" in log or "processing" in log
