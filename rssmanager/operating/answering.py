"""A line in the log and a count for every answer: by the name of its route, never by its address.

Addresses hold tokens and numbers without end; routes are a few hundred. Who asks may name the request by `X-Request-ID`
(a proxy does, so that its log and ours can be read together); every line that is logged on the way carries it.
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

from rssmanager.logs import said_of
from rssmanager.operating import counting
from rssmanager.operating.slow_queries import Watch, keep

logger = logging.getLogger(__name__)

_SAFE = re.compile(r"[A-Za-z0-9_.:-]{8,64}")
UNMATCHED = "unmatched"


class AnsweringMiddleware:
    """Around everything but static files and probes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._counts = bool(settings.ENV.METRICS_TOKEN)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began, watch, request_id = perf_counter(), Watch(), request_id_of(request)
        with said_of(request_id=request_id):
            with watch.over_queries():
                response = self._get_response(request)
            seconds = perf_counter() - began
            route = route_of(request)
            _tell(request, response, route, seconds, n_queries=watch.n_queries)
            if self._counts:
                counting.count_answer(request.method or "", route, response.status_code, seconds)
            keep(watch.slow, place=route, now=timezone.now())
        response["X-Request-ID"] = request_id
        return response


def request_id_of(request: HttpRequest) -> str:
    """What the request is called: by who asks, if that is harmless to repeat, or by us."""
    given = request.headers.get("X-Request-ID", "")
    return given if _SAFE.fullmatch(given) else uuid4().hex


def route_of(request: HttpRequest) -> str:
    """The name of the route, with its namespace; `UNMATCHED` where there is none."""
    match = request.resolver_match
    return (match.view_name or match.route) if match is not None else UNMATCHED


def _tell(request: HttpRequest, response: HttpResponseBase, route: str, seconds: float, *, n_queries: int) -> None:
    limit = settings.ENV.LOG_SLOW_REQUEST_SECONDS
    is_slow = bool(limit) and seconds >= limit
    user = getattr(request, "_cached_user", None)  # who signed in, if anything asked; asking now would cost two queries
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
