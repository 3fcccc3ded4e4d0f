"""What a database holds, as one digest for each table, so that a test can say what a request has changed."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.rssmanager.installation import SQLITE, Installation

# What any request may write without harm: when a session was last seen, and how the program itself fares.
NOT_COUNTED = {
    "django_session",
    "signing_in_browsersession",  # also made for nobody, where a page has to remember something
    "operating_slowquery",
    "operating_worker",
    "sqlite_sequence",
}
NOT_COUNTED_COLUMNS = {"auth_user": {"last_login"}}

State = dict[str, str]


def state_of(reader: Installation) -> State:
    """A digest of each table's rows."""
    url = reader.environment["DATABASE_URL"]
    return _of_postgresql(url) if url else _of_sqlite(reader.folder / SQLITE)


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
