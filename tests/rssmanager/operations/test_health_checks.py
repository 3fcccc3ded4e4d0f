"""Liveness and readiness: access, checks, and no other details."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from django_q.models import Schedule
from pytest_django import DjangoAssertNumQueries, Settings

from rssmanager.env import PROJECT
from rssmanager.middleware import error_pages
from rssmanager.middleware.readiness import Readiness
from rssmanager.operations.health_checks import CHECKS
from rssmanager.operations.models import Worker
from rssmanager.operations.queue import redis_client
from rssmanager.queueing.allowed_tasks import POLLING_SECONDS
from rssmanager.schedules import write_schedules
from tests.rssmanager.migrations import without_newest_migration

pytestmark = pytest.mark.vendor


def a_worker(seen_ago: timedelta = timedelta(), **values: object) -> Worker:
    write_schedules()
    return Worker.objects.create(host="here", pid=1, seen_at=timezone.now() - seen_ago, **values)


def test_alive_does_not_query_the_database(
    client: Client, db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        response = client.get("/healthz")
    assert (response.status_code, response.content, response["Cache-Control"]) == (200, b"ok", "no-store")


@pytest.mark.django_db
class TestReady:
    def test_ready_with_a_worker(self, client: Client) -> None:
        a_worker()
        response = client.get("/readyz")
        assert (response.status_code, response.json()) == (200, {"ready": True, "not_ready": []})

    def test_not_ready_without_a_worker(self, client: Client) -> None:
        response = client.get("/readyz")
        assert (response.status_code, response.json()) == (503, {"ready": False, "not_ready": ["worker"]})
        assert client.get("/readyz?exclude=worker").status_code == 200

    @pytest.mark.parametrize(
        ("seen_ago", "busy_for", "failing"),
        [
            pytest.param(50, None, [], id="seen lately"),
            pytest.param(61, None, ["worker"], id="silent"),
            pytest.param(0, POLLING_SECONDS, [], id="busy for as long as it may be"),
            pytest.param(0, POLLING_SECONDS + 11, ["tasks"], id="busy for longer"),
            pytest.param(61, 61, ["worker"], id="silent and busy"),
        ],
    )
    def test_worker_is_alive_while_it_is_seen(
        self, client: Client, seen_ago: int, busy_for: int | None, failing: list[str]
    ) -> None:
        busy = {"task": "feeds.tasks.polling.poll", "task_began_at": timezone.now() - timedelta(seconds=busy_for or 0)}
        a_worker(timedelta(seconds=seen_ago), **(busy if busy_for else {}))
        assert client.get("/readyz").json()["not_ready"] == failing

    @pytest.mark.parametrize(("seconds", "failing"), [(50, []), (61, ["schedules"])])
    def test_not_ready_when_nothing_is_scheduled(self, client: Client, seconds: int, failing: list[str]) -> None:
        """With a scheduler that fails, workers that live have nothing to do."""
        a_worker()
        Schedule.objects.filter(func="feeds.tasks.polling.poll").update(
            next_run=timezone.now() - timedelta(seconds=seconds)
        )
        assert client.get("/readyz").json()["not_ready"] == failing

    def test_not_ready_without_schedules(self, client: Client) -> None:
        a_worker()
        Schedule.objects.filter(func="feeds.tasks.polling.poll").delete()
        assert client.get("/readyz").json()["not_ready"] == ["schedules"]

    def test_not_ready_when_every_page_fails(self, settings: Settings, tmp_path: Path) -> None:
        """A process that found no list of static files when it started can't show a page."""
        a_worker()
        settings.STATIC_ROOT = tmp_path
        settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "reader.bundles.BundlingStorage"}}
        client = Client(raise_request_exception=False)
        assert client.get("/accounts/login/").status_code == 500
        assert client.get("/readyz").json()["not_ready"] == ["static"]

    def test_any_host_is_accepted_without_an_account(self, client: Client) -> None:
        a_worker()
        for path in ("/healthz", "/readyz"):
            assert client.get(path, headers={"Host": "10.1.2.3:8000"}).status_code == 200

    def test_checks_are_rate_limited(self, client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        client.get("/readyz")
        with django_assert_num_queries(0):
            assert client.get("/readyz").status_code == 503

    def test_not_ready_with_missing_migration(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, transactional_db: None
    ) -> None:
        monkeypatch.setattr(error_pages, "READINESS", Readiness())
        with without_newest_migration("reader"):
            assert client.get("/readyz").json()["not_ready"] == ["migrations"]
            assert client.get("/healthz").status_code == 200

    def test_not_ready_without_redis(self, client: Client, settings: Settings) -> None:
        a_worker()
        settings.ENV = replace(settings.ENV, REDIS_URL="redis://me:secret@127.0.0.1:1/0")
        redis_client.cache_clear()
        response = client.get("/readyz")
        redis_client.cache_clear()
        assert (response.status_code, response.json()["not_ready"]) == (503, ["redis"])
        assert b"secret" not in response.content

    def test_not_ready_with_full_disk(self, client: Client, settings: Settings) -> None:
        a_worker()
        settings.DATA_DIR = Path("/proc")  # always full
        assert client.get("/readyz").json()["not_ready"] == ["disk"]


ASK = """
import django
django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
print(client.get("/healthz", headers={"Host": "10.0.0.7"}).status_code)
answer = client.get("/readyz", headers={"Host": "10.0.0.7"})
print(answer.status_code, answer.json()["not_ready"])
answer = client.get("/metrics", headers={"Host": "10.0.0.7", "Authorization": "Bearer 0123456789abcdef"})
print(answer.status_code, "rssmanager_database_up 0.0" in answer.text)
"""


@pytest.mark.parametrize(("kind", "missing"), [("broken", "database"), ("empty", "migrations")])
def test_checks_respond_without_database(tmp_path: Path, kind: str, missing: str) -> None:
    database = tmp_path / "reader.sqlite3"
    break_it: dict[str, Callable[[], object]] = {
        "broken": lambda: database.write_bytes(b"not a database at all" * 500),
        "empty": database.touch,
    }
    break_it[kind]()
    environment = os.environ | {
        "DATABASE_URL": f"sqlite:///{database}",
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "rssmanager.settings",
        "METRICS_TOKEN": "0123456789abcdef",
        "REDIS_URL": "",
    }
    process = subprocess.run(
        [sys.executable, "-c", ASK], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert process.stdout.splitlines() == ["200", f"503 ['{missing}', 'static']", "200 True"], process.stderr[-2000:]
    assert missing in CHECKS


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_refuse_post(client: Client, db: None, measured: None, path: str) -> None:
    assert client.post(path).status_code == 404
