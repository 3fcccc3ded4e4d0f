"""Whether pages can be served: the database responds and has all migrations.

After an update, the new code may serve before or while `prepare` runs. Once a process has found all migrations applied,
it doesn't check them again. While there is a problem, it checks every `CHECK_INTERVAL` seconds, however many requests
come; after a database error, it checks before the next response.
"""

from enum import StrEnum

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor

CHECK_INTERVAL = 3.0  # seconds between checks of a database that isn't ready


class Unready(StrEnum):
    """Why a page can't be served. A full disk affects only pages that save; `Readiness` doesn't check it."""

    UPDATING = "updating"
    UNAVAILABLE = "silent"
    FULL = "full"


class Readiness:
    """What one process knows of its database. Threads share it; at worst they check twice."""

    def __init__(self, *, is_migrated: bool = False) -> None:
        self._is_migrated = is_migrated
        self._problem: Unready | None = None
        self._is_sure = is_migrated
        self._check_at = 0.0

    def problem(self, now: float) -> Unready | None:
        """None if pages can be served. `now` is in seconds of a monotonic clock."""
        if not self._is_sure and now >= self._check_at:
            self._check_at = now + CHECK_INTERVAL
            self._problem = self._check()
            self._is_sure = self._problem is None
        return self._problem

    def recheck(self) -> None:
        """Check before the next response, after a database error."""
        self._is_sure, self._check_at = False, 0.0

    def _check(self) -> Unready | None:
        try:
            self._is_migrated = self._is_migrated or not n_migrations_missing()
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM django_migrations WHERE id = 0")  # for SQLite, this reads the file
        except (DatabaseError, InterfaceError):
            return Unready.UNAVAILABLE if self._is_migrated or not _responds() else Unready.UPDATING
        return None if self._is_migrated else Unready.UPDATING


def n_migrations_missing() -> int:
    """The number of migrations to apply. Raises DatabaseError if the database doesn't respond."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _responds() -> bool:
    """An empty database responds, but has no tables yet."""
    try:
        connection.introspection.table_names()
    except (DatabaseError, InterfaceError):
        return False
    return True
