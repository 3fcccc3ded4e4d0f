"""Answers for what watches over the program: alive, ready, and its numbers.

`/healthz` says that this process answers and asks nobody else: to restart a web process because its database is away
helps nobody. `/readyz` says whether the installation can do its work, and names what is missing, nothing more. Both are
given before anything looks at the host name (probes come by address) or at the database. `?exclude=worker` leaves a
check out, as it is usual, for a balancer that should go on with pages while no worker runs.
"""

import shutil
from collections.abc import Callable
from hmac import compare_digest
from time import monotonic

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from prometheus_client.exposition import choose_encoder

from rssmanager import trouble
from rssmanager.operating.collecting import InstallationCollector
from rssmanager.operating.counting import counted
from rssmanager.operating.queue import redis_client
from rssmanager.operating.working import alive
from rssmanager.readiness import Unready

LEAST_FREE_BYTES = 100 * 2**20  # below it the database can soon not write
LOOK_EVERY = 2.0  # seconds between two looks, however often somebody asks
CHECKS = ("database", "migrations", "redis", "worker", "disk")
_UNSAVED = {"Cache-Control": "no-store"}


class ProbesMiddleware:
    """Answers the three addresses; everything else goes on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._looked_at = float("-inf")
        self._missing: tuple[str, ...] = ()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method in ("GET", "HEAD"):
            if request.path_info == "/healthz":
                return HttpResponse("ok", content_type="text/plain", headers=_UNSAVED)
            if request.path_info == "/readyz":
                return self._ready(request)
            if request.path_info == "/metrics" and may_read_metrics(request):
                return _metrics(request)
        return self._get_response(request)

    def _ready(self, request: HttpRequest) -> HttpResponse:
        now = monotonic()
        if now >= self._looked_at + LOOK_EVERY:
            self._looked_at, self._missing = now, missing()
        excluded = request.GET.getlist("exclude")
        not_ready = [name for name in self._missing if name not in excluded]
        answer = {"ready": not not_ready, "not_ready": not_ready}
        return JsonResponse(answer, status=503 if not_ready else 200, headers=_UNSAVED)


def missing() -> tuple[str, ...]:
    """The names of `CHECKS` that do not hold now."""
    state = _database()
    found = [*state, *_redis(), *_disk()]
    if "database" not in state and "migrations" not in state:
        found += _worker()
    return tuple(name for name in CHECKS if name in found)


def _database() -> list[str]:
    trouble.READINESS.doubt()  # or it would say what it saw last
    state = trouble.READINESS.trouble(monotonic())
    return {None: [], Unready.UPDATING: ["migrations"], Unready.SILENT: ["database"]}[state]


def _worker() -> list[str]:
    try:
        return [] if alive(timezone.now()).exists() else ["worker"]
    except (DatabaseError, InterfaceError):
        return ["database"]


def _redis() -> list[str]:
    if not settings.ENV.REDIS_URL:
        return []
    try:
        redis_client().ping()
    except (redis.RedisError, OSError):
        return ["redis"]
    return []


def _disk() -> list[str]:
    return [] if shutil.disk_usage(settings.DATA_DIR).free >= LEAST_FREE_BYTES else ["disk"]


def may_read_metrics(request: HttpRequest) -> bool:
    """Whether the request carries the token; nobody may where none is set."""
    token = settings.ENV.METRICS_TOKEN
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    return bool(token) and scheme.lower() == "bearer" and compare_digest(given.strip().encode(), token.encode())


def _metrics(request: HttpRequest) -> HttpResponse:
    registry = counted()
    registry.register(InstallationCollector(timezone.now()))
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry), content_type=content_type, headers=_UNSAVED)
