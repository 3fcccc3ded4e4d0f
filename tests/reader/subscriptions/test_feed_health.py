"""A feed's health page: days charted, failures listed, the next poll explained."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from feeds.models import Feed, FeedStatus, Pending, Poll, PushState, Source, Stage
from feeds.time_limit import MAX_TRIES
from reader.models import Subscription
from reader.subscriptions.feed_health import Day, failure_runs, feed_health_of, feed_moves
from reader.subscriptions.push_text import explain_push
from reader.subscriptions.schedule_text import explain_next_poll
from tests import make
from tests.feeds.push.subscriptions import pushed
from tests.markup import tight


def health_page(subscription: Subscription) -> str:
    client = Client()
    client.force_login(subscription.user)
    page = tight(client.get(reverse("feed_health", args=[subscription.pk])).content.decode())
    return " ".join(page.split())


@pytest.mark.django_db
def test_charts_poll_outcomes_by_day() -> None:
    subscription = make.subscription(make.user())
    now = timezone.now()
    assert "0 polls, none failed." in health_page(subscription)
    for days_ago, outcomes in (
        (0, ("new", "unchanged", "unchanged", "timeout")),
        (1, ("unchanged",)),
        (2, ("timeout",)),
    ):
        for outcome in outcomes:
            make.poll(subscription.feed, outcome, started_at=now - timedelta(days=days_ago))
    page = health_page(subscription)
    assert "6 polls, 2 failed, on 2 of 30 days." in page
    assert "4 polls, 1 with new articles, 1 failed</title>" in page
    assert '<rect class="day-new" x="29.1" width="0.8" height="100"></rect>' in page
    assert '<rect class="day-failed" x="29.1" width="0.8" height="28"></rect>' in page
    assert '<rect class="day-same" x="28.1" width="0.8" height="100"></rect>' in page
    assert '<rect class="day-failed" x="27.1" width="0.8" height="103"></rect>' in page
    assert page.count('<rect class="day-none"') == 27 + 30 + 1  # days without polls, all days without articles, the key


@pytest.mark.django_db
def test_scales_response_times_to_successful_polls() -> None:
    subscription = make.subscription(make.user())
    now = timezone.now()
    assert "Not polled yet." in health_page(subscription)
    make.poll(subscription.feed, "timeout", seconds=30, started_at=now - timedelta(minutes=3))
    assert "The last poll failed." in health_page(subscription)
    for minutes_ago, seconds in ((2, 0.5), (1, 2.0)):
        make.poll(subscription.feed, "new", seconds=seconds, started_at=now - timedelta(minutes=minutes_ago))
    page = health_page(subscription)
    assert "The last 3 polls usually took 1.3 s, at most 2.0 s." in page
    assert "full height: 2.0 s" in page
    for x, kind, height, seconds in ((0, "fast", 103, "2.0"), (1, "fast", 28, "0.5"), (2, "failed", 1503, "30.0")):
        assert re.search(
            rf'class="day-{kind}" x="{x}" width="0.8" height="{height}">\s*<title>[^<]+, {seconds} s\s*<', page
        )


@pytest.mark.django_db
def test_charts_articles_and_opened_ones() -> None:
    subscription = make.subscription(make.user())
    now = timezone.now()
    for number in range(4):
        article = make.article(published_at=now)
        make.delivery(subscription, article)
        if not number:
            make.engagement(subscription.user, article, happened_at=now)
    page = health_page(subscription)
    assert "4 articles in 30 days; you opened 1." in page
    assert '<rect class="day-brought" x="29" width="0.8" height="103"></rect>' in page
    assert '<rect class="day-opened" x="29" width="0.8" height="28"></rect>' in page


@pytest.mark.django_db
def test_counts_skipped_entries() -> None:
    subscription = make.subscription(make.user())
    assert "skipped" not in health_page(subscription)
    for days_ago in (0, 1, 31):
        make.poll(subscription.feed, "new", n_malformed=2, started_at=timezone.now() - timedelta(days=days_ago))
    assert "4 entries without a title or text were skipped in the last 30 days." in health_page(subscription)


def failed(hours: int, outcome: str = "timeout", message: str = "no answer", **values: object) -> Poll:
    return Poll(outcome=outcome, message=message, started_at=make.NOW + timedelta(hours=hours), **values)


def test_groups_consecutive_equal_failures() -> None:
    polls = [failed(0), failed(1), failed(2, "new"), failed(3), failed(4, "http_error", "503", status=503)]
    troubles = [
        (trouble.outcome, trouble.n, trouble.first_at.hour, trouble.last_at.hour) for trouble in failure_runs(polls)
    ]
    assert troubles == [("HTTP error (503)", 1, 16, 16), ("Timeout", 1, 15, 15), ("Timeout", 2, 12, 13)]


def test_lists_moves_from_polls() -> None:
    polls = [
        failed(0, "new", "repaired: 2 bare &", moved_to="https://b.example/f"),
        failed(1, "new", "merged", moved_to="https://c.example/f"),
        failed(2, "new", "moved permanently to https://d.example/"),
    ]
    assert [move.url for move in feed_moves(polls)] == ["https://c.example/f", "https://b.example/f"]


@pytest.mark.django_db
def test_asks_whether_to_follow_a_redirect_with_the_password() -> None:
    feed = make.feed("https://ada:secret@paper.example/f", final_url="https://b.paper.example/f")
    subscription = make.subscription(make.user(), feed)
    edit = reverse("feed_edit", args=[subscription.pk])
    question = f'If you trust it, <a href="{edit}?moved">change the feed\'s address</a>'
    Poll.objects.create(feed=feed, outcome="new", started_at=timezone.now())
    page = health_page(subscription)
    assert ("Temporary redirect" in page, question in page) == (True, False)
    Poll.objects.create(feed=feed, outcome="new", started_at=timezone.now(), moved_to="https://b.paper.example/f")
    page = health_page(subscription)
    assert ("Temporary redirect" in page, question in page, "Moved permanently" in page) == (False, True, False)
    assert "secret" not in page


def plain_feed(**values: object) -> Feed:
    values = {
        "kind": "blog",
        "next_poll_at": make.NOW + timedelta(hours=2),
        "last_polled_at": make.NOW,
        "interval_seconds": 7200,
        "interval_reason": "every 2 h: about 0.8 new entries per poll",
        "average_new": 0.84,
        "source": Source(domain="paper.example"),
        **values,
    }
    return Feed(**values)


def test_explains_time_of_next_poll() -> None:
    feed = plain_feed(publisher_minimum_seconds=3600, publisher_minimum_by="ttl", skip_hours=0b100111, skip_days=0b1)
    assert explain_next_poll(feed, now=make.NOW) == [
        "Rule: every 2 h: about 0.8 new entries per poll.",
        "Measured: about 0.8 new articles a poll, at one poll every 2 h.",
        "Classified as “Blog” by its rate, which starts at one poll every 3 h.",
        "Its publisher asks for at most one poll in 60 min (ttl); we never poll more often.",
        "Its publisher asks not to be polled at 0–2, 5 o'clock UTC (skipHours).",
        "Its publisher asks not to be polled on Monday (skipDays).",
    ]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"consecutive_failures": 1},
            "While it fails, the interval doubles each time, up to 24 h, until the next success.",
        ),
        ({"consecutive_unchanged": 5}, "Nothing new in the last 5 polls."),
        ({"consecutive_new": 3}, "Each of the last 3 polls had new articles."),
        (
            {"kind_is_fixed": True},
            "Classified as “Blog” by an administrator, which starts at one poll every 3 h.",
        ),
        ({}, "Its publisher sets no minimum interval; ours is 5 min."),
        (
            {"source": Source(domain="b.example", rate_limited_until=make.NOW + timedelta(hours=6))},
            "b.example asked us to wait another 6 h before polling its feeds (Retry-After).",
        ),
        ({"last_polled_at": None}, "Never polled before, so it's polled now."),
    ],
)
def test_explains_each_reason(values: dict[str, object], said: str) -> None:
    assert said in explain_next_poll(plain_feed(**values), now=make.NOW)


@pytest.mark.parametrize("values", [{"status": "dead"}, {"status": "paused"}, {"next_poll_at": None}])
def test_has_no_reason_without_planned_poll(values: dict[str, object]) -> None:
    assert explain_next_poll(plain_feed(**values), now=make.NOW) == []


@pytest.mark.django_db
def test_counts_days_in_the_users_time_zone() -> None:
    now = datetime(2026, 3, 4, 20, 0, tzinfo=UTC).astimezone(ZoneInfo("Asia/Tokyo"))  # the fifth of March in that zone
    subscription = make.subscription(make.user())
    make.poll(subscription.feed, "new", started_at=datetime(2026, 3, 4, 16, 0, tzinfo=UTC))
    make.poll(subscription.feed, "timeout", started_at=datetime(2026, 3, 4, 14, 0, tzinfo=UTC))
    make.poll(subscription.feed, "new", started_at=datetime(2026, 1, 1, tzinfo=UTC))
    article = make.article(published_at=datetime(2026, 3, 4, 15, 30, tzinfo=UTC))
    make.delivery(subscription, article)
    make.engagement(subscription.user, article, happened_at=now)
    make.engagement(subscription.user, article, "liked", happened_at=now)
    make.engagement(make.user(), article, happened_at=now)
    health = feed_health_of(subscription, now=now)
    assert health.days[-1] == Day(date(2026, 3, 5), 1, 1, 0, 1, 1)
    assert health.days[-2] == Day(date(2026, 3, 4), 1, 0, 1)
    assert (len(health.days), health.n_polls) == (30, 2)


@pytest.mark.django_db
@pytest.mark.parametrize("n", [3, 30])
def test_takes_constant_queries(n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    subscription = make.subscription(make.user())
    for number in range(n):
        make.poll(subscription.feed, started_at=make.NOW - timedelta(hours=number))
        make.delivery(subscription, make.article())
    with django_assert_num_queries(5):
        feed_health_of(subscription, now=make.NOW)


NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
ASKED = {"state": PushState.REQUESTED, "verified_at": None, "lease_until": None}
HELD = {"verified_at": NOON - timedelta(hours=3), "lease_until": NOON + timedelta(days=8), "try_at": NOON}


class TestPush:
    """A feed with a hub, on 10 November at noon."""

    def feed(self, **values: object) -> Feed:
        names = {"hub_url": "https://hub.example/path", "topic_url": "https://paper.example/feed.xml"}
        return make.feed(**{**names, "interval_seconds": 1800, "last_polled_at": NOON, **values})

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            (
                {**HELD, "announces": True, "pinged_at": NOON - timedelta(minutes=5)},
                "Pushed by its hub, hub.example: new articles arrive within seconds. "
                "Subscription renewed 3 h ago, valid until 18 Nov. Last announcement 5 min ago.",
            ),
            (
                HELD,
                "Its hub, hub.example, hasn't announced the latest articles (confirmed 3 h ago). It's polled as usual.",
            ),
            (
                {**HELD, "lease_until": NOON},
                "Its hub, hub.example, hasn't renewed our subscription. It's polled as usual.",
            ),
            (ASKED, "Its hub, hub.example, hasn't confirmed our subscription yet. It's polled as usual."),
            (
                {"state": PushState.DENIED, "reason": "go away"},
                "Its hub, hub.example, refuses to announce new articles (go away). It's polled as usual.",
            ),
            (
                {"state": PushState.WAITING},
                "It names a hub, hub.example. We'll ask it to announce new articles.",
            ),
        ],
    )
    def test_explains_each_state(self, values: dict[str, object], expected: str) -> None:
        push = pushed(self.feed(), **values)
        assert " ".join(explain_push(push.feed, push, why_off="", now=NOON)) == expected

    @pytest.mark.django_db
    def test_says_why_it_is_off(self) -> None:
        feed = self.feed()
        assert explain_push(feed, None, why_off="address", now=NOON) == [
            "Its hub, hub.example, could announce new articles, but this server has no public address."
        ]
        assert explain_push(feed, None, why_off="setting", now=NOON) == [
            "Its hub, hub.example, could announce new articles, but push is turned off on this server."
        ]
        assert explain_push(self.feed(hub_url=""), None, why_off="address", now=NOON) == []
        assert explain_push(self.feed(status=FeedStatus.DEAD), None, why_off="address", now=NOON) == []

    @pytest.mark.django_db
    def test_says_how_much_less_it_is_polled(self) -> None:
        reason = "every 6 h: its hub announces new entries"
        feed = self.feed(interval_reason=reason, next_poll_at=NOON + timedelta(hours=6))
        assert explain_next_poll(feed, now=NOON, has_hub=True) == [
            "Rule: every 6 h: its hub announces new entries.",
            "Without its hub, it would be polled every 30 min. Polls remain in case the hub misses something.",
        ]
        feed.interval_seconds = 6 * 3600
        assert len(explain_next_poll(feed, now=NOON, has_hub=True)) == 1

    @pytest.mark.django_db
    def test_is_on_the_page(self) -> None:
        now = timezone.now()
        subscription = make.subscription(make.user(), self.feed(next_poll_at=now))
        push = pushed(subscription.feed, announces=True, verified_at=now, lease_until=now + timedelta(days=8))
        make.poll(subscription.feed, "new", started_at=now, is_pushed=True)
        assert "this server has no public address" in health_page(subscription)
        page = health_page(subscription)
        assert "announced by its hub" in page
        assert "https://hub.example/path" in page
        assert (push.key in page, push.secret in page) == (False, False)


@pytest.mark.django_db
def test_page_names_articles_that_were_set_aside() -> None:
    subscription = make.subscription(make.user())
    mine, theirs = make.article(title="Dashes"), make.article(title="Elsewhere")
    make.item(subscription.feed, mine)
    for article in (mine, theirs):
        Pending.objects.create(article=article, stage=Stage.MATCH, n_tries=MAX_TRIES)
    html = health_page(subscription)
    assert "1 article couldn't be compared with others, so it is in no story:" in html
    assert "Dashes" in html
    assert "Elsewhere" not in html
