"""Limits of time and memory, whatever a server sends."""

import gzip
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable

import pytest

from feeds.errors import BodyTooLarge, ConnectionFailed, FetchTimeout
from feeds.fetching import FetchLimits
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import FEED, PATIENCE, ScriptedServer, answer, dripping, gzipped, moved, silent

MEBIBYTE = 2**20
ZEROS = bytes(MEBIBYTE)


def bomb(n_mebibytes: int, *, wbits: int = 31) -> bytes:
    packer = zlib.compressobj(9, wbits=wbits)
    return b"".join(packer.compress(ZEROS) for _ in range(n_mebibytes)) + packer.flush()


def chunked(*chunks: bytes, **headers: str) -> bytes:
    head = answer(200, **headers).partition(b"\r\nContent-Length:")[0]
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(lambda: answer(200, bomb(200), content_encoding="gzip"), id="gzip"),
        pytest.param(lambda: answer(200, gzip.compress(bomb(200)), content_encoding="gzip, gzip"), id="gzip-in-gzip"),
        pytest.param(lambda: answer(200, bomb(200, wbits=15), content_encoding="deflate"), id="deflate"),
        pytest.param(lambda: answer(200, bomb(200, wbits=-15), content_encoding="deflate"), id="raw-deflate"),
        pytest.param(lambda: chunked(*[bomb(8)] * 25, content_encoding="gzip"), id="many-members"),
    ],
)
def test_rejects_a_bomb_within_100_mb(
    server: ScriptedServer, make_fetcher: MakeFetcher, script: Callable[[], bytes]
) -> None:
    fetcher = make_fetcher()
    url = server.on("/feed", script())
    tracemalloc.start()

    with pytest.raises(BodyTooLarge, match="larger than 16,777,216 bytes"):
        fetcher.fetch(url)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000
    assert len(server.requests) == 1


@pytest.mark.parametrize("n_bytes", [999, 1000, 1001])
@pytest.mark.parametrize("frame", [answer, gzipped, chunked], ids=["plain", "gzip", "chunked"])
def test_the_limit_is_on_the_decompressed_body(
    server: ScriptedServer, make_fetcher: MakeFetcher, n_bytes: int, frame: Callable[..., bytes]
) -> None:
    fetcher = make_fetcher(max_bytes=1000)
    body = b"a" * n_bytes
    url = server.on("/feed", answer(200, body) if frame is answer else frame(body))

    if n_bytes > 1000:
        with pytest.raises(BodyTooLarge, match="larger than 1,000 bytes"):
            fetcher.fetch(url)
    else:
        assert fetcher.fetch(url).body == body


def endless(opening: bytes, more: bytes) -> Callable[[socket.socket], None]:
    def pour(connection: socket.socket) -> None:
        connection.sendall(opening)
        while True:  # ends when the client hangs up
            connection.sendall(more)

    return pour


@pytest.mark.parametrize(
    ("opening", "more"),
    [
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", ZEROS, id="body-without-length"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", ZEROS, id="body-with-length"),
        pytest.param(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", ZEROS, id="negative-chunk"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n", ZEROS, id="chunk-of-64-gigabytes"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"1;" + b"x" * 60_000 + b"\r\na\r\n",
            id="chunk-extensions",
        ),
    ],
)
def test_cuts_off_endless_bodies(
    server: ScriptedServer, make_fetcher: MakeFetcher, opening: bytes, more: bytes
) -> None:
    fetcher = make_fetcher()
    url = server.on("/feed", endless(opening, more))
    tracemalloc.start()

    with pytest.raises(BodyTooLarge):
        fetcher.fetch(url)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000


@pytest.mark.parametrize(
    ("opening", "more"),
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nX: ", b"a" * 10_000, id="one-line"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", b"X: 1\r\n" * 50, id="many-lines"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, id="interim-answers"),
    ],
)
def test_cuts_off_endless_headers(
    server: ScriptedServer, make_fetcher: MakeFetcher, opening: bytes, more: bytes
) -> None:
    with pytest.raises(ConnectionFailed, match="sent an invalid HTTP response"):
        make_fetcher(retry_waits=()).fetch(server.on("/feed", endless(opening, more)))


@pytest.mark.parametrize(
    ("opening", "drop"),
    [
        pytest.param(b"", b"H", id="status-line"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX: ", b"a", id="header"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", b"X: 1\r\n", id="headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", b" ", id="body-without-length"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", b" ", id="small-body"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n", b" ", id="large-body"),
        pytest.param(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", id="chunks"),
        pytest.param(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0", id="chunk-size"),
        pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n", id="interim-answers"),
    ],
)
def test_a_slow_drip_times_out(
    server: ScriptedServer, make_fetcher: MakeFetcher, waits: list[float], opening: bytes, drop: bytes
) -> None:
    fetcher = make_fetcher(total_seconds=0.2)

    with pytest.raises(FetchTimeout, match=r"127\.0\.0\.1 did not finish responding within 0\.2 s"):
        fetcher.fetch(server.on("/feed", dripping(server, opening, drop)))

    assert (len(server.requests), waits) == (3, [1.0, 2.0])


@pytest.mark.parametrize("opening", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n<rss>"], ids=len)
def test_silence_times_out(server: ScriptedServer, make_fetcher: MakeFetcher, opening: bytes) -> None:
    fetcher = make_fetcher(total_seconds=0.2, retry_waits=())

    with pytest.raises(FetchTimeout):
        fetcher.fetch(server.on("/feed", silent(server, opening)))


def test_slow_redirects_share_one_time_limit(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    def slowly_to(path: str) -> Callable[[socket.socket], None]:
        def redirect(connection: socket.socket) -> None:
            server.stopping.wait(0.15)
            connection.sendall(moved(302, path))

        return redirect

    for index in range(5):
        server.on(f"/{index}", slowly_to(f"/{index + 1}"))
    server.on("/5", answer(200, FEED))

    with pytest.raises(FetchTimeout):
        make_fetcher(total_seconds=0.4, retry_waits=()).fetch(server.url("/0"))

    assert len(server.requests) < 5


def test_a_server_that_never_accepts_times_out(make_fetcher: MakeFetcher) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]  # Linux completes one more than the backlog, and drops the rest
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        fetcher = make_fetcher(connect_seconds=0.2, retry_waits=())

        with pytest.raises(FetchTimeout, match=r"did not accept a connection within 0\.2 s"):
            fetcher.fetch(f"http://127.0.0.1:{port}/")

        for filler in fillers:
            filler.close()


def test_a_hanging_lookup_times_out(make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        released.wait(PATIENCE)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    fetcher = make_fetcher(connect_seconds=0.2, retry_waits=())

    with pytest.raises(FetchTimeout, match="did not accept a connection"):
        fetcher.fetch("http://slow-dns.example/")

    released.set()


def test_tries_the_next_address_after_a_timeout(
    server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        closed_port = unused.getsockname()[1]
    addresses = [("127.0.0.1", closed_port), (server.host, server.port)]
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in addresses],
    )

    result = make_fetcher().fetch(server.on("/feed", answer(200, FEED)).replace(server.host, "two.example"))

    assert (result.status, result.n_tries) == (200, 1)


def test_the_connect_budget_is_shared_among_addresses(
    server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted: list[float | None] = []
    connect = socket.socket.connect

    def observed(self: socket.socket, address: tuple[str, int]) -> None:
        granted.append(self.gettimeout())
        if address[1] == 1:
            raise TimeoutError("timed out")
        connect(self, address)

    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port)) for port in (1, server.port)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)
    monkeypatch.setattr(socket.socket, "connect", observed)
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)

    url = server.on("/feed", answer(200, FEED)).replace(server.host, "two.example")

    assert make_fetcher(connect_seconds=6.0).fetch(url).status == 200
    assert granted == [3.0, 6.0]


def test_the_defaults_are_those_of_the_specification() -> None:
    limits = FetchLimits()

    assert (limits.connect_seconds, limits.total_seconds, limits.max_bytes) == (10.0, 30.0, 16 * MEBIBYTE)
    assert (limits.max_redirects, limits.per_domain, limits.retry_waits) == (5, 2, (1.0, 2.0))
    assert (limits.allow_private_networks, limits.allowed_networks) == (False, ())
