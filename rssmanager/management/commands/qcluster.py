"""`manage.py qcluster`: the task queue's own command, with workers that may die."""

from typing import Any

from django_q.management.commands.qcluster import Command as TaskQueueCommand

from rssmanager.surviving import survive


class Command(TaskQueueCommand):
    def handle(self, *args: Any, **options: Any) -> None:
        survive()
        super().handle(*args, **options)
