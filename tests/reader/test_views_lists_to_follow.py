"""Previews of lists before following, starter feeds, and progress in the first minutes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from feeds.models import Feed, Source
from feeds.subscription_lists.model import ListedFeed
from reader.models import Delivery, Import, ImportKind, ImportStatus, InterestTerm, Subscription
from reader.subscriptions import importer
from reader.subscriptions.follow import follow_all
from reader.subscriptions.starter_packs import starter_sets
from reader.tasks import recurring
from reader.tasks.recurring import run_import
from tests import make
from tests.feeds.servers import FEED, ScriptedServer, answer, silent
from tests.reader.conftest import Enqueued, World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("polled")]

OPML = b"""<opml version="2.0"><body><outline text="News"><outline text="A" xmlUrl="https://a.example/feed"/>
<outline text="B" xmlUrl="https://b.example/feed"/><outline text="C" xmlUrl="ftp://c.example/feed"/></outline></body></opml>"""


@pytest.fixture
def server(settings: Settings) -> Iterator[ScriptedServer]:
    settings.ENV = replace(settings.ENV, FETCH_ALLOWED_NETWORKS=(ip_network("127.0.0.0/8"),))
    server = ScriptedServer()
    yield server
    server.close()


def page_of(browser: Client, job: Import) -> str:
    return browser.get(f"/imports/{job.pk}/").content.decode()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        pytest.param({"list-file": SimpleUploadedFile("my feeds.opml", OPML)}, "my feeds.opml", id="a file"),
        pytest.param({"list-text": OPML.decode()}, "Pasted list", id="its text"),
    ],
)
def test_shows_preview_before_following(
    browser: Client, world: World, enqueued: Enqueued, given: dict[str, object], name: str
) -> None:
    n_followed = Subscription.objects.count()
    response = browser.post("/subscribe/", {"form": "list", **given})
    job = Import.objects.latest("pk")
    assert response["Location"] == f"/imports/{job.pk}/"
    assert (job.kind, job.name, job.status) == (ImportKind.FILE, name, ImportStatus.PREVIEW)
    assert bytes(job.data).split() == OPML.split()
    page = page_of(browser, job)
    for words in (
        "2 feeds to import",
        "News",
        ">A</span>",
        ">B</span>",
        "Line 2",
        "only http and https",
        "Follow selected",
    ):
        assert words in page
    run_import(job.pk)
    assert (Subscription.objects.count(), enqueued) == (n_followed, [])


def test_follows_previewed_list_once(browser: Client, world: World, enqueued: Enqueued) -> None:
    job = make.job(world.user, data=OPML, status="preview")
    for _ in range(2):
        response = browser.post(f"/imports/{job.pk}/confirm/", {"act": "follow", "folder": "0", "feed": ["0", "1"]})
        assert response["Location"] == f"/imports/{job.pk}/"
    assert enqueued == [("reader.tasks.recurring.run_import", job.pk)]
    run_import(job.pk)
    job.refresh_from_db()
    assert (job.status, job.n_added) == (ImportStatus.DONE, 2)


def test_polls_new_feeds_at_once_in_groups(
    world: World, polled: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    Feed.objects.update(last_polled_at=make.NOW)
    monkeypatch.setattr(recurring, "FIRST_POLLS_AT_ONCE", 2)
    monkeypatch.setattr(recurring, "MAX_FIRST_POLLS", 3)
    data = "\n".join(f"https://paper{number}.example/feed" for number in range(5)).encode()
    run_import(make.job(world.user, data=data, name="feeds.txt").pk)
    assert list(map(len, polled)) == [2, 1]
    assert not Feed.objects.filter(pk__in=[pk for group in polled for pk in group], last_polled_at=make.NOW).exists()


def test_counts_articles_of_first_polls_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def poll(ids: list[int]) -> None:
        for feed in Feed.objects.filter(pk__in=ids):
            make.item(feed, make.article(feed=feed, published_at=timezone.now()))

    monkeypatch.setattr("reader.tasks.recurring.poll_feeds", poll)
    run_import(make.job(world.user, data=b"https://paper.example/feed", name="feeds.txt").pk)
    assert Subscription.objects.get(feed__url="https://paper.example/feed").n_quarter == 1


def test_delivers_articles_polled_by_another_worker_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recurring poll may take a new feed before the import that made it does."""

    def polled_elsewhere(ids: list[int]) -> None:
        Source.objects.filter(feeds__in=ids).update(leased_until=timezone.now() + timedelta(minutes=9))

    def polled(seconds: float) -> None:
        feed = Feed.objects.get(url="https://paper.example/feed")
        make.item(feed, make.article(feed=feed, published_at=timezone.now()))
        Feed.objects.update(last_polled_at=timezone.now())

    monkeypatch.setattr("reader.tasks.recurring.poll_feeds", polled_elsewhere)
    monkeypatch.setattr("reader.tasks.recurring.sleep", polled)
    run_import(make.job(world.user, data=b"https://paper.example/feed", name="feeds.txt").pk)
    assert Subscription.objects.get(feed__url="https://paper.example/feed").n_quarter == 1


def test_many_imports_of_one_user_do_not_block_others(browser: Client, world: World, enqueued: Enqueued) -> None:
    for number in range(5):
        browser.post("/subscribe/", {"form": "address", "address": f"slow{number}.example"})
    waiting = Import.objects.filter(user=world.user, status=ImportStatus.WAITING).order_by("pk")
    assert (waiting.count(), len(enqueued)) == (5, 3)
    other = make.job(make.user(), kind=ImportKind.ADDRESS, name="paper.example")
    Import.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    assert importer.unfinished(now=timezone.now())[:2] == [waiting[0].pk, other.pk]


def test_slow_url_is_left_to_the_recurring_task(
    world: World, monkeypatch: pytest.MonkeyPatch, settings: Settings, slow_server: ScriptedServer
) -> None:
    settings.ENV = replace(settings.ENV, FETCH_ALLOW_PRIVATE_NETWORKS=True)
    monkeypatch.setattr(recurring, "URGENT_SECONDS", 0.1)
    url = slow_server.on("/feed", silent(slow_server), answer(200, FEED))
    job = make.job(world.user, kind=ImportKind.ADDRESS, name=url)
    run_import(job.pk)
    job.refresh_from_db()
    assert job.status == ImportStatus.WAITING
    Import.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    recurring.resume_imports()
    job.refresh_from_db()
    assert job.status == ImportStatus.PREVIEW


@pytest.fixture
def slow_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


def test_deletes_cancelled_preview(browser: Client, world: World, enqueued: Enqueued) -> None:
    job = make.job(world.user, data=OPML, status="preview")
    assert browser.post(f"/imports/{job.pk}/confirm/", {"act": "discard"})["Location"] == "/subscribe/"
    assert (Import.objects.filter(pk=job.pk).exists(), enqueued) == (False, [])


def test_deletes_week_old_previews(world: World) -> None:
    old, new = (make.job(world.user, data=OPML, status="preview") for _ in range(2))
    followed = make.job(world.user, data=OPML, status="done")
    for job, days in ((old, 8), (new, 6), (followed, 8)):
        Import.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(days=days))
    recurring.resume_imports()
    assert not Import.objects.filter(pk=old.pk).exists()
    assert Import.objects.filter(pk__in=(new.pk, followed.pk)).count() == 2


def test_recurring_task_follows_list_after_a_minute(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue was unavailable or lost the task."""
    ran: list[int] = []

    def run(pk: int, *, urgent: bool) -> Import:
        assert not urgent
        ran.append(pk)
        return Import.objects.get(pk=pk)

    monkeypatch.setattr(recurring, "_run_import", run)
    jobs = {(status, minutes): make.job(world.user, data=OPML, status=status) for status, minutes in
            (("waiting", 0), ("waiting", 2), ("running", 2), ("running", 21))}  # fmt: skip
    for (_, minutes), job in jobs.items():
        Import.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=minutes))
    recurring.resume_imports()
    assert ran == [jobs["waiting", 2].pk, jobs["running", 21].pk]


def test_only_one_of_two_workers_follows_the_list(world: World) -> None:
    job = make.job(world.user, data=OPML)
    late = Import.objects.get(pk=job.pk)
    run_import(job.pk)
    importer.run(late, now=timezone.now(), default_max_items=10)
    assert late.status == ImportStatus.WAITING  # it did nothing
    assert Import.objects.get(pk=job.pk).n_added == 2


@pytest.mark.parametrize("act", ["follow", "discard"])
def test_running_import_is_neither_restarted_nor_deleted(
    browser: Client, world: World, enqueued: Enqueued, act: str
) -> None:
    job = make.job(world.user, data=OPML, status="running")
    browser.post(f"/imports/{job.pk}/confirm/", {"act": act})
    assert (Import.objects.get(pk=job.pk).status, enqueued) == (ImportStatus.RUNNING, [])


def test_preview_shows_feeds_already_followed(browser: Client, world: World) -> None:
    follow_all(world.user, [ListedFeed(url="https://a.example/feed")], now=make.NOW, default_max_items=10)
    page = page_of(browser, make.job(world.user, data=OPML, status="preview"))
    assert "1 feed to import" in page
    assert "You already follow 1 other feed in this list. It stays as it is." in page
    assert "Follow all" not in page


def test_a_list_of_followed_feeds_has_nothing_to_follow(browser: Client, world: World) -> None:
    urls = ("https://a.example/feed", "https://b.example/feed")
    follow_all(world.user, [ListedFeed(url=url) for url in urls], now=make.NOW, default_max_items=10)
    page = page_of(browser, make.job(world.user, data=OPML, status="preview"))
    assert "Nothing new to import" in page
    assert "You already follow all feeds in this list." in page
    assert 'value="follow"' not in page


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"<html><body>Hello</body></html>", "a web page", id="no list"),
        pytest.param(b"<opml><body/></opml>", "This list has no feeds to follow.", id="an empty one"),
    ],
)
def test_preview_without_feeds_says_so(browser: Client, world: World, data: bytes, words: str) -> None:
    page = page_of(browser, make.job(world.user, data=data, status="preview", name="x.opml"))
    assert words in page
    assert 'value="follow"' not in page


def test_preview_takes_constant_queries(browser: Client, world: World) -> None:
    costs = []
    for n_feeds in (1, 300):
        data = "\n".join(f"https://paper{number}.example/feed" for number in range(n_feeds)).encode()
        job = make.job(world.user, data=data, status="preview", name="feeds.txt")
        with CaptureQueriesContext(connection) as queries:
            assert f"{n_feeds} feed" in page_of(browser, job)
        costs.append(len(queries))
    assert costs[0] == costs[1]


def test_follows_long_list_without_preview(
    browser: Client, enqueued: Enqueued, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "PREVIEW_BYTES", len(OPML) - 1)
    browser.post("/subscribe/", {"form": "list", "list-file": SimpleUploadedFile("x.opml", OPML)})
    assert enqueued == [("reader.tasks.recurring.run_import", Import.objects.latest("pk").pk)]


def test_fetches_list_from_url_then_shows_it(browser: Client, enqueued: Enqueued, server: ScriptedServer) -> None:
    url = server.on("/feeds.opml", answer(body=OPML, content_type="text/x-opml"))
    browser.post("/subscribe/", {"form": "list", "list-address": f" {url} "})
    job = Import.objects.latest("pk")
    assert (job.kind, enqueued) == (ImportKind.LIST, [("reader.tasks.recurring.run_import", job.pk)])
    run_import(job.pk)
    job.refresh_from_db()
    assert (job.kind, job.status, bytes(job.data)) == (ImportKind.FILE, ImportStatus.PREVIEW, OPML)
    part = browser.get(f"/imports/{job.pk}/", headers={"X-Fragment": "progress"}).content.decode()
    assert ("data-reload" in part, "<html" in part) == (True, False)


def test_follows_long_list_from_url_at_once(
    world: World, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "PREVIEW_BYTES", len(OPML) - 1)
    job = make.job(world.user, kind="list", name=server.on("/feeds.opml", answer(body=OPML)))
    run_import(job.pk)
    job.refresh_from_db()
    assert (job.status, job.n_added) == (ImportStatus.DONE, 2)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        pytest.param(answer(body=b"<html><body>Hello</body></html>"), "a web page", id="no list"),
        pytest.param(answer(404), "responded with status 404", id="nothing there"),
    ],
)
def test_explains_url_without_list(world: World, server: ScriptedServer, script: bytes, words: str) -> None:
    job = make.job(world.user, kind="list", name=server.on("/list", script))
    run_import(job.pk)
    job.refresh_from_db()
    assert (job.status, words in job.message) == (ImportStatus.FAILED, True)


def test_follows_starter_feeds_in_folders(browser: Client, world: World, enqueued: Enqueued) -> None:
    first, last = starter_sets()[0], starter_sets()[-1]
    urls = [first.feeds[0].url, last.feeds[-1].url]
    browser.post("/subscribe/", {"form": "starters", "feed": [*urls, "https://evil.example/feed"]})
    job = Import.objects.latest("pk")
    assert enqueued == [("reader.tasks.recurring.run_import", job.pk)]
    run_import(job.pk)
    subscriptions = Subscription.objects.filter(user=world.user, feed__url__in=urls)
    assert set(subscriptions.values_list("folder__name", flat=True)) == {first.topic, last.topic}
    assert not Feed.objects.filter(url="https://evil.example/feed").exists()


def test_import_page_asks_for_interests(browser: Client, world: World) -> None:
    job = make.job(world.user, status="running")
    words = "What do you like to read about?"
    InterestTerm.objects.update(origin="topic")
    assert words not in page_of(browser, job)
    InterestTerm.objects.update(origin="category")
    assert words in page_of(browser, job)
    InterestTerm.objects.all().delete()
    assert words in page_of(browser, job)
    Import.objects.update(status="failed")
    assert words not in page_of(browser, job)


def test_first_minutes_show_progress(browser: Client, world: World) -> None:
    job = make.job(world.user, status="done", finished_at=timezone.now())
    n_feeds = Subscription.objects.filter(user=world.user).count()
    Feed.objects.update(last_polled_at=None)
    page = page_of(browser, job)
    assert f"0 of {n_feeds} feed" in page
    assert ('data-over="false"' in page, 'http-equiv="refresh"' in page) == (True, True)
    Feed.objects.update(last_polled_at=make.NOW)
    Delivery.objects.update(is_rated=True)
    page = page_of(browser, job)
    assert ('data-over="true"' in page, 'http-equiv="refresh"' in page) == (True, False)


def test_lists_every_feed_that_did_not_load(browser: Client, world: World) -> None:
    job = make.job(world.user, status="done", finished_at=timezone.now() + timedelta(hours=1))
    Feed.objects.update(last_polled_at=make.NOW, last_success_at=make.NOW)
    assert "couldn't be loaded" not in page_of(browser, job)
    for n in range(2):
        feed = make.feed(f"https://ada:secret@gone{n}.example/feed", title="", last_polled_at=make.NOW)
        make.poll(feed, "http_error", status=404)
        Feed.objects.filter(pk=feed.pk).update(consecutive_failures=1)
        make.subscription(world.user, feed, title=f"Gone {n}")
    before = make.subscription(world.user, make.feed("https://older.example/feed", last_polled_at=make.NOW))
    Subscription.objects.filter(pk=before.pk).update(added_at=timezone.now() - timedelta(days=1))
    n_feeds = Subscription.objects.filter(user=world.user).count()
    page = " ".join(page_of(browser, job).split())
    assert f"{n_feeds - 2} of {n_feeds} feeds loaded" in page
    assert "2 couldn't be loaded." in page
    assert "All your feeds are loaded" not in page
    for n in range(2):
        assert f">Gone {n}</a>" in page
        assert f"https://gone{n}.example/feed" in page
    assert page.count("This feed has always returned an error (HTTP 404).") == 2
    assert "older.example/feed" not in page.partition("<h2>")[2]
    assert "secret" not in page
