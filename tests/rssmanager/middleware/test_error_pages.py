"""What is answered when there is no page: in words, for browsers, scripts and programs, with nothing of the inside."""

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
    """As SQLite itself says it, of a database that may have so many pages and no more."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as refused:
            database.execute("CREATE TABLE t AS SELECT zeroblob(100000)")
    return refused.value


def _of(cause: Exception) -> Exception:
    """As Django tells it on."""
    error = OperationalError(*cause.args)
    error.__cause__ = cause
    return error


FULL = {
    "SQLite": _of(_full_sqlite()),
    "PostgreSQL": _of(DiskFull("could not extend file")),
    "the system": OSError(errno.ENOSPC, "No space left on device"),
}


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> Readiness:
    """A process that has not looked at its database yet."""
    made = Readiness()
    monkeypatch.setattr(error_pages, "READINESS", made)
    return made


@pytest.fixture
def outdated(transactional_db: None) -> Iterator[None]:
    """The newest migration of one app has not been run."""
    with without_newest_migration("reader"):
        yield


def says_nothing_of_the_inside(answer: HttpResponse) -> bool:
    return not any(word in answer.content.decode() for word in INSIDE)


class TestNotReady:
    @pytest.mark.django_db
    def test_current_database_is_checked_once(
        self, unsure: Readiness, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert client.get("/offline/").status_code == 200
        with django_assert_num_queries(0):
            assert client.get("/offline/").status_code == 200

    def test_missing_migration_answers_503_with_a_refresh(
        self, outdated: None, unsure: Readiness, client: Client
    ) -> None:
        answer = client.get("/all/", headers=BROWSER)
        assert answer.status_code == 503
        assert (answer["Retry-After"], answer["Refresh"], answer["Cache-Control"]) == ("10", "10", "no-store")
        assert "rssmanager is being updated. Your data is safe." in answer.content.decode()
        assert says_nothing_of_the_inside(answer)

    def test_page_does_not_resend_sent_email(self, outdated: None, unsure: Readiness, client: Client) -> None:
        answer = client.post("/login/", headers=BROWSER)
        assert answer.status_code == 503
        assert "Refresh" not in answer
        assert "Your change wasn't saved." in answer.content.decode()

    @SCRIPTS
    def test_a_script_gets_a_sentence(self, outdated: None, unsure: Readiness, client: Client, header: str) -> None:
        answer = client.get("/all/", headers={**BROWSER, header: "true"})
        assert (answer.status_code, answer["Content-Type"]) == (503, "text/plain; charset=utf-8")
        assert answer.content.decode() == "The app is being updated. Try again in a moment."

    def test_checks_occasionally_not_per_request(
        self, outdated: None, unsure: Readiness, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assert unsure.problem(100.0) is Unready.UPDATING
        with django_assert_num_queries(0):
            assert unsure.problem(100.0 + CHECK_INTERVAL - 0.1) is Unready.UPDATING
        MigrationRecorder.Migration.objects.create(app="reader", name=newest("reader"))
        assert unsure.problem(100.0 + CHECK_INTERVAL) is None
        with django_assert_num_queries(0):
            assert unsure.problem(1000.0) is None


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
        answer = client.get("/all/", headers=BROWSER)
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
        assert "The database isn't responding." in answer.content.decode()
        assert says_nothing_of_the_inside(answer)
        monkeypatch.undo()
        assert client.get("/offline/").status_code == 200

    @pytest.mark.parametrize("by", ["SQLite", "PostgreSQL", "the system"])
    def test_full_disk_is_reported(self, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
        failing(monkeypatch, FULL[by])
        answer = client.get("/all/", headers=BROWSER)
        assert (answer.status_code, "The disk is full" in answer.content.decode()) == (503, True)
        assert says_nothing_of_the_inside(answer)
        answer = client.get("/all/", headers={**BROWSER, "HX-Request": "true"})
        assert answer.content == b"The disk is full, so this wasn't saved."

    @pytest.mark.parametrize("error", [ProgrammingError("no such column"), ValueError("SELECT")], ids=repr)
    def test_a_fault_of_ours_is_500(
        self, ada: User, client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        failing(monkeypatch, error)
        answer = client.get("/all/", headers=BROWSER)
        assert answer.status_code == 500
        assert "Something went wrong" in answer.content.decode()
        assert says_nothing_of_the_inside(answer)
        answer = client.get("/all/", headers={**BROWSER, "HX-Request": "true"})
        assert answer.content == b"Something went wrong."


class TestWithoutAPage:
    def test_a_request_that_makes_no_sense(self, ada: User, client: Client) -> None:
        answer = client.post("/read/", {"up_to": "<b>x"}, headers=BROWSER)
        assert answer.status_code == 400
        page = answer.content.decode()
        assert "Bad request" in page
        assert "up_to must be a number" in page
        assert client.post("/read/", {"up_to": "x"}).content == b"up_to must be a number"

    def test_an_address_that_takes_forms_only(self, ada: User, client: Client) -> None:
        answer = client.get("/read/", headers=BROWSER)
        assert (answer.status_code, answer["Allow"]) == (405, "POST")
        assert answer["Content-Length"] == str(len(answer.content))
        assert "This page can't be opened directly" in answer.content.decode()

    def test_oversized_upload(self, ada: User, client: Client, settings: Settings) -> None:
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
        answer = client.post("/subscribe/", {"form": "list", "list-text": "x" * 2000}, headers=BROWSER)
        assert answer.status_code == 413
        assert "Uploads can be up to 20 MB." in answer.content.decode()
        assert says_nothing_of_the_inside(answer)

    def test_a_host_that_is_not_ours(self, client: Client, db: None) -> None:
        answer = client.get("/all/", headers={**BROWSER, "Host": "evil.example"})
        assert answer.status_code == 400
        assert "evil.example" not in answer.content.decode()

    @pytest.mark.parametrize("path", ["/articles/999999/", "/articles/999999/why/"])
    def test_missing_article_offers_search(self, ada: User, client: Client, path: str) -> None:
        answer = client.get(path)
        assert answer.status_code == 404
        assert 'action="/search/"' in answer.content.decode()

    @pytest.mark.parametrize("path", ["/nowhere/", "/stories/999999/"])
    def test_other_places_do_not(self, ada: User, client: Client, path: str) -> None:
        page = client.get(path).content.decode()
        assert "Page not found" in page
        assert "search-gone" not in page

    def test_a_form_of_another_time(self, ada: User) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(ada)
        answer = client.post("/read/", {"up_to": "1"}, headers=BROWSER)
        assert answer.status_code == 403
        assert "This form has expired" in answer.content.decode()


ASK = """
import django
django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
for path in ("/all/", "/login/", "/", "/nowhere/", "/digests/"):
    answer = client.get(path, headers={"Accept": "text/html", "Host": "localhost"})
    print(answer.status_code, answer.headers.get("Retry-After"), path)
    for word in ("Traceback", "sqlite", "OperationalError", "DatabaseError"):
        assert word not in answer.content.decode(), (path, word)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["broken", "empty", "unreachable"])
def test_every_page_is_503_without_a_database(tmp_path: Path, kind: str) -> None:
    """A file that is no database; one that was never prepared; one that cannot be opened."""
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
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert {line.split()[0] + line.split()[1] for line in done.stdout.splitlines()} == {"50310"}
    assert len(done.stdout.splitlines()) == 5
