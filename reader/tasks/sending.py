"""The task that sends articles to other services, and to the URLs of rules."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from feeds.fetching import FetchLimits
from feeds.fetching.post import PostResult, post
from reader.send_to import outbox, webhooks
from reader.send_to.services import Outgoing

SECONDS = 20.0  # for one request
SENDING_FOR = timedelta(seconds=50)


def send_articles() -> None:
    """Send what is due; every minute, and when a user sends something."""
    until = timezone.now() + SENDING_FOR
    for send in (outbox.send_due, webhooks.send_due):
        while send(_post, now=timezone.now()) and timezone.now() < until:
            continue


def _post(outgoing: Outgoing) -> PostResult:
    env = settings.ENV
    limits = FetchLimits(
        connect_seconds=min(SECONDS, env.FETCH_CONNECT_TIMEOUT),
        total_seconds=SECONDS,
        allow_private_networks=env.FETCH_ALLOW_PRIVATE_NETWORKS,
        allowed_networks=env.FETCH_ALLOWED_NETWORKS,
    )
    return post(outgoing.url, outgoing.headers, outgoing.body, limits=limits, user_agent=settings.USER_AGENT)
