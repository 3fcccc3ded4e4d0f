"""Players of other sites in place after a click, pictures that can't be shown, galleries and chapters."""

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network

import pytest
from playwright.sync_api import Request, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from feeds.content.image_proxy import image_fetcher
from feeds.models import Article
from rssmanager.demo.media import picture, silence
from tests import make
from tests.browser.conftest import PHONE, Opener, Watch, press
from tests.feeds.servers import ScriptedServer, answer

UUID = "9c9de5e8-0a1e-484a-b099-e80766180a6d"
PLAYER = """<!doctype html><title>Tube</title><p>Player</p>
<script>try { top.location = "/evil" } catch { document.title = "kept in" } document.cookie = "seen=1"</script>"""
DRAWING = b"""<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200" onload="parent.document.title = 'evil'">
<script>parent.document.title = "evil"</script><rect width="300" height="200" fill="red"/></svg>"""


@pytest.fixture
def elsewhere(settings: Settings) -> Iterator[ScriptedServer]:
    settings.ENV = replace(settings.ENV, IMAGE_PROXY=True, FETCH_ALLOWED_NETWORKS=(ip_network("127.0.0.2/32"),))
    image_fetcher.cache_clear()
    server = ScriptedServer("127.0.0.2")
    yield server
    image_fetcher().close()
    image_fetcher.cache_clear()
    server.close()


def article(**values: object) -> Article:
    subscription = make.subscription(make.user())
    shown = make.article(feed=subscription.feed, source=subscription.feed.source, **values)
    make.delivery(subscription, shown)
    shown.user = subscription.user
    return shown


@pytest.mark.parametrize("in_pane", [False, True])
def test_video_plays_in_place_after_a_click(
    opened: Opener, watch: Watch, elsewhere: ScriptedServer, live_server: LiveServer, in_pane: bool
) -> None:
    frame = f"https://tube.example/videos/embed/{UUID}"
    asked: list[Request] = []

    def play_there(route: Route) -> None:
        asked.append(route.request)
        route.fulfill(body=PLAYER, content_type="text/html")

    thumbnail = elsewhere.on("/t.png", answer(200, picture("tube"), content_type="image/png"))
    media = [
        {"url": frame, "mime_type": "text/html", "use": "player"},
        {"url": thumbnail, "mime_type": "image/png", "use": "preview"},
    ]
    video = article(media=media, markup="<p>About a desk.</p>", title="A desk")
    page = opened(video.user, "/all/" if in_pane else f"/articles/{video.pk}/")
    page.route("https://tube.example/**", play_there)
    if in_pane:
        page.get_by_role("link", name="A desk").first.click()
    play = page.get_by_role("link", name="Play")
    expect(play.locator("img")).to_have_js_property("naturalWidth", 480)
    assert asked == []
    play.focus()
    press(page, "Enter")
    player = page.frame_locator(".embed-frame").frame_locator("iframe")
    expect(player.get_by_text("Player")).to_be_visible()
    expect(page.locator(".embed-frame")).to_be_focused()
    assert page.url.startswith(live_server.url)
    [request] = asked
    assert request.url == f"{frame}?autoplay=1&p2p=0"
    assert {"referer", "cookie"} & set(request.all_headers()) == set()
    box = page.locator(".embed-frame").bounding_box()
    assert box is not None
    assert box["height"] == pytest.approx(box["width"] * 9 / 16, abs=1)
    assert watch.outside == [f"{frame}?autoplay=1&p2p=0"]
    assert all("sandboxed" in complaint or "allow-top-navigation" in complaint for complaint in watch.complaints)
    watch.outside.clear()
    watch.complaints.clear()


def test_video_is_a_link_without_scripts_and_with_a_modifier(opened: Opener, elsewhere: ScriptedServer) -> None:
    frame = elsewhere.url(f"/videos/embed/{UUID}")
    video = article(media=[{"url": frame, "mime_type": "text/html", "use": "player"}])
    page = opened(video.user, f"/articles/{video.pk}/", java_script_enabled=False)
    play = page.get_by_role("link", name="Play", exact=True)
    assert play.get_attribute("href") == elsewhere.url(f"/videos/watch/{UUID}")
    assert (play.get_attribute("target"), play.get_attribute("rel")) == ("_blank", "noopener noreferrer")
    assert elsewhere.requests == []


def test_drawing_is_shown_and_runs_nothing(opened: Opener, elsewhere: ScriptedServer) -> None:
    url = elsewhere.on("/d.svg", answer(200, DRAWING, content_type="image/svg+xml"))
    inline = '<svg width="200" height="100"><script>document.title = "evil"</script><path d="M0 0h9"/></svg>'
    drawn = article(title="Drawn", markup=f'<p>Words</p><img src="{url}">{inline}<img src="data:,x" alt="Lost">')
    page = opened(drawn.user, f"/articles/{drawn.pk}/")
    images = page.locator(".body img.is-loaded")
    expect(images).to_have_count(2)
    assert [images.nth(n).evaluate("image => image.naturalWidth") for n in range(2)] == [300, 200]
    expect(page.locator(".body")).to_contain_text("Lost")
    assert page.title().startswith("Drawn")


def test_picture_that_is_missing_leaves_its_description_and_a_link(
    opened: Opener, watch: Watch, elsewhere: ScriptedServer
) -> None:
    gone = elsewhere.on("/gone.png", answer(404, b""))
    lead = elsewhere.on("/lead.png", answer(404, b""))
    late = elsewhere.on("/late.png", answer(503, b""), answer(200, picture("late")))
    markup = f'<p>Words</p><img src="{gone}" alt="A crane"><p><a href="https://x.example/"><img src="{late}"></a></p>'
    shown = article(markup=markup, media=[{"url": lead, "mime_type": "image/png", "use": ""}])
    page = opened(shown.user, f"/articles/{shown.pk}/")
    links = page.locator("[data-instead]")
    expect(links.filter(has_text="A crane")).to_have_attribute("href", gone)
    expect(links.filter(has_text="Open picture").first).to_have_attribute("href", lead)
    assert page.locator(".body img.is-broken").first.evaluate("image => image.offsetHeight") == 1
    watch.complaints.clear()  # Chromium notes each 404 as an error


def test_missing_pictures_of_several_leave_their_descriptions(
    opened: Opener, watch: Watch, elsewhere: ScriptedServer
) -> None:
    urls = [elsewhere.on(f"/{n}.png", answer(404, b"")) for n in range(3)]
    media = [
        {"url": url, "mime_type": "image/png", "use": "", "description": f"Crane {n}"} for n, url in enumerate(urls)
    ]
    shown = article(media=media, markup="<p>A walk.</p>")
    page = opened(shown.user, f"/articles/{shown.pk}/", viewport={"width": 390, "height": 844})
    expect(page.locator(".pictures [data-instead]")).to_have_text(["Crane 0", "Crane 1", "Crane 2"])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    watch.complaints.clear()


def test_several_pictures_open_large_one_after_the_other(opened: Opener, elsewhere: ScriptedServer) -> None:
    urls = [elsewhere.on(f"/{n}.png", answer(200, picture(str(n)), content_type="image/png")) for n in range(4)]
    media = [
        {"url": url, "mime_type": "image/png", "use": "", "description": f"Crane {n}"} for n, url in enumerate(urls)
    ]
    shown = article(media=media, markup="<p>A walk.</p>")
    page = opened(shown.user, f"/articles/{shown.pk}/")
    pictures = page.locator(".pictures img")
    expect(pictures).to_have_count(4)
    expect(pictures.first).to_have_js_property("naturalWidth", 480)
    tops = {round(pictures.nth(n).evaluate("image => image.getBoundingClientRect().top")) for n in range(4)}
    assert len(tops) == 2  # two columns
    pictures.nth(1).click()
    caption = page.locator("[data-lightbox] figcaption")
    expect(caption).to_contain_text("Crane 1 2 / 4")
    press(page, "ArrowRight")
    expect(caption).to_contain_text("Crane 2 3 / 4")
    press(page, "Escape")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_emoji_is_as_high_as_its_line(opened: Opener, elsewhere: ScriptedServer) -> None:
    url = elsewhere.on("/blob.png", answer(200, picture("blob"), content_type="image/png"))
    shown = article(markup=f'<p>Hi <img class="custom-emoji" src="{url}" alt=":blob:"> there</p>')
    page = opened(shown.user, f"/articles/{shown.pk}/")
    emoji = page.locator(".body img.is-loaded")
    expect(emoji).to_have_count(1)
    height, line = emoji.evaluate("image => [image.offsetHeight, image.parentElement.offsetHeight]")
    assert height < line < 1.5 * height


def test_chapter_plays_from_its_start(opened: Opener, watch: Watch, elsewhere: ScriptedServer) -> None:
    sound = elsewhere.on("/ep.mp3", answer(200, silence(), content_type="audio/mpeg"))
    chapters = [{"start": start, "title": f"At {start}"} for start in (0.0, 5.5, 12.0)]
    shown = article(media=[{"url": sound, "mime_type": "audio/mpeg", "use": "", "seconds": 20, "chapters": chapters}])
    page = opened(shown.user, f"/articles/{shown.pk}/")
    page.get_by_text("3 chapters").click()
    page.get_by_role("link", name="At 5.5").click()
    page.wait_for_function("!document.querySelector('audio').paused || document.querySelector('audio').error")
    assert page.evaluate("document.querySelector('audio').defaultPlaybackRate") == 1
    page.wait_for_function("document.querySelector('[data-seek=\"5.5\"]').ariaCurrent === 'true'")
    watch.outside.clear()  # the sound
    watch.complaints.clear()
