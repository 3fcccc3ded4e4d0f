"""Writers to SQLite take turns: none is starved, and no lock outlives its process."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.utils import ConnectionHandler

from rssmanager.db_sqlite.base import DatabaseWrapper
from rssmanager.db_sqlite.turn import Turn
from rssmanager.env import PROJECT

SETTINGS = {"ENGINE": "rssmanager.db_sqlite", "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 5}}
# Writes without pause, like a worker storing batch after batch.
BUSY = """
import sqlite3, sys, time
from rssmanager.db_sqlite.turn import Turn
path, seconds = sys.argv[1], float(sys.argv[2])
turn, until = Turn(path, patience=30), time.monotonic() + seconds
database = sqlite3.connect(path, isolation_level=None, timeout=30)
print("begun", flush=True)
while time.monotonic() < until:
    turn.take()
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT INTO t VALUES (1)")
    time.sleep(0.05)
    database.execute("COMMIT")
    turn.give()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    database_file = tmp_path / "queued.sqlite3"
    with closing(sqlite3.connect(database_file)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t (n)")
    return database_file


@pytest.fixture
def database(path: Path, db: None) -> Iterator[DatabaseWrapper]:
    """A Django connection to its own file."""
    connection = ConnectionHandler({"default": SETTINGS | {"NAME": str(path)}})["default"]
    assert isinstance(connection, DatabaseWrapper)
    yield connection
    connection.close()


def is_free(path: Path) -> bool:
    other = Turn(str(path), patience=0)
    other.take()
    is_held = other._held is not None
    other.give()
    return is_held


def begin(database: DatabaseWrapper) -> None:
    database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


class TestTurn:
    def test_one_connection_has_it_at_a_time(self, path: Path) -> None:
        one, other, order = Turn(str(path), patience=5), Turn(str(path), patience=5), list[str]()

        def write() -> None:
            other.take()
            order.append("other")
            other.give()

        one.take()
        waiting = threading.Thread(target=write)
        waiting.start()
        time.sleep(0.05)
        order.append("one")
        one.give()
        waiting.join()
        assert order == ["one", "other"]

    def test_continues_without_the_turn_after_waiting(self, path: Path) -> None:
        holder, other = Turn(str(path), patience=5), Turn(str(path), patience=0.05)
        holder.take()
        other.take()
        assert not is_free(path)
        other.give()
        assert not is_free(path)
        holder.give()
        assert is_free(path)

    def test_ends_with_its_process(self, path: Path) -> None:
        child = os.fork()
        if child == 0:
            Turn(str(path), patience=5).take()
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        assert is_free(path)

    def test_without_locks_everyone_writes(self, tmp_path: Path) -> None:
        turn = Turn(str(tmp_path / "none" / "reader.sqlite3"), patience=5)
        turn.take()
        turn.give()

    @pytest.mark.slow
    def test_busy_writers_do_not_starve_a_third(self, path: Path, database: DatabaseWrapper) -> None:
        """Without turns, SQLite makes it wait for seconds: it retries ten times a second while others keep writing."""
        command = [sys.executable, "-c", BUSY, str(path), "4"]
        busy = [subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE) for _ in range(2)]
        n_written = 0
        try:
            for process in busy:
                assert process.stdout is not None
                process.stdout.readline()
            while all(process.poll() is None for process in busy):
                with database.cursor() as cursor:
                    cursor.execute("INSERT INTO t VALUES (2)")
                n_written += 1
        finally:
            for process in busy:
                process.kill()
                process.communicate()
        assert n_written >= 8


class TestConnection:
    def test_transaction_holds_the_turn_until_its_end(self, path: Path, database: DatabaseWrapper) -> None:
        for end in (database.commit, database.rollback):
            begin(database)
            assert not is_free(path)
            end()
            assert is_free(path)
            database.set_autocommit(True)

    def test_single_statement_holds_it(self, path: Path, database: DatabaseWrapper) -> None:
        held: list[bool] = []

        def look(execute: Any, *statement: Any) -> Any:
            held.append(not is_free(path))
            return execute(*statement)

        database.execute_wrappers.append(look)  # within the existing file
        with database.cursor() as cursor:
            cursor.execute("INSERT INTO t VALUES (1)")
            cursor.execute("SELECT n FROM t")
        assert is_free(path)
        assert held == [True, False]

    def test_failed_transaction_releases_it(self, path: Path, database: DatabaseWrapper) -> None:
        database.settings_dict["OPTIONS"]["timeout"] = 0.05
        with closing(sqlite3.connect(path, isolation_level=None)) as stranger:
            stranger.execute("BEGIN IMMEDIATE")
            with pytest.raises(OperationalError, match="locked"):
                begin(database)
        assert is_free(path)

    def test_closed_connection_releases_it(self, path: Path, database: DatabaseWrapper) -> None:
        begin(database)
        database.close()
        assert is_free(path)

    @pytest.mark.django_db
    def test_in_memory_database_has_no_turns(self) -> None:
        if connection.vendor == "sqlite":
            with transaction.atomic():
                assert connection._turn is None
