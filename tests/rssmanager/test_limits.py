"""Limits per user hold on every way in, name the limit, and change nothing."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from feeds.models import Feed
from feeds.subscription_lists.detect import MAX_FILE_BYTES
from feeds.subscription_lists.opml_parser import MAX_OUTLINES
from reader import limits
from reader.models import Folder, Highlight, Import, ImportStatus, InterestTerm, Rule, SavedSearch, Subscription, Tag
from reader.subscriptions.importer import create_import, create_list_import, import_file, run
from reader.subscriptions.unfollow import restore, unfollow
from tests import make
from tests.rssmanager.accounts.filled import import_file as import_data
from tests.rssmanager.api.conftest import App
from tests.rssmanager.api.v1.conftest import Script

pytestmark = pytest.mark.django_db

ONE = '<outline text="{0}"><outline text="A" xmlUrl="https://{0}.example/feed"/></outline>'
YAML = """tabs:
  one:
    name: One
    sources: [{url: "https://one.example/feed", category: a, source_name: One}]
"""
CHESS = {"field": "title", "test": "contains", "value": "chess"}
HEAD = '{"kind": "rssmanager", "version": 1}\n'
Way = Callable[["Ways"], str]


class Ways:
    """A user's browser, program, reading app, and files; each way returns what the user is told."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.browser = Client(headers={"accept": "text/html"})
        self.browser.force_login(user)
        self.script, self.app = Script(user), App(user)

    def page(self, path: str, **form: Any) -> str:
        answer = self.browser.post(path, form)
        assert answer.status_code in (409, 422), answer.content
        return answer.content.decode()

    def json(self, path: str, body: Any) -> str:
        return str(self.script.post(path, body, status=422)["detail"])

    def google(self, call: str, **form: Any) -> str:
        answer = self.app.post(call, **form)
        assert answer.status_code == 400
        return answer.content.decode()

    def opml(self, *names: str) -> str:
        text = f"<opml version='2.0'><body>{''.join(map(ONE.format, names))}</body></opml>"
        job = create_list_import(self.user, text.encode(), name="list.opml")
        Import.objects.filter(pk=job.pk).update(status=ImportStatus.WAITING)
        job.refresh_from_db()
        job = run(job, now=make.NOW, default_max_items=500)
        assert (job.status, bytes(job.data)) == (ImportStatus.FAILED, b"")
        return job.message

    def yaml(self) -> str:
        return import_file(self.user, YAML.encode(), name="feeds.yaml", now=make.NOW, default_max_items=500).message

    def data(self, *lines: str) -> str:
        job = import_data(self.user, BytesIO((HEAD + "\n".join(lines)).encode()))
        assert job.n_refused == len(lines)
        return str(job.lines.get().reason)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("reader.views.subscribe", "rssmanager.api.editing", "rssmanager.api.v1.feeds"):
        monkeypatch.setattr(f"{module}.call_worker", lambda *call: True)


@pytest.fixture
def ways() -> Ways:
    return Ways(make.user("ada"))


@pytest.fixture
def tighten() -> Iterator[Callable[[limits.Limit, int], None]]:
    """Lower a limit, for rows that take long to create."""
    before: list[tuple[limits.Limit, int]] = []

    def lower(limit: limits.Limit, most: int) -> None:
        before.append((limit, limit.most))
        object.__setattr__(limit, "most", most)

    yield lower
    for limit, most in before:
        object.__setattr__(limit, "most", most)


def edit_feed(ways: Ways) -> str:
    subscription = Subscription.objects.get()
    return ways.page(f"/feeds/{subscription.pk}/edit/", title="", folder="New", url=subscription.feed.url)


FOLDER_WAYS: dict[str, Way] = {
    "settings of a feed": edit_feed,
    "sidebar": lambda ways: ways.page("/sidebar/arrange/", feed=Subscription.objects.get().pk, new_folder="New"),
    "actions on feeds": lambda ways: ways.page(
        "/feeds/acts/", act="move", feed=Subscription.objects.get().pk, folder="New"
    ),
    "JSON": lambda ways: ways.json("folders", {"name": "New"}),
    "JSON, following": lambda ways: ways.json("feeds/follow", {"url": "https://new.example/f", "folder": "New"}),
    "Google Reader, label": lambda ways: ways.google("edit-tag", a="user/-/label/New"),
    "Google Reader, following": lambda ways: ways.google(
        "subscription/edit", ac="subscribe", s="feed/https://new.example/f", a="user/-/label/New"
    ),
    "Google Reader, moving": lambda ways: ways.google(
        "subscription/edit", ac="edit", s=f"feed/{Subscription.objects.get().pk}", a="user/-/label/New"
    ),
    "OPML": lambda ways: ways.opml("known", "new"),
    "feeds.yaml": lambda ways: ways.yaml(),
    "data import": lambda ways: ways.data('{"kind": "folder", "name": "New"}'),
    "data import, feed": lambda ways: ways.data('{"kind": "feed", "url": "https://new.example/f", "folder": "New"}'),
}


@pytest.mark.parametrize("way", FOLDER_WAYS)
def test_folders(ways: Ways, way: str) -> None:
    make.subscription(ways.user)
    Folder.objects.bulk_create([Folder(user=ways.user, name=f"F{number}") for number in range(limits.FOLDERS.most)])
    assert "You can have up to 1,000 folders. Delete one first." in FOLDER_WAYS[way](ways)
    assert (Folder.objects.count(), Subscription.objects.count(), Feed.objects.count()) == (1000, 1, 1)
    assert Subscription.objects.get().folder is None


def test_existing_folder_is_used_at_the_limit(ways: Ways) -> None:
    Folder.objects.bulk_create([Folder(user=ways.user, name=f"F{number}") for number in range(limits.FOLDERS.most)])
    assert ways.script.post("folders", {"name": "F1"}, status=201)["name"] == "F1"


def test_undoing_restores_no_folder_above_the_limit(ways: Ways, tighten: Callable[[limits.Limit, int], None]) -> None:
    subscription = make.subscription(ways.user, folder=make.folder(ways.user, "Old"))
    unfollow(ways.user, [subscription.pk], now=make.NOW, with_folders=True)
    make.folder(ways.user, "New")
    tighten(limits.FOLDERS, 1)
    with pytest.raises(limits.LimitReached):
        restore(ways.user, [subscription.pk])
    assert list(Folder.objects.values_list("name", flat=True)) == ["New"]


FEED_WAYS: dict[str, Way] = {
    "JSON": lambda ways: ways.json("feeds/follow", {"url": "https://new.example/f"}),
    "Google Reader": lambda ways: ways.google("subscription/edit", ac="subscribe", s="feed/https://new.example/f"),
    "OPML": lambda ways: ways.opml("new"),
    "feeds.yaml": lambda ways: ways.yaml(),
    "data import": lambda ways: ways.data('{"kind": "feed", "url": "https://new.example/f"}'),
}


@pytest.mark.parametrize("way", FEED_WAYS)
def test_feeds(ways: Ways, tighten: Callable[[limits.Limit, int], None], way: str) -> None:
    make.subscription(ways.user)
    tighten(limits.FEEDS, 1)
    assert "You can follow up to 1 feeds. Unfollow one first." in FEED_WAYS[way](ways)
    assert (Subscription.objects.count(), Feed.objects.count(), Folder.objects.count()) == (1, 1, 0)


def test_known_feed_is_followed_at_the_limit(ways: Ways, tighten: Callable[[limits.Limit, int], None]) -> None:
    subscription = make.subscription(ways.user, make.feed("https://paper.example/f"))
    tighten(limits.FEEDS, 1)
    followed = ways.script.post("feeds/follow", {"url": "https://paper.example/f"}, status=201)
    assert followed["id"] == subscription.pk


RULE_WAYS: dict[str, Way] = {
    "page": lambda ways: ways.page(
        "/rules/new/", field="title", test="contains", value="chess", stars="on", act="save"
    ),
    "JSON": lambda ways: ways.json("rules", {"conditions": [CHESS], "stars": True}),
    "data import": lambda ways: ways.data(
        '{"kind": "rule", "stars": true, "conditions": [{"field": "title", "test": "contains", "value": "chess"}]}'
    ),
}
WEBHOOK_WAYS: dict[str, Way] = {
    "page": lambda ways: ways.page(
        "/rules/new/", field="title", test="contains", value="chess", url="https://a.example/hook", act="save"
    ),
    "JSON": lambda ways: ways.json("rules", {"conditions": [CHESS], "url": "https://a.example/hook"}),
    "data import": lambda ways: ways.data(
        '{"kind": "rule", "url": "https://a.example/hook",'
        ' "conditions": [{"field": "title", "test": "contains", "value": "chess"}]}'
    ),
}


@pytest.mark.parametrize("way", RULE_WAYS)
def test_rules(ways: Ways, way: str) -> None:
    Rule.objects.bulk_create([Rule(user=ways.user) for _ in range(limits.RULES.most)])
    assert "You can have up to 200 rules. Delete one first." in RULE_WAYS[way](ways)
    assert Rule.objects.count() == 200


@pytest.mark.parametrize("way", WEBHOOK_WAYS)
def test_webhooks(ways: Ways, way: str) -> None:
    Rule.objects.bulk_create([Rule(user=ways.user, url=f"https://{n}.example/") for n in range(limits.WEBHOOKS.most)])
    assert "Up to 20 rules can send to a URL. Remove the URL from one first." in WEBHOOK_WAYS[way](ways)
    assert Rule.objects.count() == 20


def test_rule_gets_no_webhook_by_a_change(ways: Ways) -> None:
    rule = make.rule(ways.user, stars=True)
    Rule.objects.bulk_create([Rule(user=ways.user, url=f"https://{n}.example/") for n in range(limits.WEBHOOKS.most)])
    body = {"conditions": [CHESS], "url": "https://a.example/hook"}
    assert ways.script.put(f"rules/{rule.pk}", body, status=422)["detail"].startswith("Up to 20 rules can send")
    rule.refresh_from_db()
    assert rule.url == ""
    other = Rule.objects.exclude(url="").first()
    assert other is not None
    assert ways.script.put(f"rules/{other.pk}", body)["url"] == "https://a.example/hook"


SMALL: dict[str, tuple[limits.Limit, str, Any, Way]] = {
    "searches, JSON": (
        limits.SEARCHES,
        "You can save 1 searches. Delete one first.",
        SavedSearch,
        lambda ways: ways.json("searches", {"name": "New", "query": "b"}),
    ),
    "searches, data import": (
        limits.SEARCHES,
        "You can save 1 searches. Delete one first.",
        SavedSearch,
        lambda ways: ways.data('{"kind": "search", "name": "New", "query": "b"}'),
    ),
    "tags, data import": (
        limits.TAGS,
        "You can have up to 1 tags. Delete one first.",
        Tag,
        lambda ways: ways.data('{"kind": "tag", "name": "New"}'),
    ),
    "interests, page": (
        limits.INTERESTS,
        "You can have up to 1 interests. Remove one first.",
        InterestTerm,
        lambda ways: ways.page("/interests/add/", topics="whales"),
    ),
    "highlights, data import": (
        limits.HIGHLIGHTS,
        "You can have up to 1 highlights. Delete one first.",
        Highlight,
        lambda ways: ways.data(
            '{"kind": "highlight", "quote": "b", "title": "T", "url": "https://a.example/",'
            ' "at": "2026-01-01T00:00:00+00:00"}'
        ),
    ),
}


@pytest.mark.parametrize("way", SMALL)
def test_others(ways: Ways, tighten: Callable[[limits.Limit, int], None], way: str) -> None:
    SavedSearch.objects.create(user=ways.user, name="a", query="a")
    make.tag(ways.user, "a")
    make.term(ways.user, "a")
    Highlight.objects.create(user=ways.user, title="T", quote="a", made_at=make.NOW)
    limit, words, model, ask = SMALL[way]
    tighten(limit, 1)
    assert words in ask(ways)
    assert model.objects.count() == 1


def test_waiting_imports(ways: Ways) -> None:
    for number in range(limits.IMPORTS.most):
        make.job(ways.user, data=f"{number}".encode())
    words = "Up to 20 imports can wait. Try again when one is done."
    assert words in ways.page("/subscribe/", form="address", address="https://a.example/")
    assert words in ways.page("/subscribe/", **{"form": "list", "list-text": "https://a.example/"})
    assert words == ways.json("feeds", {"url": "https://a.example/"})
    answer = ways.app.post("subscription/quickadd", quickadd="https://a.example/").json()
    assert (answer["numResults"], answer["error"]) == (0, words)
    assert words in ways.google("subscription/import")
    assert Import.objects.count() == 20


def test_old_previews_make_room(ways: Ways) -> None:
    first = create_import(ways.user, "address", "https://0.example/")
    Import.objects.update(status=ImportStatus.PREVIEW)
    for number in range(limits.IMPORTS.most):
        job = create_import(ways.user, "address", f"https://{number}.example/")
        Import.objects.filter(pk=job.pk).update(status=ImportStatus.PREVIEW)
    assert Import.objects.count() == 20
    assert not Import.objects.filter(pk=first.pk).exists()


@pytest.mark.parametrize("which", ["bytes", "outlines", "outlines in UTF-16"])
def test_list_above_the_limit_is_not_stored(ways: Ways, tmp_path: Path, settings: Settings, which: str) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 2**20
    outlines = "<opml version='2.0'><body>" + '<outline text=""/>' * (MAX_OUTLINES + 1) + "</body></opml>"
    data = b"x" * (MAX_FILE_BYTES + 1) if which == "bytes" else outlines.encode("utf-16" if "16" in which else "utf-8")
    words = "larger than 8 MiB" if which == "bytes" else "more than 50,000 outlines"
    (tmp_path / "list.opml").write_bytes(data)
    assert words in ways.page("/subscribe/", **{"form": "list", "list-file": SimpleUploadedFile("list.opml", data)})
    for path, headers in (
        ("/api/v1/opml", ways.script.headers),
        ("/api/greader.php/reader/api/0/subscription/import", ways.app.headers),
    ):
        answer = ways.script.client.post(path, data, content_type="text/xml", headers=headers)
        assert (answer.status_code in (400, 422), words in answer.content.decode()) == (True, True)
    with pytest.raises(CommandError, match=words):
        call_command("import_opml", str(tmp_path / "list.opml"), user="ada")
    assert (Import.objects.count(), Folder.objects.count(), Feed.objects.count()) == (0, 0, 0)
