"""Queues a task for work that is already stored in the database.

Queueing only speeds things up: each task processes what is waiting in the database, and a recurring task looks for the
same. So if the queue (Redis) is down, work is delayed but not lost.

Urgent tasks, which a user is waiting for, have their own queue and worker (`rssmanager.queueing`). They end within
seconds, however slow publishers are, and leave longer work to background tasks.
"""

import logging

from django.db import DatabaseError
from django_q.tasks import async_task
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

URGENT_QUEUE = "rssmanager-urgent"
N_URGENT_WORKERS = 1  # per cluster, in addition to `WORKERS`
URGENT = frozenset(
    {
        "feeds.tasks.full_text.fetch_page",
        "feeds.tasks.polling.poll_feeds",
        "reader.tasks.push.poll_announced",
        "reader.tasks.recurring.run_import",
        "rssmanager.accounts.tasks.send_reset",
    }
)


def call_worker(task: str, *arguments: object) -> bool:
    """Queue the task by its dotted name; False if the queue can't be reached."""
    try:
        async_task(task, *arguments, **({"cluster": URGENT_QUEUE} if task in URGENT else {}))
    except (RedisError, DatabaseError, OSError) as error:
        logger.warning("Queue unreachable; %s will run on its schedule: %s", task, error)
        return False
    return True
