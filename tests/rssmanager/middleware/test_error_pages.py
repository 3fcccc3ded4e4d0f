"""Error responses for browsers, scripts and programs, without internal details."""

import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, InterfaceError, OperationalError, ProgrammingError
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpResponse
from django.test import Client
from django.utils.html import escape
from psycopg.errors import DiskFull
from pytest_django import DjangoAssertNumQueries, Settings

from reader.views import lists
from rssmanager.env import PROJECT
from rssmanager.middleware import error_pages
from rssmanager.middleware.readiness import CHECK_INTERVAL, Readiness, Unready
from tests import make
from tests.rssmanager.migrations import without_newest_migration

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SCRIPTS = pytest.mark.parametrize("header", ["HX-Request", "X-Quiet", "X-Fragment"])
INSIDE = ("Traceback", "django", "sqlite", "OperationalError", "SELECT", str(PROJECT), "site-packages")


def _full_sqlite() -> Exception:
    """SQLite's own error for a database at its maximum number of pages."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as refused:
            database.execute("CREATE TABLE t AS SELECT zeroblob(100000)")
    return refused.value


def _of(cause: Exception) -> Exception:
    """The error as Django wraps it."""
    error = OperationalError(*cause.args)
    error.__cause__ = cause
    return error


FULL = {
    "SQLite": _of(_full_sqlite()),
    "PostgreSQL": _of(DiskFull("could not extend file")),
    "the system": OSError(errno.ENOSPC, "No space left on device"),
}


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> Readiness:
    """A process that hasn't checked its database yet."""
    readiness = Readiness()
    monkeypatch.setattr(error_pages, "READINESS", readiness)
    return readiness


@pytest.fixture
def outdated(transactional_db: None) -> Iterator[None]:
    """A database without the newest migration of one app."""
    with without_newest_migration("reader"):
        yield


def check_no_internals(answer: HttpResponse) -> bool:
    return not any(word in answer.content.decode() for word in INSIDE)


class TestNotReady:
    @pytest.mark.django_db
    def test_current_database_is_checked_once(
        self, unchecked: Readiness, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert client.get("/offline/").status_code == 200
        with django_assert_num_queries(0):
            assert client.get("/offline/").status_code == 200

    def test_missing_migration_answers_503_with_a_refresh(
        self, outdated: None, unchecked: Readiness, client: Client
    ) -> None:
        response = client.get("/all/", headers=BROWSER)
        assert response.status_code == 503
        assert (response["Retry-After"], response["Refresh"], response["Cache-Control"]) == ("10", "10", "no-store")
        assert "RSS Manager is being updated. Your data is safe." in response.content.decode()
        assert check_no_internals(response)

    def test_page_does_not_resend_sent_email(self, outdated: None, unchecked: Readiness, client: Client) -> None:
        response = client.post("/login/", headers=BROWSER)
        assert response.status_code == 503
        assert "Refresh" not in response
        assert "Your change wasn't saved." in response.content.decode()

    @SCRIPTS
    def test_script_gets_a_message(self, outdated: None, unchecked: Readiness, client: Client, header: str) -> None:
        response = client.get("/all/", headers={**BROWSER, header: "true"})
        assert (response.status_code, response["Content-Type"]) == (503, "text/plain; charset=utf-8")
        assert response.content.decode() == "The app is being updated. Try again in a moment."

    def test_checks_occasionally_not_per_request(
        self, outdated: None, unchecked: Readiness, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert unchecked.problem(100.0) is Unready.UPDATING
        with django_assert_num_queries(0):
            assert unchecked.problem(100.0 + CHECK_INTERVAL - 0.1) is Unready.UPDATING
        MigrationRecorder.Migration.objects.create(app="reader", name=newest("reader"))
        assert unchecked.problem(100.0 + CHECK_INTERVAL) is None
        with django_assert_num_queries(0):
            assert unchecked.problem(1000.0) is None


def newest(app: str) -> str:
    return max(path.stem for path in (PROJECT / app / "migrations").glob("0*.py"))


@pytest.fixture
def ada(client: Client, db: None) -> User:
    user = make.user()
    client.force_login(user)
    client.raise_request_exception = False
    return user


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(lists, "page_of", fail)


class TestWhileAnswering:
    @pytest.mark.parametrize(
        "error",
        [OperationalError("database is locked"), InterfaceError("closed"), DatabaseError("file is not a database")],
        ids=lambda error: type(error).__name__,
    )
    def test_failing_database_is_503_and_checked_again(
        self, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        failing(monkeypatch, error)
        response = client.get("/all/", headers=BROWSER)
        assert (response.status_code, response["Retry-After"]) == (503, "10")
        assert "The database isn't responding." in response.content.decode()
        assert check_no_internals(response)
        monkeypatch.undo()
        assert client.get("/offline/").status_code == 200

    @pytest.mark.parametrize("by", ["SQLite", "PostgreSQL", "the system"])
    def test_full_disk_is_reported(self, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
        failing(monkeypatch, FULL[by])
        response = client.get("/all/", headers=BROWSER)
        assert (response.status_code, "The disk is full" in response.content.decode()) == (503, True)
        assert check_no_internals(response)
        response = client.get("/all/", headers={**BROWSER, "HX-Request": "true"})
        assert response.content == b"The disk is full, so this wasn't saved."

    @pytest.mark.parametrize("error", [ProgrammingError("no such column"), ValueError("SELECT")], ids=repr)
    def test_bug_is_500(self, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
        failing(monkeypatch, error)
        response = client.get("/all/", headers=BROWSER)
        assert response.status_code == 500
        assert "Something went wrong" in response.content.decode()
        assert check_no_internals(response)
        response = client.get("/all/", headers={**BROWSER, "HX-Request": "true"})
        assert response.content == b"Something went wrong."


class TestWithoutAPage:
    def test_bad_request(self, ada: User, client: Client) -> None:
        response = client.post("/read/", {"up_to": "<b>x"}, headers=BROWSER)
        assert response.status_code == 400
        page = response.content.decode()
        assert "Bad request" in page
        assert "up_to must be a number" in page
        assert client.post("/read/", {"up_to": "x"}).content == b"up_to must be a number"

    def test_post_only_url(self, ada: User, client: Client) -> None:
        response = client.get("/read/", headers=BROWSER)
        assert (response.status_code, response["Allow"]) == (405, "POST")
        assert response["Content-Length"] == str(len(response.content))
        assert "This page can't be opened directly" in response.content.decode()

    def test_oversized_upload(self, ada: User, client: Client, settings: Settings) -> None:
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
        response = client.post("/subscribe/", {"form": "list", "list-text": "x" * 2000}, headers=BROWSER)
        assert response.status_code == 413
        assert "Uploads can be up to 20 MB." in response.content.decode()
        assert check_no_internals(response)

    @pytest.mark.parametrize("path", ["/articles/999999/", "/articles/999999/why/"])
    def test_missing_article_offers_search(self, ada: User, client: Client, path: str) -> None:
        response = client.get(path)
        assert response.status_code == 404
        assert 'action="/search/"' in response.content.decode()

    @pytest.mark.parametrize("path", ["/nowhere/", "/stories/999999/"])
    def test_other_pages_do_not_offer_search(self, ada: User, client: Client, path: str) -> None:
        page = client.get(path).content.decode()
        assert "Page not found" in page
        assert "search-gone" not in page

    def test_expired_form(self, ada: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(ada)
        response = client.post("/read/", {"up_to": "1"}, headers=BROWSER)
        assert response.status_code == 403
        assert "This form has expired" in response.content.decode()


ASK = """
import django
django.setup()
from django.test import Client
from django.utils.html import escape
client = Client(raise_request_exception=False)
for path in ("/all/", "/login/", "/", "/nowhere/", "/digests/"):
    answer = client.get(path, headers={"Accept": "text/html", "Host": "localhost"})
    print(answer.status_code, answer.headers.get("Retry-After"), path)
    for word in ("Traceback", "sqlite", "OperationalError", "DatabaseError"):
        assert word not in answer.content.decode(), (path, word)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["broken", "empty", "unreachable"])
def test_every_page_is_503_without_database(tmp_path: Path, kind: str) -> None:
    """A file that is no database; one without tables; one that can't be opened."""
    database = tmp_path / "reader.sqlite3"
    break_it: dict[str, Callable[[], object]] = {
        "broken": lambda: database.write_bytes(b"not a database at all" * 500),
        "empty": database.touch,
        "unreachable": database.mkdir,
    }
    break_it[kind]()
    environment = os.environ | {
        "DATABASE_URL": f"sqlite:///{database}",
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "rssmanager.settings",
    }
    process = subprocess.run(
        [sys.executable, "-c", ASK], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr[-2000:]
    assert {line.split()[0] + line.split()[1] for line in process.stdout.splitlines()} == {"50310"}
    assert len(process.stdout.splitlines()) == 5


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "a b", "<script>alert(1)</script>"])
def test_wrong_host_gets_a_page_that_names_the_settings(client: Client, host: str) -> None:
    """Without a look at the database, which this test may not use."""
    response = client.get("/login/", headers={"Host": host, **BROWSER})
    assert (response.status_code, response["Cache-Control"]) == (400, "no-store")
    page = response.content.decode()
    assert f"RSS Manager isn't available at <code>{escape(host)}</code>." in page
    assert "<code>BASE_URL</code>" in page
    assert "<code>ALLOWED_HOSTS</code>" in page
    assert "<script" not in page
    assert host not in page.replace(f"<code>{host}</code>", "")
    assert [word for word in INSIDE if word in page] == []


def test_wrong_host_tells_a_program_the_settings(client: Client) -> None:
    response = client.post("/api/v1/articles", headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert response.content == b"This isn't the app's address. Administrators: set BASE_URL or ALLOWED_HOSTS."


def test_health_checks_ignore_the_host(client: Client) -> None:
    assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 200
