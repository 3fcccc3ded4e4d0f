"""Everything taken along and brought in, a password changed, a history forgotten: with and without scripts."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from reader.models import ArticleState, Engagement
from rssmanager.account.models import DataImport
from rssmanager.account.tasks import import_data, remove_account
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
    monkeypatch.setattr("rssmanager.account.tasks.call_worker", lambda *given: None)
    ArticleState.objects.create(user=shelf.user, article_id=shelf.articles[0], is_starred=True, starred_at=make.NOW)
    page = opened(shelf.user, "/settings/", java_script_enabled=scripts)
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Data").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    file = tmp_path / "mine.zip"
    download.value.save_as(file)
    other = make.user("bob")
    page = opened(other, "/settings/data/", java_script_enabled=scripts, viewport=PHONE)
    page.get_by_label("A file").set_input_files(file)
    page.get_by_role("button", name="Show what is in it").click()
    expect(page.get_by_text("Articles you did something with")).to_be_visible()
    page.get_by_role("button", name="Bring it in").click()
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
    page.get_by_role("link", name="Your habits").click()
    page.get_by_role("link", name="Forget my reading history").click()
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_text("Your reading history is forgotten")).to_be_visible()
    assert not Engagement.objects.exists()


@with_and_without_scripts
def test_a_password_is_changed_and_an_account_left(opened: Opener, shelf: Shelf, scripts: bool) -> None:
    page = opened(shelf.user, "/settings/account/", java_script_enabled=scripts)
    page.get_by_label("Your password now").fill("correct horse")
    page.get_by_label("A new password").fill("a long enough phrase")
    page.get_by_label("The new password again").fill("a long enough phrase")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_text("Your password is changed.")).to_be_visible()
    page.get_by_role("link", name="Delete my account").click()
    page.get_by_label("Your password").fill("a long enough phrase")
    page.get_by_role("button", name="Delete my account").click()
    expect(page.get_by_role("heading", name="Your account is gone")).to_be_visible()
    remove_account(shelf.user.pk)
    assert not User.objects.exists()


def test_the_hours_are_drawn_and_can_be_read(opened: Opener, shelf: Shelf) -> None:
    make.engagement(shelf.user, shelf.subscription.feed.items.earliest("pk").article, happened_at=make.timezone.now())
    page = opened(shelf.user, "/habits/", viewport=PHONE)
    expect(page.get_by_role("img", name=re.compile("Articles opened by weekday"))).to_be_visible()
    page.get_by_text("As a table").first.click()
    expect(page.get_by_role("region", name="Articles opened by weekday and hour")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
