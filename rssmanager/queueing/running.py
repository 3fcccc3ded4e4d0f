"""Recurring tasks that still run are not queued again."""

import logging
import os
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError
from django_q.models import Schedule

from rssmanager.monitoring.models import Worker
from rssmanager.monitoring.worker_heartbeat import host_name
from rssmanager.server.clock_recovery import APART

logger = logging.getLogger(__name__)

REMOTE_TIMEOUT = timedelta(minutes=3)  # after which a worker of another machine may have died
RETRY_AFTER = timedelta(seconds=20)  # the queue checks schedules every 30 s


def skip_running(now: datetime) -> int:
    """Postpone due schedules whose task is still running; returns how many.

    Database errors are only logged, as they must not end the guard of the cluster.
    """
    began = (now - REMOTE_TIMEOUT, now + APART)  # later ones precede a change of the clock
    busy = Worker.objects.exclude(task="").filter(task_began_at__range=began)
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
