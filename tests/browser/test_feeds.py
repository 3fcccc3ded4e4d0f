"""The feeds room by keyboard alone, and without JavaScript."""

import re

import pytest
from playwright.sync_api import Page, expect

from reader.models import Folder, Subscription
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
        tab_to(page, f"Choose {name}", "checkbox")
        press(page, "Space")
    expect(page.get_by_text("2 chosen")).to_be_visible()
    tab_to(page, "Folder", "combobox", key="Shift+Tab")
    page.keyboard.type("Evenings")
    press(page, "Enter")  # the first button of the form: Move
    expect(page.get_by_text("2 feeds moved to “Evenings”.")).to_be_visible()
    folder = Folder.objects.get(name="Evenings")
    assert {each.title for each in folder.subscriptions.all()} == {"Evening 1", "Evening 3"}


def test_shift_chooses_all_between(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/?order=name")
    page.get_by_label("Choose Evening 0").click()
    page.get_by_label("Choose Evening 2").click(modifiers=["Shift"])
    expect(page.get_by_label("Choose Evening 1")).to_be_checked()
    expect(page.get_by_label("Choose Evening 3")).not_to_be_checked()
    expect(page.get_by_text("3 chosen")).to_be_visible()


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["wide", "phone"])
def test_unfollowing_and_coming_back_without_javascript(
    opened: Opener, shelf: Shelf, several: list[Subscription], viewport: dict[str, int] | None
) -> None:
    options = {"viewport": viewport} if viewport else {}
    page = opened(shelf.user, "/health/", java_script_enabled=False, **options)
    page.get_by_label("Choose Evening 0").check()
    page.get_by_label("Choose Harbour Post").check()
    page.locator("#many").get_by_role("button", name="Unfollow").click()
    expect(page.get_by_text("You do not follow 2 feeds any more. Starred articles stay.")).to_be_visible()
    assert Subscription.objects.count() == 3
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("You follow 2 feeds again.")).to_be_visible()
    assert Subscription.objects.count() == 5
    assert Subscription.objects.get(pk=shelf.subscription.pk).deliveries.count() == 12


def test_all_of_a_list_without_javascript(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/?q=evening", java_script_enabled=False)
    page.get_by_label("all that were found").check()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Digests only").click()
    expect(page.get_by_text("4 feeds: in digests and in the feed's own list only.")).to_be_visible()
    assert Subscription.objects.filter(is_digest_only=True).count() == 4
    expect(page).to_have_url(re.compile(r"\?q=evening$"))


def test_what_is_never_read_is_kept_by_one_press(opened: Opener, shelf: Shelf) -> None:
    Subscription.objects.update(n_quarter=214, added_at=make.NOW)
    page = opened(shelf.user, "/health/?which=never")
    expect(page.get_by_text("You opened none of its 214 articles of 90 days.")).to_be_visible()
    page.get_by_role("button", name="Keep, and do not say this again").click()
    expect(page.get_by_text("No feed is like that.")).to_be_visible()
    assert Subscription.objects.get().is_kept


def test_two_folders_become_one_without_javascript(opened: Opener, shelf: Shelf, watch: Watch) -> None:
    make.folder(shelf.user, "Evenings")
    page = opened(shelf.user, f"/folders/{shelf.subscription.folder_id}/edit/", java_script_enabled=False)
    page.get_by_label("Name").fill("Evenings")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You have another folder called “Evenings”.")).to_be_visible()
    watch.complaints.clear()  # Chromium notes the answer 422 as an error
    page.get_by_role("button", name="Make them one").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Evenings")
    assert Folder.objects.count() == 1
