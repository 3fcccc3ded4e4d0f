"""Schedules, workers, the task queue and Redis."""

from datetime import datetime, timedelta
from typing import Any

import redis
from django.conf import settings
from django.utils import timezone
from django_q.conf import Conf
from django_q.signing import BadSignature, SignedPackage

from feeds.polling.schedule import format_duration
from rssmanager.doctor.result import Result, note, ok, problem
from rssmanager.operations.background_work import Fault, Stoppage, stoppages
from rssmanager.operations.models import TaskTally
from rssmanager.operations.queue import queue_key, redis_client
from rssmanager.operations.worker_heartbeat import active_workers
from rssmanager.queueing.refused_tasks import refused

RESTART = "Restart the workers, and check their log."
N_CHECKED = 50  # waiting tasks in Redis
RECENT = timedelta(days=7)


def worker() -> Result:
    """Whether background work is done."""
    now = timezone.now()
    found = stoppages(now)
    if found:
        return _stopped(found[0], now)
    return ok(f"{active_workers(now).count()} worker(s) active, recurring tasks start in time")


def _stopped(stoppage: Stoppage, now: datetime) -> Result:
    span = format_duration(now - stoppage.since) if stoppage.since else ""
    match stoppage.fault:
        case Fault.QUEUE:
            return problem("the task queue doesn't respond", "Check REDIS_URL, and that Redis is running.")
        case Fault.WORKER:
            seen = f"no worker has been active for {span}" if span else "no worker has ever run"
            return problem(seen, "Start one: `make run` or `python manage.py qcluster`.")
        case Fault.MISSING:
            return problem("recurring tasks are missing", "Run `python manage.py prepare`.")
        case Fault.SCHEDULER:
            return problem(f"no recurring task has started for {span}", RESTART)
        case Fault.TASK:
            return problem(f"{stoppage.task} has been running for {span}", RESTART)
        case Fault.WAITING:
            return problem(f"tasks have been waiting for {span}", "Increase WORKERS.")


def broker() -> Result:
    if not settings.ENV.REDIS_URL:
        return ok("tasks are queued in the database")
    try:
        redis_client().ping()
    except (redis.RedisError, OSError) as error:
        return problem(f"Redis doesn't respond: {error}", "Check REDIS_URL, and that Redis is running.")
    return ok("Redis responds")


def evicting() -> Result:
    """A Redis that evicts keys like a cache also drops tasks."""
    if not settings.ENV.REDIS_URL:
        return ok("Redis isn't used")
    try:
        policy = redis_client().config_get("maxmemory-policy").get("maxmemory-policy", "noeviction")
    except (redis.RedisError, OSError):
        return ok("unknown")  # hosted Redis may hide it; unavailability is reported above
    if policy != "noeviction":
        return problem(
            f"Redis evicts keys when memory is full ({policy}), including tasks",
            "Set `maxmemory-policy noeviction` in redis.conf, and provide enough memory.",
        )
    return ok("Redis never evicts keys")


def shared_queue() -> Result:
    """Two installations with one queue take each other's tasks, and drop those they can't read."""
    if not settings.ENV.REDIS_URL:
        return ok("tasks are queued in the database")
    try:
        n_foreign = sum(_is_foreign(package) for package in _packages())
    except (redis.RedisError, OSError):
        return ok("unknown")
    if n_foreign:
        return problem(
            "another installation uses the same Redis database and takes this one's tasks",
            "Give each its own: REDIS_URL=redis://…/1. Within one installation, set the same SECRET_KEY everywhere.",
        )
    return ok("the queue isn't shared")


def _packages() -> list[Any]:
    """The state of clusters, and waiting tasks; each is signed with its installation's key."""
    client = redis_client()
    names = list(client.scan_iter(f"{Conf.Q_STAT}:*", count=100))
    states = client.mget(names) if names else []
    return [package for package in [*states, *client.lrange(queue_key(), 0, N_CHECKED - 1)] if package is not None]


def _is_foreign(package: Any) -> bool:
    try:
        SignedPackage.loads(package)
    except BadSignature:
        return True
    return False


def failing() -> Result:
    """Tasks whose last three runs or more failed."""
    names = list(
        TaskTally.objects.filter(consecutive_failures__gte=3).order_by("task").values_list("task", flat=True)[:5]
    )
    if names:
        return note(
            f"failing repeatedly: {', '.join(names)}",
            "See the errors under Settings, Operations, and in the worker's log.",
        )
    return ok("no task fails repeatedly")


def refused_tasks() -> Result:
    """Tasks of other programs, which workers found and didn't run."""
    recent = refused().filter(stopped__gt=timezone.now() - RECENT)
    names = list(dict.fromkeys(recent.values_list("func", flat=True)[:5]))
    if names:
        return problem(
            f"workers refused tasks that aren't this app's: {', '.join(names)}",
            "If no other version of the app uses the same queue, someone can write to the database or to Redis: "
            "change their passwords and SECRET_KEY.",
        )
    return ok("none")
