"""Swiping rows on a touch screen."""

import re

import pytest
from playwright.sync_api import Page, expect

from reader.models import ArticleState, Delivery
from tests.browser.conftest import PHONE, Opener, Shelf

TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


def swipe(page: Page, number: int, dx: int, dy: int = 0, *, lets_go: bool = True, on: str = ".row-title") -> None:
    """Draw a finger over the title of a row, in ten steps, as the browser itself would report it."""
    box = page.locator("[data-row]").nth(number).locator(on).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        point = {"x": x + dx * step / 10, "y": y + dy * step / 10}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    if lets_go:
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_to_the_right_stars_and_can_be_taken_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, **TOUCH)
    swipe(page, 2, 120)
    expect(page.locator("[data-toast]")).to_contain_text("Starred.")
    assert ArticleState.objects.get(is_starred=True).article_id == shelf.articles[2]
    expect(page).to_have_url(re.compile("/all/$"))
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Star: Title 02")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("[data-toast]")).to_be_hidden()
    expect(page.locator("[data-announce]")).to_have_text("Unstarred")
    assert not ArticleState.objects.filter(is_starred=True).exists()


def test_to_the_left_marks_read_and_can_be_taken_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, **TOUCH)
    swipe(page, 2, -120)
    expect(page.locator("[data-toast]")).to_contain_text("Read.")
    assert Delivery.objects.get(is_read=True).article_id == shelf.articles[2]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-announce]")).to_have_text("Unread")
    assert not Delivery.objects.filter(is_read=True).exists()


@pytest.mark.parametrize(("dx", "dy"), [(40, 0), (-40, 0), (20, 200), (-20, -200)], ids=str)
def test_a_short_or_an_upright_draw_does_nothing(opened: Opener, shelf: Shelf, dx: int, dy: int) -> None:
    page = opened(shelf.user, **TOUCH)
    swipe(page, 3, dx, dy)
    page.wait_for_timeout(200)
    expect(page.locator("[data-toast]")).to_be_hidden()
    expect(page).to_have_url(re.compile("/all/$"))
    assert not ArticleState.objects.exists()


@pytest.mark.parametrize(("motion", "moves"), [("reduce", False), ("no-preference", True)])
def test_the_row_moves_only_where_motion_is_wanted(opened: Opener, shelf: Shelf, motion: str, moves: bool) -> None:
    page = opened(shelf.user, **TOUCH, reduced_motion=motion)
    swipe(page, 1, 100, lets_go=False)
    row = page.locator("[data-row]").nth(1)
    expect(row).to_have_attribute("data-swipe", "star")
    assert (row.evaluate("row => row.style.translate") != "") is moves


def test_a_tap_still_opens(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, **TOUCH)
    page.get_by_role("link", name="Title 04", exact=True).tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 04")
