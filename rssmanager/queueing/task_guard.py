"""Limits what django-q2 resolves and runs by name to `ALLOWED_TASKS`.

Names come from the queue, Redis or the schedule table. They are checked three times:

1. Schedules that aren't recurring tasks of ours are removed before each run of the scheduler, which would evaluate
   their arguments and queue them (`remove_foreign_schedules`).
2. The process that takes tasks from the queue drops those that aren't allowed (`TaskPackage`). Of the others it passes
   on only the call: hooks, chains, iterations, cached results and time limits are dropped, as the app uses none.
3. Workers look functions up only in the list.

Hooks, which run when a result is stored, are off. A refused task is deleted from the queue, so it isn't tried again.
"""

import logging
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from django.core.signing import BadSignature
from django.db import DatabaseError, InterfaceError
from django.db.models.signals import post_save
from django_q import pusher, worker
from django_q.models import Schedule, Task
from django_q.signals import call_hook
from django_q.signing import SignedPackage

from rssmanager.queueing.allowed_tasks import ALLOWED_TASKS, find_function, seconds_for
from rssmanager.queueing.refused_tasks import QUEUE, SCHEDULES, refuse
from rssmanager.queueing.task_packages import use_json
from rssmanager.schedules import RECURRING, is_recurring, write_schedules

logger = logging.getLogger(__name__)

_PARTS: dict[str, type] = {"id": str, "name": str, "func": str, "args": list, "kwargs": dict, "started": datetime}


class TaskRefused(BadSignature):
    """A task that isn't allowed, or isn't a task. The queue drops packages with a bad signature."""

    def __init__(self, name: object) -> None:
        super().__init__(f"not one of this app's tasks: {name!r:.300}")
        self.name = name


class TaskPackage:
    """Replaces `SignedPackage` in the process that takes tasks from the queue."""

    @staticmethod
    def loads(package: str | bytes) -> dict[str, Any]:
        """Raises BadSignature for tasks that aren't allowed."""
        try:
            return check_task(SignedPackage.loads(package))
        except TaskRefused as error:
            refuse(error.name, place=QUEUE)
            raise


def check_task(task: object) -> dict[str, Any]:
    """The task, reduced to its call. Raises TaskRefused."""
    if not isinstance(task, dict):
        raise TaskRefused(type(task).__name__)
    name = task.get("func")
    if not isinstance(name, str) or name not in ALLOWED_TASKS:
        raise TaskRefused(name)
    parts: dict[str, Any] = {part: task.get(part) for part in _PARTS}
    if not all(isinstance(parts[part], kind) for part, kind in _PARTS.items()):
        raise TaskRefused(name)
    if group := task.get("group"):
        parts["group"] = str(group)[:100]
    parts |= {"id": parts["id"][:32], "name": parts["name"][:100]}
    return parts | {"ack_failure": True, "timeout": seconds_for(name)}


def remove_foreign_schedules() -> bool:
    """Restore the schedule table if it has anything but our recurring tasks.

    An empty table stays empty. False if the database doesn't respond; then nothing may be scheduled.
    """
    try:
        rows = list(Schedule.objects.all())
        foreign = {row.hook or row.func for row in rows if not is_recurring(row)}
        for name in sorted(foreign):
            refuse(name, place=SCHEDULES)
        if rows and (foreign or len(rows) != len(RECURRING)):
            write_schedules()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Couldn't check the schedules: %s", error)
        return False
    return True


def guard_tasks() -> None:
    """Apply all of the above to this process and its forks."""
    use_json()
    pusher.SignedPackage = TaskPackage
    worker.pydoc = SimpleNamespace(locate=find_function)
    post_save.disconnect(call_hook, sender=Task)
