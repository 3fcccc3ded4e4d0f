"""The state of the task queue, in the database or in Redis."""

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

from feeds.tasks.enqueue import URGENT_QUEUE

TIMEOUT = 2.0  # seconds to wait for Redis


@dataclass(frozen=True, slots=True)
class QueueState:
    """Tasks that no cluster has taken, and since when the oldest waits (None for none, or if it can't be read).

    `n_claimed` counts tasks that clusters run or are about to; None with Redis, where it is unknown.
    """

    n_waiting: int
    oldest_at: datetime | None
    n_claimed: int | None


def queue_state(now: datetime) -> QueueState:
    """One query, or four calls. Raises redis.RedisError, OSError or DatabaseError if the queue doesn't respond."""
    return _in_redis() if settings.ENV.REDIS_URL else _in_database(now)


def _in_database(now: datetime) -> QueueState:
    """Waiting tasks are locked until the time they were queued, taken ones until they would be retried."""
    counts = OrmQ.objects.filter(key__in=(Conf.CLUSTER_NAME, URGENT_QUEUE)).aggregate(
        waiting=Count("pk", filter=Q(lock__lte=now)),
        taken=Count("pk", filter=Q(lock__gt=now)),
        oldest=Min("lock", filter=Q(lock__lte=now)),
    )
    return QueueState(counts["waiting"], counts["oldest"], counts["taken"])


def _in_redis() -> QueueState:
    client, keys = redis_client(), (queue_key(), queue_key(URGENT_QUEUE))
    began = [at for key in keys if (at := _enqueued_at(client.lindex(key, 0))) is not None]
    return QueueState(sum(int(client.llen(key)) for key in keys), min(began, default=None), None)


def _enqueued_at(package: Any) -> datetime | None:
    """When a task was queued; None for one signed with another installation's key."""
    if package is None:
        return None
    try:
        task = SignedPackage.loads(package)
    except BadSignature:
        return None
    at = task.get("started")
    return at if isinstance(at, datetime) else None


def queue_key(name: str = Conf.CLUSTER_NAME) -> str:
    """The Redis key of a queue, by default that of background tasks."""
    return f"django_q:{name}:q"


@cache
def redis_client() -> "redis.Redis":
    """A client with short timeouts for the Redis of the settings."""
    url: str = settings.ENV.REDIS_URL
    return redis.Redis.from_url(url, socket_connect_timeout=TIMEOUT, socket_timeout=TIMEOUT)
