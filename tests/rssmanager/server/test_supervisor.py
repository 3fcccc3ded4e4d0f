"""`run` with real processes: each signal stops everything, and if one part ends, all end."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from rssmanager.env import PROJECT
from tests.digests.mail_server import free_port
from tests.rssmanager.installation import Installation, installation

PATIENCE = 60.0  # seconds that any step may take on a busy machine
TOGETHER = """
import sys
from rssmanager.server.supervisor import run_together
commands = [[sys.executable, "-c", code] for code in sys.argv[2:]]
sys.exit(run_together(commands, grace=float(sys.argv[1])))
"""
SLEEPER = "print('begun', flush=True); import time; time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPER}"
PARENT = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}]).wait()"
ENDING = "import sys; sys.stdin.readline()"

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the processes from /proc")


def below(pid: int) -> set[int]:
    """All descendant processes of `pid`."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name_and_rest = stat.read_text()
        except (FileNotFoundError, ProcessLookupError):  # ended in the meantime
            continue
        parents[int(stat.parent.name)] = int(name_and_rest.rpartition(")")[2].split()[1])
    descendants: set[int] = set()
    more = {pid}
    while more:
        more = {pid for pid, parent in parents.items() if parent in more}
        descendants |= more
    return descendants


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(is_so: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def together(*commands: str, grace: float) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", TOGETHER, str(grace), *commands],
        cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def end(process: "subprocess.Popen[str]", number: signal.Signals) -> int:
    """The exit status after this signal; asserts that no descendant is left."""
    started = below(process.pid)
    process.send_signal(number)
    status = process.wait(PATIENCE)
    wait_until(lambda: not any(map(is_running, started)), "something was left behind")
    assert started
    return status


def wait_for_beginnings(said: IO[str], n: int) -> None:
    """Wait for `n` words; concurrent writers can interleave their line ends."""
    words = ""
    while words.count("begun") < n:
        words += said.read(1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_ends_all_processes_and_children(number: signal.Signals) -> None:
    process = together(SLEEPER, PARENT, grace=PATIENCE)
    assert process.stdout is not None
    wait_for_beginnings(process.stdout, 2)
    assert end(process, number) == 0


def test_unresponsive_process_is_killed() -> None:
    process = together(STUBBORN, SLEEPER, grace=0.2)
    assert process.stdout is not None
    wait_for_beginnings(process.stdout, 2)
    assert end(process, signal.SIGTERM) == 0


def test_if_one_ends_the_others_are_stopped_with_a_failure() -> None:
    process = together(SLEEPER, ENDING, grace=PATIENCE)
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()
    started = below(process.pid)
    process.stdin.close()
    assert process.wait(PATIENCE) == 1
    wait_until(lambda: not any(map(is_running, started)), "something was left behind")


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path, is_bare=True) as site:
        yield site


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (URLError, OSError):
        return False


@pytest.mark.slow
def test_run_prepares_serves_works_and_stops(reader: Installation) -> None:
    port = free_port()
    with reader.start("run", "--port", str(port)) as process:
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), "it does not answer")
            wait_until(
                lambda: len(below(process.pid)) > 5, "the worker did not begin"
            )  # web, its own; cluster, its own
            assert end(process, signal.SIGTERM) == 0
        finally:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGTERM)
    assert not answers(f"http://127.0.0.1:{port}/healthz")


def test_a_killed_parent_takes_all_along() -> None:
    process = together(SLEEPER, SLEEPER, grace=PATIENCE)
    assert process.stdout is not None
    wait_for_beginnings(process.stdout, 2)
    started = below(process.pid)
    assert len(started) == 2
    process.kill()
    assert process.wait(PATIENCE) == -signal.SIGKILL
    wait_until(lambda: not any(map(is_running, started)), "something was left behind")


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        site.prepare()
        yield site


@pytest.mark.slow
def test_killed_run_takes_its_processes_along(prepared: Installation) -> None:
    port = free_port()
    with prepared.start("run", "--port", str(port)) as process:
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), "it does not answer")
            wait_until(lambda: len(below(process.pid)) > 5, "the worker did not begin")
            started = below(process.pid)
        finally:
            process.kill()
        wait_until(lambda: not any(map(is_running, started)), "something was left behind")
    assert not answers(f"http://127.0.0.1:{port}/healthz")


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["the command", "the guard"])
def test_killed_cluster_leaves_no_worker(prepared: Installation, killed: str) -> None:
    """The guard is the child of the command, and the parent of the workers."""
    with prepared.start("qcluster") as process:
        try:
            wait_until(lambda: len(below(process.pid)) == 6, "the cluster did not begin")
            started = below(process.pid)
            (guard,) = (pid for pid in started if below(pid))
            assert below(guard) == started - {guard}
            os.kill(process.pid if killed == "the command" else guard, signal.SIGKILL)
            wait_until(lambda: not any(map(is_running, started)), "a worker was left behind")
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "demo"])
def test_port_in_use_is_reported_first(reader: Installation, command: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as another:
        port = another.getsockname()[1]
        result = reader.run(command, "--port", str(port), ok=False)
    assert result.returncode == 1
    assert f"Can't listen on port {port} of 127.0.0.1" in result.stderr
    assert f"Address already in use by process {os.getpid()}." in result.stderr
    assert "make run PORT=8001" in result.stderr
    assert result.stdout == ""
    assert not (reader.folder / "reader.sqlite3").exists()


@pytest.mark.slow
def test_invalid_port_is_reported(reader: Installation) -> None:
    assert "must be 0-65535" in reader.run("run", "--port", "70000", ok=False).stderr
