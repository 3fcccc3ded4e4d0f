"""The task that sends articles to other services."""

from django.conf import settings
from django.utils import timezone

from feeds.fetching import FetchLimits
from feeds.fetching.post import PostResult, post
from reader.send_to.outbox import send_due
from reader.send_to.services import Outgoing

SECONDS = 20.0  # for one request


def send_articles() -> None:
    """Send what is due; every minute, and when a user sends something."""
    send_due(_post, now=timezone.now())


def _post(outgoing: Outgoing) -> PostResult:
    env = settings.ENV
    limits = FetchLimits(
        connect_seconds=min(SECONDS, env.FETCH_CONNECT_TIMEOUT),
        total_seconds=SECONDS,
        allow_private_networks=env.FETCH_ALLOW_PRIVATE_NETWORKS,
        allowed_networks=env.FETCH_ALLOWED_NETWORKS,
    )
    return post(outgoing.url, outgoing.headers, outgoing.body, limits=limits, user_agent=settings.USER_AGENT)
