"""The processes of one machine: a web server and a task cluster, started, watched and stopped together."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from rssmanager.env import PROJECT

GRACE = 15.0  # seconds for all to end by themselves; less than systemd and compose.yaml give
LOOK_EVERY = 0.5  # seconds between looks at the processes


def web_command(host: str, port: int) -> list[str]:
    """gunicorn as `web_server.py` says, in one process: that keeps memory small, and threads wait for the database."""
    return [
        sys.executable, "-m", "gunicorn", "-c", "python:rssmanager.web_server", "--bind", f"{host}:{port}",
        "--workers", "1", "--no-control-socket",
    ]  # fmt: skip


def worker_command() -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), "qcluster"]


def run_together(commands: Sequence[Sequence[str]], *, grace: float = GRACE) -> int:
    """Run the commands until one ends or a signal comes, then stop all; returns an exit status.

    Each has a process group of its own, so that Ctrl-C reaches this process alone and nothing is told twice.
    """
    stopping: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        stopping.append(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
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
        _end(processes, grace)
    return 0 if stopping else 1


def _end(processes: "Sequence[subprocess.Popen[bytes]]", grace: float) -> None:
    """Ask all at once to end; kill who has not after `grace` seconds, and what any of them left behind."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    until = time.monotonic() + grace
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
        with suppress(ProcessLookupError):  # as it should be
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
