"""Saving a page: shared with the app, fetched while one waits, read, removed and put back; from the add dialog too."""

import json

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from feeds.content.extract import PageText
from feeds.content.saved_copies import fill_saved_copy
from feeds.models import Article, FullText
from reader.models import Import
from tests.browser.conftest import PHONE, Opener, Shelf
from tests.browser.faults import faults_of

pytestmark = pytest.mark.usefixtures("polled")

SHARED = "/save/?title=The+keeper&text=Read+this:+https://page.example/keeper"
TEXT = "The keeper of the lighthouse counted every ship that passed."


def fetched() -> None:
    """The page has arrived, as the worker does it."""
    copy = Article.objects.select_related("feed").get(url="https://page.example/keeper")
    fill_saved_copy(copy, PageText(f"<p>{TEXT}</p>", TEXT, 10, 60, title="The keeper of the light"), base_url=copy.url)
    FullText.objects.filter(article=copy).update(status="done", fetched_at=timezone.now())


def read_it(page: Page) -> None:
    page.get_by_role("link", name="Read", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The keeper of the light")
    expect(page.get_by_text(TEXT)).to_be_visible()


def test_shared_page_is_saved_read_removed_and_put_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, SHARED, viewport=PHONE)
    assert faults_of(page) == []
    page.get_by_role("button", name="Save page").click()
    expect(page.get_by_text("Fetching the page.")).to_be_visible()
    assert faults_of(page) == []
    fetched()
    expect(page.get_by_text("Ready to read")).to_be_visible()
    read_it(page)
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Saved pages")
    page.get_by_role("link", name="The keeper of the light").click()
    page.get_by_role("group", name="This article").locator("summary").first.click()
    page.get_by_role("button", name="Remove from Saved pages").click()
    expect(page.get_by_text("No saved pages.")).to_be_visible()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("link", name="The keeper of the light")).to_be_visible()


def test_works_without_scripts(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, SHARED, java_script_enabled=False)
    page.get_by_role("button", name="Save page").click()
    expect(page.get_by_text("Fetching the page.")).to_be_visible()
    fetched()
    expect(page.get_by_text("Ready to read")).to_be_visible()  # the page reloads itself
    read_it(page)


def test_dialog_saves_a_page_that_has_no_feed(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/all/")
    page.get_by_role("link", name="Follow or import").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Feed or website address").fill("https://page.example/keeper")
    dialog.get_by_role("button", name="Find feeds").click()
    expect(dialog.get_by_role("progressbar")).to_be_visible()
    Import.objects.update(status="failed", message="No feed was found.")
    dialog.get_by_role("button", name="Save this page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page saved")
    assert Article.objects.filter(url="https://page.example/keeper").exists()


def test_dialog_saves_a_page_that_leads_to_a_feed(opened: Opener, shelf: Shelf) -> None:
    feed = {"url": "https://page.example/feed", "title": "P", "origin": "", "is_read": True, "articles": []}
    data = json.dumps([feed]).encode()
    job = Import.objects.create(
        user=shelf.user, kind="address", name="https://page.example/keeper", status="preview", data=data
    )
    page = opened(shelf.user, f"/imports/{job.pk}/", viewport=PHONE)
    assert faults_of(page) == []
    page.get_by_role("button", name="Save this page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page saved")
