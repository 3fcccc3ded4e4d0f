"""Clients that begin requests and don't go on: the others don't wait for them."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.attacks.site import Site

UNFINISHED = {
    "nothing": b"",
    "a line": b"GET /login/ HTT",
    "a head": b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "a body": b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nusername=",
    "a chunk": b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n400\r\nusername=",
}
LONGEST = 1.0  # seconds for an answer of /healthz


@contextmanager
def half_open(site: Site, sent: bytes, n: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(n):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", site.server.port), timeout=20))
            connection.sendall(sent)
        yield


@pytest.mark.parametrize("n", [30, 300])
@pytest.mark.parametrize("sent", UNFINISHED.values(), ids=UNFINISHED.keys())
def test_half_open_requests_keep_nobody_waiting(site: Site, sent: bytes, n: int) -> None:
    with half_open(site, sent, n):
        answers = [site.browser().get("/healthz", timeout=20) for _ in range(5)]
        page = site.browser().get("/login/", timeout=20)
    assert {answer.status_code for answer in answers} == {page.status_code} == {200}
    assert sorted(answer.elapsed.total_seconds() for answer in answers)[2] < LONGEST


def test_slow_readers_keep_nobody_waiting(site: Site) -> None:
    """They ask for a large file and don't read the answer."""
    asked = b"GET /static/fonts/inter-latin.woff2 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20
    with half_open(site, asked, 50):
        answers = [site.browser().get("/healthz", timeout=20) for _ in range(5)]
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.elapsed.total_seconds() for answer in answers)[2] < LONGEST
