"""Lists that grow, that are filtered, and that mark themselves read."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from reader.lists.queries import PAGE_SIZE
from reader.models import Delivery, Preferences
from tests import make
from tests.browser.conftest import MIDDLE, PHONE, WIDE, Opener, Shelf, Watch, press

N = 2 * PAGE_SIZE + 8


@pytest.fixture
def tall(shelf: Shelf) -> Shelf:
    """The shelf with so many articles that its list has three pages."""
    for number in range(12, N):
        article = make.article(title=f"Title {number:03}", published_at=make.NOW - timedelta(days=9, hours=number))
        make.delivery(shelf.subscription, article)
    return shelf


def to_the_end(page: Page) -> None:
    page.evaluate("for (const each of document.querySelectorAll('html, main')) each.scrollTop = each.scrollHeight")


@pytest.mark.parametrize(("viewport", "scrolled"), [(WIDE, "main"), (MIDDLE, "html")], ids=["beside", "in turn"])
def test_a_list_grows_when_its_end_is_reached_and_nothing_jumps(
    opened: Opener, tall: Shelf, viewport: dict[str, int], scrolled: str
) -> None:
    page = opened(tall.user, viewport=viewport)
    top = f"document.querySelector('{scrolled}').scrollTop"
    rows = page.locator("[data-row]")
    expect(rows).to_have_count(PAGE_SIZE)
    page.get_by_text(f"Title {PAGE_SIZE - 1:03}", exact=True).scroll_into_view_if_needed()
    to_the_end(page)
    before = page.evaluate(top)
    expect(rows).to_have_count(2 * PAGE_SIZE)
    assert page.evaluate(top) == before > 0
    to_the_end(page)
    expect(rows).to_have_count(N)
    expect(page.get_by_text("You've reached the end.")).to_be_visible()
    expect(page.get_by_role("heading", name="Unread")).to_have_count(1)


def test_the_focus_goes_on_into_the_new_rows(opened: Opener, tall: Shelf) -> None:
    page = opened(tall.user)
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE)
    page.locator("[data-older]").focus()
    expect(page.locator("[data-row]")).to_have_count(2 * PAGE_SIZE)
    assert page.evaluate("document.activeElement.textContent") == f"Title {PAGE_SIZE:03}"


def test_j_walks_on_through_a_list_that_grows(opened: Opener, tall: Shelf) -> None:
    page = opened(tall.user)
    for _ in range(PAGE_SIZE + 1):
        press(page, "j")
    expect(page.locator("[data-row]")).to_have_count(2 * PAGE_SIZE)
    expect(page.get_by_role("link", name=f"Title {PAGE_SIZE:03}", exact=True)).to_be_focused()
    press(page, "j")
    expect(page.get_by_role("link", name=f"Title {PAGE_SIZE + 1:03}", exact=True)).to_be_focused()


def test_rows_that_came_later_work_like_the_first(opened: Opener, tall: Shelf) -> None:
    page = opened(tall.user, viewport=MIDDLE)
    to_the_end(page)
    star = page.get_by_role("button", name=f"Star: Title {PAGE_SIZE:03}")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    page.get_by_role("link", name=f"Title {PAGE_SIZE:03}", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Title {PAGE_SIZE:03}")
    press(page, "u")
    expect(page.get_by_role("link", name=f"Title {PAGE_SIZE + 1:03}", exact=True)).to_be_in_viewport()


def test_going_back_comes_to_the_row_in_the_grown_list(opened: Opener, tall: Shelf) -> None:
    page = opened(tall.user, viewport=MIDDLE)
    to_the_end(page)
    page.get_by_role("link", name=f"Title {PAGE_SIZE + 20:03}", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Title {PAGE_SIZE + 20:03}")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("All articles")
    expect(page.get_by_role("link", name=f"Title {PAGE_SIZE + 21:03}", exact=True)).to_be_in_viewport()


def test_what_was_read_meanwhile_stands_once(opened: Opener, tall: Shelf) -> None:
    Delivery.objects.filter(article__in=tall.articles[6:]).update(is_read=True)
    page = opened(tall.user, f"/feeds/{tall.subscription.pk}/")
    page.get_by_role("button", name="Read: Title 00").click()
    expect(page.locator("[data-announce]")).to_have_text("Read")
    to_the_end(page)
    expect(page.locator("[data-row]")).to_have_count(2 * PAGE_SIZE)
    to_the_end(page)
    expect(page.get_by_text("You've reached the end.")).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(N)
    expect(page.get_by_role("link", name="Title 00", exact=True)).to_have_count(1)


def test_without_a_connection_it_says_so_and_tries_again(opened: Opener, tall: Shelf, watch: Watch) -> None:
    page = opened(tall.user)
    offline = re.compile(r"after=")

    def refuse(route: Route) -> None:
        route.abort()

    page.route(offline, refuse)
    to_the_end(page)
    line = page.locator("[data-trouble]")
    expect(line).to_contain_text("The server isn't responding. Are you online?")
    assert page.locator("[data-row]").count() == PAGE_SIZE
    page.unroute(offline, refuse)
    line.get_by_role("button", name="Try again").click()
    expect(page.locator("[data-row]")).to_have_count(2 * PAGE_SIZE)
    expect(line).to_be_hidden()
    watch.complaints.clear()  # Chromium notes the failed request as an error


def test_a_session_that_ended_leads_to_signing_in(opened: Opener, tall: Shelf) -> None:
    page = opened(tall.user)
    page.context.clear_cookies()
    to_the_end(page)
    expect(page.locator("[data-trouble]")).to_contain_text("You've been signed out.")
    assert page.locator("[data-row]").count() == PAGE_SIZE


def test_more_is_a_link_without_scripts(opened: Opener, tall: Shelf) -> None:
    page = opened(tall.user, java_script_enabled=False)
    page.get_by_role("link", name="More", exact=True).click()
    expect(page.get_by_role("link", name=f"Title {PAGE_SIZE:03}", exact=True)).to_be_visible()
    page.locator(".view-menu > summary").click()
    page.get_by_role("checkbox", name="Unread only").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("link", name="Title 00", exact=True)).to_be_visible()


@pytest.mark.parametrize("wants", [True, False], ids=["wanted", "not wanted"])
def test_scrolling_past_marks_read_for_those_who_want_it(opened: Opener, tall: Shelf, wants: bool) -> None:
    Preferences.objects.create(user=tall.user, reads_on_scroll=wants)
    page = opened(tall.user, viewport=PHONE)
    page.locator("[data-row]").nth(20).scroll_into_view_if_needed()
    page.wait_for_timeout(1800)
    reports = page.evaluate("JSON.parse(sessionStorage.getItem('reports') ?? '[]').map(([, fields]) => fields)")
    passed = [number for report in reports for number in report.get("passed", "").split(",") if number]
    assert (str(tall.articles[0]) in passed) is wants
    shown = page.locator("[data-row].is-read").count()
    assert (shown > 0) is wants


def unread() -> int:
    return Delivery.objects.filter(is_read=False).count()


def test_copies_a_link_and_mutes_a_feed_from_a_row(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/all/", permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-row]").first.hover()
    page.get_by_role("button", name="More: Title 00").click()
    expect(page.get_by_role("link", name="Create a rule…")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.get_by_role("link", name="Open the original").get_attribute("href")
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.get_by_role("link", name="More like this").click()
    expect(page.locator("[data-pane] h1")).to_be_focused()
    expect(page.get_by_role("link", name="Create a rule…")).to_be_hidden()
    page.locator("[data-row]").first.hover()
    page.get_by_role("button", name="More: Title 00").click()
    page.get_by_role("button", name="Mute this feed").click()
    expect(page.get_by_text("those you have are hidden")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()


def test_marking_all_read_is_taken_back_by_a_key(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/all/?show=unread")
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_text("12 articles marked as read.")).to_be_visible()
    expect(page.get_by_text("New articles will appear here.")).to_be_visible()
    assert unread() == 0
    press(page, "z")
    expect(page.get_by_text("12 articles unread again.")).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(12)
    assert unread() == 12


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_marking_below_a_row_and_taking_it_back(opened: Opener, shelf: Shelf, scripts: bool) -> None:
    page = opened(shelf.user, java_script_enabled=scripts)
    page.locator("[data-row]").nth(4).hover()
    page.get_by_role("button", name="More: Title 04").click()
    page.get_by_role("button", name="Mark all below as read").click()
    expect(page.get_by_text("7 articles marked as read.")).to_be_visible()
    expect(page.locator("[data-row].is-read")).to_have_count(7)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("7 articles unread again.")).to_be_visible()
    assert unread() == 12


def test_marking_what_is_old(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=PHONE)
    page.get_by_role("button", name="Mark older articles as read").click()
    page.get_by_role("button", name="older than a month").click()
    expect(page.get_by_text("12 articles marked as read.")).to_be_visible()
