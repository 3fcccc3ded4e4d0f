"""The feeds page: order, pages, search, last polls."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from feeds.models import Condition, PollOutcome
from reader.subscriptions.feed_list import POLLS_DRAWN, FeedReportPage, report_page
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> User:
    return make.user()


def names(page: FeedReportPage) -> list[str]:
    return [str(report.subscription) for report in page.reports]


def test_sorts_by_attention_then_name(reader: User) -> None:
    make.subscription(reader, title="b")
    make.subscription(reader, make.feed(title="A"))
    make.subscription(reader, make.feed(condition=Condition.UNHEALTHY), title="z")
    make.subscription(make.user(), title="not mine")
    page = report_page(reader, now=make.NOW)
    assert names(page) == ["z", "A", "b"]
    assert [report.needs_attention for report in page.reports] == [True, False, False]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8])
def test_pages_without_gaps_or_repeats(reader: User, size: int) -> None:
    for number in range(7):
        feed = make.feed(
            condition=Condition.UNHEALTHY if number % 3 == 0 else Condition.WELL, title=f"same {number % 2}"
        )
        make.subscription(reader, feed)
    everything = [report.subscription.pk for report in report_page(reader, now=make.NOW).reports]
    walked: list[int] = []
    after = None
    while True:
        page = report_page(reader, now=make.NOW, after=after, size=size)
        walked += [report.subscription.pk for report in page.reports]
        after = page.next_after
        if after is None:
            break
    assert walked == everything


def test_ignores_cursor_at_another_users_feed(reader: User) -> None:
    make.subscription(reader, title="mine")
    theirs = make.subscription(make.user(), title="zzz")
    assert names(report_page(reader, now=make.NOW, after=theirs.pk)) == ["mine"]


@pytest.mark.parametrize(
    ("words", "found"),
    [("mor", ["Morning"]), ("HARBOUR", ["Own name"]), ("evening.example", ["Evening"]), ("%", [])],
    ids=["own title", "feed's title", "domain", "no wildcard"],
)
def test_finds_by_name_and_domain(reader: User, words: str, found: list[str]) -> None:
    make.subscription(reader, title="Morning")
    make.subscription(reader, make.feed(title="Harbour Post"), title="Own name")
    make.subscription(reader, make.feed("https://evening.example/feed"), title="Evening")
    assert names(report_page(reader, now=make.NOW, words=words)) == found


def test_shows_last_polls_oldest_first(reader: User) -> None:
    subscription, quiet = make.subscription(reader, title="a"), make.subscription(reader, title="b")
    for number in range(POLLS_DRAWN + 5):
        make.poll(subscription.feed, n_new=number, started_at=make.NOW - timedelta(hours=100 - number))
    make.poll(make.feed(), PollOutcome.TIMEOUT)
    reports = report_page(reader, now=make.NOW).reports
    assert [poll.n_new for poll in reports[0].polls] == list(range(5, POLLS_DRAWN + 5))
    assert (reports[1].subscription, reports[1].polls) == (quiet, ())


@pytest.mark.parametrize("n", [1, 30])
def test_takes_constant_queries(reader: User, n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for _ in range(n):
        make.poll(make.subscription(reader).feed)
    with django_assert_num_queries(3):
        assert len(report_page(reader, now=make.NOW).reports) == n
