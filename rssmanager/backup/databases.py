"""Copies of the database and back, by each database's own tools: consistent, whatever is being written meanwhile.

SQLite: the online backup, in one step: it reads one moment of the file while others go on writing, and when it writes,
whoever has the file open sees all of it or nothing. PostgreSQL: `pg_dump`, `pg_restore` and `psql`, of the server's
version or later; it is restored in one transaction, too.
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

_SAID = 3  # lines of what a program of PostgreSQL says; the reason is not always in the first
LOCK_TIMEOUT = "60s"  # to wait for others while tables are replaced
_VARIABLES = {
    "dbname": "PGDATABASE", "user": "PGUSER", "password": "PGPASSWORD", "host": "PGHOST", "port": "PGPORT",
    "sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "service": "PGSERVICE",
}  # fmt: skip
_PLAIN = ("--no-owner", "--no-privileges")  # whoever restores owns what is restored


def dump(to: Path) -> None:
    """Copy the database into a new file, and look whether the copy is sound. Raises `BackupError`, OSError."""
    if connection.vendor != "sqlite":
        _run("pg_dump", "--format=custom", *_PLAIN, f"--file={to}")
        return
    try:
        connection.ensure_connection()
        with closing(sqlite3.connect(to)) as copy:
            connection.connection.backup(copy)
    except (sqlite3.Error, DatabaseError) as error:
        raise BackupError(f"The database cannot be copied: {error}.") from error
    check(to)


def check(copy: Path) -> None:
    """Raises `BackupError` where the copy could not be restored."""
    if connection.vendor != "sqlite":
        _run("pg_restore", "--list", str(copy))
        return
    try:
        with closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as opened:
            found = opened.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise BackupError(f"The copy of the database is damaged: {error}.") from error
    if found != "ok":
        raise BackupError(f"The copy of the database is damaged: {found}")


def load(copy: Path, *, scratch: Path, then: Sequence[str]) -> None:
    """Put the copy in place of everything in the database, wholly or, where that fails, not at all; `scratch` is a new
    file to work with. Nobody sees it before the statements of `then` were run on it. Raises `BackupError`, OSError."""
    if connection.vendor == "sqlite":
        try:
            connection.ensure_connection()
            with closing(sqlite3.connect(copy)) as source:
                with source:
                    for statement in then:
                        source.execute(statement)
                source.backup(connection.connection)
        except (sqlite3.Error, DatabaseError) as error:
            raise BackupError(f"The database cannot be written: {error}.") from error
    else:
        # As words first: what breaks off in between must not be taken for all there is.
        _run("pg_restore", "--clean", "--if-exists", *_PLAIN, f"--file={scratch}", str(copy))
        _run(
            "psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--output=/dev/null",
            f"--command=SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'", f"--command={_without_tables()}",
            f"--file={scratch}", "--command=RESET search_path",  # a dump leaves none
            *(f"--command={statement}" for statement in then),
        )  # fmt: skip
    connection.close()  # what this process knew of the database is over


def is_empty() -> bool:
    """Whether nobody has used the database yet."""
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        for table in ("auth_user", "feeds_feed"):
            if table in tables:
                cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608
                if cursor.fetchone():
                    return False
    return True


def _without_tables() -> str:
    """Also those that the copy knows nothing of, which migrations would otherwise make a second time."""
    names = ", ".join(connection.ops.quote_name(each) for each in connection.introspection.table_names())
    return f"DROP TABLE IF EXISTS {names} CASCADE" if names else "SELECT 1"


def _run(program: str, *arguments: str) -> None:
    try:
        subprocess.run([program, *arguments], env=_environment(), check=True, capture_output=True)  # noqa: S603 - programs named here
    except FileNotFoundError as error:
        raise BackupError(
            f"{program} is not installed; it comes with PostgreSQL's client programs (postgresql-client)."
        ) from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().splitlines() or [f"it ended with {error.returncode}"]
        raise BackupError(f"{program} failed: {' '.join(said[:_SAID])}") from error


def _environment() -> dict[str, str]:
    """How to reach the database; a password among arguments could be read by everybody on the machine."""
    known: dict[str, Any] = connection.get_connection_params()
    return os.environ | {variable: str(known[name]) for name, variable in _VARIABLES.items() if known.get(name)}
