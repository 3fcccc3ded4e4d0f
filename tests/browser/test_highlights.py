"""Highlighting in a browser: by button and key, drawn again, with notes."""

import pytest
from playwright.sync_api import Page, expect

from feeds.models import Article
from reader.models import Highlight
from tests import make
from tests.browser.conftest import PHONE, WIDE, Opener, Shelf, press

MARKUP = "<p>Rain fell on the <b>old</b> harbour.</p><p>Snow fell on the\n harbour later.</p>"


@pytest.fixture
def path(shelf: Shelf) -> str:
    Article.objects.filter(pk=shelf.articles[0]).update(markup=MARKUP, safe_version=0)
    return f"/articles/{shelf.articles[0]}/"


def select(page: Page, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Select between two places, each the number of a text node of the body and an offset there."""
    page.evaluate(
        """([start, end]) => {
          const walker = document.createTreeWalker(document.querySelector("#text .body"), NodeFilter.SHOW_TEXT);
          const nodes = [];
          while (walker.nextNode()) if (walker.currentNode.data.trim()) nodes.push(walker.currentNode);
          getSelection().setBaseAndExtent(nodes[start[0]], start[1], nodes[end[0]], end[1]);
        }""",
        [start, end],
    )


def drawn(page: Page) -> list[str]:
    return page.evaluate("[...(CSS.highlights.get('kept') ?? [])].map((range) => range.toString())")


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_highlights_the_selection_and_draws_it_again(
    opened: Opener, shelf: Shelf, path: str, viewport: dict[str, int]
) -> None:
    page = opened(shelf.user, path, viewport=viewport)
    select(page, (2, 1), (3, 11))
    page.get_by_role("button", name="Highlight", exact=True).click()
    entry = page.locator("[data-highlight]")
    expect(entry.locator("blockquote")).to_contain_text("harbour.")
    row = Highlight.objects.get()
    assert (row.quote, row.prefix) == ("harbour.\nSnow fell o", "Rain fell on the old")
    page.reload()
    assert [" ".join(text.split()) for text in drawn(page)] == ["harbour.Snow fell o"]


def test_finds_the_right_place_of_the_same_words(opened: Opener, shelf: Shelf, path: str) -> None:
    article = Article.objects.get(pk=shelf.articles[0])
    Highlight.objects.create(
        user=shelf.user, article=article, quote="fell on the", prefix="Snow", suffix="harbour later", made_at=make.NOW
    )
    Highlight.objects.create(user=shelf.user, article=article, quote="not there any more", made_at=make.NOW)
    page = opened(shelf.user, path)
    assert page.evaluate("[...CSS.highlights.get('kept')].map((range) => range.startContainer.data.slice(0, 4))") == [
        "Snow"
    ]
    page.get_by_text("Snow fell").click(position={"x": 60, "y": 10})  # a click opens its note
    expect(page.get_by_label("Note").first).to_be_focused()


def test_key_with_note_beside_the_list(opened: Opener, shelf: Shelf, path: str) -> None:
    page = opened(shelf.user, "/all/", viewport=WIDE)
    page.locator(f'[data-open][href*="{path}"]').click()
    expect(page.locator("[data-pane] .body")).to_contain_text("Rain")
    select(page, (0, 0), (0, 4))
    press(page, "h")
    expect(page.locator("[data-announce]")).to_have_text("Highlighted")
    assert drawn(page) == ["Rain"]
    select(page, (3, 0), (3, 4))
    page.get_by_role("button", name="Add note").last.click()
    expect(page.get_by_label("Note").last).to_be_focused()
    page.keyboard.type("Cold")
    page.locator("[data-highlight]").last.get_by_role("button", name="Save").click()
    expect(page.locator(".highlight-note")).to_have_text("Cold")
    assert sorted(drawn(page)) == ["Rain", "Snow"]
    page.locator("[data-highlight]").first.get_by_role("button", name="Remove").click()
    expect(page.locator("[data-highlight]")).to_have_count(1)
    assert drawn(page) == ["Snow"]


def test_lists_and_edits_without_scripts(opened: Opener, shelf: Shelf, path: str) -> None:
    article = Article.objects.get(pk=shelf.articles[0])
    Highlight.objects.create(user=shelf.user, article=article, title="T", quote="Rain fell", made_at=make.NOW)
    page = opened(shelf.user, path, java_script_enabled=False)
    page.get_by_role("link", name="All highlights").click()
    page.locator(".highlight summary").click()
    page.get_by_label("Note").fill("Wet")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".highlight-note")).to_have_text("Wet")
