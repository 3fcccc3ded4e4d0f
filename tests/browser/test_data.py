"""Exporting and importing all data, changing the password, deleting the history: with and without scripts."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core import mail
from playwright.sync_api import expect

from digests.tasks.mail import send
from reader.models import ArticleState, Engagement
from rssmanager.accounts.models import DataImport
from rssmanager.accounts.tasks import import_data, remove_account
from rssmanager.authentication.models import BrowserSession
from tests import make
from tests.browser.conftest import PHONE, Opener, Shelf


@pytest.fixture
def scripts(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


with_and_without_scripts = pytest.mark.parametrize(
    "scripts", [True, False], ids=["scripts", "no scripts"], indirect=True
)


@with_and_without_scripts
def test_out_of_one_account_into_another(
    opened: Opener, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripts: bool
) -> None:
    monkeypatch.setattr("rssmanager.accounts.tasks.call_worker", lambda *given: None)
    ArticleState.objects.create(user=shelf.user, article_id=shelf.articles[0], is_starred=True, starred_at=make.NOW)
    page = opened(shelf.user, "/settings/", java_script_enabled=scripts)
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Data").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download everything").click()
    file = tmp_path / "mine.zip"
    download.value.save_as(file)
    other = make.user("bob")
    page = opened(other, "/settings/data/", java_script_enabled=scripts, viewport=PHONE)
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Review import").click()
    expect(page.get_by_text("Articles you read, starred, tagged or rated")).to_be_visible()
    page.get_by_role("button", name="Import data").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    import_data(DataImport.objects.get(user=other).pk)  # as the worker does
    expect(page.get_by_text("Done:")).to_be_visible()
    page.goto("/starred/")
    page.get_by_role("link", name="Title 00").click()
    expect(page.get_by_text("Body 00").first).to_be_visible()


@with_and_without_scripts
def test_the_history_is_forgotten(opened: Opener, shelf: Shelf, scripts: bool) -> None:
    make.engagement(shelf.user, shelf.subscription.feed.items.earliest("pk").article)
    page = opened(shelf.user, "/interests/", java_script_enabled=scripts)
    page.get_by_role("link", name="Habits").click()
    page.get_by_role("link", name="Delete reading history").click()
    page.get_by_role("button", name="Delete history").click()
    expect(page.get_by_text("Deleted your reading history")).to_be_visible()
    assert not Engagement.objects.exists()


@with_and_without_scripts
def test_a_password_is_changed_and_an_account_left(opened: Opener, shelf: Shelf, scripts: bool) -> None:
    page = opened(shelf.user, "/settings/account/", java_script_enabled=scripts)
    page.get_by_label("New password", exact=True).fill("a long enough phrase")
    page.get_by_label("Repeat new password").fill("a long enough phrase")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("Password changed.")).to_be_visible()
    BrowserSession.objects.update(began_at=make.NOW)  # signing in is long ago
    page.goto("/settings/account/")
    expect(page.get_by_label("New password", exact=True)).to_be_disabled()
    page.get_by_role("link", name="Delete account").click()
    page.get_by_label("Your password").fill("a long enough phrase")
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name="Delete account").click()
    expect(page.get_by_role("heading", name="Your account is deleted")).to_be_visible()
    remove_account(shelf.user.pk)
    assert not User.objects.exists()


@with_and_without_scripts
def test_a_take_over_is_undone_by_the_link(opened: Opener, shelf: Shelf, scripts: bool) -> None:
    User.objects.update(email="ada@example.org")
    page = opened(shelf.user, "/settings/account/", java_script_enabled=scripts, viewport=PHONE)
    page.get_by_label("Email").fill("evil@example.org")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    send()
    (sent,) = mail.outbox
    link = re.search(r"https?://[^/]+(/account/undo/\S+)", str(sent.body))
    assert link is not None
    owner = opened(None, link[1], java_script_enabled=scripts, viewport=PHONE)
    expect(owner.get_by_text("changed from ada@example.org to evil@example.org")).to_be_visible()
    assert owner.evaluate("document.documentElement.scrollWidth") == 390
    owner.get_by_role("button", name="Undo").click()
    expect(owner.get_by_role("link", name="Choose a new password")).to_be_visible()
    assert User.objects.get().email == "ada@example.org"
    page.goto("/settings/account/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_hours_are_drawn_and_can_be_read(opened: Opener, shelf: Shelf) -> None:
    make.engagement(shelf.user, shelf.subscription.feed.items.earliest("pk").article, happened_at=make.timezone.now())
    page = opened(shelf.user, "/habits/", viewport=PHONE)
    expect(page.get_by_role("table", name="Articles opened by weekday and hour")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
