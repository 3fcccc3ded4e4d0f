"""A web server of two real processes, and its log."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from rssmanager.env import PROJECT
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

    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(pid) for pid in children.split()]


@contextmanager
def serving(reader: Installation, **environment: str) -> Iterator[Server]:
    """gunicorn with the settings of `web_server.py` and two processes, until the end of the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "-c", "python:rssmanager.server.gunicorn_conf", "--no-control-socket"]
    log = reader.folder / "web.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*command, "--bind", f"127.0.0.1:{port}", "--workers", "2"],
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
