"""A feed's health page: days drawn, failures told, the next poll explained."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pytest_django import DjangoAssertNumQueries

from feeds.models import Feed, Poll, Source
from reader.drawing_days import HEIGHT, Day, answers, articles, success
from reader.feed_vitals import moves_of, troubles_of, vitals_of
from reader.schedule_words import why_then
from tests import make

DAY = date(2026, 3, 4)


def test_a_day_is_drawn_by_what_became_of_its_polls() -> None:
    days = [Day(DAY), Day(DAY, 4, 1, 0), Day(DAY, 4, 0, 1), Day(DAY, 2, 0, 2)]
    drawn = success(days)
    assert [(part.kind, part.y, part.height) for part in drawn.parts] == [
        ("none", HEIGHT - 2, 2),
        ("new", 0, HEIGHT),
        ("same", 16, 48),
        ("failed", 0, 16),
        ("failed", 0, HEIGHT),
    ]
    assert drawn.words == "10 polls in 4 days: 3 failed, on 2 of the days."
    assert drawn.parts[1].words == "4 Mar: 4 polls, 1 brought something, 0 failed"


@pytest.mark.parametrize(
    ("days", "words"),
    [
        ([], "0 polls in 0 days."),
        ([Day(DAY)], "0 polls in 1 days."),
        ([Day(DAY, 1, 0, 0)], "1 poll in 1 days: none failed."),
    ],
    ids=["none", "not asked", "one"],
)
def test_success_in_words(days: list[Day], words: str) -> None:
    assert success(days).words == words


def test_answers_are_drawn_by_the_scale_of_those_that_came() -> None:
    drawn = answers([(0.5, True), (2.0, True), (30.0, False)])
    assert [(part.kind, part.height) for part in drawn.parts] == [("fast", 16), ("fast", 64), ("failed", 64)]
    assert drawn.words == "The last 3 polls: usually answered in 1.2 s, at most in 2.0 s."
    assert drawn.parts[2].words == "30 s, failed"
    assert answers([]).words == "Not polled yet."
    assert answers([(30.0, False)]).words == "The last poll: none was answered well."


def test_articles_are_drawn_with_what_was_opened() -> None:
    drawn = articles([Day(DAY, n_articles=8, n_opened=2), Day(DAY), Day(DAY, n_articles=4)])
    assert [(part.kind, part.height) for part in drawn.parts] == [
        ("brought", 64),
        ("opened", 16),
        ("none", 2),
        ("brought", 32),
    ]
    assert drawn.words == "12 articles in 3 days; you opened 2 of them."
    assert articles([]).parts == ()


def failed(hours: int, outcome: str = "timeout", message: str = "no answer", **values: object) -> Poll:
    return Poll(outcome=outcome, message=message, started_at=make.NOW + timedelta(hours=hours), **values)


def test_failures_alike_and_in_a_row_are_told_once() -> None:
    polls = [failed(0), failed(1), failed(2, "new"), failed(3), failed(4, "http_error", "503", status=503)]
    told = [(each.outcome, each.n, each.first_at.hour, each.last_at.hour) for each in troubles_of(polls)]
    assert told == [("HTTP error (503)", 1, 16, 16), ("Timeout", 1, 15, 15), ("Timeout", 2, 12, 13)]


def test_moves_are_read_from_the_polls() -> None:
    polls = [
        failed(0, "new", "repaired: 2 bare &", moved_to="https://b.example/f"),
        failed(1, "new", "merged", moved_to="https://c.example/f"),
        failed(2, "new", "moved permanently to https://d.example/"),
    ]
    assert [each.url for each in moves_of(polls)] == ["https://c.example/f", "https://b.example/f"]


def plain_feed(**values: object) -> Feed:
    values = {
        "kind": "blog",
        "next_poll_at": make.NOW + timedelta(hours=2),
        "last_polled_at": make.NOW,
        "interval_seconds": 7200,
        "interval_reason": "every 2 h: about 0.8 new entries a poll",
        "average_new": 0.84,
        "source": Source(domain="paper.example"),
        **values,
    }
    return Feed(**values)


def test_says_why_the_next_poll_is_when_it_is() -> None:
    feed = plain_feed(publisher_minimum_seconds=3600, publisher_minimum_by="ttl", skip_hours=0b100111, skip_days=0b1)
    assert why_then(feed, now=make.NOW) == [
        "The rule that decided: every 2 h: about 0.8 new entries a poll.",
        "Measured: about 0.8 new articles a poll, at one poll every 2 h.",
        "By its rate it counts as “Blog”, which begins at one poll every 3 h.",
        "Its publisher asks for at most one poll in 60 min (ttl); we never ask more often.",
        "Its publisher asks not to be polled at 0–2, 5 o'clock UTC (skipHours).",
        "Its publisher asks not to be polled on Monday (skipDays).",
    ]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"failures_running": 1},
            "After a first failure it is asked once more at once; after the next we wait longer.",
        ),
        ({"failures_running": 3}, "While it fails, the wait doubles each time, up to 24 h; one success ends that."),
        ({"unchanged_running": 5}, "Nothing was new in the last 5 polls."),
        ({"new_running": 3}, "Each of the last 3 polls brought something."),
        (
            {"kind_is_fixed": True},
            "By its rate it counts as “Blog”, which begins at one poll every 3 h (set by an administrator).",
        ),
        ({}, "Its publisher asks for no pause between polls; we wait at least 5 min."),
        (
            {"source": Source(domain="b.example", resting_until=make.NOW + timedelta(hours=6))},
            "b.example asked us to leave all its feeds alone for another 6 h (Retry-After).",
        ),
        ({"last_polled_at": None}, "It was never asked before, so it is asked at once."),
    ],
)
def test_each_reason(values: dict[str, object], said: str) -> None:
    assert said in why_then(plain_feed(**values), now=make.NOW)


@pytest.mark.parametrize("values", [{"status": "dead"}, {"status": "paused"}, {"next_poll_at": None}])
def test_no_reason_where_no_poll_is_planned(values: dict[str, object]) -> None:
    assert why_then(plain_feed(**values), now=make.NOW) == []


@pytest.mark.django_db
def test_counts_days_by_the_clock_of_the_person() -> None:
    now = datetime(2026, 3, 4, 20, 0, tzinfo=UTC).astimezone(ZoneInfo("Asia/Tokyo"))  # the fifth of March there
    subscription = make.subscription(make.user())
    make.poll(subscription.feed, "new", started_at=datetime(2026, 3, 4, 16, 0, tzinfo=UTC))
    make.poll(subscription.feed, "timeout", started_at=datetime(2026, 3, 4, 14, 0, tzinfo=UTC))
    make.poll(subscription.feed, "new", started_at=datetime(2026, 1, 1, tzinfo=UTC))
    article = make.article(published_at=datetime(2026, 3, 4, 15, 30, tzinfo=UTC))
    make.delivery(subscription, article)
    make.engagement(subscription.user, article, happened_at=now)
    make.engagement(subscription.user, article, "liked", happened_at=now)
    make.engagement(make.user(), article, happened_at=now)
    found = vitals_of(subscription, now=now)
    assert found.days[-1] == Day(date(2026, 3, 5), 1, 1, 0, 1, 1)
    assert found.days[-2] == Day(date(2026, 3, 4), 1, 0, 1)
    assert (len(found.days), found.n_polls) == (30, 2)


@pytest.mark.django_db
@pytest.mark.parametrize("n", [3, 30])
def test_costs_the_same_whatever_there_is(n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    subscription = make.subscription(make.user())
    for number in range(n):
        make.poll(subscription.feed, started_at=make.NOW - timedelta(hours=number))
        make.delivery(subscription, make.article())
    with django_assert_num_queries(4):
        vitals_of(subscription, now=make.NOW)
