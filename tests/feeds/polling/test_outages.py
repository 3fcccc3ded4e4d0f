"""Failures that pass: of one feed for a few hours, and of a whole host, which no feed counts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from feeds.errors import ConnectionFailed, FetchTimeout
from feeds.fetching import FetchResult
from feeds.models import Condition, Feed, Poll, Source
from feeds.polling.housekeeping import refresh_scores
from feeds.polling.poller import Poller
from feeds.storage.drafts import NormalizingRules
from tests import make
from tests.make import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

HOUR = timedelta(hours=1)
RSS = (
    b"<rss version='2.0'><channel><title>Paper</title><item><title>Cranes</title><guid>1</guid></item></channel></rss>"
)
PAGE = b"<!doctype html><html><head><title>Down for maintenance</title></head></html>"


@dataclass
class Site:
    """Publishers that all answer in one way, and a clock."""

    now: datetime = NOW
    answer: Callable[[str], FetchResult] = field(default=lambda url: FetchResult(url, 200, body=RSS))

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        return self.answer(url)

    def fails(self, status: int, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer = lambda url: FetchResult(url, status, named)

    def works(self) -> None:
        self.answer = lambda url: FetchResult(url, 200, body=RSS)

    def poll(self, *feeds: Feed, after: timedelta = timedelta(0)) -> list[timedelta]:
        """Poll these feeds after that time; returns how long each then waits for its next poll."""
        self.now += after
        Feed.objects.filter(pk__in=[feed.pk for feed in feeds]).update(next_poll_at=self.now)
        Source.objects.update(rate_limited_until=None)
        rules = NormalizingRules()
        poller = Poller(self, rules=rules, concurrency=2, per_domain=2, clock=lambda: self.now)
        poller.run(only=[feed.pk for feed in feeds])
        for feed in feeds:
            feed.refresh_from_db()
        return [feed.next_poll_at - self.now for feed in feeds if feed.next_poll_at]


@pytest.fixture
def site() -> Site:
    return Site()


def feeds_of(host: str, n: int) -> list[Feed]:
    return [make.feed(f"https://{host}/{number}", interval_seconds=6 * 3600) for number in range(n)]


def outcomes(feed: Feed) -> list[str]:
    return list(feed.polls.order_by("pk").values_list("outcome", flat=True))


@pytest.mark.parametrize("status", [403, 404, 500, 503])
@pytest.mark.parametrize("interval", [15 * 60, 24 * 3600])
def test_failure_after_a_success_is_tried_again_within_the_hour(site: Site, status: int, interval: int) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.poll(feed)
    Feed.objects.update(interval_seconds=interval)
    site.fails(status)
    assert [site.poll(feed, after=HOUR)[0] <= HOUR for _ in range(4)] == [True] * 4
    assert (feed.interval_seconds, feed.condition) == (interval, Condition.WELL)
    site.works()
    site.poll(feed, after=HOUR)
    assert (feed.consecutive_failures, feed.interval_seconds) == (0, pytest.approx(interval, rel=0.5))


def test_failure_that_lasts_is_unhealthy_and_slows_down(site: Site) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.poll(feed)
    site.fails(404)
    states = [(site.poll(feed, after=HOUR)[0] > 2 * HOUR, feed.condition == Condition.UNHEALTHY) for _ in range(14)]
    assert states == [(False, False)] * 12 + [(True, True)] * 2


def test_failures_of_a_feed_that_never_worked_count_at_once(site: Site) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.fails(404)
    assert [site.poll(feed, after=HOUR)[0] > 6 * HOUR for _ in range(3)] == [True] * 3
    assert feed.condition == Condition.UNHEALTHY


def test_feed_that_fails_often_is_unhealthy_though_each_failure_passes(site: Site) -> None:
    [feed] = feeds_of("paper.example", 1)
    for round_ in range(2):
        site.works()
        site.poll(feed, after=HOUR)
        site.fails(404)
        for _ in range(3 - round_):
            site.poll(feed, after=HOUR)
    assert (feed.condition, feed.condition_reason) == (Condition.UNHEALTHY, "3 of 5 polls failed within 7 days")


def test_unhealthy_feed_is_healed_by_no_other_failure(site: Site) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.poll(feed)
    site.answer = lambda url: FetchResult(url, 200, body=b"nonsense")
    for _ in range(3):
        site.poll(feed, after=HOUR)
    site.fails(404)
    site.poll(feed, after=HOUR)
    assert (feed.condition, feed.condition_reason) == (
        Condition.UNHEALTHY,
        "its last 3 responses were not valid feeds",
    )


def test_403_that_comes_and_goes_is_a_limit(site: Site) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.poll(feed)
    site.fails(403)
    [first] = site.poll(feed, after=HOUR)
    site.works()
    site.poll(feed, after=HOUR)
    Feed.objects.update(interval_seconds=3600)
    site.fails(403)
    [second] = site.poll(feed, after=HOUR)
    assert (first <= HOUR, second > 1.8 * HOUR) == (True, True)
    assert (outcomes(feed)[-1], feed.interval_seconds, feed.consecutive_failures) == ("limited", 7200, 0)


def test_403_that_only_comes_is_a_failure(site: Site) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.poll(feed)
    site.fails(403)
    for _ in range(3):
        site.poll(feed, after=HOUR)
    assert (outcomes(feed), feed.consecutive_failures) == (["new", "limited", "http_error", "http_error"], 2)


def no_answer(url: str) -> FetchResult:
    raise (ConnectionFailed if url.endswith("0") else FetchTimeout)("no answer", url=url)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda url: FetchResult(url, 404), id="404"),
        pytest.param(lambda url: FetchResult(url, 502 if url.endswith("0") else 503), id="5xx"),
        pytest.param(no_answer, id="no answer"),
        pytest.param(lambda url: FetchResult(url, 403, {"cf-mitigated": "challenge"}), id="challenge"),
        pytest.param(lambda url: FetchResult(url, 200, body=PAGE), id="a page"),
    ],
)
def test_host_that_is_down_harms_none_of_its_feeds(site: Site, answer: Callable[[str], FetchResult]) -> None:
    feeds = feeds_of("videos.example", 3)
    site.poll(*feeds)
    site.answer = answer
    waits = [site.poll(*feeds, after=HOUR) for _ in range(5)]
    assert max(max(several) for several in waits) <= HOUR
    assert {outcomes(feed)[-1] for feed in feeds} == {"outage"}
    assert [(feed.consecutive_failures, feed.consecutive_timeouts, feed.condition) for feed in feeds] == [
        (0, 0, Condition.WELL)
    ] * 3
    refresh_scores(now=site.now)
    assert set(Feed.objects.values_list("health_score", flat=True)) == {1.0}
    assert Source.objects.get(domain="videos.example").down_since == NOW + HOUR
    site.works()
    site.poll(feeds[0], after=HOUR)
    assert Source.objects.get(domain="videos.example").down_since is None


def test_what_counted_before_most_had_failed_is_taken_back(site: Site) -> None:
    feeds = feeds_of("videos.example", 3)
    site.poll(*feeds)
    site.fails(404)
    for _ in range(2):
        site.poll(feeds[0], after=HOUR)
    assert (feeds[0].consecutive_failures, outcomes(feeds[0])[-1]) == (2, "http_error")
    site.poll(feeds[1], after=HOUR / 4)
    feeds[0].refresh_from_db()
    assert (feeds[0].consecutive_failures, feeds[1].consecutive_failures) == (0, 0)
    assert [outcomes(feed)[-1] for feed in feeds] == ["outage", "outage", "new"]


def test_one_bad_feed_of_a_good_host_counts(site: Site) -> None:
    bad, *good = feeds_of("videos.example", 3)
    site.poll(bad, *good)
    site.answer = lambda url: FetchResult(url, 404) if url == bad.url else FetchResult(url, 200, body=RSS)
    for _ in range(2):
        site.poll(bad, *good, after=HOUR)
    assert (bad.consecutive_failures, outcomes(bad)[-1]) == (2, "http_error")
    assert Source.objects.get(domain="videos.example").down_since is None


def test_feeds_that_fail_unalike_count(site: Site) -> None:
    feeds = feeds_of("videos.example", 2)
    site.poll(*feeds)
    site.answer = lambda url: FetchResult(url, 404 if url == feeds[0].url else 500)
    site.poll(*feeds, after=HOUR)
    assert [feed.consecutive_failures for feed in feeds] == [1, 1]


def test_feeds_that_never_worked_are_no_outage(site: Site) -> None:
    feeds = feeds_of("gone.example", 3)
    site.fails(404)
    for _ in range(3):
        site.poll(*feeds, after=HOUR)
    assert {feed.condition for feed in feeds} == {Condition.UNHEALTHY}


def test_host_down_for_a_week_is_each_feeds_problem(site: Site) -> None:
    feeds = feeds_of("gone.example", 2)
    site.poll(*feeds)
    site.fails(404)
    for hours in (1, 1, 7 * 24):
        site.poll(*feeds, after=timedelta(hours=hours))
    assert [(feed.consecutive_failures, outcomes(feed)[-1]) for feed in feeds] == [(1, "http_error")] * 2


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (403, {"cf-mitigated": "challenge"}, b""),
        (503, {"server": "cloudflare"}, b"<!DOCTYPE html><title>Just a moment...</title><script>window._cf_chl_opt={}"),
        (202, {"x-amzn-waf-action": "challenge"}, b""),
        (200, {}, b'<!doctype html><html><script id="anubis_challenge">{}</script></html>'),
    ],
)
def test_challenge_is_named(site: Site, status: int, headers: dict[str, str], body: bytes) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.poll(feed)
    site.answer = lambda url: FetchResult(url, status, headers, body=body)
    for _ in range(3):
        site.poll(feed, after=HOUR)
    poll = Poll.objects.latest("pk")
    assert (poll.outcome, feed.condition) == ("challenge", Condition.UNHEALTHY)
    assert poll.message.startswith("the site asks visitors to prove that they are human (")
    assert feed.condition_reason == "its site blocks feed readers with a bot check"


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (403, {"server": "cloudflare"}, b"<!doctype html><title>Access denied</title>"),
        (200, {"server": "cloudflare"}, RSS.replace(b"Cranes", b"&lt;html> and cf-browser-verification")),
        (404, {"cf-mitigated": "challenge"}, b""),
    ],
)
def test_other_responses_are_no_challenge(site: Site, status: int, headers: dict[str, str], body: bytes) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.answer = lambda url: FetchResult(url, status, headers, body=body)
    site.poll(feed)
    assert outcomes(feed) == ["new" if status == 200 else "http_error"]


def test_retry_after_is_obeyed_for_its_domain_and_told(site: Site) -> None:
    [feed] = feeds_of("paper.example", 1)
    site.poll(feed)
    site.fails(503, retry_after="10800")
    [wait] = site.poll(feed, after=HOUR)
    assert (wait, Poll.objects.latest("pk").message) == (
        3 * HOUR,
        "the server asks us to slow down and try again in 3 h (503)",
    )
    assert Source.objects.get(domain="paper.example").rate_limited_until == site.now + 3 * HOUR
