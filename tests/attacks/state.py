"""What a database holds, as one digest for each table, so that a test can say what a request has changed."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg import sql

from tests.rssmanager.installation import SQLITE, Installation

# What any request may write without harm: when a session was last seen, and how the program itself fares.
NOT_COUNTED = {
    "authentication_browsersession",  # also made for nobody, where a page has to remember something
    "operations_slowquery",
    "operations_worker",
    "sqlite_sequence",
}
NOT_COUNTED_COLUMNS = {"auth_user": {"last_login"}}

State = dict[str, str]


def state_of(reader: Installation) -> State:
    """A digest of each table's rows."""
    url = reader.environment["DATABASE_URL"]
    return _of_postgresql(url) if url else _of_sqlite(reader.folder / SQLITE)


class Changes:
    """The tables that changed since the last look. On SQLite, whose file has a version, only a change is looked at."""

    def __init__(self, reader: Installation) -> None:
        self._reader = reader
        is_sqlite = not reader.environment["DATABASE_URL"]
        self._connection = sqlite3.connect(reader.folder / SQLITE, timeout=30) if is_sqlite else None
        self._version, self._state = self._now(), state_of(reader)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection:
            self._connection.close()

    def since(self) -> set[str]:
        before, version = self._state, self._now()
        if version == self._version and version:
            return set()
        self._version, self._state = version, state_of(self._reader)
        return set(changed(before, self._state))

    def _now(self) -> int:
        """The number of the last change by another connection; 0 on PostgreSQL."""
        return self._connection.execute("PRAGMA data_version").fetchone()[0] if self._connection else 0


def changed(before: State, after: State) -> list[str]:
    """The tables whose rows differ."""
    return sorted(table for table in before.keys() | after.keys() if before.get(table) != after.get(table))


def _of_sqlite(path: Path) -> State:
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {}
        for name in names:
            if name not in NOT_COUNTED:
                rows = connection.execute(f'SELECT * FROM "{name}"')  # noqa: S608 - a name from the catalogue
                found[name] = _digest(name, [column[0] for column in rows.description], rows.fetchall())
        return found


def _of_postgresql(url: str) -> State:
    with psycopg.connect(url.replace("postgres://", "postgresql://")) as connection:
        listed = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        found = {}
        for (name,) in listed:
            if name not in NOT_COUNTED:
                rows = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(name)))
                found[name] = _digest(name, [column.name for column in rows.description or ()], rows.fetchall())
        return found


def _digest(table: str, columns: list[str], rows: list[tuple[Any, ...]]) -> str:
    left_out = NOT_COUNTED_COLUMNS.get(table, set())
    kept = [place for place, column in enumerate(columns) if column not in left_out]
    return sha256(repr(sorted(repr([row[place] for place in kept]) for row in rows)).encode()).hexdigest()
