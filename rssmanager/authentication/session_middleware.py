"""Records in each session which browser sent the request, and when."""

from typing import cast

from django.contrib.sessions.middleware import SessionMiddleware as DjangoSessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from rssmanager.authentication.sessions import Browser, SessionStore
from rssmanager.middleware.trusted_proxies import client_address

MAX_USER_AGENT = 300  # characters of a User-Agent header


class SessionMiddleware(DjangoSessionMiddleware):
    """Django's, with the browser."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        agent = request.headers.get("User-Agent", "").replace("\0", "")[:MAX_USER_AGENT]
        _store(request).browser = Browser(agent, client_address(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        processed = super().process_response(request, response)
        if not request.session.modified:
            _store(request).mark_seen(now=timezone.now())
        return processed


def _store(request: HttpRequest) -> SessionStore:
    return cast(SessionStore, request.session)
