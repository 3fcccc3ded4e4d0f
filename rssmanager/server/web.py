"""The web server: waitress, with limits on what its connections may hold.

One thread reads and writes all connections, so that incomplete requests and slow readers occupy no thread of those that
answer. A request is answered once it has arrived as a whole, and its response waits in memory or in a temporary file
until the client has read it. Connections that hardly move are closed, and so is the largest if all of them hold too
much.
"""

import resource
import signal
import socket
from collections.abc import Iterable
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from waitress.channel import HTTPChannel
from waitress.server import create_server

from feeds.content.image_proxy import AT_ONCE

Connections = dict[int, Any]  # by file descriptor; waitress keeps its listening socket here, too

PAGE_THREADS = 8  # that answer requests besides those that wait for images; more would only share one processor
MAX_CONNECTIONS = 3_000
FILES = 500  # for the database, static files and fetched images
FILES_PER_CONNECTION = 3  # its socket, and files for a large request and its response
MAX_HEAD = 32 * 2**10  # bytes of a request's line and headers
MAX_BODY = 110 * 2**20  # bytes; more than `accounts.format.MAX_UPLOADED`
IN_MEMORY = 16 * 2**10  # bytes of a request's body; the rest is in a file
UNSENT_IN_MEMORY = 64 * 2**10  # bytes of a response
HELD = 300 * 2**20  # bytes of incomplete requests and unsent responses, in total
IDLE_SECONDS = 60  # until a silent connection is closed
STALL_SECONDS = 30.0  # in which a transfer must move
STALL_BYTES = 30_000  # this much
CHECK_SECONDS = 1.0
GRACE = 10.0  # seconds to finish running requests; less than `supervisor.GRACE`


def serve(application: WSGIApplication, listening: socket.socket) -> None:
    """Answer requests until SIGTERM or SIGINT, then finish the ones that have arrived."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    connections: Connections = {}
    server = create_server(
        without_body_of_head(application),
        map=connections,
        sockets=[listening],
        threads=PAGE_THREADS + (AT_ONCE if settings.ENV.IMAGE_PROXY else 0),
        ident="rssmanager",
        clear_untrusted_proxy_headers=False,  # `trusted_proxies` decides
        asyncore_use_poll=True,  # select() fails above 1,024 files
        connection_limit=_allow_connections(),
        channel_timeout=IDLE_SECONDS,
        cleanup_interval=IDLE_SECONDS // 6,
        log_socket_errors=False,
        max_request_header_size=MAX_HEAD,
        max_request_body_size=MAX_BODY,
        inbuf_overflow=IN_MEMORY,
        outbuf_overflow=UNSENT_IN_MEMORY,
        outbuf_high_watermark=2**62,  # above it, a thread would wait for the client
    )
    loop = Thread(target=server.run, name="connections", daemon=True)
    loop.start()
    with suppress(KeyboardInterrupt):
        _watch(loop, connections)
    with suppress(KeyboardInterrupt):  # a second signal ends it at once
        _finish(connections)


def _allow_connections() -> int:
    """How many connections there may be, after raising this process's limit of open files where allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS * FILES_PER_CONNECTION + FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, soft // FILES_PER_CONNECTION)


def _watch(loop: Thread, connections: Connections) -> None:
    """Close what hardly moves or is too much, until a signal arrives."""
    before: dict[HTTPChannel, tuple[object, int]] = {}
    checked_at = monotonic()
    while loop.is_alive():
        sleep(CHECK_SECONDS)
        channels = _channels(connections)
        close_largest(channels)
        if monotonic() >= checked_at + STALL_SECONDS:
            before, checked_at = close_stalled(channels, before), monotonic()
    raise SystemExit("The web server's thread for connections ended.")


def _finish(connections: Connections) -> None:
    until = monotonic() + GRACE
    while monotonic() < until and any(one.requests or one.total_outbufs_len for one in _channels(connections)):
        sleep(CHECK_SECONDS / 20)


def _channels(connections: Connections) -> list[HTTPChannel]:
    return [one for one in list(connections.values()) if isinstance(one, HTTPChannel)]


def close_largest(channels: Iterable[HTTPChannel]) -> None:
    """Close those that hold the most, until the others hold `HELD` bytes at most."""
    sizes = {one: _n_received(one) + one.total_outbufs_len for one in channels}
    total = sum(sizes.values())
    for one in sorted(sizes, key=lambda one: sizes[one], reverse=True):
        if total <= HELD:
            break
        total -= sizes[one]
        one.will_close = True


def close_stalled(
    channels: Iterable[HTTPChannel], before: dict[HTTPChannel, tuple[object, int]]
) -> dict[HTTPChannel, tuple[object, int]]:
    """Close those that moved too little since `before`; returns what to compare with the next time.

    For each that is receiving a request or sending a response, this is which request, and a number that grows by each
    byte received or sent.
    """
    now = {
        one: (one.request, _n_received(one) - one.total_outbufs_len)
        for one in channels
        if not one.requests and (one.request is not None or one.total_outbufs_len)
    }
    for one, (request, n_moved) in now.items():
        earlier, n_before = before.get(one, (None, float("-inf")))
        if request is earlier and n_moved - n_before < STALL_BYTES:
            one.will_close = True
    return now


def _n_received(channel: HTTPChannel) -> int:
    """Bytes of the request that is arriving."""
    request = channel.request
    return 0 if request is None else int(request.header_bytes_received + request.body_bytes_received)


def without_body_of_head(application: WSGIApplication) -> WSGIApplication:
    """Answers HEAD like GET, but without the body, which waitress would send."""

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "HEAD":
            return application(environ, start_response)
        begun: list[Any] = []
        body = application(environ, lambda *begin: begun.append(begin) or (lambda _: None))  # type: ignore[func-returns-value]
        try:
            n_bytes = sum(map(len, body))
        finally:
            if hasattr(body, "close"):
                body.close()
        status, headers, *_ = begun[-1]
        is_measured = any(name.lower() == "content-length" for name, _ in headers)
        start_response(status, headers if is_measured else [*headers, ("Content-Length", str(n_bytes))])
        return []

    return respond
