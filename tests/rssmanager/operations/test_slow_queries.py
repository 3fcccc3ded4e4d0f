"""Slow queries: stored without values, limited, slowest first."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from rssmanager.operations import slow_queries
from rssmanager.operations.models import SlowQuery
from rssmanager.operations.slow_queries import QueryWatch, save_slow, without_values
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def all_slow(settings: Settings) -> None:
    """A limit that every query exceeds."""
    settings.ENV = replace(settings.ENV, LOG_SLOW_QUERY_SECONDS=1e-9)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        pytest.param("SELECT 1", "SELECT 1", id="as it is"),
        pytest.param("SELECT *\n   FROM a\n", "SELECT * FROM a", id="one line"),
        pytest.param("a IN (%s, %s, %s)", "a IN (%s, …)", id="a list is a list"),
        pytest.param("a IN (%s)", "a IN (%s)", id="of one"),
        pytest.param("VALUES (%s, %s), (%s, %s), (%s, %s)", "VALUES (%s, …), …", id="rows are rows"),
        pytest.param("a = 'it''s secret' AND b = ''", "a = '…' AND b = '…'", id="no values"),
        pytest.param("x" * 3000, "x" * 1999 + "…", id="trimmed"),
    ],
)
def test_removes_values_from_queries(sql: str, expected: str) -> None:
    assert without_values(sql) == expected


def test_slow_query_is_logged_without_values(all_slow: None, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    make.user("ada")
    client.post("/login/", {"username": "ada-lovelace", "password": "secret"})
    texts = list(SlowQuery.objects.values_list("sql", "last_place"))
    assert any("auth_user" in sql and place == "login" for sql, place in texts)
    assert not any("ada-lovelace" in sql for sql, _ in texts)
    assert "A query took" in caplog.text
    assert "ada-lovelace" not in caplog.text


def test_logs_nothing_without_limit(settings: Settings, client: Client) -> None:
    settings.ENV = replace(settings.ENV, LOG_SLOW_QUERY_SECONDS=0)
    client.get("/login/")
    assert SlowQuery.objects.count() == 0


def test_same_query_is_one_row() -> None:
    now = timezone.now()
    save_slow([("SELECT 1", 2.0), ("SELECT 1", 3.0), ("SELECT 2", 1.0)], place="home", now=now)
    save_slow([("SELECT 1", 1.0)], place="article", now=now)
    row = SlowQuery.objects.get(sql="SELECT 1")
    assert (row.n, row.seconds, row.worst, row.last_place) == (3, 6.0, 3.0, "article")


def test_keeps_the_slowest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_queries, "MAX_QUERIES", 3)
    for number in range(1, 6):
        save_slow([(f"SELECT {number}", float(number))], place="home", now=timezone.now())
    assert set(SlowQuery.objects.values_list("sql", flat=True)) == {"SELECT 3", "SELECT 4", "SELECT 5"}


def test_timing_does_not_alter_query_results(all_slow: None) -> None:
    watch = QueryWatch()
    with watch.watch_queries(), connection.cursor() as cursor:
        cursor.execute("SELECT %s", [7])
        assert cursor.fetchone()[0] in (7, "7")
    assert watch.n_queries == 1
    with watch.watch_queries(), pytest.raises(User.DoesNotExist):
        User.objects.get(username="nobody")
    assert watch.n_queries == 2
