"""When a worker is asked for a front page."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError
from django.db.models import QuerySet
from pytest_django import DjangoAssertNumQueries
from redis.exceptions import ConnectionError as RedisConnectionError

from digests.access import front_pages, today_of
from digests.models import Digest
from digests.today.refresh import (
    FRESH_FOR,
    LATE_AFTER,
    REQUEST_AGAIN_AFTER,
    TASK,
    FrontPage,
    is_ready,
    open_front_page,
    request_refresh,
)
from feeds.models import Feed
from reader.models import Subscription
from tests import make
from tests.digests import editions, kept
from tests.digests.conftest import Enqueued

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

UTC = ZoneInfo("UTC")
MINUTE = timedelta(minutes=1)
NOW = make.NOW


@pytest.fixture
def reader() -> User:
    """Follows a feed that brought nothing for a day."""
    user = make.user()
    make.subscription(user, make.feed(last_new_at=NOW - timedelta(days=1)))
    Subscription.objects.update(added_at=NOW - timedelta(days=9))
    return user


def page_made(user: User, minutes_ago: float, **values: object) -> Digest:
    digest = kept.front_page(
        user, editions.topic(1, lead=editions.entry(article_id=None)), made_at=NOW - minutes_ago * MINUTE
    )
    Digest.objects.filter(pk=digest.pk).update(**values)
    return Digest.objects.get(pk=digest.pk)


def test_first_visit_requests_once_and_adds_an_empty_row(reader: User, enqueued: Enqueued) -> None:
    first = open_front_page(reader, today_of(reader), zone=UTC, now=NOW)
    second = open_front_page(reader, today_of(reader), zone=UTC, now=NOW + MINUTE)
    assert first == second == FrontPage(made_at=None, requested_at=NOW)
    assert enqueued == [(TASK, reader.pk)]
    row = Digest.objects.get()
    assert (row.begins_at, row.ends_at, row.day, row.opened_at) == (NOW, NOW, NOW.date(), NOW + MINUTE)
    assert not is_ready(row)


def test_concurrent_first_visits_request_once(reader: User, enqueued: Enqueued) -> None:
    assert open_front_page(reader, None, zone=UTC, now=NOW) == open_front_page(reader, None, zone=UTC, now=NOW + MINUTE)
    assert (len(enqueued), Digest.objects.count()) == (1, 1)


def test_new_page_replaces_the_empty_row(reader: User, enqueued: Enqueued) -> None:
    open_front_page(reader, None, zone=UTC, now=NOW)
    kept.front_page(reader, made_at=NOW + MINUTE)
    state = open_front_page(reader, today_of(reader), zone=UTC, now=NOW + 2 * MINUTE)
    assert state == FrontPage(made_at=NOW + MINUTE, requested_at=None)
    assert (len(enqueued), Digest.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("minutes_ago", "brought_minutes_ago", "is_asked"),
    [
        (14, 1, False),
        (15, 1, True),
        (15, 600, False),
        (15, 15, True),
        (15, 19.9, True),  # the poll was before, what it brought may have been delivered after
        (15, 20, False),
        (240, 200, True),
    ],
    ids=[
        "fresh",
        "older and something came",
        "older and nothing came",
        "came as it was made",
        "came right before",
        "came well before",
        "hours old",
    ],
)
def test_new_articles_request_a_new_page(
    reader: User, enqueued: Enqueued, minutes_ago: float, brought_minutes_ago: float, is_asked: bool
) -> None:
    digest = page_made(reader, minutes_ago)
    Feed.objects.update(last_new_at=NOW - brought_minutes_ago * MINUTE)
    state = open_front_page(reader, digest, zone=UTC, now=NOW)
    assert state == FrontPage(digest.made_at, NOW if is_asked else None)
    assert enqueued == ([(TASK, reader.pk)] if is_asked else [])


def test_others_feeds_request_no_new_page(reader: User, enqueued: Enqueued) -> None:
    make.subscription(make.user(), make.feed(last_new_at=NOW))
    open_front_page(reader, page_made(reader, 60), zone=UTC, now=NOW)
    assert enqueued == []


def test_newly_followed_feed_requests_a_new_page(reader: User, enqueued: Enqueued) -> None:
    digest = page_made(reader, 60)
    make.subscription(reader, make.feed(last_new_at=NOW - timedelta(days=3)))
    Subscription.objects.filter(feed__last_new_at__lt=NOW - timedelta(days=2)).update(added_at=NOW - 30 * MINUTE)
    open_front_page(reader, digest, zone=UTC, now=NOW)
    assert len(enqueued) == 1


@pytest.mark.parametrize(("zone", "is_asked"), [("UTC", False), ("Asia/Kathmandu", True)])
def test_yesterdays_page_is_renewed_by_the_persons_own_midnight(
    reader: User, enqueued: Enqueued, zone: str, is_asked: bool
) -> None:
    midnight_in_nepal = NOW.replace(hour=18, minute=15)
    digest = kept.front_page(reader, made_at=midnight_in_nepal - MINUTE)
    open_front_page(reader, digest, zone=ZoneInfo(zone), now=midnight_in_nepal + MINUTE)
    assert bool(enqueued) == is_asked


@pytest.mark.parametrize(
    ("asked_ago", "is_asked_again"),
    [(MINUTE, False), (REQUEST_AGAIN_AFTER - timedelta(seconds=1), False), (REQUEST_AGAIN_AFTER, True)],
    ids=["just now", "almost", "without an answer"],
)
def test_unanswered_request_is_repeated(
    reader: User, enqueued: Enqueued, asked_ago: timedelta, is_asked_again: bool
) -> None:
    digest = page_made(reader, 60, requested_at=NOW - asked_ago)
    Feed.objects.update(last_new_at=NOW)
    state = open_front_page(reader, digest, zone=UTC, now=NOW)
    assert state.requested_at == (NOW if is_asked_again else NOW - asked_ago)
    assert len(enqueued) == is_asked_again


def test_stale_read_reports_the_pending_request(reader: User, enqueued: Enqueued) -> None:
    outdated = page_made(reader, 60)
    Feed.objects.update(last_new_at=NOW)
    open_front_page(reader, today_of(reader), zone=UTC, now=NOW)
    assert open_front_page(reader, outdated, zone=UTC, now=NOW).requested_at == NOW
    assert len(enqueued) == 1


def test_user_may_refresh_a_fresh_page_once(reader: User, enqueued: Enqueued) -> None:
    digest = page_made(reader, 1)
    assert request_refresh(reader, digest, zone=UTC, now=NOW).requested_at == NOW
    assert request_refresh(reader, today_of(reader), zone=UTC, now=NOW + MINUTE).requested_at == NOW
    assert len(enqueued) == 1


@pytest.mark.parametrize(
    "error", [RedisConnectionError("refused"), DatabaseError("locked"), OSError("no route")], ids=repr
)
def test_failing_queue_leaves_the_page_unrequested(
    reader: User, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("feeds.tasks.enqueue.async_task", fail)
    digest = page_made(reader, 60)
    Feed.objects.update(last_new_at=NOW)
    assert open_front_page(reader, digest, zone=UTC, now=NOW) == FrontPage(digest.made_at, None)
    assert Digest.objects.get().requested_at is None


def test_page_opens_on_a_read_only_database(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **values: object) -> int:
        raise OperationalError("database or disk is full")

    digest = page_made(reader, 60)
    monkeypatch.setattr(QuerySet, "update", full)
    assert open_front_page(reader, digest, zone=UTC, now=NOW) == FrontPage(digest.made_at, None)
    assert Digest.objects.get().opened_at == digest.opened_at


def test_opening_is_recorded_once_a_minute(
    reader: User, enqueued: Enqueued, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page_made(reader, 1)
    open_front_page(reader, today_of(reader), zone=UTC, now=NOW)
    digest = today_of(reader)
    with django_assert_num_queries(1):  # whether new feeds are filling it
        open_front_page(reader, digest, zone=UTC, now=NOW + 59 * timedelta(seconds=1))
    open_front_page(reader, digest, zone=UTC, now=NOW + MINUTE)
    assert Digest.objects.get().opened_at == NOW + MINUTE


def test_page_is_renewed_each_minute_while_new_feeds_fill_it(reader: User, enqueued: Enqueued) -> None:
    digest = page_made(reader, 2)
    assert not open_front_page(reader, digest, zone=UTC, now=NOW).requested_at
    subscription = make.subscription(reader)
    Subscription.objects.filter(pk=subscription.pk).update(added_at=NOW - MINUTE)
    Feed.objects.update(last_new_at=NOW)
    assert open_front_page(reader, digest, zone=UTC, now=NOW).requested_at == NOW


def test_request_leaves_other_users_pages(reader: User, enqueued: Enqueued) -> None:
    other = make.user()
    page_made(other, 60)
    request_refresh(reader, None, zone=UTC, now=NOW)
    assert front_pages(other).get().requested_at is None


@pytest.mark.parametrize(
    ("requested_at", "is_late"),
    [(None, False), (NOW - LATE_AFTER, False), (NOW - LATE_AFTER - timedelta(seconds=1), True)],
    ids=["not asked", "in time", "late"],
)
def test_reports_a_late_answer(requested_at: object, is_late: bool) -> None:
    assert FrontPage(None, requested_at).is_late(NOW) is is_late  # type: ignore[arg-type]


def test_a_front_page_is_fresh_for_a_quarter_of_an_hour() -> None:
    assert timedelta(minutes=15) == FRESH_FOR
