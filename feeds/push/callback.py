"""Answers hubs at a subscription's own address: confirms or refuses intent, and takes pings.

The address is unguessable, so an unknown one costs one query and is never looked at further. Everything else is taken
as hostile: what a hub may change is its own subscription's state, and the time of one poll.
"""

import hmac
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from random import uniform

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from feeds.models import Feed, FeedStatus, PushState, PushSubscription
from feeds.push.answers import pause_after

LONGEST_LEASE = timedelta(days=30)
SHORTEST_LEASE = timedelta(hours=1)  # renewing more often would be no better than polling
RENEWAL = (0.7, 0.9)  # share of the lease after which it is renewed
DENIED_FOR = timedelta(days=30)  # until a hub that refused is asked again
MAX_CHALLENGE = 2_000  # characters
ALGORITHMS = frozenset({"sha1", "sha256", "sha384", "sha512"})  # those of the specification
_MAX_DIGITS = 10


class Receipt(Enum):
    """What became of a ping."""

    UNKNOWN = "unknown"  # no such subscription
    GONE = "gone"  # not any longer
    TOO_LARGE = "too large"
    IGNORED = "ignored"  # wrong signature
    COVERED = "covered"  # another one before it has the same effect
    ACCEPTED = "accepted"


def confirm(key: str, query: Mapping[str, str], *, now: datetime) -> str | None:
    """Return the challenge to repeat if the hub asks about what we requested, "" if it refused; else None."""
    push = PushSubscription.objects.filter(key=key).first()
    if push is None or query.get("hub.topic") != push.topic_url:
        return None
    mode, challenge = query.get("hub.mode", ""), query.get("hub.challenge", "")
    is_wanted = push.state in (PushState.REQUESTED, PushState.VERIFIED)
    if mode == "denied" and is_wanted:
        reason = query.get("hub.reason", "").replace("\0", "")
        deny(push, reason or _("it gave no reason"), now=now)
        return ""
    if not 0 < len(challenge) <= MAX_CHALLENGE:
        return None
    if mode == "unsubscribe" and push.state == PushState.ENDING:
        return challenge
    if mode == "subscribe" and is_wanted:
        return challenge if _verify(push, query.get("hub.lease_seconds", ""), now=now) else None
    return None


def _verify(push: PushSubscription, lease_seconds: str, *, now: datetime) -> bool:
    """Start a lease; False if it is too short or the subscription has changed in the meantime."""
    is_number = lease_seconds.isascii() and lease_seconds.isdigit() and len(lease_seconds) <= _MAX_DIGITS
    lease = min(timedelta(seconds=int(lease_seconds) if is_number else 0), LONGEST_LEASE)
    if lease < SHORTEST_LEASE:
        deny(push, _("it promises announcements for less than an hour"), now=now)
        return False
    mine = PushSubscription.objects.filter(
        pk=push.pk, key=push.key, state__in=(PushState.REQUESTED, PushState.VERIFIED)
    )
    verified = mine.update(
        state=PushState.VERIFIED,
        verified_at=now,
        lease_until=now + lease,
        try_at=now + lease * uniform(*RENEWAL),  # noqa: S311 - spreads renewals, guards nothing
        n_tries=0,
        reason="",
    )
    return verified == 1


def deny(push: PushSubscription, reason: str, *, now: datetime) -> None:
    """The hub refuses; the feed is polled as usual, and soon, because announcements may be missing."""
    denied = PushSubscription.objects.filter(pk=push.pk, key=push.key, state=push.state)
    with transaction.atomic():
        poll_as_usual(denied.filter(announces=True), now=now)
        denied.update(
            state=PushState.DENIED,
            reason=reason[:300],
            announces=False,
            lease_until=None,
            n_tries=0,
            try_at=now + DENIED_FOR,
        )


def poll_as_usual(pushes: QuerySet[PushSubscription], *, now: datetime) -> None:
    """Poll the feeds of these subscriptions soon: their next poll was put off because of the hub."""
    Feed.objects.filter(pk__in=pushes.values("feed"), status=FeedStatus.ACTIVE, next_poll_at__gt=now).update(
        next_poll_at=now
    )


def receive(key: str, signature: str, chunks: Iterable[bytes], *, max_bytes: int, now: datetime) -> Receipt:
    """Take a ping: check the signature of the content in `chunks`, and make the feed due."""
    push = PushSubscription.objects.select_related("feed__source").filter(key=key).first()
    if push is None:
        return Receipt.UNKNOWN
    if push.state not in (PushState.REQUESTED, PushState.VERIFIED):
        return Receipt.GONE
    is_signed = check_signature(signature, push.secret, chunks, max_bytes=max_bytes)
    if is_signed is None:
        return Receipt.TOO_LARGE
    return _take(push, now) if is_signed else Receipt.IGNORED


def check_signature(signature: str, secret: str, chunks: Iterable[bytes], *, max_bytes: int) -> bool | None:
    """Return whether the content is signed with the secret (`sha256=…`); None if it has more than `max_bytes`."""
    algorithm, _equals, digest = signature.partition("=")
    algorithm = algorithm.strip().lower()
    if algorithm not in ALGORITHMS:
        return False
    computed = hmac.new(secret.encode(), digestmod=algorithm)
    n_bytes = 0
    for chunk in chunks:
        n_bytes += len(chunk)
        if n_bytes > max_bytes:
            return None
        computed.update(chunk)
    return hmac.compare_digest(computed.hexdigest().encode(), digest.strip().lower().encode())


def _take(push: PushSubscription, now: datetime) -> Receipt:
    feed = push.feed
    due = max(now, push.polled_at + pause_after(push.n_fruitless)) if push.polled_at else now
    is_fetching = feed.source.leased_until is not None and feed.source.leased_until > now
    if push.has_open_ping and not is_fetching and feed.next_poll_at is not None and feed.next_poll_at <= due:
        return Receipt.COVERED
    with transaction.atomic():  # the feed first, as in a poll's transaction
        later = Q(next_poll_at__gt=due) | Q(next_poll_at=None)
        Feed.objects.filter(later, pk=feed.pk, status=FeedStatus.ACTIVE).update(next_poll_at=due)
        PushSubscription.objects.filter(pk=push.pk).update(pinged_at=now, n_pings=F("n_pings") + 1)
    return Receipt.ACCEPTED
