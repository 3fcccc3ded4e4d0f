"""Slow queries: logged at once, and the most expensive ones recorded.

They are recorded after the request or task, because a rollback would remove the record, and another write in the middle
of a page would wait for SQLite's lock.
"""

import hashlib
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest

from rssmanager.operations.models import SlowQuery

logger = logging.getLogger(__name__)

MAX_QUERIES = 100
MAX_SQL = 2000  # characters of a query
_LIST = re.compile(r"\(\s*%s(?:\s*,\s*%s)+\s*\)")
_ROWS = re.compile(r"\(%s, …\)(?:\s*,\s*\(%s, …\))+")
_TEXT = re.compile(r"'(?:[^']|'')*'")


@dataclass(slots=True)
class QueryWatch:
    """Watches the queries of one request or task; `slow` has the slow ones with their seconds."""

    slow: list[tuple[str, float]] = field(default_factory=list)
    n_queries: int = 0

    @contextmanager
    def watch_queries(self) -> Iterator[None]:
        with connection.execute_wrapper(self._run):
            yield

    def _run(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        self.n_queries += 1
        began = perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            seconds = perf_counter() - began
            limit = settings.ENV.LOG_SLOW_QUERY_SECONDS
            if limit and seconds >= limit:
                text = without_values(sql)
                self.slow.append((text, seconds))
                logger.warning("A query took %.2f s: %s", seconds, text, extra={"seconds": round(seconds, 3)})


def without_values(sql: str) -> str:
    """The query without values, so that the text doesn't depend on the length of lists."""
    text = _TEXT.sub("'…'", " ".join(str(sql).split()))
    text = _ROWS.sub("(%s, …), …", _LIST.sub("(%s, …)", text))
    return text if len(text) <= MAX_SQL else f"{text[: MAX_SQL - 1]}…"


def save_slow(slow: Sequence[tuple[str, float]], *, place: str, now: datetime) -> None:
    """Record slow queries, keeping the `MAX_QUERIES` most expensive ones. Database errors are only logged."""
    if not slow:
        return
    try:
        with transaction.atomic():
            for sql, seconds in sorted(slow):  # in a fixed order, to avoid deadlocks
                _add(sql, seconds, place=place[:256], now=now)
            dropped = SlowQuery.objects.order_by("-seconds", "key").values_list("key", flat=True)[MAX_QUERIES:]
            SlowQuery.objects.filter(key__in=list(dropped)).delete()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Slow queries couldn't be recorded: %s", error)


def _add(sql: str, seconds: float, *, place: str, now: datetime) -> None:
    key = hashlib.blake2b(sql.encode(), digest_size=16).hexdigest()
    SlowQuery.objects.bulk_create([SlowQuery(key=key, sql=sql, last_at=now)], ignore_conflicts=True)
    SlowQuery.objects.filter(key=key).update(
        n=F("n") + 1,
        seconds=F("seconds") + seconds,
        worst=Greatest(F("worst"), seconds),
        last_at=now,
        last_place=place,
    )
