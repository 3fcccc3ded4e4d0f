"""Workers record what they do before and after each task, and their guard which of them live.

The queue knows the active clusters only with Redis, and forgets a task's result after 500 others, in less than an hour.
One row per worker and one per task show both, at the cost of two small updates per task, and of one per cluster every
15 seconds. If the database doesn't respond, the task itself fails; recording must end neither worker nor guard.
"""

import logging
import os
import socket
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, InterfaceError, close_old_connections, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django_q.signals import post_execute_in_worker, pre_execute
from django_q.utils import get_func_repr

from rssmanager.operations.logs import log_context
from rssmanager.operations.models import TaskTally, Worker
from rssmanager.operations.slow_queries import QueryWatch, save_slow

logger = logging.getLogger(__name__)

SILENT_AFTER = timedelta(seconds=60)  # a guard ticks every 15 s; a busy database may take 30 s to accept it
DELETED_AFTER = timedelta(days=1)

_open = ExitStack()  # contexts of the current task; a worker process has one at a time


def connect_signals() -> None:
    """Let every worker process record its tasks. Signals are the only hook that the queue offers."""
    pre_execute.connect(on_task_start, dispatch_uid="monitoring start")
    post_execute_in_worker.connect(on_task_end, dispatch_uid="monitoring end")


def on_task_start(task: dict[str, Any], **_: Any) -> None:
    _open.close()
    name, watch = task_name(task), QueryWatch()
    _open.enter_context(log_context(task=name, task_id=str(task.get("id", ""))))
    _open.enter_context(watch.watch_queries())
    _open.callback(lambda: save_slow(watch.slow, place=name, now=timezone.now()))
    now = timezone.now()
    task["began_at"] = now
    with _only_logged(f"The start of {name} couldn't be recorded"):
        _record_worker(now, task=name, task_began_at=now)


def on_task_end(task: dict[str, Any], **_: Any) -> None:
    name, now = task_name(task), timezone.now()
    with _only_logged(f"The end of {name} couldn't be recorded"):
        _record_worker(now, task="", task_began_at=None, n_tasks=F("n_tasks") + 1)
        _record_task(name, began_at=task.get("began_at", now), now=now, success=bool(task.get("success")))
    _open.close()


def tick(pids: Collection[int], now: datetime) -> None:
    """Record that these workers of this machine live, whatever they are doing."""
    workers = [Worker(host=host_name(), pid=pid, seen_at=now) for pid in pids]
    with _only_logged("Living workers couldn't be recorded"):
        Worker.objects.bulk_create(
            workers, update_conflicts=True, unique_fields=["host", "pid"], update_fields=["seen_at"]
        )


def on_worker_end(pid: int) -> None:
    """Delete the worker's row, before another process gets its pid; a task it hasn't finished has failed."""
    now = timezone.now()
    with _only_logged(f"The end of worker {pid} couldn't be recorded"):
        worker = Worker.objects.filter(host=host_name(), pid=pid).first()
        if worker is not None:
            worker.delete()
            if worker.task and worker.task_began_at is not None:
                _record_task(worker.task, began_at=worker.task_began_at, now=now, success=False)


@contextmanager
def _only_logged(what: str) -> Iterator[None]:
    """Use a connection that works, and log database errors."""
    try:
        if not connection.in_atomic_block:  # as in tests
            close_old_connections()
        yield
    except (DatabaseError, InterfaceError) as error:
        logger.warning("%s: %s", what, error)


def task_name(task: dict[str, Any]) -> str:
    """The dotted name of a task's function."""
    return str(get_func_repr(task["func"]))[:256]


def active_workers(now: datetime) -> QuerySet[Worker]:
    """Workers that live, as far as is known."""
    return Worker.objects.filter(seen_at__gt=now - SILENT_AFTER).order_by("host", "pid")


def host_name() -> str:
    """The name of this machine in rows of workers."""
    return socket.gethostname()[:200]


def delete_inactive(now: datetime) -> None:
    """Delete workers that were inactive for a day."""
    Worker.objects.filter(seen_at__lt=now - DELETED_AFTER).delete()


def _record_worker(now: datetime, **values: Any) -> None:
    host, pid = host_name(), os.getpid()
    with transaction.atomic():
        if not Worker.objects.filter(host=host, pid=pid).update(seen_at=now, **values):
            values.pop("n_tasks", None)
            Worker.objects.create(host=host, pid=pid, seen_at=now, **values)


def _record_task(name: str, *, began_at: datetime, now: datetime, success: bool) -> None:
    seconds = (now - began_at).total_seconds()
    changes: dict[str, Any] = {"seconds": F("seconds") + seconds, "last_seconds": seconds, "last_began_at": began_at}
    if success:
        changes |= {"n_done": F("n_done") + 1, "consecutive_failures": 0, "last_success_at": now}
    else:
        changes |= {
            "n_failed": F("n_failed") + 1,
            "consecutive_failures": F("consecutive_failures") + 1,
            "last_failure_at": now,
        }
    with transaction.atomic():
        TaskTally.objects.bulk_create([TaskTally(task=name)], ignore_conflicts=True)
        TaskTally.objects.filter(task=name).update(**changes)
