"""What is answered when there is no page: in our voice, with what to do, and nothing of the inside.

Whoever asked as a browser gets a page. A script of ours (htmx, or one of the headers below) gets a sentence, which it
shows in its status line; a program gets the same.
"""

import errno
import sys
from collections.abc import Callable
from time import monotonic

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from rssmanager.readiness import Readiness, Unready

RETRY_AFTER = 10  # seconds until a page that could not be answered is asked for again
MOST_REASON = 200  # characters of what a view says was wrong with a request
SCRIPT_HEADERS = ("HX-Request", "X-Quiet", "X-Fragment")
SENTENCES: dict[Unready, str | Promise] = {
    Unready.UPDATING: _("The reader is being brought up to date. Try again in a moment."),
    Unready.SILENT: _("The reader's database does not answer. Try again in a moment."),
    Unready.FULL: _("The reader's disk is full, so this was not saved."),
}
BARE = (400, 405, 413)  # answers that views and Django give without a page

READINESS = Readiness()


class TroubleMiddleware:
    """Keeps requests from a database that is not ready, and gives answers without a page one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        trouble = READINESS.trouble(monotonic())
        if trouble is not None:
            return _unready(request, trouble)
        response = self._get_response(request)
        if response.status_code in BARE and isinstance(response, HttpResponse) and _wants_page(request):
            _dress(response)
        return response


def server_error(request: HttpRequest) -> HttpResponse:
    """500; or 503 where the fault is the database's, or of a full disk."""
    error = sys.exception()
    if _is_of_full_disk(error):
        return _unready(request, Unready.FULL)
    if _is_of_database(error):
        READINESS.doubt()
        return _unready(request, Unready.SILENT)
    if not _wants_page(request):
        return HttpResponse(_("The reader could not do that."), status=500, content_type="text/plain")
    return HttpResponse(render_to_string("500.html"), status=500)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400; or 413 where more was sent than is taken."""
    return HttpResponse(status=413 if isinstance(exception, RequestDataTooBig) else 400)


def _unready(request: HttpRequest, trouble: Unready) -> HttpResponse:
    """503. A page that only was to be shown asks again by itself, without scripts."""
    headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
    if not _wants_page(request):
        return HttpResponse(SENTENCES[trouble], status=503, content_type="text/plain; charset=utf-8", headers=headers)
    is_shown_again = request.method in ("GET", "HEAD")
    if is_shown_again:
        headers["Refresh"] = str(RETRY_AFTER)
    context = {"trouble": trouble, "is_shown_again": is_shown_again, "seconds": RETRY_AFTER}
    return HttpResponse(render_to_string("503.html", context), status=503, headers=headers)


def _dress(response: HttpResponse) -> None:
    """Put a page where there was a sentence, or nothing."""
    reason = response.text.strip()
    if "<html" in reason:
        return
    response.content = render_to_string(f"{response.status_code}.html", {"reason": reason[:MOST_REASON]})
    response["Content-Type"] = "text/html; charset=utf-8"
    response["Content-Length"] = str(len(response.content))


def _wants_page(request: HttpRequest) -> bool:
    is_script = any(name in request.headers for name in SCRIPT_HEADERS)
    return not is_script and "text/html" in request.headers.get("Accept", "")


def _is_of_database(error: BaseException | None) -> bool:
    """Down, locked, or no database at all; not a query of ours that is wrong, which is a fault like any other."""
    return isinstance(error, OperationalError | InterfaceError) or type(error) is DatabaseError


def _is_of_full_disk(error: BaseException | None) -> bool:
    """As SQLite says it, PostgreSQL (`disk_full`), or the system."""
    cause = error.__cause__ if isinstance(error, DatabaseError) else error
    return (
        getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL"
        or getattr(cause, "sqlstate", "") == "53100"
        or (isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT))
    )
