"""Tasks for hubs of feeds (`feeds.push`). Each is safe to run twice."""

from urllib.parse import urljoin

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from feeds.fetching import FetchLimits
from feeds.fetching.post import PostResult, post
from feeds.models import Feed, PushSubscription
from feeds.polling.leases import due_feeds
from feeds.push.availability import why_off
from feeds.push.hub_requests import drop_all, end_expired, send_due, update_subscriptions
from feeds.tasks.polling import poll_feeds
from reader.models import Subscription
from reader.tasks.recurring import deliver_new

SECONDS = 10.0  # for one request to a hub
MAX_POLLED = 200  # feeds of one task; the recurring poll takes the others


def maintain_push() -> None:
    """Subscribe to hubs of followed feeds, renew, and unsubscribe from others; every minute."""
    now = timezone.now()
    if why_off():
        if PushSubscription.objects.exists():
            drop_all(now=now)
        return
    followed = Feed.objects.filter(Exists(Subscription.objects.filter(feed=OuterRef("pk"))))
    update_subscriptions(followed, now=now)
    end_expired(now=now)
    send_due(_post, callback_url=_callback_url, now=now)


def poll_announced() -> None:
    """Poll feeds that hubs announced something about, and deliver their new articles."""
    is_open = Q(push__answered_at=None) | Q(push__pinged_at__gt=F("push__answered_at"))
    announced = due_feeds(timezone.now()).filter(is_open, push__pinged_at__isnull=False).order_by("next_poll_at")
    ids = list(announced.values_list("pk", flat=True)[:MAX_POLLED])
    if ids:
        poll_feeds(ids)
        deliver_new()


def _callback_url(key: str) -> str:
    return urljoin(settings.BASE_URL, reverse("push", args=[key]))


def _post(url: str, body: bytes) -> PostResult:
    env = settings.ENV
    limits = FetchLimits(
        connect_seconds=min(SECONDS, env.FETCH_CONNECT_TIMEOUT),
        total_seconds=SECONDS,
        allow_private_networks=env.FETCH_ALLOW_PRIVATE_NETWORKS,
        allowed_networks=env.FETCH_ALLOWED_NETWORKS,
    )
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return post(url, headers, body, limits=limits, user_agent=settings.USER_AGENT)
