"""The other articles of a story, unfolded under its row."""

import re

import pytest
from playwright.sync_api import expect

from feeds.models import Article
from reader.lists.queries import PAGE_SIZE
from reader.models import ArticleState, Delivery
from reader.stories.collapse import fold
from tests import make
from tests.browser.conftest import MIDDLE, PHONE, WIDE, Opener, Shelf, Watch, every_look, press
from tests.browser.faults import Look, faults_at

LOOK = "title => [getComputedStyle(title).fontWeight, getComputedStyle(title).color]"


@pytest.fixture
def article_ids(shelf: Shelf) -> list[int]:
    """A story of the shelf's first, with three others by feeds of their own; the ids of the others, earliest first."""
    lead = Article.objects.get(pk=shelf.articles[0])
    others = []
    for name in ("Valley Tribune", "Tidepool", "Le Quai"):
        feed = make.feed(title=name)
        article = make.article(title=f"Told by {name}", feed=feed, source=feed.source, published_at=lead.published_at)
        make.delivery(make.subscription(shelf.user, feed), article)
        others.append(article)
    make.story(lead, *others, lead=lead)
    fold([lead.pk])
    return [other.pk for other in others]


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_it_opens_under_the_row_and_closes_again(
    opened: Opener, shelf: Shelf, article_ids: list[int], viewport: dict[str, int]
) -> None:
    page = opened(shelf.user, viewport=viewport)
    link = page.get_by_role("link", name="4 sources")
    expect(page.locator("[data-row]")).to_have_count(12)
    expect(link).to_have_attribute("aria-expanded", "false")
    link.click()
    expect(link).to_have_attribute("aria-expanded", "true")
    inside = page.get_by_role("group", name="More on this story")
    expect(inside.locator("[data-row]")).to_have_count(3)
    expect(inside.get_by_text("Valley Tribune", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("/all/$"))
    link.click()
    expect(inside).to_be_hidden()
    expect(link).to_have_attribute("aria-expanded", "false")


def test_it_is_asked_for_once_and_only_when_opened(opened: Opener, shelf: Shelf, article_ids: list[int]) -> None:
    page = opened(shelf.user)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url) if "/unfold/" in request.url else None)
    link = page.get_by_role("link", name="4 sources")
    link.dblclick()
    expect(page.locator(".unfolded [data-row]")).to_have_count(3)
    link.click()
    link.click()
    assert len(requested) == 1


def test_what_stands_there_has_acts_and_a_way_of_its_own(opened: Opener, shelf: Shelf, article_ids: list[int]) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    page.get_by_role("link", name="4 sources").click()
    page.get_by_role("button", name="Star: Told by Tidepool").click()
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    assert ArticleState.objects.get(is_starred=True).article_id == article_ids[1]
    page.get_by_role("button", name="Read: Told by Tidepool").click()
    expect(page.locator("[data-announce]")).to_have_text("Read")
    assert Delivery.objects.get(is_read=True).article_id == article_ids[1]
    expect(page.locator(f"#a{shelf.articles[0]}")).not_to_have_class(re.compile("is-read"))
    page.get_by_role("link", name="Told by Tidepool", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Told by Tidepool")
    press(page, "u")
    expect(page).to_have_url(re.compile(rf"/all/#a{shelf.articles[0]}$"))


def test_unread_siblings_of_a_read_lead_look_unread(opened: Opener, shelf: Shelf, article_ids: list[int]) -> None:
    page = opened(shelf.user)
    page.get_by_role("link", name="4 sources").click()
    title = page.get_by_role("heading", name="Told by Tidepool")
    unread = title.evaluate(LOOK)
    page.get_by_role("button", name=re.compile("^Read: ")).first.click()
    expect(page.locator(f"#a{shelf.articles[0]}")).to_have_class(re.compile("is-read"))
    assert title.evaluate(LOOK) == unread
    page.get_by_role("button", name="Read: Told by Tidepool").click()
    expect(page.locator(".unfolded .is-read")).to_have_count(1)
    assert title.evaluate(LOOK) != unread


def test_by_keyboard(opened: Opener, shelf: Shelf, article_ids: list[int]) -> None:
    page = opened(shelf.user)
    press(page, "j", "e")
    expect(page.locator(".unfolded [data-row]")).to_have_count(3)
    expect(page.locator("[data-announce]")).to_have_text("4 sources: expanded")
    expect(page.get_by_role("link", name="Title 00", exact=True)).to_be_focused()
    press(page, "j", "j", "s")
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    assert ArticleState.objects.get(is_starred=True).article_id == article_ids[1]
    press(page, "e")
    expect(page.get_by_role("link", name="4 sources")).to_be_focused()
    expect(page.locator(".unfolded")).to_be_hidden()
    press(page, "j")
    expect(page.get_by_role("link", name="Title 01", exact=True)).to_be_focused()
    press(page, "k", "t")
    expect(page).to_have_url(re.compile("/stories/"))


def test_it_stays_open_while_the_list_grows(opened: Opener, shelf: Shelf, article_ids: list[int]) -> None:
    for number in range(12, 2 * PAGE_SIZE):
        make.delivery(shelf.subscription, make.article(title=f"Title {number}"))
    Delivery.objects.filter(article__in=shelf.articles[:1]).update(published_at=make.NOW)
    page = opened(shelf.user)
    page.get_by_role("link", name="4 sources").click()
    expect(page.locator(".unfolded [data-row]")).to_have_count(3)
    page.locator("[data-older]").scroll_into_view_if_needed()
    expect(page.locator("[data-rows] > [data-row][id]")).to_have_count(2 * PAGE_SIZE)
    expect(page.locator(".unfolded [data-row]")).to_have_count(3)
    expect(page.get_by_role("link", name="4 sources")).to_have_attribute("aria-expanded", "true")


def test_without_scripts_it_leads_to_the_story(opened: Opener, shelf: Shelf, article_ids: list[int]) -> None:
    page = opened(shelf.user, java_script_enabled=False)
    link = page.get_by_role("link", name="4 sources")
    assert link.get_attribute("aria-expanded") is None
    link.click()
    expect(page).to_have_url(re.compile("/stories/"))
    expect(page.get_by_role("link", name="Told by Le Quai").first).to_be_visible()


def test_without_a_connection_it_stays_closed_and_may_be_tried_again(
    opened: Opener, shelf: Shelf, article_ids: list[int], watch: Watch
) -> None:
    page = opened(shelf.user)
    link = page.get_by_role("link", name="4 sources")
    page.context.set_offline(True)
    link.click()
    line = page.locator("[data-trouble]")
    expect(line).to_contain_text("The server isn't responding. Are you online?")
    expect(link).to_have_attribute("aria-expanded", "false")
    page.context.set_offline(False)
    line.get_by_role("button", name="Try again").click()
    expect(page.locator(".unfolded [data-row]")).to_have_count(3)
    expect(line).to_be_hidden()
    watch.complaints.clear()  # Chromium notes the failed request as an error


@every_look
def test_unfolded_story_is_accessible(opened: Opener, shelf: Shelf, article_ids: list[int], looks: list[Look]) -> None:
    page = opened(shelf.user)
    page.get_by_role("link", name="4 sources").click()
    expect(page.locator(".unfolded [data-row]")).to_have_count(3)
    assert faults_at(page, looks) == []
