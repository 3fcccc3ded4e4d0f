"""What waits in the task queue and how long it has, in the database or in Redis."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import redis
from django.conf import settings
from django.db.models import Count, Min, Q
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import BadSignature, SignedPackage

PATIENCE = 2.0  # seconds to wait for Redis


@dataclass(frozen=True, slots=True)
class QueueState:
    """Tasks that no cluster has taken, and since when the oldest waits (None for none, or if it cannot be read).

    `n_taken` counts what clusters hold, at work or about to be; None where Redis is the queue, which does not tell.
    """

    n_waiting: int
    oldest_at: datetime | None
    n_taken: int | None


def queue_state(now: datetime) -> QueueState:
    """One query, or two calls. Raises redis.RedisError, OSError or DatabaseError where the queue does not answer."""
    return _in_redis() if settings.ENV.REDIS_URL else _in_database(now)


def _in_database(now: datetime) -> QueueState:
    """A task that waits is locked until the moment it came, one that is taken until it would be taken again."""
    found = OrmQ.objects.filter(key=Conf.CLUSTER_NAME).aggregate(
        waiting=Count("pk", filter=Q(lock__lte=now)),
        taken=Count("pk", filter=Q(lock__gt=now)),
        oldest=Min("lock", filter=Q(lock__lte=now)),
    )
    return QueueState(found["waiting"], found["oldest"], found["taken"])


def _in_redis() -> QueueState:
    client, key = redis_client(), queue_key()
    return QueueState(client.llen(key), _enqueued_at(client.lindex(key, 0)), None)


def _enqueued_at(package: Any) -> datetime | None:
    """When a task was put into the queue; None for one that another installation's key signed."""
    if package is None:
        return None
    try:
        task = SignedPackage.loads(package)
    except BadSignature:
        return None
    at = task.get("started")
    return at if isinstance(at, datetime) else None


def queue_key() -> str:
    """Under which name the queue lies in Redis."""
    return f"django_q:{Conf.CLUSTER_NAME}:q"


@cache
def redis_client() -> "redis.Redis":
    """The Redis of the settings, soon impatient. Connects when it is first asked something."""
    url: str = settings.ENV.REDIS_URL
    return redis.Redis.from_url(url, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE)
