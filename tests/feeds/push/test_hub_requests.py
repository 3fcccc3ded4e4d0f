"""Subscribing, renewing and unsubscribing, against a hub that is a function."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qs

import pytest
from pytest_django import DjangoAssertNumQueries

from feeds.errors import CertificateRejected, ConnectionFailed, FetchTimeout, ForbiddenAddress
from feeds.fetching.post import PostResult
from feeds.models import Feed, FeedStatus, PushState, PushSubscription, Source
from feeds.push.callback import confirm
from feeds.push.hub_requests import drop_all, end_expired, send_due, update_subscriptions
from tests import make
from tests.feeds.push.subscriptions import DAY, HOUR, HUB, MINUTE, TOPIC, next_poll, pushed
from tests.make import NOW

pytestmark = pytest.mark.django_db


@dataclass
class Hub:
    """Records requests, and answers with `respond`."""

    respond: Callable[[str], PostResult] = lambda url: PostResult(202, b"")
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def post(self, url: str, body: bytes) -> PostResult:
        self.requests.append((url, {name: values[0] for name, values in parse_qs(body.decode()).items()}))
        return self.respond(url)

    def run(self, now: datetime = NOW) -> int:
        return send_due(self.post, callback_url=lambda key: f"https://reader.example.org/push/{key}", now=now)


def fails(error: Exception) -> Callable[[str], PostResult]:
    def respond(url: str) -> PostResult:
        raise error

    return respond


def with_hub(**values: object) -> Feed:
    return make.feed(**{"hub_url": HUB, "topic_url": TOPIC, **values})


def plan(now: datetime = NOW) -> None:
    update_subscriptions(Feed.objects.exclude(title="unfollowed"), now=now)


def the_one() -> PushSubscription:
    return PushSubscription.objects.get()


def test_followed_feeds_with_a_hub_are_requested() -> None:
    feed, hub = with_hub(), Hub()
    with_hub(title="unfollowed")
    with_hub(status=FeedStatus.PAUSED)
    make.feed()
    plan()
    assert (the_one().feed, the_one().state) == (feed, PushState.WAITING)
    assert hub.run() == 1
    push = the_one()
    assert (push.state, push.n_tries, push.try_at) == (PushState.REQUESTED, 1, NOW + HOUR)
    assert hub.requests == [
        (
            HUB,
            {
                "hub.mode": "subscribe",
                "hub.topic": TOPIC,
                "hub.callback": f"https://reader.example.org/push/{push.key}",
                "hub.lease_seconds": "864000",
                "hub.secret": push.secret,
            },
        )
    ]
    plan()
    assert hub.run() == 0
    assert next_poll(push) == NOW  # polled as before


def test_keys_and_secrets_are_long_and_unique() -> None:
    for _ in range(3):
        with_hub()
    plan()
    words = [word for push in PushSubscription.objects.all() for word in (push.key, push.secret)]
    assert [len(word) for word in words] == [43] * 6
    assert len(set(words)) == 6


def test_hub_may_confirm_before_it_responds() -> None:
    with_hub()
    plan()
    query = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.challenge": "c", "hub.lease_seconds": "864000"}

    def respond(url: str) -> PostResult:
        return PostResult(202, b"")

    hub = Hub(respond)
    hub.run()
    assert confirm(the_one().key, query, now=NOW) == "c"
    assert the_one().state == PushState.VERIFIED


def test_silent_hub_is_asked_ever_more_rarely() -> None:
    with_hub()
    plan()
    hub, now, waits = Hub(), NOW, []
    for _ in range(9):
        assert hub.run(now) == 1
        waits.append((the_one().try_at - now) / HOUR)
        now = the_one().try_at
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 128]
    assert the_one().state == PushState.REQUESTED


@pytest.mark.parametrize(
    "trouble",
    [
        lambda url: PostResult(503, b""),
        lambda url: PostResult(429, b""),
        fails(FetchTimeout("too slow", url=HUB)),
        fails(ConnectionFailed("no way", url=HUB)),
        fails(CertificateRejected("expired", url=HUB)),
    ],
)
def test_unreachable_hub_is_asked_again(trouble: Callable[[str], PostResult]) -> None:
    for _ in range(3):
        with_hub()
    plan()
    hub = Hub(trouble)
    assert hub.run() == 3
    assert len(hub.requests) == 1  # the others wait
    rows = list(PushSubscription.objects.order_by("-n_tries"))
    assert [(push.state, push.n_tries, push.try_at - NOW) for push in rows] == [
        (PushState.REQUESTED, 1, HOUR),
        (PushState.REQUESTED, 0, 10 * MINUTE),
        (PushState.REQUESTED, 0, 10 * MINUTE),
    ]
    assert rows[0].reason


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        (lambda url: PostResult(403, b"<b>go away</b>"), "it responded with status 403"),
        (fails(ForbiddenAddress("10.0.0.1 is not a public address.", url=HUB)), "10.0.0.1 is not a public address."),
    ],
)
def test_refusing_hub_is_left_alone(refusal: Callable[[str], PostResult], reason: str) -> None:
    with_hub()
    plan()
    hub = Hub(refusal)
    hub.run()
    assert (the_one().state, the_one().reason, the_one().try_at) == (PushState.DENIED, reason, NOW + 30 * DAY)
    plan(NOW + DAY)
    assert hub.run(NOW + 29 * DAY) == 0
    assert hub.run(NOW + 30 * DAY) == 1


def test_lease_is_renewed_and_a_failure_keeps_it() -> None:
    push = pushed(announces=True)
    hub = Hub(lambda url: PostResult(500, b""))
    assert hub.run(push.try_at - MINUTE) == 0
    assert hub.run(push.try_at) == 1
    renewed = the_one()
    assert (renewed.state, renewed.announces, renewed.lease_until) == (PushState.VERIFIED, True, push.lease_until)
    assert (renewed.reason, renewed.key) == ("it responded with status 500", push.key)


def test_ended_lease_returns_to_polling() -> None:
    push, other = pushed(announces=True, lease_until=NOW), pushed(announces=True, lease_until=NOW + MINUTE)
    end_expired(now=NOW)
    push.refresh_from_db()
    assert (push.state, push.announces, next_poll(push)) == (PushState.LAPSED, False, NOW)
    other.refresh_from_db()
    assert (other.state, other.announces, next_poll(other)) == (PushState.VERIFIED, True, NOW + 2 * HOUR)
    assert Hub().run(push.try_at) == 2  # asked again


@pytest.mark.parametrize(
    "end",
    [
        lambda: Feed.objects.update(title="unfollowed"),
        lambda: Feed.objects.update(status=FeedStatus.DEAD, next_poll_at=None),
        lambda: Feed.objects.update(status=FeedStatus.MERGED, next_poll_at=None),
        lambda: Feed.objects.update(hub_url="", topic_url=""),
    ],
    ids=["unfollowed", "dead", "merged", "no hub"],
)
def test_unsubscribes(end: Callable[[], object]) -> None:
    push, hub = pushed(announces=True), Hub()
    end()
    plan()
    assert (the_one().state, the_one().announces) == (PushState.ENDING, False)
    assert hub.run() == 1
    sent = hub.requests[0][1]
    assert (sent["hub.mode"], sent["hub.callback"].rpartition("/")[2]) == ("unsubscribe", push.key)
    assert "hub.secret" not in sent
    query = {"hub.mode": "unsubscribe", "hub.topic": TOPIC, "hub.challenge": "c"}
    assert confirm(push.key, query, now=NOW + HOUR) == "c"
    plan(NOW + DAY)
    assert hub.run(NOW + DAY) == 0
    assert not PushSubscription.objects.exists()


def test_unsubscribing_gives_up_after_three_tries() -> None:
    pushed(state=PushState.ENDING, try_at=NOW)
    hub = Hub(fails(FetchTimeout("too slow", url=HUB)))
    for hours in range(30):
        hub.run(NOW + hours * HOUR)
    assert len(hub.requests) == 3
    assert not PushSubscription.objects.exists()


def test_never_requested_subscription_just_ends() -> None:
    with_hub()
    plan()
    Feed.objects.update(title="unfollowed")
    plan()
    assert not PushSubscription.objects.exists()


def test_following_again_starts_anew() -> None:
    push = pushed(state=PushState.ENDING)
    plan()
    assert (the_one().state, the_one().lease_until) == (PushState.WAITING, None)
    assert the_one().key != push.key


def test_other_hub_gets_another_key() -> None:
    push, same = pushed(), pushed()
    Feed.objects.filter(pk=push.feed_id).update(hub_url="https://other.example/")
    plan()
    changed = PushSubscription.objects.get(feed=push.feed_id)
    assert (changed.state, changed.hub_url) == (PushState.WAITING, "https://other.example/")
    assert (changed.key == push.key, changed.secret == push.secret) == (False, False)
    assert PushSubscription.objects.get(feed=same.feed_id).key == same.key


def test_hub_gets_20_requests_a_run_and_others_theirs() -> None:
    for n in range(25):
        pushed(state=PushState.WAITING, try_at=NOW - DAY + n * MINUTE)
    pushed(with_hub(hub_url="https://other.example/"), state=PushState.WAITING, try_at=NOW)
    hub = Hub()
    assert (hub.run(), hub.run(), hub.run()) == (21, 5, 0)
    assert [url for url, _ in hub.requests].count("https://other.example/") == 1


def test_rate_limited_hub_is_not_asked() -> None:
    pushed(try_at=NOW)
    Source.objects.create(domain="hub.example", rate_limited_until=NOW + MINUTE)
    assert (Hub().run(), Hub().run(NOW + MINUTE)) == (0, 1)


def test_prefers_https_and_follows_two_redirects() -> None:
    pushed(with_hub(hub_url="http://hub.example/"), try_at=NOW)
    hub = Hub(lambda url: PostResult(307, b"", "/next"))
    hub.run()
    assert [url for url, _ in hub.requests] == [
        "https://hub.example/",
        "https://hub.example/next",
        "https://hub.example/next",
    ]


def test_secret_is_not_redirected_to_http() -> None:
    pushed(with_hub(hub_url="https://hub.example/"), try_at=NOW)
    hub = Hub(lambda url: PostResult(308, b"", "http://hub.example/next"))
    hub.run()
    assert [url for url, _ in hub.requests] == ["https://hub.example/"]


def test_http_is_the_fallback() -> None:
    pushed(with_hub(hub_url="http://hub.example/"), try_at=NOW, state=PushState.WAITING)

    def respond(url: str) -> PostResult:
        if url.startswith("https:"):
            raise ConnectionFailed("refused", url=url)
        return PostResult(202, b"")

    hub = Hub(respond)
    hub.run()
    assert [url for url, _ in hub.requests] == ["https://hub.example/", "http://hub.example/"]
    assert the_one().state == PushState.REQUESTED


def test_killed_worker_leaves_a_request_for_later() -> None:
    pushed(state=PushState.WAITING, try_at=NOW)

    def die(url: str) -> PostResult:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Hub(die).run()
    assert (the_one().state, the_one().try_at) == (PushState.REQUESTED, NOW + HOUR)
    assert (Hub().run(), Hub().run(NOW + HOUR)) == (0, 1)


def test_dropping_all_returns_to_polling() -> None:
    push, quiet = pushed(announces=True), pushed()
    drop_all(now=NOW)
    assert not PushSubscription.objects.exists()
    assert (next_poll(push), next_poll(quiet)) == (NOW, NOW + 2 * HOUR)


@pytest.mark.parametrize("n", [1, 30])
def test_nothing_to_do_takes_constant_queries(n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for _ in range(n):
        pushed()
    with django_assert_num_queries(10):
        plan()
        end_expired(now=NOW)
        Hub().run()
