"""Worker clusters and direct access to an installation's database, without a process per query."""

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from tests.rssmanager.installation import Installation
from tests.rssmanager.server.test_supervisor import below

PATIENCE = 180.0  # seconds that any step may take on a busy machine
PACKAGE = """
from django_q.tasks import async_task
class Printing:
    list_key = ""
    def enqueue(self, package):
        print(package)
async_task("{}", broker=Printing())
"""
# The guard of a cluster schedules and ticks every 2.5 seconds instead of 15. The queue in the database is read ten
# times per second instead of once, and a broken one after 1 second instead of 10.
HURRY = """
import time
from django_q import pusher
from django_q.conf import Conf
from rssmanager.queueing import urgent
urgent.TICK_SECONDS = 2.5
pusher.sleep = lambda seconds: time.sleep(seconds / 10)
Conf.POLL = 0.1
"""
# A worker stands still within a task, right after a given write: the file `stop` names the task, the table and which of
# its writes; the first worker to get there renames the file to `stopped.PID`, and waits to be killed.
STOPPING = """
import os, re
from pathlib import Path
from threading import Event
from django.db.backends.signals import connection_created
from django_q.signals import pre_execute
folder = Path({folder!r})
running = {{}}
def begin(task, **_):
    running.update(task=task["func"], n=0)
def stop(execute, sql, params, many, context):
    result = execute(sql, params, many, context)
    if "task" not in running or not (folder / "stop").exists():
        return result
    task, table, n = (folder / "stop").read_text().split()
    if task == running["task"] and re.match(rf'\\s*(INSERT|UPDATE|DELETE)\\b[^(]*?"?\\b{{table}}\\b', sql):
        running["n"] += 1
        if running["n"] == int(n):
            os.rename(folder / "stop", folder / f"stopped.{{os.getpid()}}")
            Event().wait()
    return result
def connected(connection, **_):
    if stop not in connection.execute_wrappers:
        connection.execute_wrappers.append(stop)
pre_execute.connect(begin)
connection_created.connect(connected)
"""
FEW_MODELS = {"WORKERS": "2", "DEDUP_MEANING": "false"}  # a model that every worker would load takes long
CLAIMS_EXPIRE = (
    "UPDATE feeds_source SET leased_until = '2020-01-01 00:00:00+00:00' WHERE leased_until IS NOT NULL",
    "UPDATE feeds_pending SET claimed_until = '2020-01-01 00:00:00+00:00' WHERE claimed_until IS NOT NULL",
    "UPDATE digests_digestplan SET claimed_until = '2020-01-01 00:00:00+00:00' WHERE claimed_until IS NOT NULL",
    "UPDATE feeds_feed SET next_poll_at = '2020-01-01 00:00:00+00:00' WHERE last_success_at IS NULL",
    "UPDATE digests_mailing SET claimed_until = '2020-01-01 00:00:00+00:00' WHERE claimed_until IS NOT NULL",
)


def wait_until(is_so: Callable[[], object], what: str, *, patience: float = PATIENCE) -> None:
    until = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def sql(reader: Installation, statement: str) -> list[tuple[Any, ...]]:
    """Run and commit one statement on the installation's database; return its rows."""
    if url := reader.environment["DATABASE_URL"]:
        with psycopg.connect(url.replace("postgres://", "postgresql://"), autocommit=True) as connection:
            result = connection.execute(statement.encode())
            return result.fetchall() if result.description else []
    path = Path(reader.environment["DATA_DIR"], "reader.sqlite3")
    with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def follow(reader: Installation, urls: list[str]) -> None:
    path = reader.folder / "urls.txt"
    path.write_text("\n".join(urls))
    reader.run("import_opml", str(path))


def n_rows(reader: Installation, table: str, where: str = "1 = 1") -> int:
    return int(sql(reader, f"SELECT count(*) FROM {table} WHERE {where}")[0][0])  # noqa: S608 - our own


def let_claims_expire(reader: Installation) -> None:
    """Expire the claims of dead processes and make waiting feeds due, as time would. Changes nothing else in the
    database."""
    for statement in CLAIMS_EXPIRE:
        sql(reader, statement)


def make_feeds_due(reader: Installation) -> None:
    """Make feeds due that were never polled, as time would: one whose worker died is tried again later."""
    sql(reader, "UPDATE feeds_feed SET next_poll_at = '2020-01-01 00:00:00+00:00' WHERE last_success_at IS NULL")


def make_schedules_due(reader: Installation, now: datetime | None = None) -> None:
    """Make the recurring tasks due, as time would."""
    sql(reader, f"UPDATE django_q_schedule SET next_run = '{_just_now(reader, now)}'")  # noqa: S608 - our own


def _just_now(reader: Installation, now: datetime | None = None) -> str:
    """The current time as Django writes it into that database, because the queue compares it exactly."""
    zone = "+00:00" if reader.environment["DATABASE_URL"] else ""
    return f"{(now or datetime.now(UTC)) - timedelta(seconds=1):%Y-%m-%d %H:%M:%S.%f}{zone}"


class Calls:
    """Queues tasks through the database, without a Django process per task."""

    def __init__(self, reader: Installation) -> None:
        self._reader, self._packages = reader, dict[str, str]()

    def make(self, task: str) -> None:
        """Put the task into the queue."""
        if task not in self._packages:
            output = self._reader.run("shell", "--no-imports", "-c", PACKAGE.format(task))
            self._packages[task] = output.stdout.strip()
        values = f"'rssmanager', '{self._packages[task]}', '{_just_now(self._reader)}'"
        sql(self._reader, f"INSERT INTO django_q_ormq (key, payload, lock) VALUES ({values})")  # noqa: S608 - our own


@dataclass(frozen=True, slots=True)
class Stage:
    """A moment within a task: right after its nth write to a table."""

    task: str
    table: str
    nth: int = 1

    def stop_at(self, folder: Path) -> None:
        """Let the next worker that gets there stand still (`STOPPING`)."""
        for earlier in folder.glob("stopped.*"):
            earlier.unlink()
        (folder / "new").write_text(f"{self.task} {self.table} {self.nth}")
        (folder / "new").rename(folder / "stop")

    def stopped(self, folder: Path) -> int:
        """The process that stands still; 0 while there is none."""
        return next((int(path.suffix[1:]) for path in folder.glob("stopped.*")), 0)


class Cluster:
    """A `qcluster` in its own process group, with its output in `log`."""

    def __init__(self, reader: Installation, name: str = "cluster", *, before: str = "") -> None:
        """`before` is code that runs first and that workers inherit."""
        self.log = reader.folder / f"{name}.log"
        code = f"{HURRY}{before}\nfrom django.core.management import call_command\ncall_command('qcluster')"
        command = reader.command("shell", "--no-imports", "-c", code)
        with self.log.open("ab") as written:
            self.process = subprocess.Popen(
                command, env=reader.environment, stdout=written, stderr=written,
                start_new_session=True,
            )  # fmt: skip

    def parts(self) -> list[int]:
        """All processes but the first: sentinel, workers, monitor, pusher."""
        return sorted(below(self.process.pid))

    def kill(self) -> None:
        """Kill all processes at once, like a power failure."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def cluster(reader: Installation, name: str = "cluster", *, before: str = "") -> Iterator[Cluster]:
    cluster = Cluster(reader, name, before=before)
    try:
        yield cluster
    finally:
        cluster.kill()


def pids_at_work(reader: Installation) -> dict[int, str]:
    """The task of each busy worker process, as recorded by the workers."""
    return dict(sql(reader, "SELECT pid, task FROM operations_worker WHERE task != ''"))


def kill(pid: int) -> bool:
    """Kill the process; return False if it had already ended."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def kill_those_at(reader: Installation, *tasks: str) -> int:
    """Kill all workers that run one of the tasks; return how many."""
    return sum(kill(pid) for pid, at in pids_at_work(reader).items() if at in tasks)


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
