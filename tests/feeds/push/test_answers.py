"""Polls and pings: real polls of a scripted server, under a clock that the test sets."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from feeds.fetching import Fetcher, FetchLimits, FetchResult
from feeds.models import Feed, Poll, PushState, PushSubscription, Source
from feeds.polling.poller import Poller
from feeds.push.answers import pause_after
from feeds.storage.drafts import NormalizingRules
from tests import make
from tests.feeds.polling.test_poller import document
from tests.feeds.push.subscriptions import DAY, HOUR, HUB, MINUTE, TOPIC, pushed
from tests.feeds.servers import ScriptedServer, answer
from tests.make import NOW

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.vendor]

SECOND = timedelta(seconds=1)
ONE, TWO, THREE = (
    document(*[(key, f"Story {key}") for key in keys]).replace(
        b"<item>",
        f"<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='hub' href='{HUB}'/>"
        f"<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='self' href='{TOPIC}'/><item>".encode(),
        1,
    )
    for keys in ("a", "ba", "cba")
)


class Bench:
    """A feed with a hub, polled every half hour before."""

    def __init__(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        self.server, self.fetcher, self.now = server, fetcher, NOW
        self.feed = make.feed(server.on("/f", answer(200, ONE)), kind="major", kind_is_fixed=True)

    def poll(self, at: datetime | None = None, body: bytes | None = None) -> Poll:
        """Poll the feed, at the time it is due or given, when it has this body."""
        self.feed.refresh_from_db()
        self.now = at or self.feed.next_poll_at
        if body is not None:
            self.server.on("/f", answer(200, body))
        poller = Poller(self, rules=NormalizingRules(), concurrency=1, per_domain=1, clock=lambda: self.now)
        assert poller.run().n_feeds == 1
        self.feed.refresh_from_db()
        return self.feed.polls.latest("pk")

    def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> FetchResult:
        result = self.fetcher.fetch(url)
        self.during_fetch()
        return result

    def during_fetch(self) -> None:
        """Nothing, unless a test replaces it."""

    def ping(self, at: datetime) -> None:
        PushSubscription.objects.update(pinged_at=at)
        Feed.objects.update(next_poll_at=at)

    def wait(self) -> timedelta:
        """The time to the next poll, to the nearest 10 % it may vary by."""
        return self.feed.next_poll_at - self.now

    @property
    def push(self) -> PushSubscription:
        return PushSubscription.objects.get()


@pytest.fixture
def bench() -> Iterator[Bench]:
    server = ScriptedServer()
    fetcher = Fetcher(FetchLimits(allow_private_networks=True), user_agent="t", wait=lambda seconds: None)
    bench = Bench(server, fetcher)
    bench.poll(NOW)
    pushed(bench.feed, n_pings=0)
    yield bench
    fetcher.close()
    server.close()


def is_about(span: timedelta, expected: timedelta) -> bool:
    return 0.89 * expected <= span <= 1.11 * expected


def test_hub_and_topic_come_from_the_document(bench: Bench) -> None:
    assert (bench.feed.hub_url, bench.feed.topic_url) == (HUB, TOPIC)
    bench.poll(body=ONE)
    assert bench.feed.hub_url == HUB  # an unchanged document isn't read
    bench.poll(body=document(("b", "No hub any more")))
    assert (bench.feed.hub_url, bench.feed.topic_url) == ("", "")


def test_confirmed_but_silent_hub_changes_nothing(bench: Bench) -> None:
    poll = bench.poll(body=TWO)
    assert (poll.is_pushed, poll.n_new, bench.push.announces) == (False, 1, False)
    assert bench.wait() < 2 * HOUR


def test_announced_entry_makes_polls_rare(bench: Bench) -> None:
    interval = bench.feed.interval_seconds
    bench.ping(NOW + MINUTE)
    poll = bench.poll(body=TWO)
    assert (poll.is_pushed, poll.n_new) == (True, 1)
    assert (bench.push.announces, bench.push.has_open_ping, bench.push.n_fruitless) == (True, False, 0)
    assert is_about(bench.wait(), 6 * HOUR)
    assert bench.feed.interval_reason == "every 6 h: its hub announces new entries"
    for _ in range(12):  # safety polls
        assert bench.poll().is_pushed is False
        assert is_about(bench.wait(), 6 * HOUR)
    assert (bench.feed.interval_seconds, bench.feed.consecutive_unchanged) == (interval, 0)


def test_entry_that_the_hub_missed_returns_to_polling(bench: Bench) -> None:
    interval = bench.feed.interval_seconds
    bench.ping(NOW + MINUTE)
    bench.poll(body=TWO)
    poll = bench.poll(body=THREE)
    assert (poll.is_pushed, poll.n_new, bench.push.announces) == (False, 1, False)
    assert bench.wait() < 2 * timedelta(seconds=interval)


def test_ended_lease_is_no_promise(bench: Bench) -> None:
    bench.ping(NOW + MINUTE)
    bench.poll(body=TWO)
    PushSubscription.objects.update(lease_until=NOW)
    bench.poll()
    assert bench.wait() < 2 * HOUR
    PushSubscription.objects.update(lease_until=NOW + DAY, state=PushState.LAPSED)
    bench.poll()
    assert bench.wait() < 2 * HOUR


def test_ping_before_the_publishers_cache_is_repeated(bench: Bench) -> None:
    bench.ping(NOW + MINUTE)
    assert (bench.poll().is_pushed, bench.wait()) == (True, 2 * MINUTE)
    assert (bench.poll().is_pushed, bench.wait()) == (True, 15 * MINUTE)
    poll = bench.poll(body=TWO)
    assert (poll.is_pushed, poll.n_new, bench.push.announces, bench.push.n_fruitless) == (True, 1, True, 0)


def test_ping_for_nothing_is_given_up(bench: Bench) -> None:
    interval = bench.feed.interval_seconds
    bench.ping(NOW + MINUTE)
    for _ in range(3):
        assert bench.poll().is_pushed
    assert (bench.push.has_open_ping, bench.push.n_fruitless, bench.push.announces) == (False, 3, False)
    assert is_about(bench.wait(), timedelta(seconds=interval))
    assert (bench.feed.consecutive_unchanged, bench.feed.interval_seconds) == (0, interval)
    bench.ping(bench.now + MINUTE)
    assert bench.poll().is_pushed  # once: the next such ping doesn't deserve three polls
    assert not bench.push.has_open_ping


def test_ping_during_the_fetch_needs_another_poll(bench: Bench) -> None:
    bench.ping(NOW + MINUTE)

    def while_fetching() -> None:
        bench.now += SECOND
        PushSubscription.objects.update(pinged_at=bench.now)

    bench.during_fetch = while_fetching  # type: ignore[method-assign]
    poll = bench.poll(body=TWO)
    assert (poll.is_pushed, poll.n_new, bench.push.has_open_ping) == (True, 1, True)
    assert bench.wait() == pause_after(0)
    bench.during_fetch = lambda: None  # type: ignore[method-assign]
    poll = bench.poll(body=THREE)
    assert (poll.is_pushed, poll.n_new, bench.push.announces, bench.push.has_open_ping) == (True, 1, True, False)


def test_failed_poll_leaves_the_ping_open(bench: Bench) -> None:
    bench.ping(NOW + MINUTE)
    bench.server.on("/f", answer(500))
    poll = bench.poll()
    assert (poll.is_pushed, poll.outcome, bench.push.has_open_ping) == (True, "http_error", True)
    assert bench.feed.consecutive_failures == 1
    poll = bench.poll(body=TWO)
    assert (poll.is_pushed, poll.n_new, bench.push.announces, bench.push.has_open_ping) == (True, 1, True, False)


def test_pause_grows_to_an_hour() -> None:
    assert [pause_after(n) / SECOND for n in (0, 1, 2, 3, 10)] == [15, 30, 60, 120, 3600]


def test_no_lease_is_left(bench: Bench) -> None:
    bench.ping(NOW + MINUTE)
    bench.poll()
    assert not Source.objects.filter(lease_token__isnull=False).exists()
