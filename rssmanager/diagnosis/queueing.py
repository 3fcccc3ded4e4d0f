"""Tasks: that they are scheduled, that somebody takes them, and that Redis keeps them."""

from typing import Any

import redis
from django.conf import settings
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import Schedule
from django_q.signing import BadSignature, SignedPackage

from feeds.scheduling import spell
from rssmanager.diagnosis.seen import Seen, note, problem, well
from rssmanager.operating.models import TaskTally, Worker
from rssmanager.operating.queue import queue_key, redis_client
from rssmanager.operating.working import alive
from rssmanager.schedules import RECURRING

MOST_PEEKED = 50  # tasks that wait in Redis


def schedules() -> Seen:
    n_found = Schedule.objects.filter(name__in=[each.name for each in RECURRING]).count()
    if n_found < len(RECURRING):
        return problem("recurring tasks are missing", "Run `python manage.py prepare`.")
    return well(f"{n_found} recurring tasks")


def worker() -> Seen:
    now, to_do = timezone.now(), "Start one: `make run` or `python manage.py qcluster`."
    n_alive = alive(now).count()
    if n_alive:
        return well(f"{n_alive} worker(s) heard of lately")
    last = Worker.objects.order_by("-seen_at").first()
    if last is None:
        return problem("no worker was ever heard of", to_do)
    return problem(f"no worker was heard of for {spell(now - last.seen_at)}", to_do)


def broker() -> Seen:
    if not settings.ENV.REDIS_URL:
        return well("tasks are queued in the database")
    try:
        redis_client().ping()
    except (redis.RedisError, OSError) as error:
        return problem(f"Redis does not answer: {error}", "Check REDIS_URL and that Redis runs.")
    return well("Redis answers")


def evicting() -> Seen:
    """A Redis that makes room for a cache throws tasks away."""
    if not settings.ENV.REDIS_URL:
        return well("no Redis is used")
    try:
        policy = redis_client().config_get("maxmemory-policy").get("maxmemory-policy", "noeviction")
    except (redis.RedisError, OSError):
        return well("Redis does not say")  # as hosted ones may not; that it is away is said above
    if policy != "noeviction":
        return problem(
            f"Redis throws away what it has no room for ({policy}), tasks too",
            "Set `maxmemory-policy noeviction` in redis.conf, and give it the memory it needs.",
        )
    return well("Redis keeps what it was given")


def shared_queue() -> Seen:
    """Two installations with one queue take each other's tasks, and drop what they cannot read."""
    if not settings.ENV.REDIS_URL:
        return well("the queue is in this database")
    try:
        n_foreign = sum(_is_foreign(each) for each in _packages())
    except (redis.RedisError, OSError):
        return well("Redis does not say")
    if n_foreign:
        return problem(
            "another installation uses the same database of Redis, and takes tasks of this one",
            "Give each its own: REDIS_URL=redis://…/1. If it is one installation, set the same SECRET_KEY everywhere.",
        )
    return well("the queue is this installation's alone")


def _packages() -> list[Any]:
    """What clusters say of themselves, and tasks that wait; each is signed with its installation's key."""
    client = redis_client()
    names = list(client.scan_iter(f"{Conf.Q_STAT}:*", count=100))
    told = client.mget(names) if names else []
    return [each for each in [*told, *client.lrange(queue_key(), 0, MOST_PEEKED - 1)] if each is not None]


def _is_foreign(package: Any) -> bool:
    try:
        SignedPackage.loads(package)
    except BadSignature:
        return True
    return False


def failing() -> Seen:
    """Tasks that failed the last times they ran."""
    found = _failing_tasks()
    if found:
        return note(
            f"{', '.join(found)} failed the last times",
            "See why in the admin, under Operations, and in the worker's log.",
        )
    return well("no task fails again and again")


def _failing_tasks() -> list[str]:
    return list(TaskTally.objects.filter(failures_running__gte=3).order_by("task").values_list("task", flat=True)[:5])
