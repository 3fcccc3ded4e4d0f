"""Unread counts follow what is read, without loading the page again."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from reader.models import Folder
from tests.browser.conftest import MIDDLE, Opener, Shelf, Watch, press


@pytest.fixture(autouse=True)
def open_folder(shelf: Shelf) -> None:
    Folder.objects.update(is_open=True)


def places(page: Page, shelf: Shelf) -> tuple[Locator, ...]:
    names = ("here", "all", f"folder{shelf.subscription.folder_id}", f"feed{shelf.subscription.pk}")
    return tuple(page.locator(f'[data-count="{name}"]') for name in names)


def say(page: Page, shelf: Shelf, n: int) -> None:
    for place in places(page, shelf):
        expect(place).to_have_text(re.compile(rf"^\s*{n} unread\s*$"))


@pytest.mark.parametrize("list_of", ["folders/{folder}", "feeds/{feed}"])
def test_what_is_read_by_key_is_counted_off_and_put_back(opened: Opener, shelf: Shelf, list_of: str) -> None:
    path = list_of.format(folder=shelf.subscription.folder_id, feed=shelf.subscription.pk)
    page = opened(shelf.user, f"/{path}/")
    if list_of.startswith("folders"):
        say(page, shelf, 12)
    press(page, "j", "m")
    say(page, shelf, 11)
    press(page, "j", "x")
    say(page, shelf, 10)
    press(page, "z")
    say(page, shelf, 11)


def test_what_opens_beside_the_list_is_counted_off(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, f"/folders/{shelf.subscription.folder_id}/")
    page.locator("main").get_by_role("link", name="Title 04", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Title 04")).to_be_visible()
    say(page, shelf, 11)


def test_coming_back_to_a_list_counts_anew(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, f"/folders/{shelf.subscription.folder_id}/", viewport=MIDDLE)
    page.get_by_role("link", name="Title 04", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 04")
    page.go_back()
    expect(page.locator('[data-count="here"]')).to_have_text(re.compile("11 unread"))


def test_the_last_one_leaves_no_count(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, f"/folders/{shelf.subscription.folder_id}/")
    for number in range(12):
        page.get_by_role("button", name=f"Read: Title {number:02}").click()
    here, *others = places(page, shelf)
    expect(here).to_have_text(re.compile("All caught up"))
    for place in others:
        expect(place).to_be_hidden()


def test_trouble_while_counting_is_told_to_nobody(opened: Opener, shelf: Shelf, watch: Watch) -> None:
    page = opened(shelf.user, f"/folders/{shelf.subscription.folder_id}/")
    page.route("**/counts/**", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        press(page, "j", "m")
    expect(page.locator("[data-trouble]")).to_be_hidden()
    expect(page.locator('[data-count="here"]')).to_have_text(re.compile("12 unread"))
    watch.complaints.clear()  # the browser names what was not loaded
