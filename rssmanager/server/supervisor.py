"""Starts, watches and stops web server and worker together, on one machine."""

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType

from django.core.management.base import CommandError

from rssmanager.env import PROJECT

GRACE = 15.0  # seconds for a clean stop; less than systemd and compose.yaml allow
POLL_SECONDS = 0.5
_PR_SET_PDEATHSIG = 1  # of Linux's prctl()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket for the web server. Raises CommandError that says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=is_dual)
    except (OSError, OverflowError) as error:
        number, reason = getattr(error, "errno", None), getattr(error, "strerror", None) or str(error)
        holder = _holder(port) if number == errno.EADDRINUSE else None
        used_by = f" by process {holder}" if holder else ""
        raise CommandError(
            f"Can't listen on port {port} of {host}: {reason.partition(' (')[0]}{used_by}.\n"
            "Stop the app if it is already running, or use another port: `--port 8001` or `make run PORT=8001`."
        ) from error


def _holder(port: int) -> int | None:
    """The process that listens on this port, if `/proc` says so."""
    tables = [path.read_text() for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")) if path.exists()]
    rows = [line.split() for table in tables for line in table.splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")}
    for link in Path("/proc").glob("[0-9]*/fd/*") if sockets else ():
        with suppress(OSError):  # ended in the meantime, or another user's
            if str(link.readlink()) in sockets:
                return int(link.parts[2])
    return None


def check_listening(host: str, port: int) -> None:
    """Check early that the web server can listen there. Raises CommandError that says what to do."""
    listen(host, port).close()


def web_command(host: str, port: int) -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), "serve", "--host", host, "--port", str(port)]


def worker_command() -> list[str]:
    return [sys.executable, str(PROJECT / "manage.py"), "qcluster"]


def end_with(parent: int) -> None:
    """Let the kernel kill this process, a new child of `parent`, when that ends in whatever way; only on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before
            os.kill(os.getpid(), signal.SIGKILL)


def end_forks_with_this_process() -> None:
    """Let processes that this one and its children fork end with the one that forked them."""
    forking: list[int] = []

    def note() -> None:
        forking[:] = [os.getpid()]

    os.register_at_fork(before=note, after_in_child=lambda: end_with(forking[0]))


def run_together(commands: Sequence[Sequence[str]], *, grace: float = GRACE) -> int:
    """Run the commands until one exits or a signal arrives, then stop all; returns an exit status.

    Each has its own process group, so that Ctrl-C reaches only this process and they are signalled once. If this
    process is killed, they are, too.
    """
    stopping: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        stopping.append(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    environment = {"MALLOC_ARENA_MAX": "1"} | os.environ | {"DJANGO_SETTINGS_MODULE": "rssmanager.settings"}
    begin = partial(end_with, os.getpid())
    processes = [
        subprocess.Popen(command, cwd=PROJECT, env=environment, start_new_session=True, preexec_fn=begin)  # noqa: S603 - our own commands
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
