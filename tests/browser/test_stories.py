"""Stories with mouse, keyboard and touch, and without scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from feeds.models import Article, Disposition
from reader.models import ArticleState, Delivery, Separation
from tests import make
from tests.browser.conftest import PHONE, WIDE, Opener, Shelf, press

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3


@pytest.fixture
def story_id(shelf: Shelf) -> int:
    """The story of the shelf's first four articles: a lead, its copy, two reports. Returns its number."""
    lead, copy, *reports = Article.objects.in_bulk(shelf.articles[:4]).values()
    story = make.story(lead, *reports, lead=lead)
    make.link(lead, copy, Disposition.NEAR_DUPLICATE, layer="content", evidence="SimHash distance 2")
    Article.objects.filter(pk=copy.pk).update(story=story)
    return story.pk


def titles(page: Page) -> list[str]:
    return page.locator("[data-row] [data-open]").all_text_contents()


def test_the_lead_then_its_copies_then_other_reports(opened: Opener, shelf: Shelf, story_id: int) -> None:
    page = opened(shelf.user, f"/stories/{story_id}/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 00")
    expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(
        ["1 copy of this text", "2 other reports"]
    )
    assert titles(page) == ["Title 00", "Title 01", "Title 03", "Title 02"]
    near_duplicate = "Near-duplicate of the lead article from Harbour Post (SimHash distance 2)"
    page.locator(".story-why > summary").first.click()
    expect(page.get_by_text(near_duplicate)).to_be_visible()
    drawing = page.get_by_role("img", name=re.compile("4 articles within .*: the first from Harbour Post"))
    expect(drawing).to_be_visible()
    expect(drawing.locator("circle")).to_have_count(4)
    page.get_by_text("Show as a list").click()
    expect(page.locator(".timeline ol li")).to_have_count(4)


def test_keys_walk_mark_star_open_and_go_back(opened: Opener, shelf: Shelf, story_id: int) -> None:
    page = opened(shelf.user, f"/stories/{story_id}/?next=/starred/")
    press(page, "j")
    press(page, "j")
    press(page, "m")
    expect(page.locator("[data-announce]")).to_have_text("Read")
    press(page, "s")
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    state = ArticleState.objects.get()
    assert (state.article_id, state.is_read, state.is_starred) == (shelf.articles[1], True, True)
    press(page, "o")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 01")
    press(page, "u")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 00")
    press(page, "u")
    expect(page.get_by_role("heading", level=1)).to_have_text("Starred")


def test_t_opens_the_story_from_an_article_and_u_comes_back(opened: Opener, shelf: Shelf, story_id: int) -> None:
    page = opened(shelf.user, f"/articles/{shelf.articles[2]}/")
    expect(page.get_by_role("heading", name="Also in this story")).to_be_visible()
    press(page, "t")
    expect(page).to_have_url(re.compile(f"/stories/{story_id}/"))
    press(page, "u")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 02")


@pytest.mark.parametrize(("viewport", "scripts"), [(WIDE, True), (PHONE, False)], ids=["wide", "phone, no scripts"])
def test_taking_out_and_putting_back(
    opened: Opener, shelf: Shelf, story_id: int, viewport: dict[str, int], scripts: bool
) -> None:
    page = opened(shelf.user, f"/stories/{story_id}/", viewport=viewport, java_script_enabled=scripts)
    page.locator(f"#a{shelf.articles[2]} .story-why > summary").click()
    page.get_by_role("button", name="Remove from story: Title 02").click()
    expect(page.get_by_role("status").filter(has_text="from its story, for you only")).to_be_visible()
    expect(page.get_by_text("You removed 1 article from this story")).to_be_visible()
    assert titles(page) == ["Title 00", "Title 01", "Title 03"]
    assert Separation.objects.get().article_id == shelf.articles[2]
    page.get_by_role("button", name="Put back: Title 02").click()
    expect(page.get_by_text("is back in its story")).to_be_visible()
    assert titles(page) == ["Title 00", "Title 01", "Title 03", "Title 02"]
    assert not Separation.objects.exists()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_marking_the_story_read(opened: Opener, shelf: Shelf, story_id: int, scripts: bool) -> None:
    page = opened(shelf.user, f"/stories/{story_id}/", java_script_enabled=scripts)
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_text("all read")).to_be_visible()
    expect(page.get_by_role("button", name="Mark all as read")).to_have_count(0)
    assert Delivery.objects.filter(is_read=False).count() == 8


def test_taking_an_article_out_from_its_own_page(opened: Opener, shelf: Shelf, story_id: int) -> None:
    page = opened(shelf.user, f"/articles/{shelf.articles[3]}/")
    page.get_by_role("button", name="Remove from story").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 03")
    expect(page.get_by_role("heading", name="You removed this from a story")).to_be_visible()
    page.get_by_role("button", name="Put back").click()
    expect(page.get_by_role("heading", name="Also in this story")).to_be_visible()


@pytest.mark.parametrize("title", [LONG, "שיחות בז'נבה " * 30, "日内瓦会谈结束" * 60], ids=["long", "RTL", "Chinese"])
def test_nothing_is_wider_than_a_phone(opened: Opener, shelf: Shelf, story_id: int, title: str) -> None:
    Article.objects.filter(pk__in=shelf.articles).update(title=title, summary=title[:500])
    shelf.subscription.title = LONG
    shelf.subscription.save()
    Separation.objects.create(user=shelf.user, article_id=shelf.articles[3], made_at=make.NOW)
    page = opened(shelf.user, f"/stories/{story_id}/", viewport=PHONE)
    page.get_by_text("Show as a list").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.goto(f"/articles/{shelf.articles[0]}/")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_stories_open_beside_their_list_and_their_articles_too(opened: Opener, shelf: Shelf, story_id: int) -> None:
    other = make.subscription(shelf.user, make.feed(title="Second Post"))
    make.delivery(other, Article.objects.get(pk=shelf.articles[2]))
    page = opened(shelf.user, "/stories/")
    pane = page.get_by_role("region", name="Article", exact=True)
    headline = pane.get_by_role("heading", level=1)
    press(page, "j", "o")
    expect(headline).to_have_text("Title 00")
    expect(page).to_have_url(re.compile(rf"/stories/{story_id}/"))
    page.get_by_role("main").get_by_role("button", name="Mark all as read: Title 00").click()
    expect(page.get_by_text("articles marked as read.")).to_be_visible()
    expect(headline).to_have_text("Title 00")
    expect(page).to_have_url(re.compile(rf"/stories/{story_id}/"))
    pane.get_by_role("link", name="Title 03").click()
    expect(headline).to_have_text("Title 03")
    expect(page).to_have_url(re.compile(rf"/articles/{shelf.articles[3]}/"))
    page.reload()
    expect(headline).to_have_text("Title 03")
    expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_text("Stories")
    press(page, "u")
    expect(headline).to_have_text("Title 00")
    pane.locator(".row", has_text="Title 02").locator(".story-why > summary").click()
    pane.get_by_role("button", name="Remove from story: Title 02").click()
    expect(pane.get_by_role("status")).to_contain_text("from its story, for you only")
    press(page, "Escape")
    expect(page).to_have_url(re.compile(r"/stories/(#s\d+)?$"))
    expect(pane).to_contain_text("Select an article to read it here.")


def test_t_and_w_stay_in_the_pane(opened: Opener, shelf: Shelf, story_id: int) -> None:
    page = opened(shelf.user, "/all/")
    pane = page.get_by_role("region", name="Article", exact=True)
    press(page, "j", "j", "j", "o")
    expect(pane.get_by_role("heading", level=1)).to_have_text("Title 02")
    press(page, "t")
    expect(pane.get_by_role("heading", level=1)).to_have_text("Title 00")
    expect(page.locator("main").get_by_role("link", name="Title 05", exact=True)).to_be_visible()
    page.go_back()
    expect(pane.get_by_role("heading", level=1)).to_have_text("Title 02")
