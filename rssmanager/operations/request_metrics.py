"""Logs and counts every response by its route, never by its path.

Paths contain tokens and ids, while there are only a few hundred routes. A client may set `X-Request-ID`, as proxies do
so that their logs can be matched with ours; every line logged during the request has it.
"""

import logging
import re
from collections.abc import Callable
from time import perf_counter
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from rssmanager.operations import registry
from rssmanager.operations.logs import log_context
from rssmanager.operations.slow_queries import QueryWatch, save_slow

logger = logging.getLogger(__name__)

_SAFE = re.compile(r"[A-Za-z0-9_.:-]{8,64}")
UNMATCHED = "unmatched"


class RequestMetricsMiddleware:
    """Wraps everything except static files and health checks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._counts = bool(settings.ENV.METRICS_TOKEN)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began, watch, request_id = perf_counter(), QueryWatch(), request_id_of(request)
        with log_context(request_id=request_id):
            with watch.watch_queries():
                response = self._get_response(request)
            seconds = perf_counter() - began
            route = route_of(request)
            _log_request(request, response, route, seconds, n_queries=watch.n_queries)
            if self._counts:
                registry.count_request(request.method or "", route, response.status_code, seconds)
            save_slow(watch.slow, place=route, now=timezone.now())
        response["X-Request-ID"] = request_id
        return response


def request_id_of(request: HttpRequest) -> str:
    """The client's id for the request if it is safe to log, otherwise a new one."""
    sent = request.headers.get("X-Request-ID", "")
    return sent if _SAFE.fullmatch(sent) else uuid4().hex


def route_of(request: HttpRequest) -> str:
    """The name of the route with its namespace, or `UNMATCHED`."""
    match = request.resolver_match
    return (match.view_name or match.route) if match is not None else UNMATCHED


def _log_request(
    request: HttpRequest, response: HttpResponseBase, route: str, seconds: float, *, n_queries: int
) -> None:
    limit = settings.ENV.LOG_SLOW_REQUEST_SECONDS
    is_slow = bool(limit) and seconds >= limit
    user = getattr(request, "_cached_user", None)  # only if the view loaded it; loading it now would cost two queries
    values = {
        "method": request.method,
        "route": route,
        "status": response.status_code,
        "milliseconds": round(seconds * 1000, 1),
        "queries": n_queries,
        "user": getattr(user, "pk", None),
    }
    logger.log(
        logging.WARNING if is_slow else logging.INFO,
        "%s %s %s in %.0f ms, %d queries, user %s%s",
        *(values["method"], route, response.status_code, seconds * 1000, n_queries, values["user"] or "-"),
        ", slow" if is_slow else "",
        extra=values,
    )
