"""Imports: progress, refused lines, interruption without loss or duplicates; single URLs with discovery."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.fetching import Fetcher, FetchLimits
from feeds.models import Feed, FeedStatus
from reader.interests.terms import reset
from reader.models import Delivery, Folder, Import, ImportKind, ImportStatus, InterestTerm, Subscription
from reader.subscriptions import importer
from reader.subscriptions.delivery import deliver
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
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    fetcher = Fetcher(FetchLimits(allow_private_networks=True), user_agent="t", wait=lambda seconds: None)
    yield fetcher
    fetcher.close()


def run_file(user: User, data: bytes, name: str = "mine.opml") -> Import:
    return importer.import_file(user, data, name=name, now=make.NOW, default_max_items=500)


def test_follows_feeds_of_a_file_and_lists_refused_lines(reader: User) -> None:
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


def test_importing_an_edited_feeds_yaml_updates_what_is_followed(reader: User) -> None:
    run_file(reader, FEEDS_YAML, "feeds.yaml")
    subscription = Subscription.objects.get()
    make.delivery(subscription, make.article())
    edited = FEEDS_YAML.decode().replace("國際", "亞洲").replace("世界報", "新報").replace("zh_news", "ja_news")
    edited = edited.replace("中文新聞", "日本").replace("category: 5", "category: 7\n    max_items_per_feed: 30")
    job = run_file(reader, edited.encode(), "feeds.yaml")
    assert (job.n_added, job.n_known) == (0, 1)
    subscription.refresh_from_db()
    feed, folder = subscription.feed, subscription.folder
    assert (subscription.category, subscription.title, folder.name) == ("亞洲", "新報", "日本")
    assert (folder.language, folder.item_limit_per_category) == ("ja", 7)
    assert (feed.max_items, feed.language, feed.language_is_fixed) == (30, "ja", True)
    assert Delivery.objects.get().folder == folder


def test_importing_an_edited_feeds_yaml_leaves_a_shared_feeds_limit(reader: User) -> None:
    run_file(reader, FEEDS_YAML, "feeds.yaml")
    make.subscription(make.user(), Feed.objects.get())
    run_file(reader, FEEDS_YAML.replace(b"    sources:", b"    max_items_per_feed: 3\n    sources:"), "feeds.yaml")
    assert Feed.objects.get().max_items == 20


def test_a_listed_title_that_is_the_feeds_own_is_not_kept(reader: User) -> None:
    known = make.feed("https://courier.example/feed", title="Courier", last_success_at=make.NOW)
    run_file(reader, OPML)
    assert Subscription.objects.get(feed=known).title == ""
    new = Subscription.objects.get(title="Loose")  # never polled, so its own title is unknown
    make.item(new.feed, make.article())
    deliver()
    assert Subscription.objects.get(pk=new.pk).title == ""


def test_a_listed_title_that_the_user_chose_is_kept(reader: User) -> None:
    run_file(reader, OPML)
    subscription = Subscription.objects.get(title="Loose")
    Feed.objects.filter(pk=subscription.feed_id).update(title="The Loose Gazette")
    make.item(subscription.feed, make.article())
    deliver()
    assert Subscription.objects.get(pk=subscription.pk).title == "Loose"


def test_each_import_adds_its_new_categories_to_the_interests(reader: User) -> None:
    def terms() -> list[tuple[str, str]]:
        return sorted(InterestTerm.objects.filter(user=reader).values_list("term", "origin"))

    run_file(reader, OPML)
    assert terms() == [("local", "category")]
    InterestTerm.objects.update(term="gardens")
    run_file(reader, OPML)  # which brings no other category
    assert terms() == [("gardens", "category")]
    run_file(reader, FEEDS_YAML, "feeds.yaml")
    assert terms() == [("gardens", "category"), ("中文新聞", "category"), ("國際", "category")]


def test_import_after_a_reset_adds_no_interests(reader: User) -> None:
    reset(reader, make.NOW)
    run_file(reader, OPML)
    assert not InterestTerm.objects.exists()


def test_unreadable_file_fails_with_a_message(reader: User) -> None:
    job = run_file(reader, b"%PDF-1.7 \x00\x01")
    assert (job.status, Subscription.objects.count()) == (ImportStatus.FAILED, 0)
    assert job.message


def test_interrupted_import_resumes(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
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
    result = importer.run(left, now=make.NOW, default_max_items=500)
    assert (result.status, result.n_done, result.n_added, result.n_known) == (ImportStatus.DONE, 35, 35, 0)
    assert Subscription.objects.count() == 35


def test_overdue_import_is_started_by_one_worker_only(reader: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "CHUNK", 1)
    requested_at, late = make.NOW, make.NOW + timedelta(hours=1)
    job = Import.objects.create(user=reader, kind=ImportKind.FILE, name="urls.txt", data=b"https://a.example/feed")
    Import.objects.update(status=ImportStatus.RUNNING, created_at=requested_at)
    claimed = Import.objects.get()

    def start_another_worker(job: Import) -> None:
        assert importer.unfinished(now=late) == []
        importer.run(claimed, now=late, default_max_items=500)

    importer.run(Import.objects.get(), now=late, default_max_items=500, on_progress=start_another_worker)
    job.refresh_from_db()
    assert (job.status, job.n_added, job.n_known) == (ImportStatus.DONE, 1, 0)


def look_up(user: User, address: str, fetcher: Fetcher) -> Import:
    job = Import.objects.create(user=user, kind=ImportKind.ADDRESS, name=address)
    return importer.run(job, now=make.NOW, default_max_items=500, fetcher=fetcher)


def follow_found(job: Import, *numbers: int, folder: str = "New") -> list[Subscription]:
    return importer.follow_found(job, numbers or [0], folder=folder, now=make.NOW, default_max_items=500)


def test_previews_a_feed_then_follows_it(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    job = look_up(reader, server.on("/feed", answer(200, FEED)), fetcher)
    (offer,) = importer.offers_of(job)
    assert (job.status, offer.found.title, offer.subscription) == (ImportStatus.PREVIEW, "Behind", None)
    assert Feed.objects.count() == 0
    (subscription,) = follow_found(job)
    assert (job.status, str(subscription), subscription.folder.name) == (ImportStatus.DONE, "Behind", "New")
    assert (job.lines.get().feed, bytes(job.data)) == (subscription.feed, b"")
    assert follow_found(job) == []  # a second press


def test_previews_newest_articles(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    item = "<item><title>No {0} &amp;amp; more</title><pubDate>Mon, 0{0} Sep 2025 10:00:00 GMT</pubDate></item>"
    items = "".join(item.format(number) for number in (1, 4, 2, 3))
    picture = '<item><title>Undated</title><enclosure url="https://a.example/a.jpg" type="image/jpeg"/></item>'
    feed = f"<rss version='2.0'><channel><title>Behind</title>{items}{picture}</channel></rss>".encode()
    job = look_up(reader, server.on("/feed", answer(200, feed)), fetcher)
    articles = importer.offers_of(job)[0].found.articles
    assert len(articles) == 3
    assert [article.title for article in articles if article.published_at] == ["No 4 & more", "No 3 & more"]
    assert [article.picture for article in articles if not article.published_at] == ["https://a.example/a.jpg"]


def test_finds_feed_of_a_site(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    page = b"<html><head><link rel=alternate type='application/rss+xml' href='/the-feed'></head></html>"
    server.on("/the-feed", answer(200, FEED))
    job = look_up(reader, server.on("/", answer(200, page)), fetcher)
    assert [offer.found.url for offer in importer.offers_of(job)] == [server.url("/the-feed")]


def test_offers_all_feeds_of_a_site(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    link = "<link rel=alternate type='application/rss+xml' href='{}' title='{}'>"
    links = (("/news", "News"), ("/blog", "Blog"), ("/broken", "Broken"), ("/comments/feed", "Comments"))
    page = f"<html><head>{''.join(link.format(*pair) for pair in links)}</head></html>".encode()
    server.on("/news", answer(200, FEED))
    server.on("/blog", answer(200, FEED.replace(b"Behind", b"Beside")))
    followed = make.subscription(reader, make.feed(server.url("/blog")))
    job = look_up(reader, server.on("/", answer(200, page)), fetcher)
    offers = importer.offers_of(job)
    assert [(offer.found.title, offer.subscription) for offer in offers] == [("Behind", None), ("Beside", followed)]
    assert len(follow_found(job, 0, 1, 99)) == 2
    assert (job.n_added, job.n_known) == (1, 1)


def test_tries_the_usual_paths(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/feed", answer(200, FEED))
    job = look_up(reader, server.on("/", answer(200, b"<html><body>Hello</body></html>")), fetcher)
    assert [offer.found.url for offer in importer.offers_of(job)] == [server.url("/feed")]


def test_follows_moved_feed_at_its_new_url(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    server.on("/new", answer(200, FEED))
    follow_found(look_up(reader, server.on("/old", moved(301, "/new")), fetcher))
    assert Subscription.objects.get().feed.url == server.url("/new")


@pytest.mark.parametrize(
    ("address", "says"),
    [("/nothing", "404"), ("/page", "No feed found on the page"), ("javascript:alert(1)", "be followed")],
)
def test_explains_why_there_is_no_feed(
    reader: User, server: ScriptedServer, fetcher: Fetcher, address: str, says: str
) -> None:
    server.on("/page", answer(200, b"<html><body>Hello</body></html>"))
    job = look_up(reader, server.url(address) if address.startswith("/") else address, fetcher)
    assert (job.status, Subscription.objects.count(), Feed.objects.count()) == (ImportStatus.FAILED, 0, 0)
    assert says in job.message


@pytest.mark.parametrize(("response", "status", "n_followed"), [(200, "active", 1), (410, "dead", 0)])
def test_dead_feed_is_tried_first(
    reader: User, server: ScriptedServer, fetcher: Fetcher, response: int, status: str, n_followed: int
) -> None:
    url = server.on("/feed", answer(response, FEED))
    feed = make.feed(url, status=FeedStatus.DEAD, last_success_at=make.NOW, next_poll_at=None)
    job = look_up(reader, url, fetcher)
    follow_found(job)
    feed.refresh_from_db()
    assert (feed.status, feed.next_poll_at) == (status, make.NOW if n_followed else None)
    assert (Subscription.objects.count(), "410" in job.message) == (n_followed, not n_followed)


def test_importing_a_dead_feed_polls_it_again(reader: User) -> None:
    feed = make.feed("https://courier.example/feed", status=FeedStatus.DEAD, next_poll_at=None)
    run_file(reader, OPML)
    feed.refresh_from_db()
    assert (feed.status, feed.next_poll_at) == (FeedStatus.ACTIVE, make.NOW)


def test_known_feed_is_not_fetched(reader: User, server: ScriptedServer, fetcher: Fetcher) -> None:
    feed = make.feed(server.url("/feed"), last_success_at=make.NOW)
    make.item(feed, make.article(feed=feed, title="Yesterday"))
    job = look_up(reader, server.url("/feed#top"), fetcher)
    assert [article.title for article in importer.offers_of(job)[0].found.articles] == ["Yesterday"]
    assert ([each.feed for each in follow_found(job)], server.requests) == ([feed], [])


def test_leaves_out_unticked_folders_and_feeds(reader: User) -> None:
    listing = b"""<opml version="2.0"><body>
    <outline text="One"><outline text="A" xmlUrl="https://a.example/"/><outline text="B" xmlUrl="https://b.example/"/>
    </outline><outline text="Two"><outline text="C" xmlUrl="https://c.example/"/></outline></body></opml>"""
    job = importer.create_list_import(reader, listing, name="mine.opml")
    left_out = importer.unticked(importer.preview_of(job), folders={0}, feeds={1, 2})
    assert left_out == [0, 2]
    importer.confirm(job, now=make.NOW, left_out=left_out)
    job.refresh_from_db()
    importer.run(job, now=make.NOW, default_max_items=500)
    assert [str(each) for each in Subscription.objects.all()] == ["B"]
    assert (job.n_total, job.n_added) == (1, 1)
