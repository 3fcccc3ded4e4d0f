"""A real web server, and its log."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from rssmanager.env import PROJECT
from rssmanager.server.supervisor import web_command
from tests.rssmanager.installation import Installation

PATIENCE = 60.0  # seconds to wait for a server


@dataclass(frozen=True, slots=True)
class Server:
    """A running server's address and log; `ask` returns status and text."""

    port: int
    process: "subprocess.Popen[bytes]"
    log: Path

    def ask(self, path: str, *, method: str = "GET", body: str = "", **headers: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, {"Connection": "close", **headers})
        response = connection.getresponse()
        return response.status, response.read().decode()

    def wait(self) -> None:
        """Wait until it responds."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()[-2000:]
            try:
                if self.ask("/healthz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the server did not come up")


@contextmanager
def serving(reader: Installation, **environment: str) -> Iterator[Server]:
    """The web server, until the end of the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = reader.folder / f"web-{port}.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            web_command("127.0.0.1", port),
            cwd=PROJECT,
            env=reader.environment | environment,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    server = Server(port, process, log)
    try:
        server.wait()
        yield server
    finally:
        process.terminate()
        process.wait(timeout=30)
