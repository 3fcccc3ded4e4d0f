"""django-q2's brokers, without queueing a task that is already waiting.

Tasks process everything that waits in the database, so one of each kind in the queue is enough. Without this, schedules
would add the same tasks every minute while workers are busy.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import redis
from django.conf import settings
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.brokers.redis_broker import Redis
from django_q.conf import Conf
from django_q.signing import BadSignature, SignedPackage

N_CHECKED = 200  # waiting tasks


class DatabaseBroker(ORM):
    """The queue in the database."""

    def enqueue(self, task: str) -> Any:
        """Returns the row's id; None if the same task is already waiting."""
        waiting = self.get_connection().filter(key=self.list_key, lock__lte=timezone.now())
        if is_queued(task, waiting.values_list("payload", flat=True)[:N_CHECKED]):
            return None
        return super().enqueue(task)


class RedisBroker(Redis):
    """The queue in Redis."""

    def enqueue(self, task: str) -> Any:
        """Returns the length of the queue; None if the same task is already waiting."""
        if is_queued(task, self.connection.lrange(self.list_key, 0, N_CHECKED - 1)):
            return None
        return super().enqueue(task)

    @staticmethod
    def get_connection(list_key: str | None = None) -> "redis.Redis":
        """With a limit, since a connection that a firewall dropped silently would otherwise wait forever."""
        client: redis.Redis = redis.from_url(Conf.REDIS, socket_timeout=settings.REDIS_SECONDS)
        return client


def is_queued(package: str, waiting: Iterable[Any]) -> bool:
    """Whether one of the packages calls the same function with the same arguments."""
    call = _call(package)
    return call is not None and any(_call(other) == call for other in islice(waiting, N_CHECKED))


def _call(package: Any) -> tuple[Any, ...] | None:
    """None for packages signed with another installation's key."""
    try:
        task = SignedPackage.loads(package)
    except (BadSignature, TypeError):
        return None
    return task["func"], task["args"], task["kwargs"]
