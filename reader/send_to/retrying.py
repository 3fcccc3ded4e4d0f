"""What waits in the database is sent by a worker, which claims each row by moving its time, and retried with pauses.

If the worker dies after the receiver has accepted something and before that is stored, it is sent again.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from reader.models import Queued, SendingState

logger = logging.getLogger(__name__)

PAUSES = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))  # between tries
SLACK = timedelta(seconds=30)  # workers look every minute, but not to the second, so half of that is part of each pause
LEASE = timedelta(minutes=20)  # as long as a task may run
CHUNK = 3  # before the task looks at the time again; each may take 20 s
TEMPORARY = frozenset({408, 425, 429})

_Row = TypeVar("_Row", bound=Queued)


class Failed(Exception):
    """It wasn't accepted; the message says why. `is_final`: trying again wouldn't help."""

    def __init__(self, reason: str, *, is_final: bool) -> None:
        super().__init__(reason)
        self.is_final = is_final


def try_due(
    due: QuerySet[_Row],
    attempt: Callable[[_Row], None],
    after_failure: Callable[[_Row, Failed], None],
    *,
    now: datetime,
) -> int:
    """Try what is due; returns how many rows. `attempt` raises Failed; `after_failure` gets it as stored: final, if
    it was the last try."""
    n_tried = 0
    for row in due.filter(state=SendingState.WAITING, try_at__lte=now).order_by("try_at", "pk")[:CHUNK]:
        same = due.model._base_manager.filter(pk=row.pk, state=SendingState.WAITING)
        if same.filter(try_at=row.try_at).update(try_at=now + LEASE, n_tries=row.n_tries + 1):
            n_tried += 1
            try:
                _attempt_once(row, attempt)
            except Failed as failure:
                failure.is_final = failure.is_final or row.n_tries >= len(PAUSES)
                if failure.is_final:
                    same.update(state=SendingState.FAILED)
                else:
                    same.update(try_at=now + PAUSES[row.n_tries] - SLACK)
                after_failure(row, failure)
            else:
                same.update(state=SendingState.SENT)
    return n_tried


def _attempt_once(row: _Row, attempt: Callable[[_Row], None]) -> None:
    """Raises Failed, also after a bug, which must not stop the others."""
    if row.n_tries > len(PAUSES):  # the last try ended its worker
        raise Failed(_("RSS Manager was interrupted each time."), is_final=True)
    try:
        attempt(row)
    except Failed:
        raise
    except Exception as error:
        logger.exception("%s %s could not be sent", type(row).__name__, row.pk)
        raise Failed(_("Something went wrong. The error has been logged."), is_final=False) from error
