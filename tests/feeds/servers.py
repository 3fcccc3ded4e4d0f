"""Servers on loopback that send exactly what a test wrote, byte for byte."""

import contextlib
import gzip
import re
import socket
import ssl
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

PATIENCE = 10.0  # seconds until a test that waits for something gives up

FEED = b'<?xml version="1.0"?><rss version="2.0"><channel><title>T</title></channel></rss>'

Script = bytes | Callable[[socket.socket], None]


@dataclass(frozen=True)
class Request:
    """What a client sent: the first line's parts and the headers by lower-case name."""

    method: str
    target: str
    headers: dict[str, str] = field(default_factory=dict)


class ScriptedServer:
    """Plays the scripts of each path in turn, the last one again and again; unknown paths are 404.

    A script is the raw answer, or a function that is given the connection. The connection stays open after an answer
    that is as long as its Content-Length says (and after a 304), and is closed after every other script.
    """

    def __init__(self, host: str = "127.0.0.1", *, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self.n_connections = 0
        self.stopping = threading.Event()
        self._tls = tls
        self._scripts: dict[str, deque[Script]] = defaultdict(deque)
        self._lock = threading.Lock()
        self._listener = socket.create_server((host, 0), backlog=64)
        self.host, self.port = self._listener.getsockname()[:2]
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def url(self, path: str, *, host: str = "", credentials: str = "") -> str:
        """Return the URL of `path` on this server."""
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{credentials and credentials + '@'}{host or self.host}:{self.port}{path}"

    def on(self, path: str, *scripts: Script) -> str:
        """Set the responses of `path`; return its URL."""
        self._scripts[path] = deque(scripts)
        return self.url(path)

    def close(self) -> None:
        """Cut every connection and wait for the threads."""
        self.stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in list(self._threads):
            thread.join(PATIENCE)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                connection, _ = self._listener.accept()
                connection.settimeout(PATIENCE)
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                with self._lock:
                    self.n_connections += 1
                    self._open.append(connection)
                    self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:  # the client disconnected, as some tests expect
            secured = self._tls.wrap_socket(connection, server_side=True) if self._tls else connection
            with secured, secured.makefile("rb") as lines:
                while (request := _request(lines)) and self._play(request, secured):
                    pass

    def _play(self, request: Request, connection: socket.socket) -> bool:
        with self._lock:
            self.requests.append(request)
            scripts = self._scripts.get(request.target) or deque([answer(404)])
            script = scripts.popleft() if len(scripts) > 1 else scripts[0]
        if isinstance(script, bytes):
            connection.sendall(script)
            return _leaves_open(script)
        script(connection)
        return False


def _request(lines: Iterator[bytes]) -> Request | None:
    first = next(lines, b"").decode("latin-1").split()
    headers: dict[str, str] = {}
    for line in lines:
        if line in (b"\r\n", b"\n"):
            return Request(method=first[0], target=first[1], headers=headers)
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return None


def _leaves_open(script: bytes) -> bool:
    head, _, body = script.partition(b"\r\n\r\n")
    length = re.search(rb"\r\nContent-Length: ([0-9]+)(?:\r\n|$)", head)
    return head.startswith(b"HTTP/1.1 304") or (length is not None and int(length[1]) <= len(body))


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """Return a well-formed answer; `content_encoding="gzip"` becomes the header Content-Encoding."""
    lines = [f"HTTP/1.1 {status} Whatever"]
    lines += [f"{name.replace('_', '-').title()}: {value}" for name, value in headers.items()]
    if status != 304:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def moved(status: int, to: str) -> bytes:
    """Return a redirect."""
    return answer(status, location=to)


def gzipped(body: bytes, *, layers: int = 1, **headers: str) -> bytes:
    """Return a response that is compressed `layers` times and declares it."""
    for _ in range(layers):
        body = gzip.compress(body)
    return answer(200, body, content_encoding=", ".join(["gzip"] * layers), **headers)


def dripping(server: ScriptedServer, opening: bytes, drop: bytes, *, every: float = 0.02) -> Script:
    """Return a script that sends `opening` and then `drop` again and again until the client disconnects."""

    def drip(connection: socket.socket) -> None:
        connection.sendall(opening)
        while not server.stopping.wait(every):
            connection.sendall(drop)

    return drip


def silent(server: ScriptedServer, opening: bytes = b"") -> Script:
    """Return a script that sends `opening` and then nothing more, ever."""

    def hold(connection: socket.socket) -> None:
        connection.sendall(opening)
        server.stopping.wait(PATIENCE)

    return hold
