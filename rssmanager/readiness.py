"""Whether pages can be answered at all: the database is as this code needs it, and answers.

After an update the code may serve before `prepare` ran, or while it runs. A process that has once found every migration
in place never looks for them again, for its code does not change. While something is wrong it looks every `LOOK_EVERY`
seconds, however many requests come, and a request that meets a database error makes the next one look.
"""

from enum import StrEnum

from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor

LOOK_EVERY = 3.0  # seconds between two looks at a database that is not ready


class Unready(StrEnum):
    """Why a page cannot be answered. On a full disk those are that save something; `Readiness` finds nothing wrong."""

    UPDATING = "updating"
    SILENT = "silent"
    FULL = "full"


class Readiness:
    """What one process knows of its database; threads share it, and the worst that they do is to look twice."""

    def __init__(self, *, is_migrated: bool = False) -> None:
        self._is_migrated = is_migrated
        self._trouble: Unready | None = None
        self._is_sure = is_migrated
        self._look_at = 0.0

    def trouble(self, now: float) -> Unready | None:
        """None where pages can be answered. `now` in seconds of a clock that only goes on."""
        if not self._is_sure and now >= self._look_at:
            self._look_at = now + LOOK_EVERY
            self._trouble = self._look()
            self._is_sure = self._trouble is None
        return self._trouble

    def doubt(self) -> None:
        """The database failed somebody: look before the next answer."""
        self._is_sure, self._look_at = False, 0.0

    def _look(self) -> Unready | None:
        try:
            self._is_migrated = self._is_migrated or not n_migrations_missing()
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM django_migrations WHERE id = 0")  # reads the file, where it is one
        except (DatabaseError, InterfaceError):
            return Unready.SILENT if self._is_migrated or not _answers() else Unready.UPDATING
        return None if self._is_migrated else Unready.UPDATING


def n_migrations_missing() -> int:
    """How many migrations of this code the database has not had. Raises DatabaseError where it does not answer."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _answers() -> bool:
    """An empty database answers, and has no table yet."""
    try:
        connection.introspection.table_names()
    except (DatabaseError, InterfaceError):
        return False
    return True
