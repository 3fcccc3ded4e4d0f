"""Sending over HTTP to a server on loopback: once, again after failures, and only where it may."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reader.models import Notification, Sending, SendTarget
from reader.send_to.outbox import send_due
from reader.send_to.retrying import LEASE, PAUSES, SLACK
from reader.tasks.sending import _post, send_articles
from tests import make
from tests.reader.conftest import Enqueued, World
from tests.reader.send_to.service import Service

pytestmark = pytest.mark.django_db


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as running:
        yield running


@pytest.fixture
def linkding(world: World, service: Service, monkeypatch: pytest.MonkeyPatch) -> SendTarget:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, FETCH_ALLOW_PRIVATE_NETWORKS=True))
    target = SendTarget.objects.get(user=world.user, service="linkding")
    target.values = {"url": service.url, "token": "secret"}
    target.save()
    return target


def send(browser: Client, world: World, service: str = "linkding") -> Any:
    return browser.post(reverse("article_send", args=[world.article.pk]), {"service": service}, follow=True)


def test_sends_once(browser: Client, world: World, linkding: SendTarget, service: Service, enqueued: Enqueued) -> None:
    assert "Sending to Linkding." in send(browser, world).content.decode()
    assert enqueued == [("reader.tasks.sending.send_articles",)]
    send_articles()
    send_articles()
    [(path, headers, _body)] = service.asked
    assert (path, headers["Authorization"]) == ("/api/bookmarks/", "Token secret")
    assert Sending.objects.get().state == "sent"
    page = send(browser, world).content.decode()
    assert "Already sent to Linkding." in page
    assert "Sent to Linkding" in browser.get(reverse("article", args=[world.article.pk])).content.decode()
    send_articles()
    assert len(service.asked) == 1


def test_gets_a_token_first(browser: Client, world: World, linkding: SendTarget, service: Service) -> None:
    values = {"url": service.url, "client_id": "1", "client_secret": "s", "username": "ada", "password": "p"}
    SendTarget.objects.create(user=world.user, service="wallabag", values=values)
    service.answers = deque([(200, b'{"access_token": "abc"}'), (200, b"{}")])
    send(browser, world, "wallabag")
    send_articles()
    assert [path for path, *_ in service.asked] == ["/oauth/v2/token", "/api/entries.json"]
    assert service.asked[1][1]["Authorization"] == "Bearer abc"


def test_tries_again_and_gives_up(browser: Client, world: World, linkding: SendTarget, service: Service) -> None:
    service.answers = deque([(503, b"")])
    send(browser, world)
    now = timezone.now()
    for pause in PAUSES:
        assert send_due(_post, now=now) == 1
        assert not Notification.objects.filter(kind="sending").exists()
        assert send_due(_post, now=now + pause - SLACK - timedelta(seconds=1)) == 0
        now += pause - SLACK
    assert send_due(_post, now=now) == 1
    assert Sending.objects.get().state == "failed"
    told = Notification.objects.get(kind="sending")
    assert told.text == "“Morning” couldn't be sent to Linkding. Linkding answered with the status 503."
    service.answers = deque([(201, b"{}")])
    send(browser, world)  # again, after the failure
    send_articles()
    assert Sending.objects.get().state == "sent"


@pytest.mark.parametrize(
    ("status", "reason"),
    [(401, "refused the request. Check its settings."), (404, "the status 404"), (302, "the status 302")],
)
def test_gives_up_at_once(
    browser: Client, world: World, linkding: SendTarget, service: Service, status: int, reason: str
) -> None:
    service.answers = deque([(status, b"secret")])
    send(browser, world)
    send_articles()
    assert reason in Notification.objects.get(kind="sending").text
    assert Sending.objects.get().state == "failed"
    assert len(service.asked) == 1


def test_is_sent_again_after_a_worker_died(
    browser: Client, world: World, linkding: SendTarget, service: Service
) -> None:
    send(browser, world)

    def killed(outgoing: object) -> Any:
        raise KeyboardInterrupt

    now = timezone.now()
    with pytest.raises(KeyboardInterrupt):
        send_due(killed, now=now)
    assert send_due(_post, now=now + LEASE - timedelta(seconds=1)) == 0
    assert send_due(_post, now=now + LEASE) == 1
    assert Sending.objects.get().state == "sent"


def test_gives_up_on_what_raises_or_ends_its_worker(
    world: World, linkding: SendTarget, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    now = timezone.now()
    linkding.values = {}  # as if an update had renamed its settings
    linkding.save()
    values = {"url": service.url, "token": "secret"}
    other = SendTarget.objects.create(user=make.user(), service="linkding", values=values)
    poison = Sending.objects.create(target=linkding, article=world.article, try_at=now - timedelta(minutes=1))
    Sending.objects.create(target=other, article=world.article, try_at=now)
    assert send_due(_post, now=now) == 2
    assert [row.state for row in Sending.objects.order_by("pk")] == ["waiting", "sent"]
    assert f"Sending {poison.pk} could not be sent" in caplog.text
    for _ in PAUSES:
        now += max(PAUSES)
        assert send_due(_post, now=now) == 1
    assert Sending.objects.get(pk=poison.pk).state == "failed"
    assert Notification.objects.get(kind="sending").text.endswith("Something went wrong. The error has been logged.")
    Sending.objects.filter(pk=poison.pk).update(state="waiting", n_tries=len(PAUSES) + 1, try_at=now)
    send_due(_post, now=now)
    assert Notification.objects.latest("pk").text.endswith("RSS Manager was interrupted each time.")


def test_does_not_connect_to_private_addresses(
    browser: Client, world: World, linkding: SendTarget, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, FETCH_ALLOW_PRIVATE_NETWORKS=False))
    send(browser, world)
    send_articles()
    assert service.asked == []
    assert Sending.objects.get().state == "failed"


def test_settings_never_show_secrets(browser: Client, world: World) -> None:
    SendTarget.objects.all().delete()
    data = {"service": "linkding", "linkding-url": "https://links.example/", "linkding-token": "hush"}
    browser.post(reverse("send_to"), data)
    assert SendTarget.objects.get().values == {"url": "https://links.example", "token": "hush"}
    page = browser.get(reverse("send_to")).content.decode()
    assert "hush" not in page
    assert "https://links.example" in page
    browser.post(reverse("send_to"), data | {"linkding-token": ""})
    assert SendTarget.objects.get().values["token"] == "hush"
    other = data | {"linkding-token": "", "linkding-url": "https://thief.example"}
    assert browser.post(reverse("send_to"), other).status_code == 422  # the token stays with its address
    assert SendTarget.objects.get().values["url"] == "https://links.example"
    browser.post(reverse("send_to"), {"service": "linkding", "act": "remove"})
    assert not SendTarget.objects.exists()


def test_menu_has_only_what_is_set_up(browser: Client, world: World) -> None:
    SendTarget.objects.all().delete()
    path = reverse("article", args=[world.article.pk])
    assert "Send to" not in browser.get(path).content.decode().partition("more-menu")[2]
    SendTarget.objects.create(user=world.user, service="mastodon", values={"url": "https://social.example"})
    page = browser.get(path).content.decode()
    assert 'href="https://social.example/share?text=Morning' in page
    assert send(browser, world, "mastodon").status_code == 404
    assert send(browser, world, "linkding").status_code == 404
    assert not Sending.objects.exists()
    other = make.user()
    browser.force_login(other)
    assert send(browser, world, "mastodon").status_code == 404
