"""Connections to publishers, and from users."""

import socket
from datetime import UTC
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone

from feeds.models import Feed, FeedStatus
from rssmanager.doctor.databases import compare_clocks
from rssmanager.doctor.result import Result, note, ok, problem

N_HOSTS = 3  # feeds whose hosts are resolved
TIMEOUT = 5  # seconds


def names() -> Result:
    """Whether at least one host of followed feeds can be resolved."""
    feeds = Feed.objects.filter(status=FeedStatus.ACTIVE).order_by("pk").values_list("url", flat=True)[:N_HOSTS]
    hosts = {urlsplit(url).hostname or "" for url in feeds}
    if hosts and not any(_can_resolve(host) for host in hosts):
        return problem(
            f"these host names can't be resolved: {', '.join(sorted(hosts))}",
            "Check the DNS server: /etc/resolv.conf, or `dns:` of the container.",
        )
    return ok("host names of feeds can be resolved" if hosts else "no feeds yet")


def way_in() -> Result:
    """Whether BASE_URL leads here. The response also shows the clock of the proxy."""
    try:
        response, body = _get(f"{settings.BASE_URL}/healthz")
    except (OSError, HTTPException) as error:
        return note(
            f"{settings.BASE_URL} doesn't respond: {error}",
            "Start the app, or check BASE_URL and the reverse proxy. In networks that can't reach their own public "
            "address, this may be fine.",
        )
    if response.status != 200 or body != b"ok":
        return problem(
            f"{settings.BASE_URL} leads to something else (status {response.status})",
            "Let the reverse proxy pass every path on, with the original Host header.",
        )
    date = response.headers.get("Date")
    if date is None:
        return ok(f"{settings.BASE_URL} leads here")
    theirs = parsedate_to_datetime(date).astimezone(UTC)
    result = compare_clocks(theirs, timezone.now(), source="the web server's")
    return ok(f"{settings.BASE_URL} leads here") if result.level == "ok" else result


def _get(url: str) -> tuple[HTTPResponse, bytes]:
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=TIMEOUT)
    try:
        connection.request("GET", parts.path)
        response = connection.getresponse()
        return response, response.read(1000)
    finally:
        connection.close()


def _can_resolve(host: str) -> bool:
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return False
    return True
