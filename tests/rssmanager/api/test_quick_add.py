"""Following what an app's user typed: what is found, chosen, refused, and what happens without a worker."""

from typing import Any

import pytest
from django.utils import timezone

from feeds.errors import FetchError
from feeds.fetching import FetchResult
from feeds.models import Feed
from reader.models import Folder, Import, ImportStatus, Subscription
from reader.subscriptions import importer
from rssmanager.api import quick_add
from tests import make
from tests.rssmanager.api.conftest import App
from tests.tables import table

pytestmark = pytest.mark.django_db

SITE = "https://site.example/"
PAGE = b"""<html><head>
<link rel="alternate" type="application/rss+xml" title="Harbour Post" href="/news.xml">
<link rel="alternate" type="application/rss+xml" title="Sports" href="/sports.xml">
<link rel="alternate" type="application/rss+xml" title="Comments" href="/comments/feed/">
</head><body>Hello</body></html>"""
RSS = b"<rss version='2.0'><channel><title>%s</title><item><title>One</title><guid>1</guid></item></channel></rss>"


class Web:
    """What is at which address; the rest can't be reached."""

    def __init__(self, pages: dict[str, tuple[str, bytes]]) -> None:
        self.pages = pages
        self.fetched: list[str] = []

    def fetch(self, url: str, **given: Any) -> FetchResult:
        self.fetched.append(url)
        url = f"{url}/" if f"{url}/" == SITE else url
        if url not in self.pages:
            raise FetchError("Nothing there.", url=url)
        kind, body = self.pages[url]
        return FetchResult(url=url, status=200, headers={"content-type": kind}, body=body)


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Web:
    """A site with three feeds; a worker runs at once."""
    feeds = {"news": b"Harbour Post", "sports": b"1 < 2 Sports", "comments/feed/": b"Comments"}
    pages = {SITE: ("text/html", PAGE), "https://plain.example/": ("text/html", b"<html>Nothing</html>")}
    for path, title in feeds.items():
        suffix = path if path.endswith("/") else f"{path}.xml"
        pages[f"{SITE}{suffix}"] = ("application/rss+xml", RSS % title.replace(b"<", b"&lt;"))
    web = Web(pages)

    def call(task: str, pk: int) -> bool:
        assert task == "reader.tasks.recurring.run_import"
        importer.run(Import.objects.get(pk=pk), now=timezone.now(), default_max_items=50, fetcher=web)
        return True

    monkeypatch.setattr(quick_add, "call_worker", call)
    return web


def add(app: App, text: str) -> dict[str, Any]:
    answer = app.post("subscription/quickadd", quickadd=text)
    assert answer.status_code == 200
    return dict(answer.json())


@table("text", [SITE, "site.example", " feed:https://site.example/ ", "feed/https://site.example/"])
def test_feed_of_a_site_is_followed(app: App, web: Web, text: str) -> None:
    added = add(app, text)
    subscription = Subscription.objects.get(user=app.user)
    assert subscription.feed.url == f"{SITE}news.xml"
    assert (added["numResults"], added["streamId"], added["streamName"]) == (
        1,
        f"feed/{subscription.pk}",
        "Harbour Post",
    )
    assert added["others"] == [{"url": f"{SITE}sports.xml", "title": "1 ＜ 2 Sports"}]  # not that of comments
    assert Import.objects.get().status == ImportStatus.DONE


def test_feed_itself_is_followed(app: App, web: Web) -> None:
    added = add(app, f"{SITE}sports.xml")
    assert (added["streamName"], "others" in added) == ("1 ＜ 2 Sports", False)


def test_known_feed_is_not_fetched(app: App, web: Web) -> None:
    feed = make.feed(f"{SITE}news.xml", last_success_at=make.NOW)
    added = add(app, feed.url)
    assert add(app, feed.url) == added  # followed once
    assert (Subscription.objects.get().feed, web.fetched, Import.objects.count()) == (feed, [], 0)


@table(
    "text", ["https://plain.example/", "https://gone.example/", "javascript:alert(1)", "", "x y", "file:///etc/passwd"]
)
def test_what_has_no_feed_is_refused_with_the_reason(app: App, web: Web, text: str) -> None:
    refused = add(app, text)
    assert (refused["query"], refused["numResults"]) == (text.strip(), 0)
    assert refused["error"]
    assert "streamId" not in refused
    assert not Subscription.objects.exists()
    assert not Feed.objects.exists()


def test_address_itself_is_followed_without_a_worker(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    for answered in (False, True):  # no queue, or nobody takes it from there
        monkeypatch.setattr(quick_add, "call_worker", lambda *given, answered=answered: answered)
        added = add(app, f"https://new{answered}.example/")
        assert added["numResults"] == 1
        assert Subscription.objects.get(pk=added["streamId"][5:]).feed.url == f"https://new{answered}.example/"
    assert not Import.objects.exists()


def test_slow_site_is_left_to_the_dialog(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(task: str, pk: int) -> bool:
        return bool(Import.objects.filter(pk=pk).update(status=ImportStatus.RUNNING))

    monkeypatch.setattr(quick_add, "call_worker", begin)
    refused = add(app, SITE)
    assert refused["numResults"] == 0
    assert "slow" in refused["error"]
    assert (Import.objects.get().status, Subscription.objects.exists()) == (ImportStatus.RUNNING, False)


def test_waits_for_the_worker(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two looks at the job until it failed."""
    monkeypatch.setattr(quick_add, "WAIT", 60.0)
    monkeypatch.setattr(quick_add, "call_worker", lambda *given: True)
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            Import.objects.update(status=ImportStatus.FAILED, message="No feed found.")

    monkeypatch.setattr(quick_add, "sleep", sleep)
    assert add(app, SITE)["error"] == "No feed found."
    assert len(slept) == 2


def test_many_lookups_of_a_user_do_not_wait(app: App, web: Web) -> None:
    for _ in range(importer.MAX_URGENT):
        make.job(app.user, status=ImportStatus.RUNNING)
    assert add(app, SITE)["numResults"] == 1
    assert (Subscription.objects.get().feed.url, web.fetched) == (SITE, [])


def test_read_only_password_looks_nothing_up(app: App, web: Web) -> None:
    reading = App(app.user, is_read_only=True)
    assert reading.post("subscription/quickadd", quickadd=SITE).status_code == 403
    assert (web.fetched, Import.objects.exists(), Folder.objects.exists()) == ([], False, False)
