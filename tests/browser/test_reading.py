"""Reading with mouse, keyboard and touch."""

import re

import pytest
from playwright.sync_api import Page, expect

from feeds.models import Article
from reader.models import ArticleState, Delivery
from tests import make
from tests.browser.conftest import MIDDLE, PHONE, Opener, Shelf, press

HERE = re.compile(r"\bis-here\b")


def unread() -> int:
    return Delivery.objects.filter(is_read=False).count()


def focused_title(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent"))


def test_signing_in_leads_to_the_list(opened: Opener, shelf: Shelf) -> None:
    page = opened(None, "/starred/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Starred")
    page.get_by_role("link", name="All articles").click()
    expect(page.locator("[data-row]")).to_have_count(12)


def test_the_first_visitor_makes_the_account_by_the_form(opened: Opener, transactional_db: None) -> None:
    page = opened(None, "/")
    expect(page).to_have_url(re.compile("/setup/$"))
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password", exact=True).fill("a long enough phrase")
    page.get_by_label("Repeat password").fill("a long enough phrase")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What do you want to read?")


def test_keys_walk_open_mark_and_star(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    press(page, "j")
    assert focused_title(page) == "Title 00"
    press(page, "j")
    press(page, "j")
    press(page, "k")
    assert focused_title(page) == "Title 01"
    expect(page.locator("[data-row]").nth(1)).to_have_class(HERE)
    star = page.get_by_role("button", name="Star: Title 01")
    press(page, "s")
    expect(star).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    assert ArticleState.objects.get(is_starred=True).article_id == shelf.articles[1]
    press(page, "m")
    expect(page.locator("[data-announce]")).to_have_text("Read")
    expect(page.locator("[data-row]").nth(1)).to_have_class(re.compile(r"\bis-read\b"))
    assert unread() == 11
    press(page, "o")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 01")
    press(page, "u")
    expect(page.get_by_role("heading", level=1)).to_have_text("All articles")


def test_keys_typed_into_a_field_are_letters(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/subscribe/")
    page.get_by_label("Feed or website address").press_sequentially("jokums")
    expect(page.get_by_label("Feed or website address")).to_have_value("jokums")
    expect(page).to_have_url(re.compile("/subscribe/$"))


@pytest.mark.parametrize(("width", "scrolled"), [(1300, "main"), (1100, "html")], ids=["beside", "in turn"])
def test_starring_by_mouse_does_not_move_the_page(opened: Opener, shelf: Shelf, width: int, scrolled: str) -> None:
    page = opened(shelf.user, viewport={"width": width, "height": 400})
    button = page.get_by_role("button", name="Star: Title 09")
    button.scroll_into_view_if_needed()
    top = f"document.querySelector('{scrolled}').scrollTop"
    before = page.evaluate(top)
    button.click()
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    button.click()
    expect(page.locator("[data-announce]")).to_have_text("Unstarred")
    assert page.evaluate(top) == before > 0
    assert not ArticleState.objects.filter(is_starred=True).exists()


def test_what_could_not_be_saved_is_taken_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    page.context.clear_cookies(name="sessionid")
    button = page.get_by_role("button", name="Star: Title 03")
    button.click()
    expect(page.locator("[data-announce]")).to_contain_text("been signed out")
    expect(button).to_have_attribute("aria-pressed", "false")


def test_opening_and_coming_back_shows_it_read_at_the_same_place(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    page.get_by_role("link", name="Title 05", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 05")
    page.go_back()
    expect(page.locator(f"#a{shelf.articles[5]}")).to_have_class(re.compile(r"\bis-read\b"))


def test_keeping_unread_by_key_returns_to_the_list(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, f"/articles/{shelf.articles[2]}/?next=/folders/{shelf.subscription.folder_id}/")
    assert unread() == 11
    press(page, "m")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mornings")
    assert unread() == 12


def test_marking_all_read(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_text("All caught up")).to_be_visible()
    expect(page.locator("[data-row].is-read")).to_have_count(12)
    assert unread() == 0


def test_a_phone_has_a_bar_below_and_a_menu(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=PHONE)
    bar = page.get_by_role("navigation", name="Main navigation")
    menu = page.get_by_role("navigation", name="RSS Manager")
    expect(bar).to_be_visible()
    expect(menu).to_be_hidden()
    box = bar.bounding_box()
    assert box is not None
    assert round(box["y"] + box["height"]) == PHONE["height"]
    bar.get_by_role("button", name="Feeds", exact=True).click()
    expect(menu).to_be_visible()
    press(page, "Escape")
    expect(menu).to_be_hidden()
    bar.get_by_role("button", name="Feeds", exact=True).click()
    menu.get_by_role("link", name="Mornings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mornings")


def test_a_wide_screen_has_the_sidebar_and_no_bar(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    expect(page.get_by_role("navigation", name="RSS Manager")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main navigation")).to_be_hidden()


def test_nothing_is_wider_than_a_phone(opened: Opener, shelf: Shelf) -> None:
    long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
    wide = f"<table><tr>{'<td>cell of a wide table</td>' * 30}</tr></table><pre>{'x' * 500}</pre><p>{long}</p>"
    Article.objects.filter(pk=shelf.articles[0]).update(title=long, author=long)
    article = Article.objects.get(pk=shelf.articles[0])
    article.markup = wide
    article.save()
    shelf.subscription.title = long
    shelf.subscription.save()
    make.notification(shelf.subscription, text=long)
    paths = ["/all/", f"/articles/{article.pk}/", f"/feeds/{shelf.subscription.pk}/", "/health/", "/notifications/"]
    page = opened(shelf.user, viewport=PHONE)
    for path in [*paths, f"/feeds/{shelf.subscription.pk}/edit/", "/subscribe/"]:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


def test_everything_works_without_scripts(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, java_script_enabled=False, viewport=PHONE)
    page.get_by_role("button", name="Star: Title 00").click()
    expect(page.get_by_role("button", name="Star: Title 00")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Read: Title 01").click()
    assert (ArticleState.objects.filter(is_starred=True).count(), unread()) == (1, 11)
    page.get_by_role("button", name="Feeds", exact=True).click()
    page.get_by_role("link", name="Mornings").click()
    page.get_by_role("link", name="Title 03", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 03")
    page.get_by_role("button", name="Keep unread").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Mornings")
    page.get_by_role("button", name="Mark all as read").click()
    assert unread() == 0
