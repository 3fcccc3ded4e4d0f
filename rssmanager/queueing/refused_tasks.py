"""Tasks that workers refused to run: logged, and recorded for the operations page and `doctor`.

They are rows in the queue's table of failures, in a group of their own: one per name and place, with a count.
"""

import logging
from datetime import datetime
from hashlib import sha256

from django.db import DatabaseError, InterfaceError, close_old_connections, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django_q.models import Failure

logger = logging.getLogger(__name__)

GROUP = "refused"
QUEUE, SCHEDULES = "queue", "schedules"
MAX_REFUSED = 50  # names; an attacker could send any number
_LONGEST_NAME = 256  # characters, as in the table


def refuse(name: object, *, place: str) -> None:
    """Log and record a refused task. Database errors are only logged."""
    shown = ascii(name).strip("'\"")[:_LONGEST_NAME]  # no line breaks or NUL in logs and tables
    logger.warning("Refused to run %s from the %s: it is not one of this app's tasks", shown, place)
    try:
        close_old_connections()
        _keep(shown, place, timezone.now())
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Couldn't record the refusal of %s: %s", shown, error)


def refused() -> QuerySet[Failure]:
    """Refused tasks, latest first; `name` is the place, `attempt_count` the count."""
    rows: QuerySet[Failure] = Failure.objects.filter(group=GROUP).order_by("-stopped")
    return rows


def _keep(shown: str, place: str, now: datetime) -> None:
    pk = sha256(f"{place}:{shown}".encode()).hexdigest()[:32]
    row = Failure(
        id=pk, name=place, func=shown, args=[], kwargs={}, started=now, stopped=now, group=GROUP, success=False,
        result="Not one of this app's tasks.",
    )  # fmt: skip
    with transaction.atomic():
        Failure.objects.bulk_create([row], ignore_conflicts=True)
        Failure.objects.filter(pk=pk).update(stopped=now, attempt_count=F("attempt_count") + 1)
        newest = list(refused().values_list("pk", flat=True)[:MAX_REFUSED])
        Failure.objects.filter(group=GROUP).exclude(pk__in=newest).delete()
