"""Notifications: grouped by feed, with actions, and the kinds one wants."""

import pytest
from playwright.sync_api import expect

from feeds.models import Feed
from reader.models import Notification, Preferences
from tests import make
from tests.browser.conftest import Opener, Shelf


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_broken_feed_is_unfollowed_and_restored(opened: Opener, shelf: Shelf, scripts: bool) -> None:
    Feed.objects.update(condition="unhealthy")
    for number in range(3):
        make.notification(shelf.subscription, text=f"Trouble {number}", happened_at=f"2026-03-0{number + 1}T00:00Z")
    page = opened(shelf.user, "/notifications/", java_script_enabled=scripts)
    expect(page.locator(".row-title")).to_have_text(["Trouble 2"])
    page.get_by_text("2 earlier").click()
    expect(page.get_by_text("Trouble 0")).to_be_visible()
    page.get_by_role("button", name="Unfollow").click()
    expect(page.get_by_role("button", name="Try now")).to_have_count(0)
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("button", name="Try now")).to_be_visible()
    page.get_by_role("button", name="Mark all as seen").click()
    expect(page.get_by_text("All seen")).to_be_visible()
    assert not Notification.objects.filter(seen_at=None).exists()
    page.get_by_text("Choose what appears here").click()
    page.get_by_label("Feeds that work again").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert Preferences.objects.get(user=shelf.user).notifies_minor
