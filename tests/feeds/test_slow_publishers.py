"""Publishers that never finish responding delay no other feeds, and runs end."""

import socket
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from feeds.errors import FetchTimeout, OutOfTime
from feeds.fetching import DeadlineFetcher, Fetcher, FetchLimits
from feeds.models import Feed, Poll, Source
from feeds.polling import lanes, leases
from feeds.polling import poller as polling
from feeds.polling.lanes import Pace
from feeds.polling.poller import Poller
from feeds.storage.drafts import NormalizingRules
from tests import make
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import PATIENCE, ScriptedServer, answer, silent
from tests.make import NOW

pytestmark = pytest.mark.django_db(transaction=True)
ONE = b"<rss version='2.0'><channel><title>T</title><item><guid>a</guid><title>Cranes</title></item></channel></rss>"


@pytest.fixture(autouse=True)
def soon_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fetch counts as slow as soon as it is checked."""
    monkeypatch.setattr(lanes, "SLOW_AFTER", 0.0)
    monkeypatch.setattr(polling, "TICK", 0.01)


@pytest.fixture
def slow_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer("127.0.0.3")
    yield server
    server.close()


def poller(fetcher: Fetcher, *, concurrency: int = 1, **more: Any) -> Poller:
    return Poller(fetcher, rules=NormalizingRules(), concurrency=concurrency, per_domain=2, clock=lambda: NOW, **more)


def due(url: str, *, minutes_ago: int = 0, **values: object) -> Feed:
    return make.feed(url, next_poll_at=NOW - timedelta(minutes=minutes_ago), **values)


def test_prompt_feeds_are_polled_despite_slow_ones(
    server: ScriptedServer, slow_server: ScriptedServer, make_fetcher: MakeFetcher
) -> None:
    """They respond only after it was polled: if their slots weren't released, the run would never end."""
    honest_polled = threading.Event()

    def wait_for_honest_feed(connection: socket.socket) -> None:
        assert honest_polled.wait(PATIENCE)
        connection.sendall(answer(200, ONE))

    def stored(feed: Feed, poll: Poll) -> None:
        if feed == honest:
            honest_polled.set()

    for number in range(2):
        due(slow_server.on(f"/{number}", wait_for_honest_feed), minutes_ago=9, last_polled_at=NOW)
    honest = due(server.on("/honest", answer(200, ONE)), last_polled_at=NOW)
    report = poller(make_fetcher(), on_poll=stored).run()
    assert (report.n_feeds, Poll.objects.earliest("pk").feed_id) == (3, honest.pk)


def test_a_timed_out_feed_is_slow_until_it_is_fast(
    slow_server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feeds.polling.record.SLOW_AFTER", 5.0)
    feed = due(slow_server.on("/f", silent(slow_server), answer(200, ONE)))
    fetcher = make_fetcher(total_seconds=0.1, retry_waits=())
    for expected in (True, False):
        Feed.objects.update(next_poll_at=NOW)
        poller(fetcher).run()
        feed.refresh_from_db()
        assert feed.is_slow is expected


def test_an_urgent_run_skips_slow_feeds(
    server: ScriptedServer, slow_server: ScriptedServer, make_fetcher: MakeFetcher
) -> None:
    slow, honest = due(slow_server.on("/f", silent(slow_server))), due(server.on("/f", answer(200, ONE)))
    poller(make_fetcher(total_seconds=0.1), skip_timeouts=True).run()
    slow.refresh_from_db()
    assert (slow.next_poll_at, slow.consecutive_failures, slow.last_polled_at) == (NOW, 0, None)
    assert [poll.feed_id for poll in Poll.objects.all()] == [honest.pk]
    assert not Source.objects.exclude(lease_token=None).exists()


@pytest.mark.parametrize(("seconds", "n_polled"), [(31, 1), (30, 0)])
def test_no_slow_feed_starts_at_the_end_of_a_run(
    server: ScriptedServer, make_fetcher: MakeFetcher, seconds: int, n_polled: int
) -> None:
    due(server.on("/f", answer(200, ONE)), is_slow=True, last_polled_at=NOW)
    report = poller(make_fetcher()).run(until=NOW + timedelta(seconds=seconds))
    assert (report.n_feeds, len(server.requests)) == (n_polled, n_polled)


def test_a_run_ends_while_slow_feeds_are_due(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    for number in range(3):
        due(server.on(f"/{number}", answer(200, ONE)), is_slow=True, last_polled_at=NOW)
    assert poller(make_fetcher()).run(until=NOW).n_feeds == 0
    assert not Source.objects.exclude(lease_token=None).exists()


def test_waiting_slow_feeds_delay_no_others() -> None:
    for number in range(5):
        due(f"https://slow{number}.example/", minutes_ago=60, is_slow=True, last_polled_at=NOW)
    new = due("https://new.example/", minutes_ago=30)
    prompt = due("https://prompt.example/", last_polled_at=NOW)
    token = uuid4()
    claimed = {pace: leases.claim(NOW, token=token, limit=1, pace=pace).feeds for pace in Pace}
    assert (claimed[Pace.PROMPT], claimed[Pace.NEW]) == ((prompt,), (new,))
    assert [feed.is_slow for feed in claimed[Pace.SLOW]] == [True]


def test_a_lease_holder_claims_more_of_its_source() -> None:
    slow = due("https://both.example/slow", is_slow=True, last_polled_at=NOW)
    token = uuid4()
    assert leases.claim(NOW, token=token, limit=9).feeds == (slow,)
    honest = due("https://both.example/honest", last_polled_at=NOW)
    assert leases.claim(NOW, token=uuid4(), limit=9).feeds == ()
    assert leases.claim(NOW, token=token, limit=9, exclude={slow.pk}).feeds == (honest,)


def test_several_fetches_share_one_time_limit(slow_server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    url = slow_server.on("/f", answer(200, ONE))
    moments = iter([0.0, 4.0, 10.0])
    timed = DeadlineFetcher(make_fetcher(), seconds=10.0, clock=lambda: next(moments))
    assert timed.fetch(url).status == 200
    with pytest.raises(FetchTimeout, match="no time left"):
        timed.fetch(url)
    assert len(slow_server.requests) == 1


def test_an_urgent_search_stops_at_a_slow_response(slow_server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    timed = DeadlineFetcher(make_fetcher(), seconds=0.1, raise_out_of_time=True)
    with pytest.raises(OutOfTime):
        timed.fetch(slow_server.on("/f", silent(slow_server)))


@pytest.mark.slow
def test_100_dripping_feeds_delay_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "SLOW_AFTER", 0.2)
    hosts = [ScriptedServer(f"127.0.0.{20 + number}") for number in range(20)]
    honest = ScriptedServer("127.0.0.4")
    try:
        for number in range(100):
            host = hosts[number % 20]
            due(host.on(f"/{number}", dripping(host, in_headers=number % 2 == 0)), minutes_ago=60)
        expected = {due(honest.on(f"/{n}", answer(200, ONE)), last_polled_at=NOW).pk for n in range(10)}
        fetcher = Fetcher(FetchLimits(allow_private_networks=True, total_seconds=1.5), user_agent="t")
        report = poller(fetcher, concurrency=4).run(until=NOW + timedelta(hours=1))
        fetcher.close()
    finally:
        for host in (*hosts, honest):
            host.close()
    assert report.n_feeds == 110
    assert set(Poll.objects.order_by("pk").values_list("feed_id", flat=True)[:10]) == expected
    assert max(Poll.objects.values_list("seconds", flat=True)) < 3 * 1.5 + 3.0 + 2.5  # three tries and their pauses
    assert report.outcomes["timeout"] == 100


def dripping(host: ScriptedServer, *, in_headers: bool) -> Callable[[socket.socket], None]:
    def drip(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: " if in_headers else b"HTTP/1.1 200 OK\r\n\r\n<rss><!--")
        while not host.stopping.wait(0.1):
            connection.sendall(b"a")

    return drip
