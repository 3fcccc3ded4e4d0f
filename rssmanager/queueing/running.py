"""Recurring tasks that still run are not queued again."""

import logging
import os
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError
from django_q.models import Schedule

from rssmanager.operations.models import Worker
from rssmanager.operations.worker_heartbeat import active_workers, host_name
from rssmanager.server.clock_recovery import APART

logger = logging.getLogger(__name__)

RETRY_AFTER = timedelta(seconds=10)  # the guard checks schedules every 15 s


def skip_running(now: datetime) -> int:
    """Postpone due schedules whose task is still running; returns how many.

    Database errors are only logged, as they must not end the guard of the cluster.
    """
    busy = active_workers(now).filter(seen_at__lt=now + APART).exclude(task="")  # later ones precede a change of clock
    try:
        running = {worker.task for worker in busy if not has_died(worker)}
        due = Schedule.objects.filter(next_run__lte=now, schedule_type=Schedule.MINUTES, func__in=running)
        return due.update(next_run=now + RETRY_AFTER)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Couldn't postpone schedules whose task is running: %s", error)
        return 0


def has_died(worker: Worker) -> bool:
    """Whether its process has ended; False for workers of other machines."""
    if worker.host != host_name():
        return False
    try:
        os.kill(worker.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False  # another user's process with a reused pid
    return False
