"""Icons: fetched politely, shared by the feeds of a site, and of no consequence for polling."""

from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.utils import timezone

from feeds.content import fetch_icons
from feeds.content.fetch_icons import CLAIM, REFRESH, delete_unused, fetch_due
from feeds.content.icons import MAX_ICON_BYTES
from feeds.errors import ForbiddenAddress
from feeds.fetching import Fetcher, FetchLimits
from feeds.models import Feed, FeedStatus, Icon
from rssmanager.demo.media import icon as draw_icon
from tests import make
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import ScriptedServer, answer, moved, silent

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

RING, MOON = draw_icon("paper", "ring"), draw_icon("paper", "moon")
HTML = "text/html; charset=utf-8"


@pytest.fixture
def images(make_fetcher: MakeFetcher) -> Fetcher:
    return make_fetcher(retry_waits=(), max_bytes=MAX_ICON_BYTES, total_seconds=1)


def feed_of(server: ScriptedServer, path: str = "/feed.xml", **values: Any) -> Feed:
    """A feed that was polled, of a site on this server."""
    values = {"site_url": server.url("/world/"), "last_success_at": make.NOW, **values}
    return make.feed(server.url(path), source=make.source(server.host), **values)


def home(*icons: str) -> bytes:
    return answer(200, "".join(f'<link rel="icon" href="{icon}">' for icon in icons).encode(), content_type=HTML)


def fetch(images: Fetcher, now: Any = None) -> int:
    return fetch_due(images, images, now=now or timezone.now())


def shown(feed: Feed) -> bytes | None:
    """The icon of a feed, None if it has none."""
    feed.refresh_from_db()
    return bytes(feed.icon.content) if feed.icon is not None and feed.icon.digest else None


def targets(server: ScriptedServer) -> list[str]:
    return [request.target for request in server.requests]


def test_the_feeds_own_icon_comes_first(server: ScriptedServer, images: Fetcher) -> None:
    server.on("/", home("/other.png"))
    feed = feed_of(server, icon_url=server.on("/own.png", answer(200, RING, content_type="text/plain")))
    assert fetch(images) == 1
    assert shown(feed) == RING
    icon = Icon.objects.get()
    assert (icon.url, icon.mime_type, len(icon.digest)) == (server.url("/own.png"), "image/png", 32)
    assert targets(server) == ["/own.png"]


def test_then_the_icon_of_the_home_page(server: ScriptedServer, images: Fetcher) -> None:
    server.on("/", moved(302, "/en/"))
    server.on("/en/", home("missing.png", "ring.png"))
    server.on("/en/ring.png", answer(200, RING))
    feed = feed_of(server)
    fetch(images)
    assert shown(feed) == RING
    assert targets(server) == ["/", "/en/", "/en/missing.png", "/en/ring.png"]


def test_tries_each_url_once(server: ScriptedServer, images: Fetcher) -> None:
    server.on("/", home("/favicon.ico", "/favicon.ico", "/own.png"))
    feed_of(server, icon_url=server.url("/own.png"))
    fetch(images)
    assert targets(server) == ["/own.png", "/", "/favicon.ico"]


def test_then_favicon_ico(server: ScriptedServer, images: Fetcher) -> None:
    server.on("/favicon.ico", answer(200, RING))
    feed = feed_of(server, site_url="", icon_url=server.on("/logo", answer(200, b"<!doctype html>", content_type=HTML)))
    fetch(images)
    assert shown(feed) == RING
    assert targets(server) == ["/logo", "/", "/favicon.ico"]


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(answer(404), id="missing"),
        pytest.param(answer(200, b"<!doctype html>", content_type="image/png"), id="HTML"),
        pytest.param(answer(200, RING + bytes(MAX_ICON_BYTES)), id="too large"),
        pytest.param(answer(200, b"<svg><script>alert(1)</script></svg>", content_type="image/svg+xml"), id="script"),
        pytest.param(b"nonsense", id="no HTTP"),
    ],
)
def test_a_failure_is_remembered_and_leaves_the_feed_alone(
    server: ScriptedServer, images: Fetcher, response: bytes
) -> None:
    server.on("/favicon.ico", response)
    feed = feed_of(server)
    before = Feed.objects.values().get(pk=feed.pk)
    now = timezone.now()
    assert fetch(images, now) == 1
    assert shown(feed) is None
    assert Feed.objects.values().get(pk=feed.pk) == before | {"icon_id": feed.icon_id}
    assert fetch(images, now + REFRESH - timedelta(hours=1)) == 0
    n_requests = len(server.requests)
    assert fetch(images, now + REFRESH + timedelta(hours=1)) == 1
    assert len(server.requests) == 2 * n_requests


@pytest.mark.parametrize("status", [429, 503])
def test_stops_when_the_site_refuses(server: ScriptedServer, images: Fetcher, status: int) -> None:
    server.on("/", answer(status, retry_after="60"))
    server.on("/favicon.ico", answer(200, RING))
    feed = feed_of(server)
    assert fetch(images) == 1
    assert shown(feed) is None
    assert targets(server) == ["/"]
    feed.source.refresh_from_db()
    assert feed.source.rate_limited_until is None  # its feeds are polled as before


def test_stops_when_the_site_is_silent(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    server.on("/", silent(server))
    server.on("/favicon.ico", answer(200, RING))
    feed = feed_of(server)
    assert fetch(make_fetcher(retry_waits=(), total_seconds=0.1)) == 1
    assert shown(feed) is None
    assert targets(server) == ["/"]


def test_a_rate_limited_site_is_left_alone(server: ScriptedServer, images: Fetcher) -> None:
    feed = feed_of(server)
    feed.source.rate_limited_until = timezone.now() + timedelta(hours=1)
    feed.source.save()
    assert fetch(images) == 0
    assert server.requests == []
    assert fetch(images, timezone.now() + timedelta(hours=2)) == 1


def test_private_networks_are_not_asked_even_by_redirect(server: ScriptedServer, other_server: ScriptedServer) -> None:
    other_server.on("/", home("/ring.png"))
    other_server.on("/ring.png", moved(302, server.on("/secret.png", answer(200, RING))))
    other_server.on("/favicon.ico", answer(200, MOON))
    feed, private = feed_of(other_server), feed_of(server)
    fetcher = Fetcher(FetchLimits(allowed_networks=(ip_network("127.0.0.2/32"),), retry_waits=()), user_agent="t")
    with pytest.raises(ForbiddenAddress):
        fetcher.fetch(server.url("/secret.png"))
    assert fetch(fetcher) == 2
    fetcher.close()
    assert (shown(feed), shown(private)) == (MOON, None)
    assert server.requests == []


def test_credentials_stay_with_the_feed(server: ScriptedServer, images: Fetcher) -> None:
    url = server.url("/feed.xml", credentials="ada:secret")
    make.feed(url, source=make.source(server.host), last_success_at=make.NOW)
    assert fetch(images) == 1
    assert targets(server) == ["/", "/favicon.ico"]
    assert not any("authorization" in request.headers for request in server.requests)


def test_feeds_of_a_site_share_an_icon(server: ScriptedServer, images: Fetcher) -> None:
    server.on("/favicon.ico", answer(200, RING))
    world, sport = feed_of(server), feed_of(server, "/sport.xml", site_url=server.url("/sport/"))
    other = feed_of(server, "/other.xml", icon_url=server.on("/own.png", answer(200, MOON)))
    assert fetch(images) == 1  # of one domain
    assert fetch(images) == 1
    assert (shown(world), shown(sport), shown(other)) == (RING, RING, MOON)
    assert world.icon_id == sport.icon_id != other.icon_id
    assert fetch(images) == 0


def test_unread_paused_and_sample_feeds_have_none_fetched(server: ScriptedServer, images: Fetcher) -> None:
    feed_of(server, last_success_at=None)
    feed_of(server, "/b", status=FeedStatus.PAUSED)
    feed_of(server, "/c", status=FeedStatus.SAMPLE)
    assert fetch(images) == 0
    assert server.requests == []


def test_a_new_icon_replaces_the_old_after_a_month_and_a_failure_keeps_it(
    server: ScriptedServer, images: Fetcher
) -> None:
    server.on("/favicon.ico", answer(200, RING), answer(404), answer(200, MOON))
    feed, now = feed_of(server), timezone.now()
    fetch(images)
    first = Icon.objects.get().digest
    for days, content in ((31, RING), (62, MOON)):
        Icon.objects.update(due_at=now + timedelta(days=days))
        assert fetch(images, now + timedelta(days=days)) == 1
        assert shown(feed) == content
    assert Icon.objects.get().digest not in ("", first)


def test_a_changed_site_gets_another_icon_with_the_next_refresh(
    server: ScriptedServer, other_server: ScriptedServer, images: Fetcher
) -> None:
    server.on("/favicon.ico", answer(200, RING))
    other_server.on("/favicon.ico", answer(200, MOON))
    feed, now = feed_of(server), timezone.now()
    fetch(images)
    Feed.objects.update(site_url=other_server.url("/"))
    assert fetch(images) == 0
    assert shown(feed) == RING
    assert fetch(images, now + REFRESH + CLAIM) == 1
    assert fetch(images) == 1
    assert shown(feed) == MOON
    assert (delete_unused(), Icon.objects.count()) == (1, 1)


def test_a_killed_worker_loses_nothing(
    server: ScriptedServer, images: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("/favicon.ico", answer(200, RING))
    feed, now = feed_of(server), timezone.now()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(fetch_icons, "_save", die)
        with pytest.raises(KeyboardInterrupt):
            fetch(images, now)
    assert shown(feed) is None
    assert fetch(images, now) == 0  # still claimed
    assert fetch(images, now + CLAIM) == 1
    assert shown(feed) == RING


def test_an_icon_that_crashes_a_parser_does_not_stop_others(
    server: ScriptedServer, other_server: ScriptedServer, images: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("/", home("/bad.png"))
    other_server.on("/favicon.ico", answer(200, RING))
    broken, feed = feed_of(server), feed_of(other_server)

    def fail(page: bytes, *, url: str, content_type: str) -> tuple[str, ...]:
        raise ValueError(url)

    monkeypatch.setattr(fetch_icons, "page_icons", fail)
    assert fetch(images) == 2
    assert (shown(broken), shown(feed)) == (None, RING)
