"""An OpenAI-compatible server on loopback whose behaviour per request is set by the test."""

import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 10.0  # seconds after which a behaviour stops waiting for the end of the test

Behaviour = Callable[["Exchange"], None]


@dataclass(frozen=True)
class Asked:
    """One request: its path, headers by lower-case name, and the JSON of its body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The prompt that the model would read."""
        return "\n".join(message["content"] for message in self.body["messages"])


class Exchange(BaseHTTPRequestHandler):
    """The argument of a behaviour: the request as read, and a way to respond."""

    protocol_version = "HTTP/1.1"
    server: "_HttpServer"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.played_by.take(Asked(self.path, headers, body))(self)

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        """Send a complete response; `retry_after="1"` becomes the header Retry-After."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-").title(), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def until_the_end(self, seconds: float = PATIENCE) -> bool:
        """Wait; True when the test is over."""
        return self.server.played_by.stopping.wait(seconds)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    played_by: "LanguageServer"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors: some tests are about clients that hang up."""


class LanguageServer:
    """Plays the behaviours in turn, repeats the last one, and records the requests."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self.asked: list[Asked] = []
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._behaviours: deque[Behaviour] = deque(behaviours)
        self._server = _HttpServer(("127.0.0.1", 0), Exchange)
        self._server.played_by = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def plays(self, *behaviours: Behaviour) -> None:
        """Replace the remaining behaviours."""
        self._behaviours = deque(behaviours)

    def take(self, asked: Asked) -> Behaviour:
        """Record the request; return the next behaviour."""
        with self._lock:
            self.asked.append(asked)
            return self._behaviours.popleft() if len(self._behaviours) > 1 else self._behaviours[0]

    def close(self) -> None:
        """Release waiting handlers and stop."""
        self.stopping.set()
        self._server.shutdown()
        self._thread.join(PATIENCE)
        self._server.server_close()


def rating(score: object = 4, confidence: object = "high", explanation: object = "It has just happened.") -> str:
    """A rating as a model would write it."""
    return json.dumps({"score": score, "confidence": confidence, "explanation": explanation})


def says(content: object) -> Behaviour:
    """The model responds with this content."""
    return sends({"choices": [{"index": 0, "message": {"role": "assistant", "content": content}}]})


def sends(envelope: object, status: int = 200, **headers: str) -> Behaviour:
    """The server sends this JSON envelope."""
    return lambda exchange: exchange.reply(status, json.dumps(envelope).encode(), **headers)


def errs(status: int, message: str = "", **headers: str) -> Behaviour:
    """The server responds with an error, with or without a message."""
    return sends({"error": {"message": message}} if message else {}, status, **headers)


def sends_page(exchange: Exchange) -> None:
    """A web page, as from a URL that is no API."""
    exchange.reply(200, b"<!doctype html><title>Welcome</title>", Content_Type="text/html")


def stalls(exchange: Exchange) -> None:
    """The server never responds."""
    exchange.until_the_end()


def drips(exchange: Exchange) -> None:
    """A valid response arrives one byte at a time."""
    exchange.send_response(200)
    exchange.send_header("Content-Length", "5000")
    exchange.end_headers()
    while not exchange.until_the_end(0.01):
        exchange.wfile.write(b" ")


def pours(exchange: Exchange) -> None:
    """The response never ends."""
    exchange.send_response(200)
    exchange.send_header("Connection", "close")
    exchange.end_headers()
    while True:  # ends when the client hangs up
        exchange.wfile.write(b" " * 2**16)


def hangs_up(exchange: Exchange) -> None:
    """The connection closes before any response."""
    exchange.close_connection = True


def breaks_off(exchange: Exchange) -> None:
    """The connection closes in the middle of the response body."""
    exchange.send_response(200)
    exchange.send_header("Content-Length", "5000")
    exchange.end_headers()
    exchange.wfile.write(b'{"choices": [')
    exchange.close_connection = True
