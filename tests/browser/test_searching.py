"""From a search to a saved search, and from a rule to its effects and undo: by keyboard and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from feeds.search import indexer
from reader.lists.queries import PAGE_SIZE
from reader.models import Rule, RuleRun
from reader.rules.backfill import run_rule
from tests import make
from tests.browser.conftest import PHONE, Opener, Shelf, press


@pytest.fixture
def indexed(shelf: Shelf) -> Shelf:
    """The shelf, which can be searched."""
    indexer.queue_articles(shelf.articles)
    indexer.index_waiting()
    return shelf


def test_search_save_list_by_keyboard(opened: Opener, indexed: Shelf) -> None:
    page = opened(indexed.user)
    press(page, "/")
    box = page.get_by_role("searchbox")
    expect(box).to_be_focused()
    page.keyboard.type("titles")
    press(page, "Enter")
    expect(page.locator("[data-row]")).to_have_count(12)
    expect(page.get_by_role("link", name="Best match first")).to_have_attribute("aria-current", "true")
    press(page, "j")
    expect(page.locator("[data-row] [data-open]").first).to_be_focused()
    page.get_by_text("Save this search").focus()
    press(page, "Enter")
    press(page, "Tab")
    page.keyboard.type("All titles")
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1, name="All titles")).to_be_visible()
    expect(page.get_by_role("link", name="Newest first")).to_have_attribute("aria-current", "true")
    expect(page.locator("[data-row]")).to_have_count(12)


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["wide", "phone"])
def test_search_and_save_without_javascript(opened: Opener, indexed: Shelf, viewport: dict[str, int] | None) -> None:
    options = {"viewport": viewport} if viewport else {}
    page = opened(indexed.user, "/search/", java_script_enabled=False, **options)
    box = page.locator("#q")
    box.fill("(title -03")
    box.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(11)
    expect(page.get_by_text("Missing closing parenthesis")).to_be_visible()
    page.get_by_role("link", name="(title -03)").click()
    expect(page.get_by_text("Missing closing parenthesis")).to_have_count(0)
    page.get_by_role("link", name="Newest first").click()
    expect(page).to_have_url(re.compile("order=newest"))
    page.get_by_text("Save this search").click()
    page.get_by_label("Name").fill("Most")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Most")).to_be_visible()


def test_what_finds_nothing_leads_on(opened: Opener, indexed: Shelf) -> None:
    page = opened(indexed.user, "/search/?q=title+is%3Astarred")
    page.get_by_role("link", name="Without is:starred").click()
    expect(page.locator("[data-row]")).to_have_count(12)


@pytest.mark.parametrize("order", ["best", "newest"])
def test_what_was_found_grows(opened: Opener, indexed: Shelf, order: str) -> None:
    more = [make.article(title=f"Title {number}") for number in range(PAGE_SIZE)]
    for article in more:
        make.delivery(indexed.subscription, article)
    indexer.queue_articles([article.pk for article in more])
    indexer.index_waiting()
    page = opened(indexed.user, f"/search/?q=title&order={order}")
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE)
    page.locator("[data-older]").scroll_into_view_if_needed()
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE + 12)
    ids = page.locator("[data-row]").evaluate_all("rows => rows.map((row) => row.id)")
    assert len(set(ids)) == PAGE_SIZE + 12


@pytest.mark.parametrize("java_script_enabled", [True, False], ids=["", "without JavaScript"])
def test_rule_try_save_undo(opened: Opener, shelf: Shelf, java_script_enabled: bool) -> None:
    page = opened(shelf.user, "/rules/", java_script_enabled=java_script_enabled)
    page.get_by_role("link", name="New rule").press("Enter")
    page.get_by_label("Comparison").select_option("matches")
    page.get_by_label("Value").fill("title 0*5")
    page.get_by_role("button", name="Add a condition").press("Enter")
    page.get_by_label("Value").last.fill("gone soon")
    page.get_by_role("button", name="Remove this condition").last.press("Enter")
    expect(page.get_by_label("Value")).to_have_count(1)
    page.get_by_label("Mute").press("Space")
    page.get_by_label("Value").press("Enter")
    expect(page.get_by_role("heading", name=re.compile("Matches 1 of your newest 12"))).to_be_visible()
    page.get_by_label("Also apply").press("Space")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text("Applying it to existing articles")).to_be_visible()
    run_rule(Rule.objects.get().pk, now=make.NOW)
    page.goto("/muted/")
    expect(page.locator("[data-row]")).to_have_count(1)
    page.get_by_role("button", name=re.compile("^Unmute")).first.press("Enter")
    expect(page.get_by_text("Unmuted")).to_be_visible()
    page.goto("/rules/")
    page.get_by_role("button", name=re.compile("^Delete")).press("Enter")
    expect(page.get_by_text("No rules yet.")).to_be_visible()
    assert not RuleRun.objects.exists()


def test_a_rule_for_relevance_follows_at_once(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/rules/new/?field=title&test=contains&value=title")
    page.get_by_label("Relevance").select_option("20")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text("Existing articles update within minutes")).to_be_visible()
    expect(page.get_by_text("raise relevance by 20")).to_be_visible()
