"""Copying the database with its own tools, consistently while others write.

SQLite uses its online backup in one step, which reads and replaces the database atomically. PostgreSQL needs `pg_dump`,
`pg_restore` and `psql` of the server's version or newer, and is restored in one transaction.
"""

import os
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection

from rssmanager.backup.archive import BackupError

_MAX_LINES = 3  # of PostgreSQL's error output; the reason isn't always in the first
LOCK_TIMEOUT = "60s"  # while tables are replaced
_VARIABLES = {
    "dbname": "PGDATABASE", "user": "PGUSER", "password": "PGPASSWORD", "host": "PGHOST", "port": "PGPORT",
    "sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "service": "PGSERVICE",
}  # fmt: skip
_PLAIN = ("--no-owner", "--no-privileges")  # the restoring user owns everything


def dump(to: Path) -> None:
    """Copy the database into a new file and check the copy. Raises BackupError or OSError."""
    if connection.vendor != "sqlite":
        _run("pg_dump", "--format=custom", *_PLAIN, f"--file={to}")
        return
    try:
        connection.ensure_connection()
        with closing(sqlite3.connect(to)) as copy:
            connection.connection.backup(copy)
    except (sqlite3.Error, DatabaseError) as error:
        raise BackupError(f"The database can't be copied: {error}.") from error
    check(to)


def check(copy: Path) -> None:
    """Raises BackupError if the copy can't be restored."""
    if connection.vendor != "sqlite":
        _run("pg_restore", "--list", str(copy))
        return
    try:
        with closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as opened:
            result = opened.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise BackupError(f"The copy of the database is damaged: {error}.") from error
    if result != "ok":
        raise BackupError(f"The copy of the database is damaged: {result}")


def load(copy: Path, *, scratch: Path, then: Sequence[str]) -> None:
    """Replace the whole database by the copy, or leave it unchanged on failure; `scratch` is a new temporary file.

    The statements of `then` run on the copy before anyone sees it. Raises BackupError or OSError.
    """
    if connection.vendor == "sqlite":
        try:
            connection.ensure_connection()
            with closing(sqlite3.connect(copy)) as source:
                with source:
                    for statement in then:
                        source.execute(statement)
                source.backup(connection.connection)
        except (sqlite3.Error, DatabaseError) as error:
            raise BackupError(f"The database can't be written: {error}.") from error
    else:
        # To SQL first, so that a truncated dump isn't mistaken for a complete one.
        _run("pg_restore", "--clean", "--if-exists", *_PLAIN, f"--file={scratch}", str(copy))
        _run(
            "psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null",
            f"--command=SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'", f"--command={_drop_tables_sql()}",
            f"--file={scratch}", "--command=RESET search_path",  # a dump leaves none
            *(f"--command={statement}" for statement in then),
        )  # fmt: skip
    connection.close()  # its state is outdated


def is_empty() -> bool:
    """Whether the database has no users and no feeds."""
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        for table in ("auth_user", "feeds_feed"):
            if table in tables:
                cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608
                if cursor.fetchone():
                    return False
    return True


def _drop_tables_sql() -> str:
    """Drops all tables, including those missing in the copy, which migrations would create again."""
    names = ", ".join(connection.ops.quote_name(table_name) for table_name in connection.introspection.table_names())
    return f"DROP TABLE IF EXISTS {names} CASCADE" if names else "SELECT 1"


def _run(program: str, *arguments: str) -> None:
    try:
        subprocess.run([program, *arguments], env=_environment(), check=True, capture_output=True)  # noqa: S603 - programs named here
    except FileNotFoundError as error:
        raise BackupError(
            f"{program} is not installed; it comes with PostgreSQL's client programs (postgresql-client)."
        ) from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines() or [f"it ended with {error.returncode}"]
        raise BackupError(f"{program} failed: {' '.join(lines[:_MAX_LINES])}") from error


def _environment() -> dict[str, str]:
    """Connection settings; other users of the machine could read a password among the arguments."""
    known: dict[str, Any] = connection.get_connection_params()
    return os.environ | {variable: str(known[name]) for name, variable in _VARIABLES.items() if known.get(name)}
