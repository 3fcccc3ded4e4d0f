"""Printing, right-to-left text, and no scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from feeds.models import Article
from reader.lists.queries import PAGE_SIZE
from reader.models import ArticleState, Delivery, Engagement
from tests import make
from tests.browser.conftest import Opener, Shelf

HEBREW = "מחירי הדיור עולים שוב"
BODY = f"<p>{HEBREW}.</p><blockquote><p>{HEBREW}</p></blockquote><p>Nothing yet, she said.</p><pre>let x = 1;</pre>"
ON_SCREEN = ".sidebar, .bar, .thin-bar, .row-acts, .filter, .read-all, .toast, .older, .skip, button:not(dialog *)"


def shown_on_paper(page: Page, selector: str) -> int:
    page.emulate_media(media="print")
    return int(page.locator(selector).filter(visible=True).count())


@pytest.mark.parametrize("path", ["/all/", "/articles/{article}/?next=/all/", "/stories/{story}/", "/stories/"])
def test_bars_and_buttons_stay_off_the_paper(opened: Opener, shelf: Shelf, path: str) -> None:
    one, other = Article.objects.filter(pk__in=shelf.articles[:2]).order_by("pk")
    feed = make.feed(title="Second")
    make.delivery(make.subscription(shelf.user, feed), other)
    story = make.story(one, other, lead=one)
    page = opened(shelf.user, path.format(article=one.pk, story=story.pk))
    assert shown_on_paper(page, ON_SCREEN) == 0
    expect(page.get_by_text("Title 00", exact=True).first).to_be_visible()
    assert page.pdf()[:5] == b"%PDF-"


def test_an_article_on_paper_says_where_it_was_and_uses_the_width(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, f"/articles/{shelf.articles[0]}/")
    page.emulate_media(media="print")
    expect(page.locator(".printed-link")).to_be_visible()
    expect(page.locator(".below")).to_be_hidden()
    width = page.locator(".article .body").evaluate("body => body.getBoundingClientRect().width")
    assert width == page.evaluate("document.documentElement.clientWidth")


@pytest.fixture
def hebrew(shelf: Shelf) -> int:
    values = {"title": HEBREW, "language": "he", "author": "דנה", "summary": HEBREW, "markup": BODY, "safe_html": ""}
    Article.objects.filter(pk=shelf.articles[1]).update(**values)
    shelf.subscription.title = "ידיעות"
    shelf.subscription.save()
    return shelf.articles[1]


def starts_at_the_right(page: Page, selector: str) -> bool:
    """Whether the text of an element begins nearer to its right edge than to its left."""
    return bool(
        page.locator(selector).first.evaluate("""element => {
          const range = document.createRange();
          range.selectNodeContents(element);
          const box = element.getBoundingClientRect(), text = range.getBoundingClientRect();
          return box.right - text.right < text.left - box.left;
        }""")
    )


def test_an_article_from_right_to_left(opened: Opener, shelf: Shelf, hebrew: int) -> None:
    page = opened(shelf.user, f"/articles/{hebrew}/")
    assert starts_at_the_right(page, "h1")
    assert starts_at_the_right(page, ".body > p:first-child")
    assert not starts_at_the_right(page, ".body > p:nth-of-type(2)")  # in English
    assert not starts_at_the_right(page, ".body pre")
    quote = page.locator(".body blockquote")
    assert quote.evaluate("each => getComputedStyle(each).borderRightWidth") == "1px"
    assert quote.evaluate("each => getComputedStyle(each).borderLeftWidth") == "0px"
    dots = page.locator(".article header .meta > span")
    assert {dot.evaluate("span => getComputedStyle(span).direction") for dot in dots.all()} == {"ltr"}


def test_a_row_from_right_to_left_among_others(opened: Opener, shelf: Shelf, hebrew: int) -> None:
    page = opened(shelf.user)
    assert starts_at_the_right(page, f"#a{hebrew} .row-title a")
    assert not starts_at_the_right(page, f"#a{shelf.articles[0]} .row-title a")
    page.goto(f"/feeds/{shelf.subscription.pk}/")
    expect(page.get_by_role("heading", level=1)).to_have_attribute("dir", "auto")


def test_everything_in_a_list_works_without_scripts(opened: Opener, shelf: Shelf) -> None:
    for number in range(12, PAGE_SIZE + 8):
        make.delivery(shelf.subscription, make.article(title=f"Title {number}"))
    page = opened(shelf.user, java_script_enabled=False)
    row = page.locator(f"#a{shelf.articles[3]}")
    expect(page.locator("[data-trouble], [data-toast]").filter(visible=True)).to_have_count(0)
    row.hover()
    page.get_by_role("button", name="Star: Title 03").click()
    assert ArticleState.objects.get(is_starred=True).article_id == shelf.articles[3]
    expect(page).to_have_url(re.compile(rf"#a{shelf.articles[3]}$"))
    page.get_by_role("button", name="Like: Title 03", exact=True).click()
    expect(page.get_by_text("Liked: “Title 03”.")).to_be_visible()
    page.get_by_role("button", name="Skip: Title 04").click()
    expect(page.get_by_text("Skipped: “Title 04”.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert set(Engagement.active.values_list("kind", flat=True)) == {
        "starred",
        "liked",
    }
    page.get_by_role("button", name="Read: Title 05").click()
    assert Delivery.objects.get(is_read=True).article_id == shelf.articles[5]
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_text(f"{PAGE_SIZE + 7} articles marked as read.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(f"{PAGE_SIZE + 7} articles unread again.")).to_be_visible()
    page.locator(".view-menu > summary").click()
    page.get_by_label("Newest first").check()
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("link", name="More", exact=True).click()
    expect(page.locator("[data-row]")).to_have_count(8)


def test_everything_with_an_article_works_without_scripts(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, f"/articles/{shelf.articles[0]}/?next=/all/", java_script_enabled=False)
    page.get_by_role("button", name="Star", exact=True).click()
    expect(page.get_by_role("button", name="Star", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Like", exact=True).click()
    expect(page.get_by_role("button", name="Like", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Keep unread").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("All articles")
    assert not Delivery.objects.filter(is_read=True).exists()
