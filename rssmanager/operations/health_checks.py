"""`/healthz`, `/readyz` and `/metrics`.

`/healthz` says only that this process responds, since restarting a web process because its database is down helps
nobody. `/readyz` says whether the installation works, and names what doesn't. Both are answered before the host name
is checked (probes use addresses). `?exclude=worker` skips a check, for a load balancer that should keep serving pages
while no worker runs.

Rejected: django-health-check would replace about 20 of these lines (database, migrations, Redis, disk), but its view
runs behind the middleware for hosts and sessions, and it doesn't know our workers. django-prometheus has 18 request
metrics, none by route and status together, and would replace about 20 lines of `registry` and `request_metrics`.
Figures of workers, which serve no HTTP, would still come from the database.
"""

import shutil
from collections.abc import Callable
from hmac import compare_digest
from time import monotonic

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from prometheus_client.exposition import choose_encoder

from rssmanager.middleware import error_pages
from rssmanager.middleware.readiness import Unready
from rssmanager.operations.background_work import Fault, stoppages
from rssmanager.operations.collector import InstallationCollector
from rssmanager.operations.registry import build_registry

MIN_FREE_BYTES = 100 * 2**20  # below this, the database soon can't write
CHECK_INTERVAL = 2.0  # seconds, however many probes come
CHECKS = ("database", "migrations", "redis", "worker", "schedules", "tasks", "static", "disk")
_CHECK_OF = {
    Fault.QUEUE: "redis",
    Fault.WORKER: "worker",
    Fault.MISSING: "schedules",
    Fault.SCHEDULER: "schedules",
    Fault.TASK: "tasks",
    Fault.WAITING: "tasks",
}
_NO_STORE = {"Cache-Control": "no-store"}


class HealthCheckMiddleware:
    """Answers these three paths and passes on everything else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._checked_at = float("-inf")
        self._failing: tuple[str, ...] = ()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method in ("GET", "HEAD"):
            if request.path_info == "/healthz":
                return HttpResponse("ok", content_type="text/plain", headers=_NO_STORE)
            if request.path_info == "/readyz":
                return self._ready(request)
            if request.path_info == "/metrics" and may_read_metrics(request):
                return _metrics(request)
        return self._get_response(request)

    def _ready(self, request: HttpRequest) -> HttpResponse:
        now = monotonic()
        if now >= self._checked_at + CHECK_INTERVAL:
            self._checked_at, self._failing = now, failing_checks()
        excluded = request.GET.getlist("exclude")
        not_ready = [name for name in self._failing if name not in excluded]
        body = {"ready": not not_ready, "not_ready": not_ready}
        return JsonResponse(body, status=503 if not_ready else 200, headers=_NO_STORE)


def failing_checks() -> tuple[str, ...]:
    """The `CHECKS` that fail now."""
    database = _database()
    failing = [*database, *_static(), *_disk(), *([] if database else _background())]
    return tuple(name for name in CHECKS if name in failing)


def _database() -> list[str]:
    error_pages.READINESS.recheck()  # it would return its last result otherwise
    problem = error_pages.READINESS.problem(monotonic())
    return {None: [], Unready.UPDATING: ["migrations"], Unready.UNAVAILABLE: ["database"]}[problem]


def _background() -> list[str]:
    try:
        return [_CHECK_OF[stoppage.fault] for stoppage in stoppages(timezone.now())]
    except (DatabaseError, InterfaceError):
        return ["database"]


def _static() -> list[str]:
    """Every page names static files, and none can be shown if this process found no list of them when it started."""
    hashed = getattr(staticfiles_storage, "hashed_files", None)
    return ["static"] if hashed == {} and not settings.DEBUG else []


def _disk() -> list[str]:
    return [] if shutil.disk_usage(settings.DATA_DIR).free >= MIN_FREE_BYTES else ["disk"]


def may_read_metrics(request: HttpRequest) -> bool:
    """Whether the request has the token; False for everyone if none is set."""
    token = settings.ENV.METRICS_TOKEN
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    return bool(token) and scheme.lower() == "bearer" and compare_digest(sent.strip().encode(), token.encode())


def _metrics(request: HttpRequest) -> HttpResponse:
    registry = build_registry()
    registry.register(InstallationCollector(timezone.now()))
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(registry), content_type=content_type, headers=_NO_STORE)
