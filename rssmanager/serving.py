"""The processes of one machine: a web server and a task cluster, started, watched and stopped together."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

from rssmanager.env import PROJECT

GRACE = 15.0  # seconds for a process to end by itself
LOOK_EVERY = 0.5  # seconds between looks at the processes


def web_command(host: str, port: int) -> list[str]:
    """gunicorn with threads: one process keeps memory small, threads wait for the database."""
    return [
        sys.executable, "-m", "gunicorn", "rssmanager.wsgi:application", "--bind", f"{host}:{port}",
        "--worker-class", "gthread", "--workers", "1", "--threads", "8", "--access-logfile", "/dev/null",
        "--no-control-socket",
    ]  # fmt: skip


def worker_command() -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), "qcluster"]


def run_together(commands: Sequence[Sequence[str]]) -> int:
    """Run the commands until one ends or a signal comes, then stop all; returns an exit status."""
    stopping: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        stopping.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "rssmanager.settings"}
    processes = [
        subprocess.Popen(command, cwd=PROJECT, env=environment, start_new_session=True)  # noqa: S603 - our own commands
        for command in commands
    ]
    try:
        while not stopping and all(process.poll() is None for process in processes):
            time.sleep(LOOK_EVERY)
    finally:
        for process in processes:
            _end(process)
    return 0 if stopping else 1


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
