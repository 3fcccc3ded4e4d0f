"""The first minutes of who only looks around: an account, the sample feeds, progress, filled lists, none again."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from feeds.models import Article
from reader.models import Import, Subscription
from rssmanager.demo import samples
from rssmanager.demo.process import finish
from rssmanager.demo.publishers import load_publishers
from rssmanager.demo.tasks import ingest_samples
from tests.browser.conftest import PHONE, WIDE, Opener
from tests.browser.faults import faults_of

PHRASE = "a long enough phrase"
FEW = ("tidepool", "orbital-notes", "harbour-courier")


@pytest.fixture(autouse=True)
def _few(transactional_db: None, live_server: LiveServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four feeds are enough to look at; their pictures come from the server of the test."""
    settings.BASE_URL = live_server.url
    chosen = [(publisher, feed) for publisher in load_publishers() if publisher.key in FEW for feed in publisher.feeds]
    monkeypatch.setattr(samples, "_offered", lambda: chosen)


def make_account(page: Page) -> None:
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password", exact=True).fill(PHRASE)
    page.get_by_label("Repeat password").fill(PHRASE)
    page.get_by_role("button", name="Create account").click()


@pytest.mark.parametrize(("viewport", "scripts"), [(PHONE, True), (WIDE, False)], ids=["phone", "wide, no scripts"])
def test_the_first_minutes(opened: Opener, viewport: dict[str, int], scripts: bool) -> None:
    page = opened(None, "/", viewport=viewport, java_script_enabled=scripts)
    make_account(page)
    check(page, scripts)
    page.get_by_role("button", name="Try sample feeds").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sample feeds")
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    ingest_samples(Import.objects.get().pk)  # as the worker does
    expect(page.get_by_text("Done: 4 feeds added, 0 already followed.")).to_be_visible()
    expect(page.get_by_text("All your feeds are loaded,")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    check(page, scripts)
    expect(page.get_by_role("link", name="Start reading")).to_be_visible()
    page.goto("/all/")
    expect(page.locator("[data-row]").first).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Preparing your first digest")
    finish(User.objects.get().pk)  # as the worker does next; the page renews itself
    expect(page.locator(".digest-head")).to_contain_text(re.compile(r"articles from \d feeds"))
    page.goto("/health/")
    expect(page.get_by_text("You're using 4 sample feeds.")).to_be_visible()
    check(page, scripts)
    page.get_by_role("button", name="Remove sample feeds").click()
    expect(page.get_by_text("Sample feeds removed.")).to_be_visible()
    check(page, scripts)
    assert Subscription.objects.count() == 0
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("You follow 4 feeds again.")).to_be_visible()
    expect(page.get_by_text("You're using 4 sample feeds.")).to_be_visible()


def check(page: Page, scripts: bool) -> None:
    """axe-core is a script itself."""
    if scripts:
        assert faults_of(page) == []


@pytest.mark.parametrize("path", ["/", "/all/", "/health/"])
def test_an_empty_place_offers_them_too(opened: Opener, path: str) -> None:
    user = User.objects.create_superuser("ada")
    page = opened(user, path, viewport=PHONE)
    check(page, scripts=True)
    page.get_by_role("button", name="Try sample feeds").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sample feeds")


def test_pictures_come_from_the_reader(opened: Opener) -> None:
    user = User.objects.create_superuser("ada")
    page = opened(user, "/subscribe/")
    page.get_by_role("button", name="Try sample feeds").click()
    ingest_samples(Import.objects.get().pk)
    articles = Article.objects.filter(feed__title="Tidepool Science")
    article = next(each for each in articles if "chart-oyster-count" in each.markup)
    page.goto(f"/articles/{article.pk}/")
    picture = page.locator(".body img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("naturalWidth", 480)
