"""The processes of one machine: a web server and a task cluster, started, watched and stopped together."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from django.core.management.base import CommandError

from rssmanager.env import PROJECT

GRACE = 15.0  # seconds for all to end by themselves; less than systemd and compose.yaml give
LOOK_EVERY = 0.5  # seconds between looks at the processes


def check_listening(host: str, port: int) -> None:
    """Find out, before anything is done for it, that the web server will be able to listen there.

    Raises CommandError that says why not, and what to do.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        raise CommandError(
            f"The reader cannot listen on port {port} of {host}: {error}.\n"
            "Another port is taken by `--port 8001`, or `make run PORT=8001`; a reader that runs already is stopped "
            "by Ctrl-C where it was started."
        ) from error


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
