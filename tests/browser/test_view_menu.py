"""The View menu, the pictures of an article, pulling to refresh, and layout that stays where it is."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from feeds.models import Article
from reader.models import Preferences
from tests import make
from tests.browser.conftest import PHONE, Opener, Shelf, press

TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
WIDTH, HEIGHT = 640, 360
SVG = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"><rect width="640" height="360"/></svg>'
)


def titles(page: Page) -> list[str]:
    return page.locator("main [data-row] [data-open]").all_text_contents()


def test_a_click_on_an_order_applies_and_is_remembered(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    page.locator("main [data-open]", has_text="Title 03").click()
    expect(page.locator("[data-pane] h1")).to_have_text("Title 03")
    page.locator(".view-menu > summary").click()
    page.get_by_label("Oldest first").click()
    expect(page.locator("main [data-open]").first).to_have_text("Title 11")
    expect(page.locator("[data-pane] h1")).to_have_text("Title 03")
    expect(page.locator("[data-pane] :focus")).to_have_count(0)
    page.goto("/for-you/")
    page.goto("/all/")
    assert titles(page)[0] == "Title 11"


def test_by_keyboard_closing_the_menu_applies(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    page.locator(".view-menu > summary").focus()
    press(page, "Enter")
    page.get_by_label("Compact").focus()
    press(page, "ArrowDown", "ArrowDown", "Escape")
    expect(page.locator("html")).to_have_attribute("data-density", "headlines")


def test_without_scripts_it_is_a_form(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=PHONE, java_script_enabled=False)
    page.locator(".view-menu > summary").click()
    page.get_by_label("Cards").check()
    page.get_by_label("Unread only").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("html")).to_have_attribute("data-density", "cards")
    assert Preferences.objects.get().list_views == {"home": {"density": "cards", "only_unread": True}}


@pytest.fixture
def pictured(shelf: Shelf) -> Shelf:
    one, other = (f"https://pictures.example/{name}.svg" for name in ("one", "other"))
    markup = (
        f'<p>Text</p><figure><img src="{one}" alt="A harbour" width="{WIDTH}" height="{HEIGHT}">'
        "<figcaption>The harbour at dawn</figcaption></figure>"
        f'<p><a href="https://elsewhere.example/"><img src="{other}" alt="A bridge"></a></p>' + "<p>More</p>" * 30
    )
    Article.objects.filter(pk=shelf.articles[0]).update(markup=markup)
    return shelf


def serve(page: Page) -> None:
    def answer(route: Route) -> None:
        route.fulfill(body=SVG, content_type="image/svg+xml")

    page.route("**/img/**", answer)
    page.route("https://pictures.example/**", answer)


def test_pictures_open_large_and_are_walked(opened: Opener, pictured: Shelf) -> None:
    page = opened(pictured.user)
    serve(page)
    page.goto(f"/articles/{pictured.articles[0]}/")
    picture = page.get_by_role("button", name="A harbour")
    picture.focus()
    press(page, "Enter")
    box = page.get_by_role("dialog", name="Picture")
    expect(box).to_contain_text("The harbour at dawn")
    expect(box.get_by_role("link")).to_be_hidden()
    press(page, "ArrowRight")
    expect(box).to_contain_text("2 / 2")
    expect(box.get_by_role("link", name="Open link")).to_have_attribute("href", "https://elsewhere.example/")
    press(page, "Escape")
    expect(box).to_be_hidden()
    expect(picture).to_be_focused()
    page.get_by_role("img", name="A bridge").click()
    expect(box).to_contain_text("A bridge")
    expect(page).to_have_url(re.compile(rf"/articles/{pictured.articles[0]}/$"))
    press(page, "Escape")


def test_pictures_beside_the_list_open_too(opened: Opener, pictured: Shelf) -> None:
    page = opened(pictured.user)
    serve(page)
    press(page, "j", "o")
    page.get_by_role("button", name="A harbour").click()
    box = page.get_by_role("dialog", name="Picture")
    expect(box).to_be_visible()
    press(page, "j", "Escape")
    expect(box).to_be_hidden()
    expect(page.get_by_role("region", name="Article", exact=True).get_by_role("heading", level=1)).to_have_text(
        "Title 00"
    )


def pull(page: Page, dy: int) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 180, "y": 260}]})
    for step in range(1, 11):
        point = {"x": 180, "y": 260 + dy * step / 10}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_pulling_at_the_top_refreshes(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, **TOUCH)
    page.wait_for_load_state()
    make.delivery(shelf.subscription, make.article(title="Just in", feed=shelf.subscription.feed))
    pull(page, 60)
    expect(page.locator("[data-pull]")).to_be_hidden()
    assert "Just in" not in titles(page)
    pull(page, 200)
    expect(page.get_by_role("link", name="Just in")).to_be_visible()


def test_the_swipe_hint_is_said_until_it_is_known(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, **TOUCH)
    hint = page.locator("[data-hint]")
    expect(hint).to_contain_text("Swipe a row right to star it")
    hint.get_by_role("button").click()
    expect(hint).to_be_hidden()
    page.reload()
    page.wait_for_load_state()
    expect(hint).to_be_hidden()


SHIFTS = """
globalThis.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def test_nothing_moves_while_a_page_loads(opened: Opener, pictured: Shelf) -> None:
    page = opened(pictured.user, **TOUCH)
    serve(page)
    page.add_init_script(SHIFTS)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    for path in ("/", "/all/", f"/articles/{pictured.articles[0]}/"):
        page.goto(path)
        page.wait_for_load_state()
        page.wait_for_timeout(500)
        page.mouse.wheel(0, 1500)
        page.wait_for_timeout(500)
        assert page.evaluate("shifts") < 0.02, path
