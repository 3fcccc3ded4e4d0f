"""A Redis server for one test that can be killed and restarted, empty, on the same port."""

import socket
import subprocess

import redis

from tests.digests.mail_server import free_port
from tests.faults.processes import wait_until


class OwnRedis:
    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--daemonize", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._answers, "the redis-server did not come up")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    close = kill

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return bool(redis.Redis(port=self.port).ping())
        except (OSError, redis.RedisError):
            return False
