"""The feeds page: order, pages, search, last polls."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from feeds.models import Condition, PollOutcome
from reader.subscriptions.feed_list import FeedTable, feed_table
from reader.subscriptions.filters import NO_FOLDER
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> User:
    return make.user()


def names(table: FeedTable) -> list[str]:
    return [str(row.subscription) for row in table.rows]


def test_sorts_by_attention_then_name(reader: User) -> None:
    make.subscription(reader, title="b")
    make.subscription(reader, make.feed(title="A"))
    make.subscription(reader, make.feed(condition=Condition.UNHEALTHY), title="z")
    make.subscription(make.user(), title="not mine")
    table = feed_table(reader, now=make.NOW)
    assert names(table) == ["z", "A", "b"]
    assert [row.needs_attention for row in table.rows] == [True, False, False]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8])
def test_pages_without_gaps_or_repeats(reader: User, size: int) -> None:
    for number in range(7):
        feed = make.feed(
            condition=Condition.UNHEALTHY if number % 3 == 0 else Condition.WELL, title=f"same {number % 2}"
        )
        make.subscription(reader, feed)
    everything = [row.subscription.pk for row in feed_table(reader, now=make.NOW).rows]
    walked: list[int] = []
    after = None
    while True:
        table = feed_table(reader, now=make.NOW, after=after, size=size)
        walked += [row.subscription.pk for row in table.rows]
        after = table.next_after
        if after is None:
            break
    assert walked == everything


def test_ignores_cursor_at_another_users_feed(reader: User) -> None:
    make.subscription(reader, title="mine")
    theirs = make.subscription(make.user(), title="zzz")
    assert names(feed_table(reader, now=make.NOW, after=theirs.pk)) == ["mine"]


@pytest.mark.parametrize(
    ("words", "found"),
    [("mor", ["Morning"]), ("HARBOUR", ["Own name"]), ("evening.example", ["Evening"]), ("%", [])],
    ids=["own title", "feed's title", "domain", "no wildcard"],
)
def test_finds_by_name_and_domain(reader: User, words: str, found: list[str]) -> None:
    make.subscription(reader, title="Morning")
    make.subscription(reader, make.feed(title="Harbour Post"), title="Own name")
    make.subscription(reader, make.feed("https://evening.example/feed"), title="Evening")
    assert names(feed_table(reader, now=make.NOW, words=words)) == found


def test_says_what_is_wrong_and_how_much_is_read(reader: User) -> None:
    failing = make.feed(consecutive_failures=3)
    make.poll(failing, PollOutcome.HTTP_ERROR, started_at=make.NOW - timedelta(hours=2))
    make.poll(failing, PollOutcome.TIMEOUT, started_at=make.NOW - timedelta(hours=1))
    make.subscription(reader, failing, title="a", n_month=1, n_quarter=3)
    make.subscription(reader, make.feed(last_success_at=make.NOW), title="b", n_month=30, n_quarter=8, n_opened=2)
    make.subscription(reader, title="c")
    rows = feed_table(reader, now=make.NOW).rows
    assert [(row.status.kind, str(row.status.name)) for row in rows] == [
        ("warn", "Failing"),
        ("good", "Healthy"),
        ("idle", "New"),
    ]
    assert [(row.per_week, row.read_share) for row in rows] == [("<1", 0), ("8", 25), ("", None)]
    assert "timeout" in rows[0].sentence
    assert [row.sentence for row in rows[1:]] == ["", ""]


def test_filters_by_folder(reader: User) -> None:
    folder = make.folder(reader, "F")
    make.subscription(reader, title="in", folder=folder)
    make.subscription(reader, title="out")
    assert names(feed_table(reader, now=make.NOW, folder=folder.pk)) == ["in"]
    assert names(feed_table(reader, now=make.NOW, folder=NO_FOLDER)) == ["out"]


@pytest.mark.parametrize("n", [1, 30])
def test_takes_constant_queries(reader: User, n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for _ in range(n):
        make.poll(make.subscription(reader, make.feed(consecutive_failures=1)).feed)
    with django_assert_num_queries(2):
        assert len(feed_table(reader, now=make.NOW).rows) == n
