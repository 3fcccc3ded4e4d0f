"""`manage.py qcluster`: the queue's own command, with robust queues, a worker for urgent tasks, and no orphans."""

from typing import Any

from django_q.management.commands.qcluster import Command as TaskQueueCommand

from rssmanager.queueing.urgent import add_urgent_worker
from rssmanager.server.cluster import use_robust_queues
from rssmanager.server.supervisor import end_forks_with_this_process


class Command(TaskQueueCommand):
    def handle(self, *args: Any, **options: Any) -> None:
        end_forks_with_this_process()
        use_robust_queues()
        add_urgent_worker()
        super().handle(*args, **options)
