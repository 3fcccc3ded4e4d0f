"""The feeds room by keyboard alone, and without JavaScript."""

import re
from datetime import timedelta
from itertools import islice

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from reader import feed_acts, going_on, joining, packing
from reader.models import Folder, Subscription, Twins
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


def test_on_a_phone_the_list_comes_first(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    page = opened(shelf.user, "/health/", viewport={"width": 360, "height": 740})
    first = page.locator(".report").first.bounding_box()
    assert first is not None
    assert first["y"] < 300
    expect(page.get_by_role("link", name="longest silent")).to_be_hidden()
    expect(page.get_by_role("button", name="Poll now", exact=True)).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_text("Filter · Order").click()
    page.locator(".views").get_by_role("link", name="name", exact=True).click()
    expect(page).to_have_url(re.compile(r"\?order=name$"))
    expect(page.get_by_text("All · name")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_on_a_phone_the_acts_come_with_the_first_choice(
    opened: Opener, shelf: Shelf, several: list[Subscription], scripts: bool
) -> None:
    page = opened(shelf.user, "/health/?order=name", viewport=PHONE, java_script_enabled=scripts)
    acts = page.locator("#many")
    expect(acts).to_be_hidden()
    page.get_by_label("Choose Evening 1").check()
    page.get_by_label("Choose Evening 2").check()
    expect(acts).to_be_visible()
    assert acts.evaluate("each => getComputedStyle(each).position") == "fixed"
    if scripts:
        expect(acts.get_by_text("2 chosen")).to_be_visible()
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
    page.get_by_label("Choose Evening 1").check()
    page.get_by_label("all 5 feeds").check()
    page.locator("#many").get_by_role("button", name="Unfollow").click()
    expect(page.get_by_text("You do not follow 5 feeds any more. Starred articles stay.")).to_be_visible()
    assert not Subscription.objects.exists()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_two_made_one_are_two_again_by_one_press(
    opened: Opener, shelf: Shelf, several: list[Subscription], scripts: bool
) -> None:
    keep, leave = several[:2]
    make.delivery(leave, make.article())
    pair = Twins.objects.create(user=shelf.user, one=keep, other=leave, why="site")
    page = opened(shelf.user, f"/feeds/twins/{pair.pk}/?keep={keep.pk}", java_script_enabled=scripts)
    page.get_by_role("button", name="Make them one").click()
    expect(page.get_by_text("Evening 1 is one with Evening 0 now; what stood there stands here.")).to_be_visible()
    assert keep.deliveries.count() == 1
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Evening 1 and Evening 0 are two again.")).to_be_visible()
    assert (keep.deliveries.count(), leave.deliveries.count()) == (0, 1)


def test_two_made_one_are_two_again_days_later(opened: Opener, shelf: Shelf, several: list[Subscription]) -> None:
    joining.join(several[0], several[1], now=timezone.now() - timedelta(days=6))
    page = opened(shelf.user, "/health/")
    page.get_by_text("Left within the last 7 days").click()
    expect(page.get_by_text("Evening 1, joined to Evening 0")).to_be_visible()
    page.get_by_role("button", name="Make them two again").click()
    expect(page.get_by_text("Evening 1 and Evening 0 are two again.")).to_be_visible()
    assert Subscription.objects.count() == 5


def test_what_comes_back_says_how_far_it_is(
    opened: Opener, shelf: Shelf, several: list[Subscription], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(going_on, "AT_ONCE", 0)
    monkeypatch.setattr(packing, "BATCH", 5)
    monkeypatch.setattr(feed_acts, "call_worker", lambda *args: None)
    page = opened(shelf.user, "/health/")
    page.get_by_label("Choose Harbour Post").check()
    page.locator("#many").get_by_role("button", name="Unfollow").click()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    going_on.go_on(shelf.user, now=timezone.now())
    undo.click()
    expect(page.get_by_text("Followed again; 0 of 12 articles are back in their lists.")).to_be_visible()
    expect(page.get_by_label("Choose Harbour Post")).to_be_visible()
    list(islice(going_on.steps(shelf.user, now=timezone.now()), 1))
    expect(page.get_by_text("Followed again; 5 of 12 articles are back in their lists.")).to_be_visible()
    going_on.go_on(shelf.user, now=timezone.now())
    expect(page.get_by_text("are back in their lists.")).to_have_count(0)
    assert shelf.subscription.deliveries.count() == 12
