"""PostgreSQL crashes and restarts under a running web server and cluster."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

import psycopg
import pytest

from tests.digests.mail_server import free_port
from tests.faults.checking import check_whole
from tests.faults.dropping_proxy import DroppingProxy
from tests.faults.processes import (
    FEW_MODELS,
    Calls,
    cluster,
    follow,
    let_claims_expire,
    make_schedules_due,
    n_rows,
    pids_at_work,
    sql,
    wait_until,
)
from tests.faults.published import Publishers
from tests.faults.redis_of_its_own import OwnRedis
from tests.faults.test_killing import EVERY_MINUTE
from tests.faults.visitor import Visitor
from tests.rssmanager.installation import Installation
from tests.rssmanager.operations.servers import serving

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
N_FEEDS, N_ENTRIES = 16, 20


def _who() -> str:
    """The account to run PostgreSQL, which refuses to run as root."""
    return "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def _can_run() -> bool:
    names = {account.pw_name for account in pwd.getpwall()}
    return bool(PROGRAMS) and _who() in names and (os.geteuid() != 0 or shutil.which("setpriv") is not None)


pytestmark = pytest.mark.skipif(not _can_run(), reason="PostgreSQL's server programs are not installed")


class OwnPostgres:
    """A PostgreSQL server for one test, in its own folder."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="rssmanager-pg-"))
        shutil.chown(self.folder, _who())
        self.port = free_port()
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "reader", "-A", "trust")
        self.url = f"postgres://reader@127.0.0.1:{self.port}/reader"
        self.start()
        where = f"postgresql://reader@127.0.0.1:{self.port}/postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute("CREATE DATABASE reader")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        log = str(self.folder / "log")
        self._run("pg_ctl", "start", "-w", "-D", str(self.folder / "data"), "-l", log, "-o", options)

    def crash(self) -> None:
        """Kill all processes at once, like a power failure; it recovers when started again."""
        self._run("pg_ctl", "stop", "-m", "immediate", "-D", str(self.folder / "data"))

    def end_connections(self) -> None:
        """End all connections, as an administrator may."""
        where = f"postgresql://reader@127.0.0.1:{self.port}/postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'reader'")

    def close(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate", "-D", str(self.folder / "data"), ok=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str, ok: bool = True) -> None:
        command = [str(PROGRAMS[-1].with_name(program)), *arguments]
        if os.geteuid() == 0:
            who = pwd.getpwnam(_who())
            command = ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups", *command]
        process = subprocess.run(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        assert process.returncode == 0 or not ok, process.stderr


@pytest.fixture
def database() -> Iterator[OwnPostgres]:
    postgres = OwnPostgres()
    yield postgres
    postgres.close()


@pytest.fixture
def reader(tmp_path: Path, database: OwnPostgres) -> Installation:
    installation = Installation(tmp_path, database.url)
    installation.environment |= {**FEW_MODELS, "DJANGO_SUPERUSER_PASSWORD": "correct horse"}
    installation.run("migrate", "--verbosity", "0")
    installation.prepare()
    installation.run("createsuperuser", "--noinput", "--username", "owner", "--email", "owner@example.org")
    return installation


def test_pages_report_it_and_work_resumes_by_itself(
    reader: Installation, database: OwnPostgres, publishers: Publishers
) -> None:
    """It crashes twice: while feeds are polled, and while their articles are compared. Leases of tasks that failed
    are expired, as time would."""
    follow(reader, publishers.publish(N_FEEDS, N_ENTRIES))
    calls = Calls(reader)
    with serving(reader) as server, cluster(reader) as workers:
        visitor = Visitor(server, reader)
        for task in ("feeds.tasks.polling.poll_share", "feeds.tasks.stories.match_new"):
            calls.make(task)
            wait_until(lambda task=task: task in pids_at_work(reader).values() or n_rows(reader, "feeds_item"), task)
            database.crash()
            for path_asked in ("/all/", "/subscribe/", "/health/"):
                response = visitor.get(path_asked)
                assert response.status_code == 503, path_asked
                assert response.headers["Retry-After"]
                assert "Your data is safe." in response.text
            database.start()
            wait_until(lambda: visitor.get("/all/").status_code == 200, "pages do not come back")
            wait_until(lambda: not is_at_work(reader), "tasks of before go on")
            let_claims_expire(reader)
        until_whole(reader, calls)
        assert workers.process.poll() is None
        assert visitor.get("/all/").status_code == 200
    check_whole(reader, publishers.n_entries)


def restart(database: OwnPostgres, proxy: DroppingProxy) -> None:
    database.crash()
    database.start()


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server is installed")
@pytest.mark.parametrize(
    "break_connections",
    [
        pytest.param(restart, id="restarted"),
        pytest.param(lambda database, proxy: database.end_connections(), id="ended by the server"),
        pytest.param(lambda database, proxy: proxy.drop(), id="dropped by a firewall"),
    ],
)
def test_feeds_are_polled_again_by_schedule_alone(
    reader: Installation,
    database: OwnPostgres,
    publishers: Publishers,
    break_connections: Callable[[OwnPostgres, DroppingProxy], None],
) -> None:
    """The guard's own connection dies, too, and then nothing queues a task but the guard.

    With the queue in Redis: with the queue in the database, processes that read it die, and the guard gets a new
    connection when it replaces them. A dropped connection is noticed after 2 seconds instead of 30.
    """
    follow(reader, publishers.publish(2, 3))
    with DroppingProxy(database.port) as proxy, closing(OwnRedis()) as queue:
        queue.start()
        direct, through = f":{database.port}/", f":{proxy.port}/"
        hurried = reader.environment["DATABASE_URL"].replace(direct, through) + "?tcp_user_timeout=2000"
        behind_proxy = Installation(reader.folder, hurried)
        behind_proxy.environment |= {**FEW_MODELS, "REDIS_URL": queue.url}
        with cluster(behind_proxy) as workers:
            polled_anew(reader)
            parts = set(workers.parts())
            break_connections(database, proxy)
            polled_anew(reader)
            polled_anew(reader)  # by workers that have recovered
            assert workers.process.poll() is None
            assert parts & set(workers.parts())


def polled_anew(reader: Installation) -> None:
    """Make feeds and schedules due, as time would, until both feeds were polled once more."""
    n_polls = n_rows(reader, "feeds_poll")
    sql(reader, "UPDATE feeds_feed SET next_poll_at = now() - interval '1 second'")
    sql(reader, "UPDATE feeds_source SET leased_until = NULL, lease_token = NULL")

    def is_polled() -> bool:
        make_schedules_due(reader)
        return n_rows(reader, "feeds_poll") >= n_polls + 2

    wait_until(is_polled, "no feed is polled")


def is_at_work(reader: Installation) -> bool:
    """Whether a worker runs a task it started since the restart; others couldn't record their end."""
    return bool(n_rows(reader, "pg_stat_activity", "state = 'active' AND pid != pg_backend_pid()"))


def until_whole(reader: Installation, calls: Calls) -> None:
    """Run the recurring tasks until everything is delivered and rated."""

    def is_whole() -> bool:
        if not n_rows(reader, "django_q_ormq", "lock < now()"):
            for task in EVERY_MINUTE[:6]:
                calls.make(task)
        n_there = n_rows(reader, "reader_delivery", "is_rated")
        return n_there == N_FEEDS * N_ENTRIES and not n_rows(reader, "feeds_pending")

    wait_until(is_whole, "the work does not come to an end")
