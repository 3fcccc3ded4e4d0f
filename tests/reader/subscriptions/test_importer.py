"""Imports: progress, a line for each refusal, interruption without loss or doubles; one address with discovery."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.fetching import Fetcher, FetchLimits
from feeds.models import Feed
from reader.interests.terms import reset
from reader.models import Folder, Import, ImportKind, ImportStatus, InterestTerm, Subscription
from reader.subscriptions import importer
from tests import make
from tests.feeds.servers import ScriptedServer, answer, moved

pytestmark = pytest.mark.django_db

OPML = b"""<opml version="2.0"><head><title>Mine</title></head><body>
<outline text="News"><outline text="Local">
<outline type="rss" text="Courier" xmlUrl="https://courier.example/feed"/>
</outline></outline>
<outline type="rss" text="Loose" xmlUrl="https://loose.example/feed"/>
<outline text="No address"/>
<outline type="rss" text="Script" xmlUrl="javascript:alert(1)"/>
</body></opml>"""

FEEDS_YAML = """
tabs:
  zh_news:
    name: 中文新聞
    item_limit_per_category: 5
    sources:
      - {category: 國際, url: "https://world.example/feed", source_name: 世界報}
      - {category: 政治, url: "nonsense"}
""".encode()

FEED = b"<rss version='2.0'><channel><title>Behind</title><item><title>x</title></item></channel></rss>"


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    made = ScriptedServer()
    yield made
    made.close()


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    made = Fetcher(FetchLimits(allow_private_networks=True), user_agent="t", wait=lambda seconds: None)
    yield made
    made.close()


def run_file(user: User, data: bytes, name: str = "mine.opml") -> Import:
    return importer.import_file(user, data, name=name, now=make.NOW, default_max_items=500)


def test_a_file_is_followed_and_each_refusal_has_its_line(reader: User) -> None:
    job = run_file(reader, OPML)
    assert (job.status, job.n_total, job.n_done, job.n_added, job.n_known) == (ImportStatus.DONE, 2, 2, 2, 0)
    assert {(line.line, line.label) for line in job.lines.all()} == {(6, "No address"), (7, "Script")}
    assert Subscription.objects.get(title="Courier").folder.name == "News / Local"
    assert bytes(job.data) == b""


def test_importing_again_adds_nothing(reader: User) -> None:
    run_file(reader, OPML)
    job = run_file(reader, OPML)
    assert (job.n_added, job.n_known, Feed.objects.count(), Subscription.objects.count()) == (0, 2, 2, 2)


def test_imports_tabs_categories_and_limits(reader: User) -> None:
    job = run_file(reader, FEEDS_YAML, "feeds.yaml")
    assert (job.n_added, job.lines.count()) == (1, 1)
    tab = Folder.objects.get()
    assert (tab.name, tab.language, tab.item_limit_per_category) == ("中文新聞", "zh", 5)
    subscription = Subscription.objects.select_related("feed").get()
    assert (subscription.title, subscription.category, subscription.folder) == ("世界報", "國際", tab)
    assert subscription.feed.max_items == 20


def test_an_import_starts_an_empty_profile_with_its_folders(reader: User) -> None:
    def terms() -> list[tuple[str, str]]:
        return sorted(InterestTerm.objects.filter(user=reader).values_list("term", "origin"))

    run_file(reader, OPML)
    assert terms() == [("local", "category")]
    InterestTerm.objects.update(term="gardens")
    run_file(reader, FEEDS_YAML, "feeds.yaml")
    assert terms() == [("gardens", "category")]
    reset(reader, make.NOW)
    run_file(reader, OPML)
    assert terms() == []


def test_a_file_that_is_no_list_fails_with_a_sentence(reader: User) -> None:
    job = run_file(reader, b"%PDF-1.7 \x00\x01")
    assert (job.status, Subscription.objects.count()) == (ImportStatus.FAILED, 0)
    assert job.message


def test_an_interrupted_import_goes_on_where_it_stopped(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "CHUNK", 10)
    urls = "\n".join(f"https://site{n}.example/feed" for n in range(35)).encode()
    job = Import.objects.create(user=reader, kind=ImportKind.FILE, name="urls.txt", data=urls)

    def stop_at_twenty(job: Import) -> None:
        if job.n_done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        importer.run(job, now=make.NOW, default_max_items=500, on_progress=stop_at_twenty)
    left = Import.objects.get()
    assert (left.status, left.n_done, left.percent) == (ImportStatus.RUNNING, 20, 57)
    done = importer.run(left, now=make.NOW, default_max_items=500)
    assert (done.status, done.n_done, done.n_added, done.n_known) == (ImportStatus.DONE, 35, 35, 0)
    assert Subscription.objects.count() == 35


def test_one_that_waited_long_is_begun_by_one_worker_alone(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "CHUNK", 1)
    asked, late = make.NOW, make.NOW + timedelta(hours=1)
    job = Import.objects.create(user=reader, kind=ImportKind.FILE, name="urls.txt", data=b"https://a.example/feed")
    Import.objects.update(status=ImportStatus.RUNNING, created_at=asked)
    taken = Import.objects.get()

    def another_comes(job: Import) -> None:
        assert importer.unfinished(now=late) == []
        importer.run(taken, now=late, default_max_items=500)

    importer.run(Import.objects.get(), now=late, default_max_items=500, on_progress=another_comes)
    job.refresh_from_db()
    assert (job.status, job.n_added, job.n_known) == (ImportStatus.DONE, 1, 0)


def follow_address(user: User, address: str, fetcher: Fetcher) -> Import:
    job = Import.objects.create(user=user, kind=ImportKind.ADDRESS, name=address, folder_name="New")
    return importer.run(job, now=make.NOW, default_max_items=500, fetcher=fetcher)


def test_a_feeds_own_address_is_followed(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    job = follow_address(reader, server.on("/feed", answer(200, FEED)), fetcher)
    subscription = Subscription.objects.get()
    assert (job.status, str(subscription), subscription.folder.name) == (ImportStatus.DONE, "Behind", "New")
    assert job.lines.get().feed == subscription.feed


def test_a_sites_address_leads_to_its_feed(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    page = b"<html><head><link rel=alternate type='application/rss+xml' href='/the-feed'></head></html>"
    server.on("/the-feed", answer(200, FEED))
    follow_address(reader, server.on("/", answer(200, page)), fetcher)
    assert Subscription.objects.get().feed.url == server.url("/the-feed")


def test_the_usual_places_are_tried(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/feed", answer(200, FEED))
    follow_address(reader, server.on("/", answer(200, b"<html><body>Hello</body></html>")), fetcher)
    assert Subscription.objects.get().feed.url == server.url("/feed")


def test_a_moved_feed_is_followed_where_it_is_now(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/new", answer(200, FEED))
    follow_address(reader, server.on("/old", moved(301, "/new")), fetcher)
    assert Subscription.objects.get().feed.url == server.url("/new")


@pytest.mark.parametrize(
    ("address", "says"),
    [("/nothing", "404"), ("/page", "No feed found on the page"), ("javascript:alert(1)", "be followed")],
)
def test_nothing_to_follow_says_why(
    reader: User, server: ScriptedServer, fetcher: Fetcher, address: str, says: str
) -> None:
    server.on("/page", answer(200, b"<html><body>Hello</body></html>"))
    job = follow_address(reader, server.url(address) if address.startswith("/") else address, fetcher)
    assert (job.status, Subscription.objects.count(), Feed.objects.count()) == (ImportStatus.FAILED, 0, 0)
    assert says in job.message


def test_known_feed_is_not_fetched(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    feed = make.feed(server.url("/feed"), last_success_at=make.NOW)
    job = follow_address(reader, server.url("/feed#top"), fetcher)
    assert (job.n_added, Subscription.objects.get().feed, server.requests) == (1, feed, [])
