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
from digests.renewing import ASK_AGAIN_AFTER, FRESH_FOR, LATE_AFTER, TASK, FrontPage, ask, is_made, look
from feeds.models import Feed
from reader.models import Subscription
from tests import make
from tests.digests import editions, kept
from tests.digests.conftest import Enqueued

pytestmark = pytest.mark.django_db

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


def test_the_first_look_asks_once_and_leaves_a_row_that_covers_no_time(reader: User, enqueued: Enqueued) -> None:
    first = look(reader, today_of(reader), zone=UTC, now=NOW)
    second = look(reader, today_of(reader), zone=UTC, now=NOW + MINUTE)
    assert first == second == FrontPage(made_at=None, asked_at=NOW)
    assert enqueued == [(TASK, reader.pk)]
    row = Digest.objects.get()
    assert (row.begins_at, row.ends_at, row.day, row.looked_at) == (NOW, NOW, NOW.date(), NOW + MINUTE)
    assert not is_made(row)


def test_two_who_look_first_at_once_ask_once(reader: User, enqueued: Enqueued) -> None:
    assert look(reader, None, zone=UTC, now=NOW) == look(reader, None, zone=UTC, now=NOW + MINUTE)
    assert (len(enqueued), Digest.objects.count()) == (1, 1)


def test_the_page_that_a_worker_makes_takes_the_place_of_that_row(reader: User, enqueued: Enqueued) -> None:
    look(reader, None, zone=UTC, now=NOW)
    kept.front_page(reader, made_at=NOW + MINUTE)
    state = look(reader, today_of(reader), zone=UTC, now=NOW + 2 * MINUTE)
    assert state == FrontPage(made_at=NOW + MINUTE, asked_at=None)
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
def test_a_newer_one_is_asked_for_when_something_came(
    reader: User, enqueued: Enqueued, minutes_ago: float, brought_minutes_ago: float, is_asked: bool
) -> None:
    digest = page_made(reader, minutes_ago)
    Feed.objects.update(last_new_at=NOW - brought_minutes_ago * MINUTE)
    state = look(reader, digest, zone=UTC, now=NOW)
    assert state == FrontPage(digest.made_at, NOW if is_asked else None)
    assert enqueued == ([(TASK, reader.pk)] if is_asked else [])


def test_what_feeds_of_others_brought_asks_for_nothing(reader: User, enqueued: Enqueued) -> None:
    make.subscription(make.user(), make.feed(last_new_at=NOW))
    look(reader, page_made(reader, 60), zone=UTC, now=NOW)
    assert enqueued == []


def test_a_feed_that_was_followed_since_asks_for_a_newer_one(reader: User, enqueued: Enqueued) -> None:
    digest = page_made(reader, 60)
    make.subscription(reader, make.feed(last_new_at=NOW - timedelta(days=3)))
    Subscription.objects.filter(feed__last_new_at__lt=NOW - timedelta(days=2)).update(added_at=NOW - 30 * MINUTE)
    look(reader, digest, zone=UTC, now=NOW)
    assert len(enqueued) == 1


@pytest.mark.parametrize(("zone", "is_asked"), [("UTC", False), ("Asia/Kathmandu", True)])
def test_yesterdays_page_is_renewed_by_the_persons_own_midnight(
    reader: User, enqueued: Enqueued, zone: str, is_asked: bool
) -> None:
    midnight_in_nepal = NOW.replace(hour=18, minute=15)
    digest = kept.front_page(reader, made_at=midnight_in_nepal - MINUTE)
    look(reader, digest, zone=ZoneInfo(zone), now=midnight_in_nepal + MINUTE)
    assert bool(enqueued) == is_asked


@pytest.mark.parametrize(
    ("asked_ago", "is_asked_again"),
    [(MINUTE, False), (ASK_AGAIN_AFTER - timedelta(seconds=1), False), (ASK_AGAIN_AFTER, True)],
    ids=["just now", "almost", "without an answer"],
)
def test_a_worker_that_does_not_answer_is_asked_for_again(
    reader: User, enqueued: Enqueued, asked_ago: timedelta, is_asked_again: bool
) -> None:
    digest = page_made(reader, 60, asked_at=NOW - asked_ago)
    Feed.objects.update(last_new_at=NOW)
    state = look(reader, digest, zone=UTC, now=NOW)
    assert state.asked_at == (NOW if is_asked_again else NOW - asked_ago)
    assert len(enqueued) == is_asked_again


def test_who_read_the_page_before_another_asked_is_told_that_one_was(reader: User, enqueued: Enqueued) -> None:
    outdated = page_made(reader, 60)
    Feed.objects.update(last_new_at=NOW)
    look(reader, today_of(reader), zone=UTC, now=NOW)
    assert look(reader, outdated, zone=UTC, now=NOW).asked_at == NOW
    assert len(enqueued) == 1


def test_a_person_may_ask_however_fresh_it_is_but_not_twice(reader: User, enqueued: Enqueued) -> None:
    digest = page_made(reader, 1)
    assert ask(reader, digest, zone=UTC, now=NOW).asked_at == NOW
    assert ask(reader, today_of(reader), zone=UTC, now=NOW + MINUTE).asked_at == NOW
    assert len(enqueued) == 1


@pytest.mark.parametrize(
    "error", [RedisConnectionError("refused"), DatabaseError("locked"), OSError("no route")], ids=repr
)
def test_a_queue_that_fails_leaves_the_page_and_nobody_asked(
    reader: User, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("feeds.calling.async_task", fail)
    digest = page_made(reader, 60)
    Feed.objects.update(last_new_at=NOW)
    assert look(reader, digest, zone=UTC, now=NOW) == FrontPage(digest.made_at, None)
    assert Digest.objects.get().asked_at is None


def test_a_page_is_there_to_read_where_nothing_can_be_written(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **values: object) -> int:
        raise OperationalError("database or disk is full")

    digest = page_made(reader, 60)
    monkeypatch.setattr(QuerySet, "update", full)
    assert look(reader, digest, zone=UTC, now=NOW) == FrontPage(digest.made_at, None)
    assert Digest.objects.get().looked_at == digest.looked_at


def test_that_it_was_looked_at_is_written_once_a_minute(
    reader: User, enqueued: Enqueued, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page_made(reader, 1)
    look(reader, today_of(reader), zone=UTC, now=NOW)
    digest = today_of(reader)
    with django_assert_num_queries(0):
        look(reader, digest, zone=UTC, now=NOW + 59 * timedelta(seconds=1))
    look(reader, digest, zone=UTC, now=NOW + MINUTE)
    assert Digest.objects.get().looked_at == NOW + MINUTE


def test_asking_leaves_the_pages_of_others(reader: User, enqueued: Enqueued) -> None:
    other = make.user()
    page_made(other, 60)
    ask(reader, None, zone=UTC, now=NOW)
    assert front_pages(other).get().asked_at is None


@pytest.mark.parametrize(
    ("asked_at", "is_late"),
    [(None, False), (NOW - LATE_AFTER, False), (NOW - LATE_AFTER - timedelta(seconds=1), True)],
    ids=["not asked", "in time", "late"],
)
def test_says_when_an_answer_is_late(asked_at: object, is_late: bool) -> None:
    assert FrontPage(None, asked_at).is_late(NOW) is is_late  # type: ignore[arg-type]


def test_a_front_page_is_fresh_for_a_quarter_of_an_hour() -> None:
    assert timedelta(minutes=15) == FRESH_FOR
