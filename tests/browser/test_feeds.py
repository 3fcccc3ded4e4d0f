"""The feeds page by keyboard only, and without JavaScript."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from reader.models import Duplicate, Folder, Subscription
from reader.subscriptions.unfollow import unfollow
from tests import make
from tests.browser.conftest import PHONE, Opener, Shelf, Watch, press


@pytest.fixture
def several(shelf: Shelf) -> list[Subscription]:
    """Four more feeds, by name: Evening 0 to Evening 3."""
    return [make.subscription(shelf.user, title=f"Evening {number}") for number in range(4)]


def tab_to(page: Page, name: str, role: str, *, key: str = "Tab", most: int = 120) -> None:
    """Press Tab, or another key, until the one of that role and name has the focus."""
    wanted = page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
    for _ in range(most):
        press(page, key)
        if wanted.evaluate("each => each === document.activeElement"):
            return
    raise AssertionError(f"Tab never came to {role} {name}")


def test_choosing_and_moving_by_keyboard_alone(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/?order=name")
    for name in ("Evening 1", "Evening 3"):
        tab_to(page, f"Select {name}", "checkbox")
        press(page, "Space")
    expect(page.get_by_text("2 selected")).to_be_visible()
    tab_to(page, "Folder", "combobox")
    page.keyboard.type("Evenings")
    press(page, "Enter")  # the first button of the form: Move
    expect(page.get_by_text("2 feeds moved to “Evenings”.")).to_be_visible()
    folder = Folder.objects.get(name="Evenings")
    assert {subscription.title for subscription in folder.subscriptions.all()} == {"Evening 1", "Evening 3"}


def test_shift_chooses_all_between(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/?order=name")
    page.get_by_label("Select Evening 0").click()
    page.get_by_label("Select Evening 2").click(modifiers=["Shift"])
    expect(page.get_by_label("Select Evening 1")).to_be_checked()
    expect(page.get_by_label("Select Evening 3")).not_to_be_checked()
    expect(page.get_by_text("3 selected")).to_be_visible()


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["wide", "phone"])
def test_unfollowing_and_coming_back_without_javascript(
    opened: Opener, shelf: Shelf, several: list[Subscription], viewport: dict[str, int] | None
) -> None:
    options = {"viewport": viewport} if viewport else {}
    page = opened(shelf.user, "/health/", java_script_enabled=False, **options)
    page.get_by_label("Select Evening 0").check()
    page.get_by_label("Select Harbour Post").check()
    page.locator("#many").get_by_role("button", name="Unfollow").click()
    expect(page.get_by_text("Unfollowed 2 feeds. Starred articles stay.")).to_be_visible()
    assert Subscription.objects.count() == 3
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("You follow 2 feeds again.")).to_be_visible()
    assert Subscription.objects.count() == 5
    assert Subscription.objects.get(pk=shelf.subscription.pk).deliveries.count() == 12


def test_all_of_a_list_without_javascript(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/?q=evening", java_script_enabled=False)
    page.get_by_label("Select Evening 0").check()
    page.get_by_label("all results").check()
    page.locator("#many").get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Digests only").click()
    expect(page.get_by_text("4 feeds: only in digests and the feed's own list.")).to_be_visible()
    assert Subscription.objects.filter(is_digest_only=True).count() == 4
    expect(page).to_have_url(re.compile(r"\?q=evening$"))


def test_what_is_never_read_is_kept_by_one_press(opened: Opener, shelf: Shelf) -> None:
    Subscription.objects.update(n_quarter=214, added_at=make.NOW)
    page = opened(shelf.user, f"/feeds/{shelf.subscription.pk}/health/")
    expect(page.get_by_text("You opened none of its 214 articles in 90 days.")).to_be_visible()
    page.get_by_role("button", name="Keep, don't suggest again").click()
    expect(page.get_by_text("We won't ask again.")).to_be_visible()
    assert Subscription.objects.get().is_kept


def test_two_folders_become_one_without_javascript(opened: Opener, shelf: Shelf, watch: Watch) -> None:
    make.folder(shelf.user, "Evenings")
    page = opened(shelf.user, f"/folders/{shelf.subscription.folder_id}/edit/", java_script_enabled=False)
    page.get_by_label("Name").fill("Evenings")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You have another folder called “Evenings”.")).to_be_visible()
    watch.complaints.clear()  # Chromium notes the answer 422 as an error
    page.get_by_role("button", name="Merge folders").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Evenings")
    assert Folder.objects.count() == 1


def test_on_a_phone_the_list_comes_first(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/", viewport={"width": 360, "height": 740})
    first = page.locator(".feed-row").first.bounding_box()
    assert first is not None
    assert first["y"] < 330
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_filters_as_you_type(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/")
    page.get_by_label("Find a feed by name").press_sequentially("evening")
    expect(page.locator(".feed-row")).to_have_count(4)
    page.get_by_role("columnheader", name="Name").get_by_role("link").click()
    expect(page.get_by_role("columnheader", name="Name")).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("columnheader", name="Name").get_by_role("link").click()
    expect(page.locator(".feed-row").first).to_contain_text("Evening 3")
    expect(page.locator(".feed-row")).to_have_count(4)


def test_filters_without_javascript(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/", java_script_enabled=False)
    page.get_by_label("Filter by folder").select_option("No folder")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".feed-row")).to_have_count(4)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_on_a_phone_the_acts_come_with_the_first_choice(
    opened: Opener, shelf: Shelf, several: list[Subscription], scripts: bool
) -> None:
    page = opened(shelf.user, "/health/?order=name", viewport=PHONE, java_script_enabled=scripts)
    acts = page.locator("#many")
    expect(acts).to_be_hidden()
    page.get_by_label("Select Evening 1").check()
    page.get_by_label("Select Evening 2").check()
    expect(acts).to_be_visible()
    assert acts.evaluate("each => getComputedStyle(each).position") == "fixed"
    if scripts:
        expect(acts.get_by_text("2 selected")).to_be_visible()
    acts.get_by_text("More", exact=True).click()
    targets = acts.locator("button, summary, input:not([type=hidden]):not([type=checkbox]), label.check")
    for target in targets.all():
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 44, target
        assert box["x"] >= 0, target
        assert box["x"] + box["width"] <= PHONE["width"], target
    acts.get_by_label("Folder").fill("Evenings")
    acts.get_by_role("button", name="Move").click()
    expect(page.get_by_text("2 feeds moved to “Evenings”.")).to_be_visible()
    assert Folder.objects.get(name="Evenings").subscriptions.count() == 2


def test_all_feeds_on_a_phone(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/?order=name", viewport=PHONE)
    page.get_by_label("Select Evening 1").check()
    page.get_by_label("all 5 feeds").check()
    page.locator("#many").get_by_role("button", name="Unfollow").click()
    expect(page.get_by_text("Unfollowed 5 feeds. Starred articles stay.")).to_be_visible()
    assert not Subscription.objects.exists()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_merges_two_feeds(opened: Opener, shelf: Shelf, several: list[Subscription], scripts: bool) -> None:
    keep, leave = several[:2]
    make.delivery(leave, make.article())
    pair = Duplicate.objects.create(user=shelf.user, one=keep, other=leave, why="site")
    page = opened(shelf.user, f"/feeds/duplicates/{pair.pk}/?keep={keep.pk}", java_script_enabled=scripts)
    expect(page.get_by_text("This can't be undone.")).to_be_visible()
    page.get_by_role("button", name="Merge feeds").click()
    expect(page.get_by_text("Merged Evening 1 into Evening 0.")).to_be_visible()
    assert keep.deliveries.count() == 1


def test_restores_an_unfollowed_feed_days_later(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    unfollow(shelf.user, [several[0].pk], now=timezone.now() - timedelta(days=6))
    page = opened(shelf.user, "/health/")
    page.get_by_text("Recently unfollowed (1)").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("You follow Evening 0 again.")).to_be_visible()
    assert Subscription.objects.count() == 5
