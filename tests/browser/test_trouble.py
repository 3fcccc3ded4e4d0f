"""A lost connection, an expired session and server errors, for every kind of request."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from reader.lists.queries import PAGE_SIZE
from reader.models import ArticleState, Delivery, Engagement
from tests import make
from tests.browser.conftest import MIDDLE, PHONE, Opener, Shelf, Watch, press

UNREACHED = "The server isn't responding. Are you online?"
ACTS = {
    "star": ("Star: Title 02", "aria-pressed"),
    "read": ("Read: Title 02", "aria-pressed"),
    "like": ("Like: Title 02", "aria-pressed"),
    "dislike": ("Dislike: Title 02", "aria-pressed"),
}


def told(page: Page, words: str) -> None:
    expect(page.locator("[data-trouble]")).to_contain_text(words)
    expect(page.locator("[data-announce]")).to_have_text(words)


def again(page: Page) -> None:
    page.context.set_offline(False)
    page.locator("[data-trouble]").get_by_role("button", name="Try again").click()


@pytest.fixture
def forgiving(watch: Watch) -> Callable[[], None]:
    """To be called at a test's end: Chromium notes each request that fails as an error."""
    return watch.complaints.clear


@pytest.mark.parametrize("act", ACTS)
def test_an_act_goes_back_and_can_be_tried_again(
    opened: Opener, shelf: Shelf, act: str, forgiving: Callable[[], None]
) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    name, attribute = ACTS[act]
    button = page.get_by_role("button", name=name, exact=True)
    page.context.set_offline(True)
    button.click()
    told(page, UNREACHED)
    expect(button).to_have_attribute(attribute, "false")
    expect(page.locator(".is-read")).to_have_count(0)
    again(page)
    expect(button).to_have_attribute(attribute, "true")
    expect(page.locator("[data-trouble]")).to_be_hidden()
    expect(page.locator("[data-busy]")).to_have_count(0)
    assert ArticleState.objects.filter(article=shelf.articles[2]).exists() or Engagement.objects.exists()
    forgiving()


def test_a_skip_goes_back_and_can_be_tried_again(opened: Opener, shelf: Shelf, forgiving: Callable[[], None]) -> None:
    page = opened(shelf.user)
    page.context.set_offline(True)
    page.get_by_role("button", name="Skip: Title 02").click()
    told(page, UNREACHED)
    expect(page.locator(".is-read")).to_have_count(0)
    again(page)
    expect(page.locator("[data-toast]")).to_contain_text("Skipped.")
    assert Delivery.objects.get(is_read=True).article_id == shelf.articles[2]
    forgiving()


def test_an_undo_stays_possible(opened: Opener, shelf: Shelf, forgiving: Callable[[], None]) -> None:
    page = opened(shelf.user)
    page.get_by_role("button", name="Skip: Title 02").click()
    expect(page.locator("[data-toast]")).to_contain_text("Skipped.")
    page.context.set_offline(True)
    press(page, "z")
    told(page, UNREACHED)
    assert Delivery.objects.filter(is_read=True).exists()
    page.context.set_offline(False)
    press(page, "z")
    expect(page.locator("[data-announce]")).to_have_text("Undone")
    assert not Delivery.objects.filter(is_read=True).exists()
    forgiving()


def test_z_takes_back_what_was_marked_read(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "j", "m")
    expect(page.locator("[data-announce]")).to_have_text("Read")
    expect(page.locator("[data-toast]")).to_be_hidden()
    press(page, "z")
    expect(page.locator("[data-announce]")).to_have_text("Unread")
    assert not Delivery.objects.filter(is_read=True).exists()
    expect(page.locator("[data-busy]")).to_have_count(0)
    press(page, "z")  # there is nothing more to take back
    expect(page.locator("[data-announce]")).to_have_text("Unread")
    assert not Delivery.objects.filter(is_read=True).exists()


def test_a_list_that_cannot_grow_says_why(opened: Opener, shelf: Shelf, forgiving: Callable[[], None]) -> None:
    for number in range(12, PAGE_SIZE + 8):
        make.delivery(shelf.subscription, make.article(title=f"Title {number}"))
    page = opened(shelf.user)
    page.route(re.compile("after="), lambda route: route.fulfill(status=500, body="<h1>Something went wrong</h1>"))
    page.locator("[data-older]").scroll_into_view_if_needed()
    told(page, "Something went wrong. The error has been logged.")
    expect(page.get_by_role("heading", name="Something went wrong")).to_have_count(0)
    page.unroute(re.compile("after="))
    again(page)
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE + 8)
    forgiving()


def test_interests_stay_as_they_are(opened: Opener, shelf: Shelf, forgiving: Callable[[], None]) -> None:
    make.term(shelf.user, "chess", 1.0)
    page = opened(shelf.user, "/interests/?weights=1")
    page.context.set_offline(True)
    page.get_by_role("button", name="Show more: chess").click()
    told(page, UNREACHED)
    expect(page.get_by_role("heading", level=1)).to_have_text("Interests")
    again(page)
    expect(page.get_by_role("button", name="Show more: chess")).to_be_focused()
    expect(page.locator("[data-trouble]")).to_be_hidden()
    forgiving()


def test_the_progress_of_an_import_goes_on_when_it_can(
    opened: Opener, shelf: Shelf, forgiving: Callable[[], None]
) -> None:
    job = make.job(shelf.user, status="running", n_total=4, n_done=1)
    page = opened(shelf.user, f"/imports/{job.pk}/")
    page.context.set_offline(True)
    told(page, UNREACHED)
    page.context.set_offline(False)
    expect(page.locator("[data-trouble]")).to_be_hidden()
    forgiving()


@pytest.mark.parametrize("path", ["/all/", "/articles/{article}/"], ids=["mark all", "tags"])
def test_a_plain_form_is_not_lost_to_the_browsers_own_page(
    opened: Opener, shelf: Shelf, path: str, forgiving: Callable[[], None]
) -> None:
    page = opened(shelf.user, path.format(article=shelf.articles[0]))
    page.context.set_offline(True)
    if path == "/all/":
        page.get_by_role("button", name="Mark all as read").click()
    else:
        page.get_by_text("Add tag").click()
        page.get_by_label("Tags to add").fill("Later")
        page.get_by_role("button", name="Add", exact=True).click()
    told(page, UNREACHED)
    again(page)
    done = "12 articles marked as read." if path == "/all/" else "Later"
    expect(page.get_by_text(done).first).to_be_visible()
    forgiving()


def test_a_session_that_ended_leads_to_signing_in_and_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/all/?show=unread")
    page.context.clear_cookies(name="sessionid")
    star = page.get_by_role("button", name="Star: Title 03")
    star.click()
    told(page, "You've been signed out.")
    expect(star).to_have_attribute("aria-pressed", "false")
    page.get_by_role("link", name="Sign in").click()
    shelf.user.set_password("correct horse")
    shelf.user.save()
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(rf"/all/\?show=unread#a{shelf.articles[3]}$"))


def test_a_page_that_has_grown_old_is_loaded_anew(opened: Opener, shelf: Shelf, forgiving: Callable[[], None]) -> None:
    page = opened(shelf.user)
    page.context.clear_cookies(name="csrftoken")
    page.get_by_role("button", name="Star: Title 03").click()
    told(page, "This page has expired. Nothing was changed.")
    page.get_by_role("button", name="Reload").click()
    expect(page.locator("[data-trouble]")).to_be_hidden()
    page.get_by_role("button", name="Star: Title 03").click()
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    forgiving()


def test_what_the_reader_says_of_itself_is_told(opened: Opener, shelf: Shelf, forgiving: Callable[[], None]) -> None:
    page = opened(shelf.user, viewport=PHONE)
    words = "rssmanager is being updated."

    def refuse(route: Route) -> None:
        route.fulfill(status=503, body=words, content_type="text/plain; charset=utf-8")

    page.route("**/star/", refuse)
    page.get_by_role("button", name="Star: Title 03").click()
    told(page, words)
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator("[data-trouble]")).to_be_hidden()
    forgiving()
