"""The tasks for hubs: who is subscribed, when it is off, and polls after pings."""

from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_network
from urllib.parse import parse_qs

import pytest
from django.utils import timezone
from pytest_django import Settings

from feeds.fetching.post import PostResult
from feeds.models import Feed, PushState, PushSubscription
from feeds.push.availability import why_off
from reader.models import Delivery
from reader.subscriptions.unfollow import unfollow
from reader.tasks import push as tasks
from tests import make
from tests.feeds.push.subscriptions import DAY, HOUR, HUB, TOPIC, next_poll, pushed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _public(settings: Settings) -> None:
    settings.BASE_URL = "https://reader.example.org/below"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    requests: list[dict[str, str]] = []

    def post(url: str, body: bytes) -> PostResult:
        requests.append({name: values[0] for name, values in parse_qs(body.decode()).items()})
        return PostResult(202, b"")

    monkeypatch.setattr(tasks, "_post", post)
    return requests


def test_last_follower_keeps_the_subscription(sent: list[dict[str, str]]) -> None:
    feed = make.feed(hub_url=HUB, topic_url=TOPIC)
    make.feed(hub_url=HUB, topic_url=TOPIC)  # nobody follows it
    ada, bob = make.user(), make.user()
    mine, theirs = make.subscription(ada, feed), make.subscription(bob, feed)
    tasks.maintain_push()
    push = PushSubscription.objects.get()
    assert (push.feed, push.state, len(sent)) == (feed, PushState.REQUESTED, 1)
    assert sent[0]["hub.callback"].startswith("https://reader.example.org/")
    unfollow(ada, [mine.pk], now=timezone.now())
    tasks.maintain_push()
    assert (PushSubscription.objects.get().state, len(sent)) == (PushState.REQUESTED, 1)
    unfollow(bob, [theirs.pk], now=timezone.now())
    tasks.maintain_push()
    assert PushSubscription.objects.get().state == PushState.ENDING
    assert [request["hub.mode"] for request in sent] == ["subscribe", "unsubscribe"]


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("https://reader.example.org", ""),
        ("http://93.184.216.34:8000", ""),
        ("https://[2606:2800:220:1::1]", ""),
        ("http://127.0.0.1:8000", "address"),
        ("http://192.168.1.5", "address"),
        ("http://localhost:8000", "address"),
        ("http://nas:8000", "address"),
        ("https://reader.lan", "address"),
        ("https://reader.home.arpa", "address"),
    ],
)
def test_needs_a_public_address(settings: Settings, base_url: str, expected: str) -> None:
    settings.BASE_URL = base_url
    assert why_off() == expected
    settings.ENV = replace(settings.ENV, PUSH=False)
    assert why_off() == "setting"


def test_allowed_networks_count_as_public(settings: Settings) -> None:
    settings.BASE_URL = "http://192.168.1.5"
    settings.ENV = replace(settings.ENV, FETCH_ALLOWED_NETWORKS=(ip_network("192.168.0.0/16"),))
    assert why_off() == ""


def _switch(settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, PUSH=False)


def _move(settings: Settings) -> None:
    settings.BASE_URL = "http://127.0.0.1:8000"


@pytest.mark.parametrize("turn_off", [_switch, _move])
def test_turned_off_it_asks_nobody_and_polls(
    settings: Settings, sent: list[dict[str, str]], turn_off: Callable[[Settings], None]
) -> None:
    now = timezone.now()
    feed = make.feed(hub_url=HUB, topic_url=TOPIC, next_poll_at=now + DAY)
    make.subscription(make.user(), feed)
    push = pushed(feed, announces=True, lease_until=now + DAY, try_at=now)
    turn_off(settings)
    tasks.maintain_push()
    tasks.maintain_push()
    assert (sent, PushSubscription.objects.count()) == ([], 0)
    assert next_poll(push) <= timezone.now()


def test_private_hub_is_refused_before_connecting() -> None:
    make.subscription(make.user(), make.feed(hub_url="http://127.0.0.1:9/", topic_url=TOPIC))
    tasks.maintain_push()
    push = PushSubscription.objects.get()
    assert (push.state, push.reason) == (
        PushState.DENIED,
        "127.0.0.1 resolves to 127.0.0.1, which is not a public address.",
    )


def test_polls_announced_feeds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    feeds = [make.feed(hub_url=HUB, topic_url=TOPIC, next_poll_at=now - HOUR) for _ in range(4)]
    pushed(feeds[0], pinged_at=now)
    pushed(feeds[1], pinged_at=now - HOUR, answered_at=now - HOUR)  # due by its schedule
    pushed(feeds[2])
    subscription = make.subscription(make.user(), feeds[0])
    polled: list[list[int]] = []

    def poll_feeds(ids: list[int]) -> None:
        polled.append(ids)
        make.item(feeds[0], make.article(feed=feeds[0]))

    monkeypatch.setattr(tasks, "poll_feeds", poll_feeds)
    tasks.poll_announced()
    assert polled == [[feeds[0].pk]]
    assert Delivery.objects.get().subscription == subscription  # at once, not with the next recurring task
    Feed.objects.update(next_poll_at=now + HOUR)
    tasks.poll_announced()
    assert len(polled) == 1
