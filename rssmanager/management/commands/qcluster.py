"""`manage.py qcluster`: the queue's own command, with robust queues and a worker for urgent tasks."""

from typing import Any

from django_q.management.commands.qcluster import Command as TaskQueueCommand

from rssmanager.queueing.urgent import add_urgent_worker
from rssmanager.server.cluster import use_robust_queues


class Command(TaskQueueCommand):
    def handle(self, *args: Any, **options: Any) -> None:
        use_robust_queues()
        add_urgent_worker()
        super().handle(*args, **options)
