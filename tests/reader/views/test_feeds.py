"""The feeds page and its actions."""

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from feeds.models import Feed, FeedStatus, Source
from feeds.tasks.polling import poll_feeds
from reader.models import Delivery, Folder, Import, Subscription
from tests import make
from tests.reader.conftest import Enqueued, World
from tests.tables import table

pytestmark = pytest.mark.django_db


def message_in(answer: object) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]


def test_shows_feeds_with_status_and_polls(browser: Client, world: World) -> None:
    feed = world.subscription.feed
    feed.interval_reason, feed.next_poll_at = "every 30 min: the publisher asks", timezone.now() + timedelta(minutes=9)
    feed.interval_seconds = 1800
    feed.save()
    for outcome in ("new", "not_modified", "timeout", "new"):
        make.poll(feed, outcome, started_at=timezone.now() - timedelta(minutes=5), message="all well")
    assert "New" in browser.get("/health/").content.decode()
    page = browser.get(reverse("feed_edit", args=[world.subscription.pk])).content.decode()
    assert "Last response 5 min ago." in page


def test_noisy_feed_is_labelled_on_its_pages(browser: Client, world: World) -> None:
    feed = world.subscription.feed
    feed.overrun_at, feed.overrun_articles, feed.overrun_compared = timezone.now(), 1480, 500
    feed.save()
    for name in ("feed", "feed_health"):
        page = browser.get(reverse(name, args=[world.subscription.pk])).content.decode()
        assert "This feed published 1,480 entries in a day. We compare the first 500" in page


def test_host_that_is_down_is_one_notice(browser: Client, world: World) -> None:
    waiting = [make.subscription(world.user, make.feed(f"https://videos.example/{n}")) for n in range(2)]
    now = timezone.now()
    for subscription in waiting:
        make.poll(subscription.feed, "outage", status=404, started_at=now)
    ids = [subscription.feed_id for subscription in waiting]
    Feed.objects.filter(pk__in=ids).update(last_success_at=now - timedelta(hours=5), last_polled_at=now)
    assert "videos.example has been down" not in browser.get("/health/").content.decode()
    Source.objects.filter(domain="videos.example").update(down_since=now - timedelta(hours=2))
    page = " ".join(browser.get("/health/").content.decode().split())
    assert page.count("videos.example has been down since ") == 1
    assert ": 2 feeds affected. We try again every hour." in page
    assert page.count(">Host down<") == 2
    page = browser.get(reverse("feed", args=[waiting[0].pk])).content.decode()
    assert "This feed and most others on its host" in page


def test_slow_feed_is_called_slow(browser: Client, world: World) -> None:
    feed = world.subscription.feed
    feed.consecutive_failures = feed.consecutive_timeouts = 3
    feed.save()
    make.poll(feed, "timeout")
    assert ">Slow<" in browser.get("/health/").content.decode()
    for name in ("feed", "feed_health"):
        page = browser.get(reverse(name, args=[world.subscription.pk])).content.decode()
        assert "This feed is slow: its last 3 polls timed out." in page


def test_never_shows_credentials(browser: Client, world: World) -> None:
    subscription = make.subscription(world.user, make.feed("https://ada:secret@paper.example/feed.xml", title=""))
    paths = ["/health/", "/all/", reverse("feed", args=[subscription.pk]), reverse("feed_edit", args=[subscription.pk])]
    for path in [*paths, reverse("feed_unfollow", args=[subscription.pk]), "/export.opml"]:
        page = browser.get(path).content.decode()
        assert "secret" not in page, path


def test_finds_feeds_by_name(browser: Client, world: World) -> None:
    make.subscription(world.user, title="Evening")
    rows = browser.get("/health/", {"q": " even\x00 "}).context["table"].rows
    assert [str(row.subscription) for row in rows] == ["Evening"]
    assert "match “&lt;b&gt;”" in browser.get("/health/", {"q": "<b>"}).content.decode()


def test_editing_renames_and_moves_articles_to_folder(browser: Client, world: World) -> None:
    url = reverse("feed_edit", args=[world.subscription.pk])
    response = browser.post(url, {"title": " Mine ", "folder": "New one"})
    assert response["Location"] == reverse("feed", args=[world.subscription.pk])
    world.subscription.refresh_from_db()
    folder = Folder.objects.get(user=world.user, name="New one")
    assert (world.subscription.title, world.subscription.folder) == ("Mine", folder)
    assert Delivery.objects.get().folder == folder


def test_refuses_too_long_name(browser: Client, world: World) -> None:
    response = browser.post(reverse("feed_edit", args=[world.subscription.pk]), {"title": "x" * 301, "folder": "Y"})
    assert response.status_code == 422
    assert not Folder.objects.filter(name="Y").exists()


def secret_feed(world: World) -> Subscription:
    return make.subscription(world.user, make.feed("https://ada:secret@paper.example/feed.xml", title=""))


def edit(browser: Client, subscription: Subscription, **data: str) -> Subscription:
    response = browser.post(reverse("feed_edit", args=[subscription.pk]), data)
    assert response.status_code == 302, response.content.decode()
    return Subscription.objects.select_related("feed").get(pk=int(response["Location"].split("/")[2]))


@pytest.mark.usefixtures("enqueued")
class TestEditingTheAddress:
    def test_moves_articles_along(self, browser: Client, world: World) -> None:
        article = make.delivery(world.subscription, make.article()).article
        moved = edit(browser, world.subscription, url="https://new.example/feed")
        assert (moved.pk, moved.feed.url) == (world.subscription.pk, "https://new.example/feed")
        assert moved.deliveries.filter(article=article).exists()
        assert moved.feed.next_poll_at <= timezone.now()

    def test_joins_the_feed_already_followed_there(self, browser: Client, world: World) -> None:
        there = make.subscription(world.user, make.feed("https://new.example/feed"))
        assert edit(browser, world.subscription, url="https://new.example/feed") == there
        assert not Subscription.everything.filter(pk=world.subscription.pk).exists()

    def test_keeps_saved_password_at_the_same_host_only(self, browser: Client, world: World) -> None:
        subscription = secret_feed(world)
        page = browser.get(reverse("feed_edit", args=[subscription.pk])).content.decode()
        assert ("A user name and password are saved." in page, "secret" in page, "ada:" in page) == (True, False, False)
        moved = edit(browser, subscription, url="https://paper.example/other.xml")
        assert moved.feed.url == "https://ada:secret@paper.example/other.xml"
        assert edit(browser, moved, url="https://evil.example/feed").feed.url == "https://evil.example/feed"

    @table(
        ("saved", "url", "stored"),
        [
            ("http://ada:secret@paper.example/f", "https://paper.example/g", "https://ada:secret@paper.example/g"),
            ("https://ada:secret@paper.example/f", "http://paper.example/f", "http://paper.example/f"),
            ("https://ada:secret@paper.example/f", "https://paper.example:8443/f", "https://paper.example:8443/f"),
            ("https://ada:secret@paper.example/f", "https://b.paper.example/f", "https://b.paper.example/f"),
            (
                "https://ada:secret@paper.example/f",
                "https://bob:x@b.paper.example/f",
                "https://bob:x@b.paper.example/f",
            ),
        ],
    )
    def test_saved_password_never_leaves_its_server(
        self, browser: Client, world: World, saved: str, url: str, stored: str
    ) -> None:
        subscription = make.subscription(world.user, make.feed(saved))
        assert edit(browser, subscription, url=url).feed.url == stored

    def test_offers_the_address_that_a_feed_redirects_to(self, browser: Client, world: World) -> None:
        subscription = secret_feed(world)
        Feed.objects.filter(pk=subscription.feed_id).update(final_url="https://b.paper.example/feed.xml")
        url = reverse("feed_edit", args=[subscription.pk])
        assert 'value="https://b.paper.example/feed.xml"' not in browser.get(url).content.decode()
        page = browser.get(f"{url}?moved").content.decode()
        assert ('value="https://b.paper.example/feed.xml"' in page, "secret" in page) == (True, False)

    def test_sets_and_removes_password(self, browser: Client, world: World) -> None:
        subscription = secret_feed(world)
        url = "https://paper.example/feed.xml"
        removed = edit(browser, subscription, url=url, forgets_login="on")
        assert removed.feed.url == url
        saved = edit(browser, removed, url=url, username="bob", password="p@ss word")
        assert saved.feed.url == "https://bob:p%40ss%20word@paper.example/feed.xml"

    def test_refuses_what_is_no_web_address(self, browser: Client, world: World) -> None:
        url = reverse("feed_edit", args=[world.subscription.pk])
        response = browser.post(url, {"url": "javascript:alert(1)"})
        assert (response.status_code, "be followed" in response.content.decode()) == (422, True)
        world.subscription.feed.refresh_from_db()
        assert "javascript" not in world.subscription.feed.url

    def test_leaves_the_feed_of_other_readers(self, browser: Client, world: World) -> None:
        other = make.subscription(make.user(), world.subscription.feed)
        edit(browser, world.subscription, url="https://new.example/feed")
        other.refresh_from_db()
        assert other.feed.url != "https://new.example/feed"


def test_unfollowing_asks_for_confirmation(browser: Client, world: World) -> None:
    url = reverse("feed_unfollow", args=[world.subscription.pk])
    assert "Its 1 article will disappear from your lists" in browser.get(url).content.decode()
    assert Subscription.objects.filter(pk=world.subscription.pk).exists()
    assert browser.post(url)["Location"] == "/health/"
    assert not Subscription.objects.filter(pk=world.subscription.pk).exists()


def test_polling_now_makes_feed_due_and_queues_task(browser: Client, world: World, enqueued: Enqueued) -> None:
    response = browser.post(reverse("feed_poll", args=[world.subscription.pk]), {"next": "/feeds/1/"})
    feed = Feed.objects.get(pk=world.subscription.feed_id)
    assert feed.next_poll_at is not None
    assert enqueued == [("feeds.tasks.polling.poll_feeds", [feed.pk])]
    assert import_string("feeds.tasks.polling.poll_feeds") is poll_feeds
    assert response["Location"] == "/feeds/1/"


@pytest.mark.parametrize(
    ("feed", "resting", "reason"),
    [
        ({"last_polled_at": timedelta(seconds=-30)}, None, "It was polled less than a minute ago."),
        ({}, timedelta(hours=2), "Its publisher asked us to wait. We can try again in 2 h."),
        ({"status": FeedStatus.DEAD}, None, "This feed is gone for good. An administrator can revive it."),
        ({"status": FeedStatus.PAUSED}, None, "This feed is paused. An administrator can resume it."),
    ],
    ids=["just polled", "resting", "dead", "paused"],
)
def test_refuses_polling_now_with_a_reason(
    browser: Client, world: World, enqueued: Enqueued, feed: dict[str, object], resting: timedelta | None, reason: str
) -> None:
    row = world.subscription.feed
    for name, value in feed.items():
        setattr(row, name, timezone.now() + value if isinstance(value, timedelta) else value)
    row.save()
    if resting:
        row.source.rate_limited_until = timezone.now() + resting + timedelta(seconds=20)
        row.source.save()
    before = world.state()
    response = browser.post(reverse("feed_poll", args=[world.subscription.pk]))
    assert message_in(response) == [f"Didn't poll {world.subscription.shown_title}. {reason}"]
    assert (world.state(), enqueued) == (before, [])


def test_page_instead_of_feed_offers_its_feeds(browser: Client, world: World, enqueued: Enqueued) -> None:
    page = browser.get(reverse("feed_health", args=[world.subscription.pk])).content.decode()
    assert "Follow this instead" in page
    url = reverse("feed_follow_found", args=[world.subscription.pk])
    response = browser.post(url, {"url": "https://found.example/feed"})
    job = Import.objects.latest("pk")
    assert (response["Location"], job.name, job.folder_name) == (
        f"/imports/{job.pk}/",
        "https://found.example/feed",
        world.folder.name,
    )
    assert enqueued == [("reader.tasks.recurring.run_import", job.pk)]


def test_only_discovered_feeds_can_be_followed_instead(browser: Client, world: World, enqueued: Enqueued) -> None:
    before = world.state()
    browser.post(reverse("feed_follow_found", args=[world.subscription.pk]), {"url": "http://10.0.0.1/feed"})
    assert (world.state(), enqueued) == (before, [])
