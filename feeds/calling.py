"""Calling a worker for what somebody just asked, where what they asked is stored already.

The call only makes it sooner: each task called here takes up what waits in the database, and a recurring one looks for
the same. So a queue that does not answer (a Redis that is away) delays what was asked, and loses nothing of it.
"""

import logging

from django.db import DatabaseError
from django_q.tasks import async_task
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


def call_worker(task: str, *arguments: object) -> bool:
    """Queue the task by its dotted name; False where the queue does not answer."""
    try:
        async_task(task, *arguments)
    except (RedisError, DatabaseError, OSError) as error:
        logger.warning("%s waits for its turn, for the queue does not answer: %s", task, error)
        return False
    return True
