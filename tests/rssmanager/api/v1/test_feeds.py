"""Feeds, imports, folders, tags and saved searches."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from feeds.models import Feed, Source
from reader.models import Folder, Import, ImportKind, ImportStatus, Subscription
from tests import make
from tests.rssmanager.api.test_icons import PNG, icon
from tests.rssmanager.api.v1.conftest import Script, deliver

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr("rssmanager.api.v1.feeds.call_worker", lambda *call: calls.append(call))
    return calls


def test_feeds_are_listed_renamed_moved_and_unfollowed(script: Script) -> None:
    folder = make.folder(script.user)
    subscription = make.subscription(script.user)
    make.subscription(script.user)
    deliver(script.user, 2, subscription=subscription)
    assert script.ids("feeds", limit=1) == list(Subscription.objects.values_list("pk", flat=True))
    path = f"feeds/{subscription.pk}"
    assert script.get(path)["n_unread"] == 2
    assert script.patch(path, {"title": "Own", "folder_id": folder.pk})["title"] == "Own"
    assert script.patch(path, {"title": ""})["folder_id"] == folder.pk
    assert script.patch(path, {"folder_id": None})["folder_id"] is None
    script.patch(path, {"folder_id": 999}, status=404)
    assert script.patch(path, {"is_private": True})["is_private"] is True
    assert script.patch(path, {"is_private": False})["is_private"] is False
    script.delete(path)
    script.get(path, status=404)
    assert script.post(f"{path}/restore")["id"] == subscription.pk
    script.post(f"{path}/restore", status=409)


def test_feeds_have_icons_that_open(script: Script) -> None:
    make.subscription(script.user, make.feed(icon=icon()))
    make.subscription(script.user)
    first, second = script.get("feeds")["items"]
    assert (script.get(f"feeds/{first['id']}")["icon_url"], second["icon_url"]) == (first["icon_url"], None)
    assert Client().get(urlsplit(first["icon_url"]).path).content == PNG


def test_feeds_are_refreshed_politely(script: Script, polled: list[Any]) -> None:
    feeds = {name: make.subscription(script.user) for name in ("ready", "recent", "limited", "gone")}
    now = timezone.now()
    Feed.objects.filter(pk=feeds["recent"].feed_id).update(last_polled_at=now - timedelta(seconds=20))
    Source.objects.filter(pk=feeds["limited"].feed.source_id).update(rate_limited_until=now + timedelta(hours=1))
    Feed.objects.filter(pk=feeds["gone"].feed_id).update(status="dead")
    answers = {name: script.ask("POST", f"feeds/{row.pk}/refresh") for name, row in feeds.items()}
    statuses = {name: answer.status_code for name, answer in answers.items()}
    assert statuses == {"ready": 202, "recent": 429, "limited": 429, "gone": 409}
    waits = {name: int(answer.headers.get("Retry-After", 0)) for name, answer in answers.items()}
    assert (waits["ready"], waits["gone"]) == (0, 0)
    assert 30 <= waits["recent"] <= 40
    assert 3590 <= waits["limited"] <= 3600
    assert answers["recent"].json()["detail"] == "It was polled less than a minute ago."
    assert answers["ready"].json()["last_polled_at"] is None
    assert polled == [("feeds.tasks.polling.poll_feeds", [feeds["ready"].feed_id])]
    assert script.post("feeds/refresh", status=202) == {"n_refreshed": 1, "n_left_out": 3}
    assert polled[1:] == polled[:1]


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    monkeypatch.setattr("reader.subscriptions.bulk_actions.call_worker", lambda *call: calls.append(call))
    return calls


def test_follows_an_exact_address(script: Script) -> None:
    feed = script.post("feeds/follow", {"url": "a.example/feed", "folder": "News"}, status=201)
    assert (feed["url"], Folder.objects.get().pk) == ("https://a.example/feed", feed["folder_id"])
    problem = script.post("feeds/follow", {"url": "javascript:x"}, status=422)
    assert problem["detail"] == "This address can't be followed: the feed URL is not a valid web address."
    assert Feed.objects.count() == 1


def test_finds_feeds_behind_an_address(script: Script, called: list[Any]) -> None:
    job = script.post("feeds", {"url": "a.example", "folder": "News"}, status=202)
    assert (job["status"], job["found"]) == ("waiting", [])
    assert called == [("reader.tasks.recurring.run_import", job["id"])]
    script.post(f"imports/{job['id']}/follow", {"numbers": [0]}, status=409)
    found = b'[{"url": "https://a.example/%s", "title": "A", "origin": "", "is_read": true, "articles": []}]'
    data = found % b"1" + found % b"2"
    Import.objects.update(status=ImportStatus.PREVIEW, data=data.replace(b"][", b","))
    offers = script.get(f"imports/{job['id']}")["found"]
    assert [(each["number"], each["url"][-1], each["feed_id"]) for each in offers] == [(0, "1", None), (1, "2", None)]
    script.post(f"imports/{job['id']}/follow", {"numbers": [2]}, status=422)
    [feed] = script.post(f"imports/{job['id']}/follow", {"numbers": [1]})["items"]
    assert (feed["url"], feed["folder_id"]) == ("https://a.example/2", Folder.objects.get(name="News").pk)
    assert script.get(f"imports/{job['id']}")["n_added"] == 1


def test_opml_comes_and_goes(script: Script, called: list[Any]) -> None:
    subscription = make.subscription(script.user)
    document = script.ask("GET", "opml")
    assert document["Content-Type"] == "text/x-opml; charset=utf-8"
    assert subscription.feed.url in document.content.decode()
    answer = script.client.post("/api/v1/opml", document.content, content_type="text/x-opml", headers=script.headers)
    job = Import.objects.get()
    assert (answer.status_code, answer.json()["id"], job.kind, bytes(job.data)) == (
        202,
        job.pk,
        ImportKind.FILE,
        document.content,
    )
    assert called == [("reader.tasks.recurring.run_import", job.pk)]
    script.client.post("/api/v1/opml", b" ", content_type="text/x-opml", headers=script.headers)
    assert Import.objects.count() == 1


def test_folders(script: Script) -> None:
    folder = script.post("folders", {"name": " News "}, status=201)
    assert folder == {"id": folder["id"], "name": "News", "n_unread": 0}
    assert script.post("folders", {"name": "News"}, status=201)["id"] == folder["id"]
    script.post("folders", {"name": " "}, status=422)
    other = script.post("folders", {"name": "Other"}, status=201)
    problem = script.patch(f"folders/{other['id']}", {"name": "News"}, status=409)
    assert problem["detail"] == "You have another folder called “News”."
    assert script.patch(f"folders/{other['id']}", {"name": "Sport"})["name"] == "Sport"
    script.delete(f"folders/{other['id']}")
    deliver(script.user, subscription=make.subscription(script.user, folder=Folder.objects.get()))
    assert script.get("folders")["items"] == [folder | {"n_unread": 1}]


def test_tags_and_saved_searches(script: Script) -> None:
    tag = make.tag(script.user, "Kept")
    make.tag(script.user, "Other")
    assert script.patch(f"tags/{tag.pk}", {"name": "Later"}) == {"id": tag.pk, "name": "Later"}
    script.patch(f"tags/{tag.pk}", {"name": "Other"}, status=422)
    script.delete(f"tags/{tag.pk}")
    assert [row["name"] for row in script.get("tags")["items"]] == ["Other"]
    saved = script.post("searches", {"name": "Sky", "query": "moon"}, status=201)
    script.post("searches", {"name": "Sky", "query": "sun"}, status=422)
    changed = script.put(f"searches/{saved['id']}", {"name": "Sky", "query": "sun"})
    assert script.get("searches")["items"] == [changed] == [saved | {"query": "sun"}]
    script.delete(f"searches/{saved['id']}")
    assert script.get("searches")["items"] == []
