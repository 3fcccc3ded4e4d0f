"""What the workers do, noted by themselves before and after each task.

The queue knows which clusters live only where Redis is shared, and forgets a task's success after some 500 others: not
an hour. A row a worker and a row a task tell both, at the cost of two small updates a task. A database that does not
answer is the task's own trouble; that nothing could be noted must not end the worker.
"""

import logging
import os
import socket
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django_q.signals import post_execute_in_worker, pre_execute
from django_q.utils import get_func_repr

from rssmanager.logs import said_of
from rssmanager.operating.models import TaskTally, Worker
from rssmanager.operating.slow_queries import Watch, keep

logger = logging.getLogger(__name__)

SILENT_AFTER = timedelta(minutes=5)  # a cluster has tasks every minute, each of which is a sign of life
FORGOTTEN_AFTER = timedelta(days=1)

_open = ExitStack()  # what holds for the task at work; a worker process has one at a time


def join_workers() -> None:
    """Have every worker process note its tasks. The one place with signals: they are how the queue tells of them."""
    pre_execute.connect(begin, dispatch_uid="operating begin")
    post_execute_in_worker.connect(end, dispatch_uid="operating end")


def begin(task: dict[str, Any], **_: Any) -> None:
    """A worker took a task."""
    _open.close()
    name, watch = name_of(task), Watch()
    _open.enter_context(said_of(task=name, task_id=str(task.get("id", ""))))
    _open.enter_context(watch.over_queries())
    _open.callback(_note_slow, watch, name)
    now = timezone.now()
    task["began_at"] = now
    try:
        _note_worker(now, task=name, task_began_at=now)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("That %s began could not be noted: %s", name, error)


def end(task: dict[str, Any], **_: Any) -> None:
    """The task is over, well or not."""
    name, now = name_of(task), timezone.now()
    try:
        _note_worker(now, task="", task_began_at=None, n_tasks=F("n_tasks") + 1)
        _note_task(name, began_at=task.get("began_at", now), now=now, success=bool(task.get("success")))
    except (DatabaseError, InterfaceError) as error:
        logger.warning("That %s ended could not be noted: %s", name, error)
    _open.close()


def name_of(task: dict[str, Any]) -> str:
    """The dotted name of what a task calls."""
    return str(get_func_repr(task["func"]))[:256]


def alive(now: datetime) -> QuerySet[Worker]:
    """Workers heard of lately, or busy for no longer than a task may take."""
    longest = timedelta(seconds=settings.Q_CLUSTER["timeout"])
    is_busy = Q(task_began_at__gt=now - longest)
    return Worker.objects.filter(Q(seen_at__gt=now - SILENT_AFTER) | is_busy).order_by("host", "pid")


def forget_gone(now: datetime) -> None:
    """Leave out workers that nobody heard of for a day."""
    Worker.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()


def _note_worker(now: datetime, **values: Any) -> None:
    host, pid = socket.gethostname()[:200], os.getpid()
    with transaction.atomic():
        if not Worker.objects.filter(host=host, pid=pid).update(seen_at=now, **values):
            values.pop("n_tasks", None)
            Worker.objects.create(host=host, pid=pid, seen_at=now, **values)


def _note_task(name: str, *, began_at: datetime, now: datetime, success: bool) -> None:
    seconds = (now - began_at).total_seconds()
    changes: dict[str, Any] = {"seconds": F("seconds") + seconds, "last_seconds": seconds, "last_began_at": began_at}
    if success:
        changes |= {"n_done": F("n_done") + 1, "failures_running": 0, "last_success_at": now}
    else:
        changes |= {
            "n_failed": F("n_failed") + 1,
            "failures_running": F("failures_running") + 1,
            "last_failure_at": now,
        }
    with transaction.atomic():
        TaskTally.objects.bulk_create([TaskTally(task=name)], ignore_conflicts=True)
        TaskTally.objects.filter(task=name).update(**changes)


def _note_slow(watch: Watch, name: str) -> None:
    keep(watch.slow, place=name, now=timezone.now())
