"""The sample publishers on loopback: sockets, addresses, conditional requests, compression.

Each publisher has its own address, 127.0.1.x, so that limits per domain work as usual. On systems that only have
127.0.0.1 (macOS), publishers share it under different paths.

Responses don't depend on the clock: `Date` and `Last-Modified` follow the server's `now`.
"""

import errno
import gzip
import selectors
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit
from xml.sax.saxutils import quoteattr

from rssmanager.demo.publishers import FIRST_GENERATION, LAST_GENERATION, Publisher, load_publishers
from rssmanager.demo.responses import Reply, answer
from rssmanager.demo.templating import Edition

SHARED_ADDRESS = "127.0.0.1"
SLOW_SECONDS = 2.0
_DRIPS = 20
_COMPRESSIBLE = ("text/", "application/")


@dataclass(frozen=True, slots=True)
class DemoFeed:
    """A served feed; `trouble` is one of `publishers.TROUBLES`, empty for healthy feeds."""

    url: str
    title: str
    folder: str
    tier: int
    language: str
    trouble: str


class DemoServer:
    """Serves all sample publishers in threads, from `start` until `stop`; also a context manager.

    `now` must be aware. `port` 0 uses free ports. `slow_seconds` is how long the slow feed's document takes. With
    `own_addresses` None, 127.0.1.x is used if it can be bound. A server can only be started once.
    """

    def __init__(
        self, now: datetime, port: int = 0, *, slow_seconds: float = SLOW_SECONDS, own_addresses: bool | None = None
    ) -> None:
        if now.tzinfo is None:
            raise ValueError("now must be aware of its time zone")
        self.now = now.astimezone(UTC)
        self.generation = FIRST_GENERATION
        self.slow_seconds = slow_seconds
        self.stopping = threading.Event()
        self._port = port
        self._own_addresses = own_addresses
        self._publishers = load_publishers()
        self._listeners: list[_Listener] = []
        self._base_urls: dict[str, str] = {}
        self._thread = threading.Thread(target=self._serve, name="demo publishers", daemon=True)
        self._wake, self._woken = socket.socketpair()

    def start(self) -> None:
        """Bind the addresses and serve. Raises OSError if the port is taken; then nothing stays bound."""
        apart = can_bind(_address(self._publishers[-1])) if self._own_addresses is None else self._own_addresses
        try:
            if apart:
                self._listen_apart()
            else:
                self._listen_together()
        except OSError:
            self._close()
            raise
        self._thread.start()

    def stop(self) -> None:
        """Finish running responses and close the sockets."""
        self.stopping.set()
        self._wake.send(b"x")
        self._thread.join()
        self._close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def advance(self) -> int:
        """Switch to the next generation and return it. Raises ValueError after the last."""
        if self.generation == LAST_GENERATION:
            raise ValueError(f"generation {LAST_GENERATION} is the last")
        self.generation += 1
        return self.generation

    @property
    def feeds(self) -> tuple[DemoFeed, ...]:
        """All feeds with the URLs to subscribe to, including broken ones. Empty before `start`."""
        return tuple(
            DemoFeed(
                url=self._base_urls[publisher.key] + feed.subscribe_path,
                title=feed.title,
                folder=publisher.folder,
                tier=publisher.tier,
                language=publisher.language,
                trouble=feed.trouble,
            )
            for publisher in self._publishers
            if publisher.key in self._base_urls
            for feed in publisher.feeds
        )

    def article_url(self, entry_id: str) -> str:
        """The page of an entry by its id, `publisher/slug`. Raises KeyError before `start`."""
        key, slug = entry_id.split("/")
        return f"{self._base_urls[key]}/articles/{slug}"

    def opml(self) -> bytes:
        """The feeds as OPML 2.0, with one outline per folder."""
        feeds = self.feeds
        outlines = ""
        for folder in dict.fromkeys(feed.folder for feed in feeds):
            inner = "".join(
                f'      <outline type="rss" text={quoteattr(feed.title)} xmlUrl={quoteattr(feed.url)}/>\n'
                for feed in feeds
                if feed.folder == folder
            )
            outlines += f"    <outline text={quoteattr(folder)}>\n{inner}    </outline>\n"
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n'
            f"  <head><title>Sample publishers</title></head>\n  <body>\n{outlines}  </body>\n</opml>\n"
        ).encode()

    def edition(self, publisher: Publisher) -> Edition:
        """The publisher's current edition."""
        return Edition(now=self.now, generation=self.generation, base_url=self._base_urls[publisher.key])

    @property
    def modified_at(self) -> datetime:
        """When the current generation was published: the last one now, earlier ones a minute apart."""
        return self.now.replace(microsecond=0) - timedelta(minutes=LAST_GENERATION - self.generation)

    def _listen_apart(self) -> None:
        for publisher in self._publishers:
            address = _address(publisher)
            listener = self._listen(address, {"": publisher})
            self._base_urls[publisher.key] = f"http://{address}:{listener.server_port}"

    def _listen_together(self) -> None:
        by_prefix = {f"/{publisher.key}": publisher for publisher in self._publishers}
        listener = self._listen(SHARED_ADDRESS, by_prefix)
        for prefix, publisher in by_prefix.items():
            self._base_urls[publisher.key] = f"http://{SHARED_ADDRESS}:{listener.server_port}{prefix}"

    def _listen(self, address: str, publishers: Mapping[str, Publisher]) -> "_Listener":
        listener = _Listener(address, self._port, self, publishers)
        self._listeners.append(listener)
        return listener

    def _close(self) -> None:
        for listener in self._listeners:
            listener.server_close()
        self._wake.close()
        self._woken.close()

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            for listener in self._listeners:
                selector.register(listener, selectors.EVENT_READ, listener)
            while not self.stopping.is_set():
                for key, _ in selector.select():
                    if isinstance(key.data, _Listener):
                        key.data.handle_request()


def can_bind(address: str) -> bool:
    """Whether a socket can be bound to the address. Raises OSError if that fails for another reason."""
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                return False
            raise
    return True


def _address(publisher: Publisher) -> str:
    return f"127.0.1.{publisher.number}"


class _Listener(ThreadingHTTPServer):
    """A bound address with its publishers by path prefix."""

    timeout = 0  # only called when there is a connection to accept
    daemon_threads = False  # closing waits for running responses

    def __init__(self, address: str, port: int, demo: DemoServer, publishers: Mapping[str, Publisher]) -> None:
        self.demo = demo
        self.publishers = publishers
        super().__init__((address, port), _Handler)

    def server_bind(self) -> None:
        """Bind like HTTPServer, but without a reverse DNS lookup, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.socket.getsockname()[:2]


class _Handler(BaseHTTPRequestHandler):
    """A request on its own connection."""

    protocol_version = "HTTP/1.1"
    server_version = "SamplePublishers"
    sys_version = ""
    timeout = 30
    server: _Listener

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def date_time_string(self, timestamp: float | None = None) -> str:
        """The `Date` header: the server's `now`."""
        return format_datetime(self.server.demo.now, usegmt=True)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing; polls report what happened."""

    def _answer(self, *, with_body: bool) -> None:
        reply = self._reply()
        tag = f'W/"{sha256(reply.body).hexdigest()[:20]}"'
        headers = {**reply.headers, "Connection": "close"}
        body = reply.body
        if reply.status == HTTPStatus.OK:
            headers |= {"ETag": tag, "Last-Modified": format_datetime(self.server.demo.modified_at, usegmt=True)}
            headers |= {"Vary": "Accept-Encoding", "Content-Type": reply.content_type}
            if self._is_fresh(tag):
                self._send(HTTPStatus.NOT_MODIFIED, headers, None)
                return
            if "gzip" in self.headers.get("Accept-Encoding", "") and reply.content_type.startswith(_COMPRESSIBLE):
                headers["Content-Encoding"] = "gzip"
                body = gzip.compress(body, compresslevel=5, mtime=0)
        headers |= {"Content-Type": reply.content_type, "Content-Length": str(len(body))}
        self._send(reply.status, headers, body if with_body else None, slow=reply.slow)

    def _reply(self) -> Reply:
        path = urlsplit(self.path).path
        for prefix, publisher in self.server.publishers.items():
            if path.startswith(f"{prefix}/"):
                return answer(publisher, path.removeprefix(prefix), self.server.demo.edition(publisher))
        return Reply(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"no such publisher\n")

    def _is_fresh(self, tag: str) -> bool:
        """Whether the client's copy is current (RFC 9110 §13.1: an ETag takes precedence)."""
        if given := self.headers.get("If-None-Match"):
            return tag.removeprefix("W/") in given or given.strip() == "*"
        if since := self.headers.get("If-Modified-Since"):
            try:
                return self.server.demo.modified_at <= parsedate_to_datetime(since)
            except (ValueError, TypeError):  # an unreadable or zoneless date is ignored, as the RFC says
                return False
        return False

    def _send(self, status: HTTPStatus, headers: Mapping[str, str], body: bytes | None, *, slow: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        if body is None:
            return
        pieces = _DRIPS if slow else 1
        size = -(-len(body) // pieces) or 1
        for start in range(0, len(body), size):
            if slow and self.server.demo.stopping.wait(self.server.demo.slow_seconds / pieces):
                return
            self.wfile.write(body[start : start + size])
