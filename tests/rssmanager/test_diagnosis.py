"""`doctor` finds each real problem, suggests a fix, and passes once it's fixed."""

import json
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import psycopg
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from django.conf import settings as django_settings
from django.core.management import call_command
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import Schedule
from django_q.signing import SignedPackage
from pytest_django import Settings

from feeds.models import PushState, PushSubscription
from rssmanager.backup.create import default_path
from rssmanager.doctor import CHECKS, configuration, examine
from rssmanager.doctor.databases import compare_clocks
from rssmanager.doctor.storage import kind_of, mounts_of
from rssmanager.env import PROJECT
from rssmanager.operations.models import TaskTally, Worker
from rssmanager.operations.queue import queue_key, redis_client
from rssmanager.queueing.refused_tasks import QUEUE, refuse, refused
from rssmanager.schedules import write_schedules
from tests import make
from tests.feeds.push.subscriptions import pushed
from tests.rssmanager.installation import installation
from tests.rssmanager.redis_server import serving_redis

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def level(subject: str) -> str:
    return result_of(subject)[0]


def result_of(subject: str) -> tuple[str, str, str]:
    """Level, message and advice of the check of that subject."""
    finding = next(check for check in CHECKS if check.subject == subject).run()
    assert bool(finding.to_do) == (finding.level != "ok")
    return finding.level, finding.message, finding.to_do


def environment(settings: Settings, **values: Any) -> None:
    settings.ENV = replace(settings.ENV, **values)


@pytest.fixture
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


class TestConfiguration:
    def test_debug_left_on(self, settings: Settings) -> None:
        assert level("debug") == "ok"
        settings.DEBUG = True
        assert level("debug") == "problem"

    @pytest.mark.parametrize(
        ("key", "expected"),
        [
            pytest.param("short", "problem", id="short"),
            pytest.param("ab" * 40, "problem", id="of two letters"),
            pytest.param("changeme-changeme-changeme-changeme-changeme-0123456789", "problem", id="of an example"),
            pytest.param("django-insecure-4k!x9v#2m@8q^w5e&r7t*y1u(i3o)p6a_s0d+f", "problem", id="of startproject"),
            pytest.param("Rk3vX9_qLz71mNpT2wYc8Hd5sJf0BgAe4uKiOyVxZrQnMhDt6w", "ok", id="made by chance"),
        ],
    )
    def test_guessable_key(self, settings: Settings, key: str, expected: str) -> None:
        settings.SECRET_KEY = key
        result = result_of("key")
        assert result[0] == expected
        assert key not in "".join(result)

    @pytest.mark.parametrize(
        ("base_url", "hosts", "expected"),
        [
            pytest.param("http://127.0.0.1:8000", (), "ok", id="at home"),
            pytest.param("http://127.0.0.1:8000", ("reader.example.org",), "problem", id="left as it was"),
            pytest.param("http://reader.example.org", (), "note", id="without TLS"),
            pytest.param("https://reader.example.org", ("www.example.org",), "ok", id="well"),
        ],
    )
    def test_invalid_base_url(self, settings: Settings, base_url: str, hosts: tuple[str, ...], expected: str) -> None:
        settings.BASE_URL = base_url
        environment(settings, ALLOWED_HOSTS=hosts)
        assert level("address") == expected

    def test_missing_trusted_proxies(self, settings: Settings) -> None:
        environment(settings, TRUSTED_PROXIES=())
        settings.BASE_URL = "http://127.0.0.1:8000"
        assert level("visitors") == "ok"
        settings.BASE_URL = "https://reader.example.org"
        assert level("visitors") == "note"
        environment(settings, TRUSTED_PROXIES=(ip_network("127.0.0.1/32"),))
        assert level("visitors") == "ok"

    def test_private_networks_allowed(self, settings: Settings) -> None:
        environment(settings, FETCH_ALLOW_PRIVATE_NETWORKS=True)
        assert level("networks") == "note"
        environment(settings, FETCH_ALLOW_PRIVATE_NETWORKS=False)
        assert level("networks") == "ok"

    def test_world_readable_env_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(configuration, "ENV_FILE", tmp_path / ".env")
        assert level(".env") == "ok"
        (tmp_path / ".env").write_text("EMAIL_URL=smtp://x")
        (tmp_path / ".env").chmod(0o644)
        assert level(".env") == "problem"
        (tmp_path / ".env").chmod(0o600)
        assert level(".env") == "ok"

    def test_unset_time_zone(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        assert settings.TIME_ZONE == "UTC"
        try:
            monkeypatch.setenv("TZ", "Asia/Tokyo")
            time.tzset()
            assert level("time zone") == "note"
            monkeypatch.setenv("TZ", "UTC")
            time.tzset()
            assert level("time zone") == "ok"
        finally:
            monkeypatch.undo()
            time.tzset()

    @pytest.mark.parametrize(("connect", "whole", "expected"), [(10, 30, "ok"), (30, 20, "note"), (1, 2, "note")])
    def test_limits_without_time_left(self, settings: Settings, connect: int, whole: int, expected: str) -> None:
        environment(settings, FETCH_CONNECT_TIMEOUT=connect, FETCH_TIMEOUT=whole)
        assert level("limits") == expected

    def test_more_workers_than_memory(self, settings: Settings) -> None:
        environment(settings, WORKERS=1)
        assert level("memory") == "ok"
        environment(settings, WORKERS=1_000_000)
        assert "Set WORKERS to " in result_of("memory")[2]

    def test_unused_proxy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in configuration.PROXIES:
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        assert level("proxy") == "ok"
        monkeypatch.setenv("https_proxy", "http://me:pass-word@proxy.example:3128")
        assert level("proxy") == "note"
        assert "pass-word" not in "".join(result_of("proxy"))


class TestStorage:
    def test_unwritable_folder(self, settings: Settings, data_dir: Path) -> None:
        assert level("data") == "ok"
        settings.DATA_DIR = Path("/proc")
        assert level("data") == "problem"

    def test_files_of_another_user(self, data_dir: Path) -> None:
        if os.getuid() != 0:
            pytest.skip("only root can give files away")
        (data_dir / "reader.sqlite3").touch()
        assert level("owners") == "ok"
        os.chown(data_dir / "reader.sqlite3", 12345, 12345)
        assert level("owners") == "problem"

    def test_permissions_of_other_users(self, settings: Settings, data_dir: Path) -> None:
        settings.STATIC_ROOT = data_dir / "static"
        data_dir.chmod(0o755)
        assert level("permissions") == "problem"
        data_dir.chmod(0o700)
        (data_dir / "static").mkdir()
        (data_dir / "static" / "app.css").touch()
        (data_dir / "static" / "app.css").chmod(0o644)
        (data_dir / "link").symlink_to(data_dir)
        assert level("permissions") == "ok"
        (data_dir / "secret_key").touch()
        (data_dir / "secret_key").chmod(0o640)
        _, message, to_do = result_of("permissions")
        assert message == f"other users of this machine have permissions on {data_dir}/secret_key"
        subprocess.run(to_do.split("`")[1].split(), check=True)
        assert level("permissions") == "ok"

    def test_folder_on_tmpfs(self, settings: Settings, data_dir: Path) -> None:
        memory = Path("/dev/shm")  # noqa: S108 - looked at, not written
        if kind_of(memory, mounts_of(Path("/proc/self/mountinfo").read_text())) != "tmpfs":
            pytest.skip("no folder in memory here")
        settings.DATA_DIR = memory
        assert level("volume") == "problem"

    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("/srv/my reader/reader.sqlite3", "nfs4"),
            ("/srv/other", "ext4"),
            ("/data", "overlay"),
            ("/data/x", "overlay"),
        ],
    )
    def test_reads_file_system_types_from_mountinfo(self, path: str, kind: str) -> None:
        text = (
            "1 0 0:1 / / rw,relatime shared:1 - overlay overlay rw\n"
            "2 1 8:1 / /srv rw,relatime - ext4 /dev/sda1 rw\n"
            "3 2 0:50 / /srv/my\\040reader rw,relatime shared:7 master:1 - nfs4 nas:/x rw,vers=4.2\n"
            "nonsense\n"
        )
        assert kind_of(Path(path), mounts_of(text)) == kind

    def test_full_disk(self, settings: Settings) -> None:
        assert level("disk") == "ok"
        settings.DATA_DIR = Path("/proc")  # always full
        assert level("disk") == "problem"

    def test_uncollected_static_files(self, settings: Settings, tmp_path: Path) -> None:
        settings.STATIC_ROOT = tmp_path / "static"
        assert level("static") == "problem"
        settings.STORAGES = {
            **settings.STORAGES,
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
        }
        call_command("collectstatic", interactive=False, verbosity=0)
        assert level("static") == "ok"

    def test_backups_never_made_or_old(self, data_dir: Path) -> None:
        assert level("backups") == "note"
        path = default_path(timezone.now())
        path.parent.mkdir()
        path.touch()
        assert level("backups") == "ok"
        old = (timezone.now() - timedelta(days=8)).timestamp()
        os.utime(path, (old, old))
        assert "8 days" in result_of("backups")[1]


class TestDatabase:
    def test_missing_migrations(self, tmp_path: Path) -> None:
        with installation(tmp_path, is_bare=True) as reader:
            result = reader.run("doctor", "--json", ok=False)
            findings = {load["subject"]: load for load in json.loads(result.stdout)}
        assert result.returncode == 1
        assert findings["database"]["to_do"] == "Run `python manage.py prepare`."
        assert "worker" not in findings  # no queries to a database that isn't ready

    def test_database_not_in_utf_8(self, tmp_path: Path) -> None:
        config = django_settings.DATABASES["default"]
        if not config["ENGINE"].endswith("postgresql"):
            pytest.skip("SQLite knows UTF-8 alone")
        where = f"{config['USER']}:{config['PASSWORD']}@{config['HOST']}:{config['PORT'] or 5432}"
        name = f"rssmanager_latin_{os.getpid()}"
        with psycopg.connect(f"postgresql://{where}/postgres", autocommit=True) as connection:
            connection.execute(
                f'CREATE DATABASE "{name}" ENCODING SQL_ASCII LC_COLLATE "C" LC_CTYPE "C" TEMPLATE template0'
            )
            try:
                with installation(tmp_path, is_bare=True) as reader:
                    reader.environment["DATABASE_URL"] = f"postgres://{where}/{name}"
                    message = reader.ask(
                        "__import__('rssmanager.doctor.databases').doctor.databases.encoding().message"
                    )
            finally:
                connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
        assert message == "the database's encoding is SQL_ASCII, which can't store every article"

    @pytest.mark.parametrize(("apart", "expected"), [(timedelta(), "ok"), (HOUR, "note"), (-HOUR, "note")])
    def test_differing_clocks(self, apart: timedelta, expected: str) -> None:
        assert compare_clocks(make.NOW + apart, make.NOW, source="the database's").level == expected
        assert level("clock") == "ok"


class TestTasks:
    def test_missing_schedules(self) -> None:
        Worker.objects.create(host="a", pid=1, seen_at=timezone.now())
        assert result_of("worker")[1] == "recurring tasks are missing"

    def test_nothing_scheduled_is_not_blamed_on_too_few_workers(self) -> None:
        write_schedules()
        Worker.objects.create(host="a", pid=1, seen_at=timezone.now())
        Schedule.objects.update(next_run=timezone.now() - 3 * HOUR)
        make.feed(next_poll_at=timezone.now() - HOUR)
        assert result_of("worker")[:2] == ("problem", "no recurring task has started for 3 h")
        assert result_of("polling")[2] == "See “worker” above."
        Schedule.objects.update(next_run=timezone.now() + HOUR)
        assert result_of("worker")[:2] == ("ok", "1 worker(s) active, recurring tasks start in time")
        assert result_of("polling")[2] == "Increase WORKERS or FETCH_CONCURRENCY."

    def test_missing_and_silent_workers(self) -> None:
        write_schedules()
        assert result_of("worker")[1] == "no worker has ever run"
        worker = Worker.objects.create(host="a", pid=1, seen_at=timezone.now() - HOUR)
        assert level("worker") == "problem"
        worker.seen_at = timezone.now()
        worker.save()
        assert level("worker") == "ok"

    def test_repeatedly_failing_task(self) -> None:
        tally = TaskTally.objects.create(task="feeds.tasks.polling.poll", n_failed=3, consecutive_failures=2)
        assert level("tasks") == "ok"
        tally.consecutive_failures = 3
        tally.save()
        assert "feeds.tasks.polling.poll" in result_of("tasks")[1]

    def test_foreign_task(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            "rssmanager.queueing.refused_tasks.close_old_connections", lambda: None
        )  # this test's own row
        assert level("refused tasks") == "ok"
        refuse("os.mkdir", place=QUEUE)
        severity, message, to_do = result_of("refused tasks")
        assert (severity, message) == ("problem", "workers refused tasks that aren't this app's: os.mkdir")
        assert "SECRET_KEY" in to_do
        refused().update(stopped=timezone.now() - timedelta(days=8))
        assert level("refused tasks") == "ok"


class TestRedis:
    @pytest.fixture(autouse=True)
    def another_client(self) -> Iterator[None]:
        redis_client.cache_clear()
        yield
        redis_client.cache_clear()

    def test_away(self, settings: Settings) -> None:
        environment(settings, REDIS_URL="redis://:pass-word@127.0.0.1:1/0")
        assert level("broker") == "problem"
        assert "pass-word" not in "".join(result_of("broker"))

    @pytest.mark.parametrize(("policy", "expected"), [("allkeys-lru", "problem"), ("noeviction", "ok")])
    def test_eviction_policy_that_drops_tasks(
        self, settings: Settings, tmp_path: Path, policy: str, expected: str
    ) -> None:
        with serving_redis(tmp_path, "--maxmemory-policy", policy) as server:
            environment(settings, REDIS_URL=server.url)
            assert (level("broker"), level("eviction")) == ("ok", expected)

    @pytest.mark.parametrize("place", ["queue", "cluster"])
    def test_shared_with_another_installation(
        self, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
    ) -> None:
        with serving_redis(tmp_path) as server:
            environment(settings, REDIS_URL=server.url)
            redis_client().rpush(queue_key(), SignedPackage.dumps({"started": timezone.now()}))
            assert level("queue") == "ok"
            with monkeypatch.context() as elsewhere:
                elsewhere.setattr(Conf, "SECRET_KEY", "another installation's key")
                package = SignedPackage.dumps({"name": "theirs"})
            if place == "queue":
                redis_client().rpush(queue_key(), package)
            else:
                redis_client().set(f"{Conf.Q_STAT}:theirs", package)
            assert level("queue") == "problem"


class _Web(BaseHTTPRequestHandler):
    body, clock = b"ok", timedelta()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(time.time() + self.clock.total_seconds())

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.mark.django_db
class TestPush:
    def test_needs_a_public_address_only_for_hubs(self, settings: Settings) -> None:
        assert level("push") == "ok"
        make.feed(hub_url="https://hub.example/", topic_url="https://paper.example/")
        assert level("push") == "note"
        assert "1 feeds name a hub" in result_of("push")[1]
        settings.ENV = replace(settings.ENV, PUSH=False)
        assert result_of("push")[1] == "off"

    def test_hubs_that_cannot_reach_us(self, settings: Settings) -> None:
        settings.BASE_URL = "https://reader.example.org"
        silent = pushed(state=PushState.REQUESTED, n_tries=1)
        assert level("push") == "ok"  # asked a moment ago
        PushSubscription.objects.filter(pk=silent.pk).update(n_tries=2)
        assert level("push") == "note"
        pushed()
        assert result_of("push")[1] == "2 feeds name a hub, 1 confirmed; 1 don't respond"


@pytest.fixture
def web(settings: Settings) -> Iterator[type[_Web]]:
    handler = type("Web", (_Web,), {})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    settings.BASE_URL = f"http://127.0.0.1:{server.server_port}"
    yield handler
    server.shutdown()
    thread.join()
    server.server_close()


class TestNetwork:
    def test_unreachable_base_url(self, settings: Settings) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # closed, so nothing listens
            settings.BASE_URL = f"http://127.0.0.1:{unused.getsockname()[1]}"
            assert level("way in") == "note"

    def test_base_url_of_another_site(self, web: type[_Web]) -> None:
        assert level("way in") == "ok"
        web.body = b"<h1>It works!</h1>"
        assert level("way in") == "problem"

    def test_base_url_with_another_clock(self, web: type[_Web]) -> None:
        web.clock = HOUR
        assert "clock" in result_of("way in")[1]

    def test_dns_failure_for_all_feeds(self) -> None:
        assert level("names") == "ok"
        make.feed("https://nowhere.invalid/feed")
        assert "nowhere.invalid" in result_of("names")[1]
        make.feed("http://127.0.0.1/feed")
        assert level("names") == "ok"


class TestMail:
    @pytest.fixture(autouse=True)
    def by_smtp(self, settings: Settings) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST = "127.0.0.1"
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False

    @pytest.fixture
    def server(self, settings: Settings) -> Iterator[None]:
        """A mail server that accepts the right password."""

        def let_in(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
            return AuthResult(success=data.password == b"right", handled=False)

        with socket.socket() as probe:  # it connects to its configured port, so that must be valid
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        controller = Controller(
            object(), hostname="127.0.0.1", port=port, authenticator=let_in, auth_require_tls=False, auth_required=True
        )
        controller.start()
        settings.EMAIL_PORT, settings.EMAIL_HOST_USER = port, "reader"
        yield
        controller.stop()

    def test_no_mail_configured(self, settings: Settings) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
        assert level("mail") == "note"

    def test_away(self, settings: Settings) -> None:
        settings.EMAIL_PORT = 1
        assert level("mail") == "problem"

    def test_refused_password(self, server: None, settings: Settings) -> None:
        settings.EMAIL_HOST_PASSWORD = "right"
        assert level("mail") == "ok"
        settings.EMAIL_HOST_PASSWORD = "wr0ng-one"
        result = result_of("mail")
        assert "refuses the user or password" in result[1]
        assert "wr0ng-one" not in "".join(result)

    @pytest.mark.parametrize(
        ("sender", "base_url", "expected"),
        [
            ("Reader <reader@example.org>", "https://reader.example.org", "ok"),
            ("reader@gmail.com", "https://reader.example.org", "note"),
            ("rssmanager@127.0.0.1", "http://127.0.0.1:8000", "problem"),
            ("rssmanager@localhost", "https://reader.example.org", "problem"),
            ("reader@example.org", "http://127.0.0.1:8000", "ok"),
        ],
    )
    def test_unlikely_sender(self, settings: Settings, sender: str, base_url: str, expected: str) -> None:
        settings.DEFAULT_FROM_EMAIL, settings.BASE_URL = sender, base_url
        assert level("sender") == expected


def test_every_subject_has_one_check() -> None:
    subjects = [finding.subject for finding in examine()]
    assert subjects == [check.subject for check in CHECKS]
    assert len(set(subjects)) == len(subjects)


def test_docs_list_every_check() -> None:
    page = (PROJECT / "docs/monitoring.md").read_text(encoding="utf-8")
    table = page.partition("<!-- doctor -->")[2].partition("<!-- /doctor -->")[0]
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", table, re.MULTILINE)[1:]
    assert rows == [(check.subject, check.mistake) for check in CHECKS]
