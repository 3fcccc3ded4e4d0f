"""Retries, and limits of requests in flight."""

import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from feeds.errors import ConnectionFailed, FetchTimeout
from feeds.fetching import Fetcher
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import FEED, PATIENCE, ScriptedServer, answer, moved, silent


def test_tries_a_5xx_three_times_and_returns_it(server: ScriptedServer, fetcher: Fetcher, waits: list[float]) -> None:
    result = fetcher.fetch(server.on("/feed", answer(500)))

    assert (result.status, result.n_tries, len(server.requests), waits) == (500, 3, 3, [1.0, 2.0])


def test_a_retry_may_succeed(server: ScriptedServer, fetcher: Fetcher, waits: list[float]) -> None:
    result = fetcher.fetch(server.on("/feed", answer(503), b"", answer(200, FEED)))

    assert (result.status, result.body, result.n_tries, waits) == (200, FEED, 3, [1.0, 2.0])


def test_tries_a_refused_connection_three_times(fetcher: Fetcher, waits: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]

    with pytest.raises(ConnectionFailed, match=r"Could not connect to 127\.0\.0\.1: .*refused"):
        fetcher.fetch(f"http://127.0.0.1:{port}/")

    assert waits == [1.0, 2.0]


def test_tries_an_unknown_name_three_times(
    fetcher: Fetcher, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)

    with pytest.raises(ConnectionFailed, match=r"nowhere\.example could not be resolved"):
        fetcher.fetch("http://nowhere.example/feed")

    assert waits == [1.0, 2.0]


def test_waits_between_retries_as_configured(
    server: ScriptedServer, make_fetcher: MakeFetcher, waits: list[float]
) -> None:
    result = make_fetcher(retry_waits=()).fetch(server.on("/feed", answer(502)))

    assert (result.n_tries, waits) == (1, [])


def test_replaces_a_stale_connection_immediately(server: ScriptedServer, fetcher: Fetcher, waits: list[float]) -> None:
    url = server.on("/feed", answer(200, FEED), b"", answer(200, b"again"))

    results = [fetcher.fetch(url), fetcher.fetch(url)]

    assert [(result.body, result.n_tries) for result in results] == [(FEED, 1), (b"again", 1)]
    assert (len(server.requests), server.n_connections, waits) == (3, 2, [])


def test_a_new_connection_closed_early_is_an_error(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    url = server.on("/feed", b"", answer(200, FEED))

    with pytest.raises(ConnectionFailed, match="closed the connection before responding in full"):
        make_fetcher(retry_waits=()).fetch(url)

    assert (len(server.requests), server.n_connections) == (1, 1)


def test_sends_two_requests_per_domain_at_most(server: ScriptedServer, fetcher: Fetcher) -> None:
    two_are_here = threading.Barrier(2)
    counting = threading.Lock()
    in_flight: set[int] = set()
    numbers: list[int] = []

    def in_pairs(connection: socket.socket) -> None:
        with counting:
            in_flight.add(id(connection))
            numbers.append(len(in_flight))
        two_are_here.wait(PATIENCE)
        server.stopping.wait(0.02)  # a third would arrive now
        with counting:
            in_flight.remove(id(connection))
        connection.sendall(answer(200, FEED))

    url = server.on("/feed", in_pairs)
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(fetcher.fetch, [url] * 8))

    assert [result.n_tries for result in results] == [1] * 8
    assert max(numbers) == 2


def test_redirects_across_domains_cannot_deadlock(
    server: ScriptedServer, other_server: ScriptedServer, make_fetcher: MakeFetcher
) -> None:
    fetcher = make_fetcher(per_domain=1)
    both_hold_their_first_slot = threading.Barrier(2)

    def then_to(url: str) -> Callable[[socket.socket], None]:
        def redirect(connection: socket.socket) -> None:
            both_hold_their_first_slot.wait(PATIENCE)
            connection.sendall(moved(302, url))

        return redirect

    here = server.on("/start", then_to(other_server.on("/end", answer(200, b"there"))))
    there = other_server.on("/start", then_to(server.on("/end", answer(200, b"here"))))
    with ThreadPoolExecutor(2) as threads:
        results = list(threads.map(fetcher.fetch, [here, there]))

    assert [result.body for result in results] == [b"there", b"here"]


def test_queueing_does_not_use_the_time_limit(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(per_domain=1, total_seconds=0.5, retry_waits=())

    def unhurried(connection: socket.socket) -> None:
        server.stopping.wait(0.15)
        connection.sendall(answer(200, FEED))

    url = server.on("/feed", unhurried)
    with ThreadPoolExecutor(6) as threads:  # the last waits 0.75 s
        results = list(threads.map(fetcher.fetch, [url] * 6))

    assert [result.status for result in results] == [200] * 6


@pytest.mark.parametrize("opening", [b"", b"HTTP/1.1 200 OK\r\n\r\n<rss>"], ids=["silent", "half-sent"])
def test_tries_a_timeout_three_times(
    server: ScriptedServer, make_fetcher: MakeFetcher, waits: list[float], opening: bytes
) -> None:
    url = server.on("/feed", silent(server, opening), silent(server, opening), answer(200, FEED))

    result = make_fetcher(total_seconds=0.2).fetch(url)

    assert (result.body, result.n_tries, len(server.requests), waits) == (FEED, 3, 3, [1.0, 2.0])


def test_no_try_starts_after_the_time_for_all(
    server: ScriptedServer, make_fetcher: MakeFetcher, waits: list[float]
) -> None:
    with pytest.raises(FetchTimeout):
        make_fetcher(total_seconds=0.2, all_seconds=1.3).fetch(server.on("/feed", silent(server)))

    assert (len(server.requests), waits) == (2, [1.0])  # 2 s more would be too many


def test_the_caller_can_limit_all_tries(server: ScriptedServer, fetcher: Fetcher, waits: list[float]) -> None:
    with pytest.raises(FetchTimeout):
        fetcher.fetch(server.on("/feed", silent(server)), seconds=0.1)

    assert (len(server.requests), waits) == (1, [])


def test_queueing_times_out(server: ScriptedServer, make_fetcher: MakeFetcher, waits: list[float]) -> None:
    fetcher = make_fetcher(per_domain=1, queue_seconds=0.05)
    is_held, may_end = threading.Event(), threading.Event()

    def held(connection: socket.socket) -> None:
        is_held.set()
        may_end.wait(PATIENCE)
        connection.sendall(answer(200, FEED))

    url = server.on("/feed", held)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(fetcher.fetch, url)
        assert is_held.wait(PATIENCE)
        with pytest.raises(FetchTimeout, match="Too many requests to"):
            fetcher.fetch(url)
        may_end.set()
        assert first.result().status == 200

    assert (len(server.requests), waits) == (1, [])


def test_retries_share_a_pending_lookup(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    lookups: list[str] = []
    answered = threading.Event()

    def slow(host: str, port: int, **_: object) -> list[object]:
        lookups.append(host)
        answered.wait(PATIENCE)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    with pytest.raises(FetchTimeout):
        make_fetcher(connect_seconds=0.05).fetch("http://slow.example/feed")
    answered.set()

    assert (lookups, waits) == (["slow.example"], [1.0, 2.0])
