"""Queries that take long: told in the log at once, and the costliest kept for the operator.

They are kept after the request or task that asked them, not while it asks: a transaction that is rolled back would take
the note along, and one more writer in the middle of a page would wait for SQLite's lock.
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

from rssmanager.operating.models import SlowQuery

logger = logging.getLogger(__name__)

MOST_KEPT = 100
MOST_TEXT = 2000  # characters of a query
_LIST = re.compile(r"\(\s*%s(?:\s*,\s*%s)+\s*\)")
_ROWS = re.compile(r"\(%s, …\)(?:\s*,\s*\(%s, …\))+")
_TEXT = re.compile(r"'(?:[^']|'')*'")


@dataclass(slots=True)
class Watch:
    """Looks over the queries of one request or task; `slow` are those that took long, with their seconds."""

    slow: list[tuple[str, float]] = field(default_factory=list)
    n_queries: int = 0

    @contextmanager
    def over_queries(self) -> Iterator[None]:
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
                text = bare(sql)
                self.slow.append((text, seconds))
                logger.warning("A query took %.2f s: %s", seconds, text, extra={"seconds": round(seconds, 3)})


def bare(sql: str) -> str:
    """The query without values, so that the same query is the same text however long its lists are."""
    text = _TEXT.sub("'…'", " ".join(str(sql).split()))
    text = _ROWS.sub("(%s, …), …", _LIST.sub("(%s, …)", text))
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"


def keep(slow: Sequence[tuple[str, float]], *, place: str, now: datetime) -> None:
    """Add what was slow to the table, of which the costliest `MOST_KEPT` stay. A database that fails loses the note."""
    if not slow:
        return
    try:
        with transaction.atomic():
            for sql, seconds in sorted(slow):  # in one order, or two that keep the same rows would wait for each other
                _add(sql, seconds, place=place[:256], now=now)
            dropped = SlowQuery.objects.order_by("-seconds", "key").values_list("key", flat=True)[MOST_KEPT:]
            SlowQuery.objects.filter(key__in=list(dropped)).delete()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Slow queries could not be kept: %s", error)


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
