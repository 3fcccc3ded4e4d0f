"""With `IMAGE_PROXY`, pages load nothing from other sites; `watch` fails on any external request."""

from base64 import b64decode
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from ipaddress import ip_network

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from digests.delivery.content import email_content_of
from digests.delivery.enqueue import queue
from digests.delivery.preferences import save_mail_pictures
from feeds.content import image_proxy
from feeds.content.image_proxy import image_fetcher
from feeds.models import Article, Icon
from reader.articles.image_proxy import image_address
from reader.models import MailPictures, Preferences
from rssmanager.demo.media import icon
from tests import make
from tests.browser.conftest import Opener, Watch
from tests.digests import kept
from tests.feeds.servers import ScriptedServer, answer

GIF = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")  # one pixel
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="9"/></svg>'


@pytest.fixture
def elsewhere(settings: Settings) -> Iterator[ScriptedServer]:
    """A publisher's server, with the settings that `IMAGE_PROXY` makes."""
    settings.ENV = replace(settings.ENV, IMAGE_PROXY=True, FETCH_ALLOWED_NETWORKS=(ip_network("127.0.0.2/32"),))
    policy = deepcopy(settings.CONTENT_SECURITY_POLICY)
    policy["DIRECTIVES"]["img-src"] = ["'self'", "data:"]
    settings.CONTENT_SECURITY_POLICY = policy
    image_fetcher.cache_clear()
    server = ScriptedServer("127.0.0.2")
    yield server
    image_fetcher().close()
    image_fetcher.cache_clear()
    server.close()


def test_pictures_are_shown_and_no_request_leaves(opened: Opener, elsewhere: ScriptedServer) -> None:
    urls = {name: elsewhere.on(f"/{name}.gif", answer(200, GIF)) for name in ("body", "twice", "poster", "lead")}
    user = make.user()
    Preferences.objects.create(user=user, density="cards", has_pictures=True)
    subscription = make.subscription(user)
    of_feed = {"feed": subscription.feed, "source": subscription.feed.source, "summary": "Words"}
    body = (
        f'<p>Words</p><img src="{urls["body"]}" srcset="{urls["twice"]} 2x"><video src="/f" poster="{urls["poster"]}">'
    )
    in_body = make.article(markup=body, **of_feed)
    led = make.article(media=[{"url": urls["lead"], "mime_type": "image/gif"}], **of_feed)
    for article in (in_body, led):
        make.delivery(subscription, article)

    page = opened(user, "/all/")
    expect(page.locator(".row .thumb")).to_have_js_property("naturalWidth", 1)
    page.goto(f"/articles/{led.pk}/")
    expect(page.locator(".lead-image img")).to_have_js_property("naturalWidth", 1)
    with page.expect_response(f"**{image_address(urls['poster'], in_body.link)}") as poster:
        page.goto(f"/articles/{in_body.pk}/")
    assert poster.value.status == 200
    expect(page.locator(".body img")).to_have_js_property("naturalWidth", 1)
    assert {request.target for request in elsewhere.requests} == {"/body.gif", "/poster.gif", "/lead.gif"}


def test_one_refused_while_too_many_are_under_way_comes_later(
    opened: Opener, watch: Watch, elsewhere: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = elsewhere.on("/late.gif", answer(200, GIF))
    subscription = make.subscription(make.user())
    article = make.article(markup=f'<p>Words</p><img src="{url}">', feed=subscription.feed)
    make.delivery(subscription, article)
    monkeypatch.setattr(image_proxy, "AT_ONCE", 0)
    page = opened(subscription.user, "/all/")
    with page.expect_response(f"**{image_address(url, article.link)}") as refused:
        page.goto(f"/articles/{article.pk}/")
    assert refused.value.status == 503
    monkeypatch.undo()
    expect(page.locator(".body img")).to_have_js_property("naturalWidth", 1)
    assert all("503" in complaint for complaint in watch.complaints)
    watch.complaints.clear()


@pytest.mark.parametrize("content", [icon("paper", "ring"), SVG, b"<html>"], ids=["PNG", "SVG", "broken"])
def test_icons_that_cannot_be_shown_become_letters(opened: Opener, content: bytes) -> None:
    user = make.user()
    mime_type = "image/svg+xml" if content == SVG else "image/png"
    values = {"digest": "abc", "mime_type": mime_type, "content": content}
    shown = Icon.objects.create(key=b"1", home_url="https://paper.example/", due_at=make.NOW, **values)
    subscription = make.subscription(user, make.feed(title="Paper", icon=shown))
    make.delivery(subscription, make.article(feed=subscription.feed))
    page = opened(user, "/all/")
    tile = page.locator(".row .tile")
    if content == b"<html>":
        expect(tile).to_have_text("P")
        expect(page.locator("img.tile")).to_have_count(0)
        return
    page.locator(".row img.tile").evaluate("image => image.decode()")  # fails if it can't be shown
    expect(tile).to_have_css("width", "16px")


def test_one_that_is_missing_leaves_no_hole(opened: Opener, watch: Watch, elsewhere: ScriptedServer) -> None:
    url = elsewhere.on("/gone.gif", answer(404, b""))
    subscription = make.subscription(make.user())
    lead = {"url": url, "mime_type": "image/gif", "width": 800, "height": 400}
    led = make.article(markup="<p>Words</p>", media=[lead], feed=subscription.feed)
    in_body = make.article(markup=f'<p>Words</p><img src="{url}">', feed=subscription.feed)
    for article in (led, in_body):
        make.delivery(subscription, article)
    page = opened(subscription.user, f"/articles/{led.pk}/")
    expect(page.locator("img.is-broken")).to_have_count(1)
    assert page.locator(".lead-image").evaluate("figure => figure.offsetHeight") < 60  # a link instead of it
    page.goto(f"/articles/{in_body.pk}/")
    expect(page.locator(".body img.is-broken")).to_have_js_property("offsetHeight", 1)
    watch.complaints.clear()  # Chromium notes each 404 as an error


def test_an_email_in_webmail_shows_its_pictures(
    opened: Opener, elsewhere: ScriptedServer, live_server: LiveServer, settings: Settings
) -> None:
    settings.BASE_URL = live_server.url
    subscription = make.subscription(make.user())
    topic = kept.topic(subscription, label="A harbour")
    media = [{"url": elsewhere.on("/harbour.gif", answer(200, GIF)), "mime_type": "image/gif"}]
    Article.objects.filter(pk=topic.lead.article_id).update(media=media)
    save_mail_pictures(subscription.user, MailPictures.SERVER)
    content = email_content_of(queue(kept.digest(subscription.user, topic), now=timezone.now()))
    assert content

    page = opened(None, "/login/").context.new_page()  # of another origin
    for width, shown in ((600, 512), (360, 328)):
        page.set_viewport_size({"width": width, "height": 800})
        page.set_content(content.html)
        picture = page.locator("img")
        expect(picture).to_have_js_property("naturalWidth", 1)
        expect(picture).to_have_js_property("clientWidth", shown)
        assert page.evaluate("document.documentElement.scrollWidth") == width
