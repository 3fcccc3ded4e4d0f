"""The address that hubs call."""

import hashlib
import hmac
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from feeds.models import PushState, PushSubscription
from tests import make
from tests.feeds.push.subscriptions import DAY, HOUR, TOPIC, next_poll, pushed
from tests.reader.conftest import Enqueued

pytestmark = pytest.mark.django_db

BODY = b"<rss version='2.0'><channel><title>T</title></channel></rss>"


@pytest.fixture
def hub() -> Client:
    return Client(enforce_csrf_checks=True)


def soon() -> PushSubscription:
    """A subscription by the real clock."""
    now = timezone.now()
    feed = make.feed(topic_url=TOPIC, hub_url="https://hub.example/", next_poll_at=now + HOUR)
    return pushed(feed, lease_until=now + DAY, try_at=now + DAY)


def deliver(hub: Client, push: PushSubscription, body: bytes = BODY, signature: str | None = None) -> int:
    signed = hmac.new(push.secret.encode(), body, hashlib.sha256).hexdigest()
    response = hub.post(
        reverse("push", args=[push.key]),
        body,
        content_type="application/rss+xml",
        headers={"X-Hub-Signature": f"sha256={signed}" if signature is None else signature},
    )
    return response.status_code


def test_repeats_the_challenge_in_a_type_that_no_browser_shows(hub: Client) -> None:
    push = soon()
    query = {"hub.mode": "subscribe", "hub.topic": TOPIC, "hub.lease_seconds": "864000"}
    response = hub.get(reverse("push", args=[push.key]), {**query, "hub.challenge": "<script>alert(1)</script>"})
    assert (response.status_code, response.content) == (200, b"<script>alert(1)</script>")
    assert response["Content-Type"] == "application/octet-stream"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert not response.cookies
    assert hub.get(reverse("push", args=[push.key]), query).status_code == 404
    assert hub.get(reverse("push", args=["unknown"]), {**query, "hub.challenge": "c"}).status_code == 404


def test_ping_queues_one_poll(
    hub: Client, enqueued: Enqueued, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    push, before = soon(), timezone.now()
    with django_assert_num_queries(5):  # the subscription, two updates in a transaction
        assert deliver(hub, push) == 202
    assert enqueued == [("reader.tasks.push.poll_announced",)]
    assert before <= next_poll(push) <= timezone.now()
    with django_assert_num_queries(1):
        assert deliver(hub, push) == 202
    assert len(enqueued) == 1


def test_wrong_signature_is_accepted_and_ignored(hub: Client, enqueued: Enqueued) -> None:
    push = soon()
    due = next_poll(push)
    for signature in ("", "sha256=00", "sha1=", "x" * 5000):
        assert deliver(hub, push, signature=signature) == 202
    assert (enqueued, next_poll(push), PushSubscription.objects.get().n_pings) == ([], due, 0)


def test_other_answers(hub: Client, enqueued: Enqueued, settings: Settings) -> None:
    push = soon()
    assert hub.post(reverse("push", args=["unknown"]), BODY, content_type="text/xml").status_code == 404
    assert hub.put(reverse("push", args=[push.key])).status_code == 405
    settings.ENV = replace(settings.ENV, FETCH_MAX_BYTES=1024)
    assert deliver(hub, push, b"x" * 1025) == 413
    PushSubscription.objects.update(state=PushState.ENDING)
    assert deliver(hub, push) == 410
    assert enqueued == []


def test_address_says_nothing_about_users(hub: Client) -> None:
    user = make.user("ada")
    push = soon()
    make.subscription(user, push.feed)
    response = hub.get(reverse("push", args=[push.key]))
    assert "ada" not in response.content.decode()
    assert reverse("push", args=[push.key]) == f"/push/{push.key}"
