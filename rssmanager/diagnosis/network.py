"""The way out to publishers, and the way in from people."""

import socket
from datetime import UTC
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone

from feeds.models import Feed, FeedStatus
from rssmanager.diagnosis.databases import compared
from rssmanager.diagnosis.seen import Seen, note, problem, well

MOST_NAMES = 3  # feeds whose hosts are looked up
PATIENCE = 5  # seconds


def names() -> Seen:
    """Whether hosts of followed feeds have addresses; one of them is enough."""
    feeds = Feed.objects.filter(status=FeedStatus.ACTIVE).order_by("pk").values_list("url", flat=True)[:MOST_NAMES]
    hosts = {urlsplit(url).hostname or "" for url in feeds}
    if hosts and not any(_is_known(host) for host in hosts):
        return problem(
            f"no address is found for {', '.join(sorted(hosts))}",
            "Check the name server: /etc/resolv.conf, or `dns:` of the container.",
        )
    return well("hosts of feeds are found" if hosts else "no feed is polled yet")


def way_in() -> Seen:
    """Whether BASE_URL leads here: people, mail and feeds come by it. The proxy before us tells its clock, too."""
    try:
        answer, body = _ask(f"{settings.BASE_URL}/healthz")
    except (OSError, HTTPException) as error:
        return note(
            f"nobody answers at {settings.BASE_URL}: {error}",
            "Start the reader, or check BASE_URL and the server with TLS before it. (Some networks cannot reach "
            "their own outer address; then all may be well.)",
        )
    if answer.status != 200 or body != b"ok":
        return problem(
            f"something else answers at {settings.BASE_URL} (status {answer.status})",
            "Let the server before the reader pass every path on, with the Host header as it came.",
        )
    date = answer.headers.get("Date")
    if date is None:
        return well(f"{settings.BASE_URL} leads here")
    theirs = parsedate_to_datetime(date).astimezone(UTC)
    seen = compared(theirs, timezone.now(), whose="the web server's")
    return well(f"{settings.BASE_URL} leads here") if seen.level == "ok" else seen


def _ask(url: str) -> tuple[HTTPResponse, bytes]:
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=PATIENCE)
    try:
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        return answer, answer.read(1000)
    finally:
        connection.close()


def _is_known(host: str) -> bool:
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return False
    return True
