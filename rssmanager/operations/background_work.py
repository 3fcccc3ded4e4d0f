"""Is background work being done, and if not, why not? The one answer for `/readyz`, metrics, `doctor` and Operations.

A guard schedules what is due and records its workers in one go, so without a scheduler no worker is seen either.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import redis
from django.db.models import Min
from django_q.models import Schedule

from rssmanager.operations.models import Worker
from rssmanager.operations.queue import queue_state
from rssmanager.operations.worker_heartbeat import active_workers
from rssmanager.queueing.allowed_tasks import seconds_for
from rssmanager.schedules import RECURRING

LATE_SCHEDULE = timedelta(seconds=60)  # a guard looks every 15 s
LATE_TASK = timedelta(minutes=15)  # waiting for a worker
GRACE = timedelta(seconds=10)  # for a guard to end a task


class Fault(StrEnum):
    """Why background work isn't done."""

    QUEUE = "queue"  # doesn't respond
    WORKER = "worker"  # none lives
    MISSING = "missing"  # recurring tasks aren't in the table
    SCHEDULER = "scheduler"  # due tasks aren't queued
    TASK = "task"  # one has been running for longer than it may
    WAITING = "waiting"  # tasks aren't started


@dataclass(frozen=True, slots=True)
class Stoppage:
    """A fault, since when if that is known, and the task that runs too long."""

    fault: Fault
    since: datetime | None = None
    task: str = ""


def stoppages(now: datetime) -> list[Stoppage]:
    """What keeps background work from being done, gravest first; empty if it is done. Raises database errors."""
    try:
        waiting_since = queue_state(now).oldest_at
    except (redis.RedisError, OSError):
        return [Stoppage(Fault.QUEUE)]
    workers = list(active_workers(now))
    if not workers:
        last = Worker.objects.order_by("-seen_at").values_list("seen_at", flat=True).first()
        return [Stoppage(Fault.WORKER, last)]
    if Schedule.objects.filter(name__in=[task.name for task in RECURRING]).count() < len(RECURRING):
        return [Stoppage(Fault.MISSING)]
    found = [Stoppage(Fault.TASK, worker.task_began_at, worker.task) for worker in workers if _is_overtime(worker, now)]
    due_since = Schedule.objects.exclude(repeats=0).aggregate(oldest=Min("next_run"))["oldest"]
    if due_since is not None and due_since < now - LATE_SCHEDULE:
        found.insert(0, Stoppage(Fault.SCHEDULER, due_since))
    if waiting_since is not None and waiting_since < now - LATE_TASK:
        found.append(Stoppage(Fault.WAITING, waiting_since))
    return found


def _is_overtime(worker: Worker, now: datetime) -> bool:
    limit = timedelta(seconds=seconds_for(worker.task)) + GRACE
    return worker.task_began_at is not None and worker.task_began_at < now - limit
