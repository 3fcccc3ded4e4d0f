"""Django's SQLite backend with a queue for writers (`turn`); the database engine in the settings."""

from collections.abc import Callable
from typing import Any

from django.db.backends.sqlite3 import base

from rssmanager.db_sqlite.turn import Turn

_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class DatabaseWrapper(base.DatabaseWrapper):
    """Transactions, which start with SQLite's write lock, and writes outside of one wait for their turn."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turn | None = None
        self.execute_wrappers.append(self._one_statement)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if not self.is_in_memory_db():
            self._turn = Turn(str(conn_params["database"]), patience=conn_params.get("timeout", 5.0))
        return super().get_new_connection(conn_params)

    def _start_transaction_under_autocommit(self) -> None:
        self._take()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._give()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._give()  # a failed commit is followed by a rollback

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give()

    def _one_statement(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        if self.in_atomic_block or not sql.lstrip()[:7].upper().startswith(_WRITES):
            return execute(sql, params, many, context)
        self._take()
        try:
            return execute(sql, params, many, context)
        finally:
            self._give()

    def _take(self) -> None:
        if self._turn is not None:
            self._turn.take()

    def _give(self) -> None:
        if self._turn is not None:
            self._turn.give()
