"""Starts, watches and stops web server and worker together, on one machine."""

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

GRACE = 15.0  # seconds for a clean stop; less than systemd and compose.yaml allow
POLL_SECONDS = 0.5


def check_listening(host: str, port: int) -> None:
    """Check early that the web server can listen there. Raises CommandError that says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        raise CommandError(
            f"Can't listen on port {port} of {host}: {error}.\n"
            "Stop the app if it is already running, or use another port: `--port 8001` or `make run PORT=8001`."
        ) from error


def web_command(host: str, port: int) -> list[str]:
    """gunicorn with `gunicorn_conf`, in one process to save memory."""
    return [
        sys.executable, "-m", "gunicorn", "-c", "python:rssmanager.server.gunicorn_conf", "--bind", f"{host}:{port}",
        "--workers", "1", "--no-control-socket",
    ]  # fmt: skip


def worker_command() -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), "qcluster"]


def run_together(commands: Sequence[Sequence[str]], *, grace: float = GRACE) -> int:
    """Run the commands until one exits or a signal arrives, then stop all; returns an exit status.

    Each has its own process group, so that Ctrl-C reaches only this process and they are signalled once.
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
            time.sleep(POLL_SECONDS)
    finally:
        _end(processes, grace)
    return 0 if stopping else 1


def _end(processes: "Sequence[subprocess.Popen[bytes]]", grace: float) -> None:
    """Terminate all, then after `grace` seconds kill the remaining ones and their children."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    until = time.monotonic() + grace
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
        with suppress(ProcessLookupError):  # the usual case
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
