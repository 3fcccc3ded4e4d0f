"""Concurrent writes, each in its own thread with its own connection."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
from django.db import connection


def apart(act: Callable[[], Any]) -> Callable[[], Any]:
    """Wrap `act` to run in a thread with its own connection."""

    def work() -> Any:
        try:
            return act()
        finally:
            connection.close()

    return work


def until_it_waits(work: Future[Any]) -> None:
    """Return once the thread is done or waits for a lock."""
    with connection.cursor() as cursor:
        while not work.done():
            cursor.execute("SELECT EXISTS(SELECT FROM pg_locks WHERE NOT granted)")
            if cursor.fetchone() == (True,):
                return


def at_once(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test of concurrent writes."""
    takes_turns = pytest.mark.skipif(connection.vendor == "sqlite", reason="its writers take turns")
    return pytest.mark.vendor(pytest.mark.django_db(transaction=True)(takes_turns(test)))
