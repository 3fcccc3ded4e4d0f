"""A separate Redis server for tests, so that wrong settings affect nothing else."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis


@dataclass(frozen=True, slots=True)
class RedisServer:
    url: str


@contextmanager
def serving_redis(folder: Path, *options: str) -> Iterator[RedisServer]:
    """A server on loopback with these options and without persistence."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server is installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port)
        yield RedisServer(f"redis://127.0.0.1:{port}/0")
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(port: int) -> None:
    deadline = time.monotonic() + 30
    client = redis.Redis(host="127.0.0.1", port=port)
    while True:
        try:
            client.ping()
            return
        except redis.ConnectionError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
