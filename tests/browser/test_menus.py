"""Every menu, by mouse and by keyboard: a press anywhere in it keeps it open, a click beside it or Tab closes it."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from feeds.search import indexer
from reader.models import Delivery, Preferences
from tests.browser.conftest import PHONE, WIDE, Opener, Shelf, press

# Points in a panel: the middle of each line of text, the corners of the padding, and between rows.
POINTS = """(panel) => {
  const box = panel.getBoundingClientRect();
  const inset = 3;
  const points = [
    [box.left + inset, box.top + inset], [box.right - inset, box.top + inset],
    [box.left + inset, box.bottom - inset], [box.right - inset, box.bottom - inset],
  ];
  const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    if (!texts.currentNode.data.trim() || !texts.currentNode.parentElement.checkVisibility()) continue;
    range.selectNodeContents(texts.currentNode);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      points.push([(left + right) / 2, (top + bottom) / 2]);
    }
  }
  const rows = [...panel.querySelectorAll("*")].map((row) => row.getBoundingClientRect())
    .filter(({ height }) => height);
  for (const [place, row] of rows.entries()) {
    const next = rows[place + 1];
    if (next && next.top > row.bottom) points.push([(row.left + row.right) / 2, (row.bottom + next.top) / 2]);
    points.push([box.right - inset, (row.top + row.bottom) / 2]);
  }
  const isInside = ([x, y]) => panel.contains(document.elementFromPoint(x, y));
  return [...new Map(points.filter(isInside).map((point) => [point.map(Math.round).join(), point])).values()];
}"""
WORDS = """(panel, words) => {
  const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && texts.currentNode.data.trim() !== words);
  const range = document.createRange();
  range.selectNodeContents(texts.currentNode);
  const { left, right, top, bottom } = range.getClientRects()[0];
  return [(left + right) / 2, (top + bottom) / 2];
}"""
# A press without what its click would do, so that one menu can be pressed at each of its points.
DO_NOTHING = """() => addEventListener("click", (event) => {
  event.preventDefault();
  event.stopPropagation();
}, { capture: true })"""


@dataclass(frozen=True, slots=True)
class Menu:
    """Where a menu is, which control opens it, and which element then appears."""

    path: str
    opener: str
    panel: str
    before: str = ""  # a control that is pressed first
    is_right_click: bool = False
    is_modal: bool = False

    def open(self, page: Page) -> Locator:
        """Open the menu by the mouse; return its panel."""
        if self.before and not page.locator(self.opener).is_visible():
            page.locator(self.before).click()
        page.locator(self.opener).click(button="right" if self.is_right_click else "left")
        panel = page.locator(self.panel)
        expect(panel).to_be_visible()
        return panel


FEEDS = ".bar [popovertarget=menu]"
VIEW = {"opener": ".view-menu > summary", "panel": ".view-menu > form"}
MORE = {"opener": ".more > summary", "panel": ".more-menu"}
SORT = {"opener": ".sidebar-view > summary", "panel": ".sidebar-view > .menu-box"}
ROW = {"opener": "[data-row] [popovertarget^=more] >> nth=0", "panel": "[id^=more]:popover-open"}
OLDER = {"opener": "[popovertarget=older]", "panel": "#older"}
CONTEXT = {"opener": "[data-folder] > a", "panel": ".context-menu", "is_right_click": True}
FOLDER = {"opener": "[data-folder] > .row-more", "panel": ".context-menu"}
MENUS = {
    "view": (Menu("/all/", **VIEW), WIDE),
    "view of a search": (Menu("/search/?q=title", **VIEW), WIDE),
    "view of ranked articles": (Menu("/for-you/", **VIEW), WIDE),
    "older articles": (Menu("/all/", **OLDER), WIDE),
    "row": (Menu("/all/", **ROW), WIDE),
    "article": (Menu("/articles/{}/", **MORE), WIDE),
    "article beside its list": (Menu("/all/", before="[data-open] >> nth=0", **MORE), WIDE),
    "sidebar's order": (Menu("/all/", **SORT), WIDE),
    "folder in the sidebar by right click": (Menu("/all/", **CONTEXT), WIDE),
    "following a feed": (Menu("/all/", "[data-add]", "[data-add-box]", is_modal=True), WIDE),
    "view on a phone": (Menu("/all/", **VIEW), PHONE),
    "older articles on a phone": (Menu("/all/", **OLDER), PHONE),
    "row on a phone": (Menu("/all/", **ROW), PHONE),
    "article on a phone": (Menu("/articles/{}/", **MORE), PHONE),
    "sidebar on a phone": (Menu("/all/", FEEDS, "#menu"), PHONE),
    "sidebar's order on a phone": (Menu("/all/", before=FEEDS, **SORT), PHONE),
    "folder in the sidebar by right click, narrow": (Menu("/all/", before=FEEDS, **CONTEXT), PHONE),
    "folder in the sidebar on a phone": (Menu("/all/", before=FEEDS, **FOLDER), PHONE),
}
every_menu = pytest.mark.parametrize(("menu", "viewport"), MENUS.values(), ids=MENUS)


@pytest.fixture
def indexed(shelf: Shelf) -> Shelf:
    indexer.queue_articles(shelf.articles)
    indexer.index_waiting()
    return shelf


@every_menu
def test_stays_open_below_a_press(opened: Opener, indexed: Shelf, menu: Menu, viewport: ViewportSize) -> None:
    page = opened(indexed.user, menu.path.format(indexed.articles[0]), viewport=viewport)
    panel = menu.open(page)
    page.evaluate(DO_NOTHING)
    points = panel.evaluate(POINTS)
    assert len(points) > 5
    for x, y in points:
        page.mouse.click(x, y)
        expect(panel, f"pressed at {x:.0f}, {y:.0f}").to_be_visible()


@every_menu
def test_closes_in_each_usual_way(opened: Opener, indexed: Shelf, menu: Menu, viewport: ViewportSize) -> None:
    page = opened(indexed.user, menu.path.format(indexed.articles[0]), viewport=viewport)
    panel = menu.open(page)
    page.mouse.click(*beside(panel))
    expect(panel, "after a click beside it").to_be_hidden()
    panel = menu.open(page)
    press(page, "Escape")
    expect(panel, "after Escape").to_be_hidden()
    expect(page.locator(menu.opener)).to_be_focused()
    panel = menu.open(page)
    page.mouse.click(*corner(panel))
    press(page, "Escape")
    expect(panel, "after a press on its padding and Escape").to_be_hidden()
    for key in ("Tab", "Shift+Tab") if not menu.is_modal else ():
        panel = menu.open(page)
        for _ in range(panel.locator("a, button, input, select, summary").count() + 3):
            if panel.is_visible():
                press(page, key)
        expect(panel, f"after {key}").to_be_hidden()


def beside(panel: Locator) -> tuple[float, float]:
    """A point outside the panel at which nothing can be clicked."""
    x, y = panel.evaluate("""(panel) => {
      const box = panel.getBoundingClientRect();
      const isInside = (x, y) => x > box.left && x < box.right && y > box.top && y < box.bottom;
      for (let y = 2; y < innerHeight; y += 9) for (let x = 2; x < innerWidth; x += 9) {
        const hit = document.elementFromPoint(x, y);
        if (hit && !isInside(x, y) && !hit.closest("a, button, summary, label, input, [data-row]")) return [x, y];
      }
    }""")
    return x, y


def corner(panel: Locator) -> tuple[float, float]:
    box = panel.bounding_box()
    assert box
    return box["x"] + 3, box["y"] + 3


def click_words(page: Page, panel: Locator, words: str) -> None:
    """Click the words themselves by the mouse, wherever their control's own circle or box is."""
    x, y = panel.evaluate(WORDS, words)
    page.mouse.click(x, y)


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_words_of_the_view_menu_apply(opened: Opener, shelf: Shelf, viewport: ViewportSize) -> None:
    page = opened(shelf.user, viewport=viewport)
    menu = Menu("/all/", **VIEW)
    for words in ("Headlines", "Thumbnails", "Oldest first", "Unread only"):
        with page.expect_navigation():
            click_words(page, menu.open(page), words)
        expect(page.locator(menu.panel)).to_be_hidden()
    view = {"density": "headlines", "has_pictures": False, "order": "oldest", "only_unread": True}
    assert Preferences.objects.get().list_views["home"] == view


def test_words_of_other_menus_apply(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    click_words(page, Menu("/all/", **SORT).open(page), "By hand")
    expect(page.locator("[data-sorted]")).to_have_attribute("data-sorted", "hand")
    with page.expect_navigation():
        click_words(page, Menu("/all/", **ROW).open(page), "Mark all below as read")
    assert Delivery.objects.filter(is_read=False).count() == 1
    click_words(page, Menu("/all/", **CONTEXT).open(page), "Mark as read")
    expect(page.locator("[data-toast]")).to_contain_text("Marked as read.")
    assert not Delivery.objects.filter(is_read=False).exists()
    page.goto(f"/articles/{shelf.articles[0]}/")
    click_words(page, Menu("", **MORE).open(page), "More like this")
    expect(page).to_have_url(re.compile(r"/related/"))


DISCLOSURES = (
    "/articles/{}/",
    "/feeds/{}/edit/",
    "/health/",
    "/search/?q=title",
    "/subscribe/",
    "/notifications/",
    "/rules/new/",
)


@pytest.mark.parametrize("path", DISCLOSURES)
def test_disclosures_stay_open_below_a_press(opened: Opener, indexed: Shelf, path: str) -> None:
    number = indexed.articles[0] if "articles" in path else indexed.subscription.pk
    page = opened(indexed.user, path.format(number))
    page.evaluate(DO_NOTHING)
    disclosures = page.locator("main details:not([data-menu])")
    assert disclosures.count() > 0
    for disclosure in disclosures.all():
        disclosure.evaluate("(element) => { element.open = true; element.scrollIntoView({ block: 'center' }); }")
        for x, y in disclosure.evaluate(POINTS):
            page.mouse.click(x, y)
            expect(disclosure).to_have_attribute("open", "")
