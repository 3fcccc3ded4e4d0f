"""Error responses that explain what to do and reveal nothing internal.

Browsers get a page. Our scripts (htmx, or one of the headers below) get a sentence for their status line, and so do
other programs.
"""

import errno
import sys
from collections.abc import Callable
from time import monotonic

from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from reader.errors import LimitReached
from rssmanager.authentication.errors import TooManyTries
from rssmanager.middleware.readiness import Readiness, Unready

RETRY_AFTER = 10  # seconds until an unavailable page is requested again
MAX_REASON = 200  # characters of a view's explanation
SCRIPT_HEADERS = ("HX-Request", "X-Quiet", "X-Fragment")
SENTENCES: dict[Unready, str | Promise] = {
    Unready.UPDATING: _("The app is being updated. Try again in a moment."),
    Unready.UNAVAILABLE: _("The database is unavailable. Try again in a moment."),
    Unready.FULL: _("The disk is full, so this wasn't saved."),
}
WRONG_HOST = _("This isn't the app's address. Administrators: set BASE_URL or ALLOWED_HOSTS.")
BARE = (400, 405, 413)  # statuses that views and Django send without a page

READINESS = Readiness()


class ErrorPageMiddleware:
    """Answers 400 to wrong hosts, 503 without a ready database, 429 to too many tries, 409 above limits; adds pages to
    bare errors."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            request.get_host()
        except DisallowedHost:
            return _wrong_host(request)
        problem = READINESS.problem(monotonic())
        if problem is not None:
            return _unready(request, problem)
        response = self._get_response(request)
        if response.status_code in BARE and isinstance(response, HttpResponse) and _wants_page(request):
            _add_page(response)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A page that says when to try again, or which limit was reached."""
        if isinstance(exception, LimitReached):
            return _limit_reached(request, exception)
        if not isinstance(exception, TooManyTries):
            return None
        now = timezone.now()
        headers = {"Retry-After": str(exception.seconds(now)), "Cache-Control": "no-store"}
        context = {"minutes": exception.minutes(now), "back": request.get_full_path()}
        return HttpResponse(render_to_string("429.html", context, request), status=429, headers=headers)


def _limit_reached(request: HttpRequest, error: LimitReached) -> HttpResponse:
    if not _wants_page(request):
        return HttpResponse(str(error), status=409, content_type="text/plain; charset=utf-8")
    return HttpResponse(render_to_string("409.html", {"reason": str(error)}, request), status=409)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 if the database or a full disk caused it."""
    error = sys.exception()
    if _is_of_full_disk(error):
        return _unready(request, Unready.FULL)
    if _is_of_database(error):
        READINESS.recheck()
        return _unready(request, Unready.UNAVAILABLE)
    if not _wants_page(request):
        return HttpResponse(_("Something went wrong."), status=500, content_type="text/plain")
    return HttpResponse(render_to_string("500.html"), status=500)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, or 413 if the request was too large."""
    return HttpResponse(status=413 if isinstance(exception, RequestDataTooBig) else 400)


def _wrong_host(request: HttpRequest) -> HttpResponse:
    """400 that names the settings to change."""
    headers = {"Cache-Control": "no-store"}
    if not _wants_page(request):
        return HttpResponse(WRONG_HOST, status=400, content_type="text/plain; charset=utf-8", headers=headers)
    context = {"host": request.META.get("HTTP_HOST", "")[:MAX_REASON]}
    return HttpResponse(render_to_string("wrong_host.html", context), status=400, headers=headers)


def _unready(request: HttpRequest, problem: Unready) -> HttpResponse:
    """503; for GET requests, the page reloads itself without scripts."""
    headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
    if not _wants_page(request):
        return HttpResponse(SENTENCES[problem], status=503, content_type="text/plain; charset=utf-8", headers=headers)
    reloads = request.method in ("GET", "HEAD")
    if reloads:
        headers["Refresh"] = str(RETRY_AFTER)
    context = {"trouble": problem, "is_shown_again": reloads, "seconds": RETRY_AFTER}
    return HttpResponse(render_to_string("503.html", context), status=503, headers=headers)


def _add_page(response: HttpResponse) -> None:
    """Replace a sentence, or an empty body, by a page."""
    reason = response.text.strip()
    if "<html" in reason:
        return
    response.content = render_to_string(f"{response.status_code}.html", {"reason": reason[:MAX_REASON]})
    response["Content-Type"] = "text/html; charset=utf-8"
    response["Content-Length"] = str(len(response.content))


def _wants_page(request: HttpRequest) -> bool:
    is_script = any(name in request.headers for name in SCRIPT_HEADERS)
    return not is_script and "text/html" in request.headers.get("Accept", "")


def _is_of_database(error: BaseException | None) -> bool:
    """Unavailable, locked, or no database at all; a wrong query is an ordinary bug."""
    return isinstance(error, OperationalError | InterfaceError) or type(error) is DatabaseError


def _is_of_full_disk(error: BaseException | None) -> bool:
    """As reported by SQLite, PostgreSQL (`disk_full`) or the system."""
    cause = error.__cause__ if isinstance(error, DatabaseError) else error
    return (
        getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL"
        or getattr(cause, "sqlstate", "") == "53100"
        or (isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT))
    )
