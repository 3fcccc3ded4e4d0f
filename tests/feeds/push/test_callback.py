"""What hubs may do at a subscription's address: every state, signature and flood."""

import hashlib
import hmac
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from feeds.models import Feed, FeedStatus, PushState, PushSubscription
from feeds.push.callback import Receipt, check_signature, confirm, receive
from tests import make
from tests.feeds.push.subscriptions import DAY, HOUR, MINUTE, TOPIC, next_poll, pushed
from tests.make import NOW

pytestmark = pytest.mark.django_db

BODY = b"<rss version='2.0'><channel><title>T</title></channel></rss>"
SECOND = timedelta(seconds=1)


def asks(mode: str = "subscribe", **changes: str) -> dict[str, str]:
    query = {"mode": mode, "topic": TOPIC, "challenge": "abc", "lease_seconds": str(10 * 24 * 3600), **changes}
    return {f"hub.{name}": value for name, value in query.items()}


def sign(body: bytes, secret: str, algorithm: str = "sha256") -> str:
    return f"{algorithm}={hmac.new(secret.encode(), body, algorithm).hexdigest()}"


def ping(push: PushSubscription, now: object = NOW, signature: str | None = None) -> Receipt:
    signed = sign(BODY, push.secret) if signature is None else signature
    return receive(push.key, signed, [BODY[:10], BODY[10:]], max_bytes=1000, now=now)


def test_requested_subscription_is_confirmed() -> None:
    push = pushed(state=PushState.REQUESTED, lease_until=None, verified_at=None, n_tries=2, reason="timeout")
    assert confirm(push.key, asks(), now=NOW) == "abc"
    push.refresh_from_db()
    assert (push.state, push.verified_at, push.lease_until) == (PushState.VERIFIED, NOW, NOW + 10 * DAY)
    assert NOW + 7 * DAY <= push.try_at <= NOW + 9 * DAY  # renewed before it ends
    assert (push.n_tries, push.reason, push.announces) == (0, "", False)


def test_renewal_prolongs_the_lease() -> None:
    push = pushed(announces=True)
    assert confirm(push.key, asks(), now=NOW + 8 * DAY) == "abc"
    push.refresh_from_db()
    assert (push.lease_until, push.announces) == (NOW + 18 * DAY, True)


@pytest.mark.parametrize(
    ("state", "query"),
    [
        (PushState.REQUESTED, asks(topic="https://paper.example/other.xml")),
        (PushState.REQUESTED, asks(challenge="")),
        (PushState.REQUESTED, asks(challenge="x" * 2001)),
        (PushState.REQUESTED, asks("unsubscribe")),
        (PushState.REQUESTED, asks("publish")),
        (PushState.REQUESTED, {}),
        (PushState.VERIFIED, asks("unsubscribe")),
        (PushState.WAITING, asks()),
        (PushState.DENIED, asks()),
        (PushState.LAPSED, asks()),
        (PushState.ENDING, asks()),
        (PushState.ENDING, asks("denied")),
    ],
)
def test_confirms_nothing_else(state: str, query: dict[str, str]) -> None:
    push = pushed(state=state)
    assert confirm(push.key, query, now=NOW) is None
    before, after = vars(push), vars(PushSubscription.objects.get())
    assert {name: after[name] for name in before if name[0] != "_"} == {n: before[n] for n in before if n[0] != "_"}
    assert confirm("unknown", query, now=NOW) is None


@pytest.mark.parametrize(
    ("seconds", "days"), [("86400", 1.0), (str(10**9), 30.0), ("3599", None), ("-5", None), ("١", None), ("", None)]
)
def test_lease_is_limited(seconds: str, days: float | None) -> None:
    push = pushed(state=PushState.REQUESTED)
    assert confirm(push.key, asks(lease_seconds=seconds), now=NOW) == ("abc" if days else None)
    push.refresh_from_db()
    if days is None:
        assert (push.state, push.reason) == (PushState.DENIED, "it promises announcements for less than an hour")
    else:
        assert push.lease_until == NOW + timedelta(days=days)


def test_unsubscribing_is_confirmed_again_and_again() -> None:
    push = pushed(state=PushState.ENDING)
    assert [confirm(push.key, asks("unsubscribe", lease_seconds=""), now=NOW) for _ in range(2)] == ["abc", "abc"]


@pytest.mark.parametrize("state", [PushState.REQUESTED, PushState.VERIFIED])
def test_denial_returns_to_polling(state: str) -> None:
    push = pushed(state=state, announces=True)
    assert confirm(push.key, {"hub.mode": "denied", "hub.topic": TOPIC, "hub.reason": "no\0 " * 200}, now=NOW) == ""
    push.refresh_from_db()
    assert (push.state, push.announces, push.reason[:6], len(push.reason)) == (PushState.DENIED, False, "no no ", 300)
    assert push.try_at == NOW + 30 * DAY
    assert next_poll(push) == NOW


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha384", "sha512"])
def test_signed_ping_makes_the_feed_due(algorithm: str) -> None:
    push, other = pushed(), pushed()
    assert ping(push, signature=sign(BODY, push.secret, algorithm).upper().replace("SHA", "sha")) == Receipt.ACCEPTED
    push.refresh_from_db()
    assert (push.pinged_at, push.n_pings, push.has_open_ping) == (NOW, 1, True)
    assert next_poll(push) == NOW
    assert next_poll(other) == NOW + 2 * HOUR


@pytest.mark.parametrize("signature", ["", "sha256=", "sha256", "=", "md5=0", "sha256=ü", f"sha256={'0' * 64}"])
def test_wrong_signature_is_ignored(signature: str) -> None:
    push, other = pushed(), pushed()
    for wrong in (signature, sign(BODY, other.secret), sign(BODY + b" ", push.secret)):
        assert ping(push, signature=wrong) == Receipt.IGNORED
    push.refresh_from_db()
    assert (push.pinged_at, push.n_pings, next_poll(push)) == (None, 0, NOW + 2 * HOUR)


def test_md5_is_no_signature() -> None:
    digest = hmac.new(b"s", BODY, hashlib.md5).hexdigest()
    assert check_signature(f"md5={digest}", "s", [BODY], max_bytes=1000) is False


def test_large_body_is_read_no_further() -> None:
    push, n_read = pushed(), 0

    def endless() -> object:
        nonlocal n_read
        while True:
            n_read += 1
            yield b"x" * 100

    assert receive(push.key, "sha1=0", endless(), max_bytes=1000, now=NOW) == Receipt.TOO_LARGE
    assert n_read == 11
    assert next_poll(push) == NOW + 2 * HOUR


@pytest.mark.parametrize("state", [PushState.WAITING, PushState.DENIED, PushState.LAPSED, PushState.ENDING])
def test_ping_without_a_subscription_is_gone(state: str) -> None:
    push = pushed(state=state)
    assert ping(push) == Receipt.GONE
    assert next_poll(push) == NOW + 2 * HOUR
    assert receive("unknown", "", [BODY], max_bytes=1000, now=NOW) == Receipt.UNKNOWN


def test_dead_feed_is_not_polled() -> None:
    push = pushed()
    Feed.objects.update(status=FeedStatus.DEAD, next_poll_at=None)
    ping(push)
    assert next_poll(push) is None


def test_flood_costs_a_query_each(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    push = pushed()
    assert ping(push) == Receipt.ACCEPTED
    with django_assert_num_queries(100):
        assert {ping(push, NOW + n * SECOND) for n in range(100)} == {Receipt.COVERED}
    push.refresh_from_db()
    assert (push.n_pings, next_poll(push)) == (1, NOW)


def test_ping_during_a_fetch_is_kept() -> None:
    push = pushed()
    ping(push)
    push.feed.source.__class__.objects.update(leased_until=NOW + MINUTE)
    assert ping(push, NOW + SECOND) == Receipt.ACCEPTED
    assert PushSubscription.objects.get().pinged_at == NOW + SECOND


@pytest.mark.parametrize(("n_fruitless", "seconds"), [(0, 15), (1, 30), (4, 240), (10, 3600)])
def test_polls_for_pings_keep_their_distance(n_fruitless: int, seconds: int) -> None:
    push = pushed(n_fruitless=n_fruitless, polled_at=NOW)
    ping(push)
    assert next_poll(push) == NOW + timedelta(seconds=seconds)


def test_scheduled_poll_delays_no_ping() -> None:
    push = pushed()
    Feed.objects.update(last_polled_at=NOW)
    ping(push)
    assert next_poll(push) == NOW


def test_ping_never_delays_a_poll() -> None:
    push = pushed(make.feed(next_poll_at=NOW - HOUR, last_polled_at=NOW, hub_url="h", topic_url="t"))
    ping(push)
    assert next_poll(push) == NOW - HOUR
