"""Tells each session what browser asks, and marks it as seen."""

from typing import cast

from django.contrib.sessions.middleware import SessionMiddleware as DjangoSessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from rssmanager.proxies import client_address
from rssmanager.signing_in.sessions import Browser, SessionStore

MOST_AGENT = 300  # characters of what a browser calls itself


class SessionMiddleware(DjangoSessionMiddleware):
    """Django's, with who asks."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        agent = request.headers.get("User-Agent", "").replace("\0", "")[:MOST_AGENT]
        _store(request).browser = Browser(agent, client_address(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        answer = super().process_response(request, response)
        if not request.session.modified:
            _store(request).mark_seen(now=timezone.now())
        return answer


def _store(request: HttpRequest) -> SessionStore:
    return cast(SessionStore, request.session)
