"""The sidebar: folders open in place, feeds are arranged, sorted and filtered, their menu, the width of it all."""

import re
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from reader.models import Delivery, Folder, Preferences, Subscription
from tests import make
from tests.browser.conftest import PHONE, Filler, Opener, press


@dataclass(frozen=True, slots=True)
class Feeds:
    """Two feeds in News, which is open, one in Art, which isn't, and one in no folder; all but B have an article."""

    user: User
    news: Folder
    art: Folder
    a: Subscription
    b: Subscription
    hidden: Subscription
    loose: Subscription


@pytest.fixture
def feeds(filled: Filler) -> Feeds:
    return filled(_filled)


def _filled() -> Feeds:
    user = make.user("ada")
    news, art = make.folder(user, "News", is_open=True), make.folder(user, "Art")
    a, b = make.subscription(user, folder=news, title="Alpha"), make.subscription(user, folder=news, title="Beta")
    hidden, loose = make.subscription(user, folder=art, title="Painters"), make.subscription(user, title="Zebra")
    for subscription in (a, hidden, loose):
        make.delivery(subscription, make.article(feed=subscription.feed, source=subscription.feed.source))
    return Feeds(user, news, art, a, b, hidden, loose)


def names(page: Page) -> list[str]:
    return page.locator("[data-feed] .name").all_inner_texts()


def link(page: Page, name: str) -> Locator:
    return page.locator("[data-shelves]").get_by_role("link", name=re.compile(f"^{name}"))


def undo(page: Page) -> None:
    page.locator("[data-toast]").get_by_role("button", name="Undo").click()


def test_folders_open_and_close_in_place_and_stay_so(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user)
    page.evaluate("window.isSame = true")
    art = page.get_by_role("button", name="Feeds: Art")
    expect(art).to_have_attribute("aria-expanded", "false")
    art.focus()
    page.keyboard.press("Enter")
    expect(link(page, "Painters")).to_be_visible()
    expect(art).to_be_focused()
    page.get_by_role("button", name="Feeds: News").click()
    expect(link(page, "Alpha")).to_be_hidden()
    assert page.evaluate("window.isSame")
    page.reload()
    expect(link(page, "Painters")).to_be_visible()
    assert names(page) == ["Painters", "Zebra"]
    link(page, "Art").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Art")


def test_without_scripts_folders_open_sort_and_settings_work(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user, java_script_enabled=False)
    page.get_by_role("button", name="Feeds: Art").click()
    expect(link(page, "Painters")).to_be_visible()
    page.locator(".sidebar-view summary").click()
    page.get_by_role("button", name="By hand").click()
    assert Preferences.objects.get().sidebar_order == "hand"
    expect(page.get_by_role("button", name="More: Alpha")).to_be_hidden()
    page.get_by_title("Follow or import").click()
    page.wait_for_url("**/subscribe/")


def test_feeds_are_dragged_into_folders_and_back(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user)
    link(page, "Zebra").drag_to(link(page, "Art"))
    expect(page.locator("[data-toast]")).to_contain_text("Moved.")
    expect(link(page, "Zebra")).to_have_count(0)
    assert Subscription.objects.get(pk=feeds.loose.pk).folder == feeds.art
    assert Delivery.objects.get(subscription=feeds.loose).folder == feeds.art
    undo(page)
    expect(link(page, "Zebra")).to_be_visible()
    assert Subscription.objects.get(pk=feeds.loose.pk).folder is None


def test_dragging_beside_another_sorts_by_hand(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user)
    link(page, "Beta").drag_to(link(page, "Alpha"), target_position={"x": 40, "y": 3})
    expect(page.locator("[data-sorted]")).to_have_attribute("data-sorted", "hand")
    assert names(page) == ["Beta", "Alpha", "Zebra"]
    link(page, "News").drag_to(page.locator(f'[data-folder="{feeds.art.pk}"] > a'), target_position={"x": 40, "y": 3})
    expect(page.locator("[data-folder] > a .name")).to_have_text(["News", "Art"])
    page.reload()
    assert names(page) == ["Beta", "Alpha", "Zebra"]
    expect(page.locator("[data-folder] > a .name")).to_have_text(["News", "Art"])


def test_menu_key_moves_and_renames(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user, f"/feeds/{feeds.a.pk}/")
    link(page, "Alpha").focus()
    press(page, "Shift+F10")
    menu = page.get_by_role("menu", name="Alpha")
    expect(menu.get_by_role("menuitem", name="Mark as read")).to_be_focused()
    expect(menu.get_by_role("menuitem", name="Move up")).to_be_disabled()
    press(page, "ArrowDown", "Enter")
    field = page.get_by_role("dialog", name="Rename").get_by_label("Name")
    expect(field).to_have_value("Alpha")
    field.fill("Omega")
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Omega")
    assert names(page) == ["Beta", "Omega", "Zebra"]
    undo(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Alpha")
    link(page, "Alpha").focus()
    press(page, "Shift+F10")
    page.get_by_role("menuitem", name="Move to…").click()
    dialog = page.get_by_role("dialog", name="Move to")
    dialog.get_by_label("Folder", exact=True).select_option("New folder…")
    dialog.get_by_label("Name of the new folder").fill("Mornings")
    dialog.get_by_role("button", name="Move").click()
    expect(link(page, "Mornings")).to_be_visible()
    assert Subscription.objects.get(pk=feeds.a.pk).folder == Folder.objects.get(name="Mornings")
    undo(page)
    expect(link(page, "Mornings")).to_have_count(0)
    assert Subscription.objects.get(pk=feeds.a.pk).folder == feeds.news
    assert not Folder.objects.filter(name="Mornings").exists()


def test_a_name_in_use_is_refused_at_its_field(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user)
    link(page, "News").click(button="right")
    expect(page.get_by_role("menuitem", name="Unfollow")).to_be_hidden()
    page.get_by_role("menuitem", name="Rename…").click()
    field = page.get_by_role("dialog", name="Rename").get_by_label("Name")
    field.fill("Art")
    press(page, "Enter")
    page.wait_for_function("(field) => field.validationMessage", arg=field.element_handle())
    expect(field).to_be_visible()
    press(page, "Escape")
    expect(field).to_be_hidden()
    assert Folder.objects.filter(name="News").exists()


def test_marks_read_and_unfollows_with_undo(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user, "/starred/")
    count = page.locator(f'[data-count="feed{feeds.a.pk}"]')
    link(page, "Alpha").hover()
    page.get_by_role("button", name="More: Alpha").click()
    page.get_by_role("menuitem", name="Mark as read").click()
    expect(count).to_be_empty()
    press(page, "z")
    expect(count).to_have_text(re.compile("1 unread"))
    link(page, "Alpha").click(button="right")
    page.get_by_role("menuitem", name="Unfollow").click()
    expect(link(page, "Alpha")).to_have_count(0)
    assert not Subscription.objects.filter(pk=feeds.a.pk).exists()
    undo(page)
    expect(link(page, "Alpha")).to_be_visible()


def test_read_feeds_hide_except_the_open_one(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user)
    page.locator(".sidebar-view summary").click()
    with page.expect_response(lambda response: response.request.method == "POST"):  # it is saved
        page.get_by_role("button", name="Unread only").click()
    expect(link(page, "Beta")).to_be_hidden()
    expect(link(page, "Alpha")).to_be_visible()
    page.goto(f"/feeds/{feeds.b.pk}/")
    expect(link(page, "Beta")).to_be_visible()
    Delivery.objects.filter(subscription=feeds.loose).update(is_read=True)
    Subscription.objects.filter(pk=feeds.loose.pk).update(unread_count=0)
    page.evaluate("document.dispatchEvent(new CustomEvent('changed'))")
    expect(link(page, "Zebra")).to_be_hidden()


def test_width_changes_by_dragging_and_by_key(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user)
    edge = page.get_by_role("separator", name="Width of the sidebar")
    box = edge.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 3, 300)
    page.mouse.down()
    page.mouse.move(331, 300)
    page.mouse.up()
    expect(edge).to_have_attribute("aria-valuenow", "330")
    with page.expect_response("**/sidebar/view/"):
        edge.press("ArrowLeft")
    page.reload()
    nav = page.locator("#menu").bounding_box()
    assert nav is not None
    assert nav["width"] == 320
    edge.dblclick()
    expect(edge).to_have_attribute("aria-valuenow", "240")


def test_scroll_position_and_focus_survive(opened: Opener, feeds: Feeds) -> None:
    for number in range(60):
        make.subscription(feeds.user, title=f"Feed {number:02}")
    page = opened(feeds.user)
    link(page, "Feed 50").scroll_into_view_if_needed()
    top = page.evaluate("document.querySelector('[data-sidebar-scroll]').scrollTop")
    assert top > 0
    link(page, "Feed 50").focus()
    page.evaluate("reader.sidebar.refresh()")
    expect(link(page, "Feed 50")).to_be_focused()
    page.reload()
    assert page.evaluate("document.querySelector('[data-sidebar-scroll]').scrollTop") == top
    expect(page.get_by_role("link", name="Settings", exact=True).first).to_be_in_viewport()


def test_a_phone_has_the_menu_by_a_button(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user, viewport=PHONE, has_touch=True)
    page.get_by_role("button", name="Feeds", exact=True).click()
    page.get_by_role("button", name="More: Zebra").click()
    page.get_by_role("menuitem", name="Move to…").click()
    dialog = page.get_by_role("dialog", name="Move to")
    dialog.get_by_label("Folder", exact=True).select_option("News")
    dialog.get_by_role("button", name="Move").click()
    expect(page.locator(f'[data-folder="{feeds.news.pk}"]').get_by_role("link", name="Zebra")).to_be_visible()


def test_keys_go_through_feeds_and_folders(opened: Opener, feeds: Feeds) -> None:
    page = opened(feeds.user)
    title = page.get_by_role("heading", level=1)
    for key, name in (("N", "Alpha"), ("J", "Beta"), ("N", "Zebra"), ("P", "Beta"), ("<", "Art"), (">", "News")):
        press(page, f"Shift+{key}" if key.isalpha() else key)
        expect(title).to_have_text(name)
