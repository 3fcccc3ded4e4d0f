"""Reading with the keyboard only."""

import re
from datetime import datetime

import pytest
from playwright.sync_api import ViewportSize, expect

from feeds.models import Article, Feed
from reader.models import ArticleState, Delivery, Preferences
from tests import make
from tests.browser.conftest import MIDDLE, WIDE, Opener, Shelf, press


def test_a_morning_by_keyboard(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/starred/", viewport=MIDDLE)
    press(page, "g")
    press(page, "a")
    page.wait_for_url("**/all/")
    for key in ("j", "j", "k", "s"):
        press(page, key)
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    press(page, "m")
    expect(page.locator("[data-announce]")).to_have_text("Read")
    assert ArticleState.objects.get(is_starred=True).article_id == shelf.articles[0]
    press(page, "j")
    press(page, "o")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 01")
    press(page, "u")
    expect(page.get_by_role("heading", level=1)).to_have_text("All articles")
    press(page, "k")  # goes on from the row it came back to, which stands among the read ones now
    expect(page.get_by_role("link", name="Title 00", exact=True)).to_be_focused()
    press(page, "u")
    expect(page.locator("[data-row]")).to_have_count(10)
    press(page, "Shift+A")
    expect(page.get_by_text("10 articles marked as read.")).to_be_visible()
    press(page, "z")
    expect(page.get_by_text("10 articles unread again.")).to_be_visible()
    assert Delivery.objects.filter(is_read=False).count() == 10


def test_a_follows_a_feed(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "a")
    expect(page.locator("[data-add-box]")).to_be_visible()


@pytest.mark.parametrize("viewport", [MIDDLE, WIDE], ids=["in turn", "beside"])
def test_space_pages_through_an_article_and_goes_on(opened: Opener, shelf: Shelf, viewport: ViewportSize) -> None:
    Article.objects.filter(pk=shelf.articles[0]).update(markup="<p>Rain on the harbour.</p>" * 60)
    page = opened(shelf.user, viewport=viewport)
    title = page.locator(".article h1")
    press(page, "j")
    press(page, "o")
    expect(title).to_have_text("Title 00")
    press(page, "Space")
    expect(title).not_to_be_in_viewport()
    for _ in range(12):
        press(page, "Space")
    expect(title).not_to_have_text("Title 00")


@pytest.mark.parametrize(
    ("key", "url"),
    [("t", "/"), ("f", "/for-you/"), ("s", "/starred/"), ("d", "/digests/"), ("h", "/health/"), ("p", "/settings/")],
)
def test_g_and_a_letter_go_to_a_place(opened: Opener, shelf: Shelf, key: str, url: str) -> None:
    page = opened(shelf.user)
    press(page, "g")
    press(page, key)
    page.wait_for_url(re.compile(re.escape(url) + "$"))
    expect(page.locator("h1")).to_have_count(1)


def test_the_second_letter_of_a_sequence_is_no_command_itself(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    for key in ("j", "g", "l", "j"):
        press(page, key)
    expect(page.get_by_role("link", name="Title 01", exact=True)).to_be_focused()
    assert not ArticleState.objects.exists()
    assert page.locator('[data-act="liked"][aria-pressed="true"]').count() == 0


def test_the_question_mark_opens_the_keys_and_escape_closes_them(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "j")
    press(page, "?")
    help_box = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_box).to_be_visible()
    press(page, "j")  # no command while it is open
    press(page, "Escape")
    expect(help_box).to_be_hidden()
    expect(page.get_by_role("link", name="Title 00", exact=True)).to_be_focused()


def test_keys_are_where_they_are_on_a_russian_keyboard(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press = "(init) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, ...init}))"
    page.evaluate(press, {"key": "о", "code": "KeyJ"})
    page.evaluate(press, {"key": "о", "code": "KeyJ"})
    expect(page.get_by_role("link", name="Title 01", exact=True)).to_be_focused()
    page.evaluate(press, {"key": "Л", "code": "KeyK"})  # caps lock
    expect(page.get_by_role("link", name="Title 00", exact=True)).to_be_focused()


@pytest.mark.parametrize("held", ["Control", "Alt", "Meta"])
def test_with_a_modifier_a_letter_is_the_browsers(opened: Opener, shelf: Shelf, held: str) -> None:
    page = opened(shelf.user)
    press(page, "j")
    page.evaluate(
        "(name) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        "{bubbles: true, key: 's', code: 'KeyS', [`${name}Key`]: true}))",
        {"Control": "ctrl", "Alt": "alt", "Meta": "meta"}[held],
    )
    press(page, "j")
    expect(page.get_by_role("link", name="Title 01", exact=True)).to_be_focused()
    assert not ArticleState.objects.exists()


def test_who_switched_keys_off_types_in_peace(opened: Opener, shelf: Shelf) -> None:
    Preferences.objects.create(user=shelf.user, has_keys=False)
    page = opened(shelf.user)
    press(page, "j")
    press(page, "Shift+A")
    assert page.locator(".is-here").count() == 0
    assert Delivery.objects.filter(is_read=False).count() == 12


def test_the_keys_have_a_page_without_scripts(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/settings/", java_script_enabled=False)
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Shortcuts").click()
    expect(page.get_by_text("Mark all as read", exact=True).first).to_be_visible()


def test_the_help_finds_keys_as_one_types(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "?")
    help_box = page.get_by_role("dialog", name="Keyboard shortcuts")
    field = help_box.get_by_role("searchbox")
    expect(field).to_be_focused()
    page.keyboard.type("folder")
    expect(help_box.get_by_role("definition")).to_have_text(["Next folder", "Previous folder"])
    field.fill("z")
    expect(help_box.get_by_role("definition")).to_have_text(["Undo"])
    field.fill("no such thing")
    expect(help_box.get_by_text("No shortcuts match.")).to_be_visible()
    press(page, "Escape")
    expect(help_box).to_be_hidden()
    expect(page.locator("dialog[data-keys] input")).not_to_be_focused()
    press(page, "?")
    expect(field).to_have_value("")
    expect(help_box.get_by_text("Mark all as read")).to_be_visible()


def test_r_polls_the_open_feed_and_brings_what_is_new(
    opened: Opener, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def poll(feed: Feed, *, now: datetime) -> str:
        return ""

    monkeypatch.setattr("reader.views.feeds.request_poll", poll)
    page = opened(shelf.user, f"/feeds/{shelf.subscription.pk}/")
    press(page, "r")
    expect(page.get_by_text("Checking for new articles…")).to_be_visible()
    feed = shelf.subscription.feed
    make.delivery(shelf.subscription, make.article(title="Brand new", feed=feed, source=feed.source))
    expect(page.locator("main").get_by_role("link", name="Brand new", exact=True)).to_be_visible()


def test_r_says_why_a_feed_cannot_be_polled(opened: Opener, shelf: Shelf) -> None:
    Feed.objects.update(status="paused")
    page = opened(shelf.user, f"/feeds/{shelf.subscription.pk}/")
    press(page, "r")
    expect(page.get_by_text("This feed is paused. An administrator can resume it.")).to_be_visible()
