"""Scoring: actions by key, click and form and their undo; explanations; interests; reported reading times."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from reader.models import Delivery, Engagement, InterestTerm, SensitivityLabel
from tests import make
from tests.browser.conftest import MIDDLE, PHONE, WIDE, Opener, Shelf, press, rate

READ = re.compile(r"\bis-read\b")
HERE = re.compile(r"\bis-here\b")


def acts() -> list[tuple[int, str]]:
    """What stands in the log, undone acts left out."""
    return list(Engagement.active.order_by("pk").values_list("article", "kind"))


def row(page: Page, place: int) -> Locator:
    return page.locator("[data-row]").nth(place)


def pressed(page: Page, name: str) -> str | None:
    return page.get_by_role("button", name=name, exact=True).get_attribute("aria-pressed")


def announced(page: Page, words: str) -> None:
    expect(page.locator("[data-announce]")).to_have_text(words)


def test_skipping_by_key_goes_on_to_the_next_and_z_takes_it_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "j")
    press(page, "x")
    announced(page, "Skipped. Press z to undo.")
    expect(row(page, 0)).to_have_class(READ)
    expect(row(page, 1)).to_have_class(HERE)
    assert page.evaluate("document.activeElement.textContent") == "Title 01"
    assert acts() == [(shelf.articles[0], "skipped")]
    assert Delivery.objects.get(is_read=True).article_id == shelf.articles[0]
    press(page, "z")
    announced(page, "Undone")
    expect(row(page, 0)).not_to_have_class(READ)
    assert page.evaluate("document.activeElement.textContent") == "Title 00"
    assert (acts(), Delivery.objects.filter(is_read=True).count()) == ([], 0)


def test_skipping_one_after_the_other(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "j")
    for number in range(3):
        press(page, "x")
        expect(row(page, number)).to_have_class(READ)
        expect(row(page, number + 1)).to_have_class(HERE)
        announced(page, "Skipped. Press z to undo.")
        expect(page.locator("[data-busy]")).to_have_count(0)
    assert acts() == [(pk, "skipped") for pk in shelf.articles[:3]]


def test_skipping_by_mouse_offers_to_take_it_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    toast = page.locator("[data-toast]")
    expect(toast).to_be_hidden()
    page.get_by_role("button", name="Skip: Title 02").click()
    expect(toast).to_have_text("Skipped. Undo")
    expect(row(page, 2)).to_have_class(READ)
    toast.get_by_role("button", name="Undo").click()
    expect(toast).to_be_hidden()
    expect(row(page, 2)).not_to_have_class(READ)
    assert (acts(), Delivery.objects.filter(is_read=True).count()) == ([], 0)


def test_liking_and_disliking_by_key_exclude_each_other(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    press(page, "j")
    press(page, "l")
    announced(page, "Liked. Press z to undo.")
    assert (pressed(page, "Like: Title 00"), pressed(page, "Dislike: Title 00")) == ("true", "false")
    press(page, "d")
    announced(page, "Disliked. Press z to undo.")
    assert (pressed(page, "Like: Title 00"), pressed(page, "Dislike: Title 00")) == ("false", "true")
    expect(row(page, 0)).not_to_have_class(READ)
    press(page, "d")
    announced(page, "Dislike removed")
    assert (pressed(page, "Like: Title 00"), pressed(page, "Dislike: Title 00")) == ("false", "false")
    page.reload()
    assert (pressed(page, "Like: Title 00"), acts()) == ("false", [])


def test_undoing_a_vote_brings_back_the_one_before(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    page.get_by_role("button", name="Dislike: Title 03").click()
    announced(page, "Disliked. Press z to undo.")
    page.get_by_role("button", name="Like: Title 03", exact=True).click()
    announced(page, "Liked. Press z to undo.")
    press(page, "z")
    announced(page, "Undone")
    assert (pressed(page, "Like: Title 03"), pressed(page, "Dislike: Title 03")) == ("false", "true")
    page.reload()
    assert (pressed(page, "Like: Title 03"), pressed(page, "Dislike: Title 03")) == ("false", "true")


@pytest.mark.parametrize("name", ["Skip: Title 01", "Like: Title 01"])
def test_what_could_not_be_saved_is_taken_back(opened: Opener, shelf: Shelf, name: str) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator("[data-announce]")).to_contain_text("been signed out")
    expect(row(page, 1)).not_to_have_class(READ)
    assert pressed(page, "Like: Title 01") == "false"
    expect(page.locator("[data-toast]")).to_be_hidden()


def test_an_article_is_liked_and_skipped_from_its_own_page(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, f"/articles/{shelf.articles[4]}/?next=/starred/")
    press(page, "l")
    announced(page, "Liked. Press z to undo.")
    assert pressed(page, "Like") == "true"
    press(page, "x")
    expect(page.get_by_role("heading", level=1)).to_have_text("Starred")
    message = page.locator(".message")
    expect(message).to_contain_text("Skipped: “Title 04”.")
    press(page, "z")
    expect(page.locator(".message")).to_contain_text("Undone.")
    assert acts() == [(shelf.articles[4], "opened"), (shelf.articles[4], "liked")]


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_everything_works_without_scripts(opened: Opener, shelf: Shelf, viewport: dict[str, int]) -> None:
    rate(shelf)
    page = opened(shelf.user, "/important/", viewport=viewport, java_script_enabled=False)
    page.get_by_role("button", name="Skip: Title 11").click()
    expect(page.get_by_text("Skipped: “Title 11”.")).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(11)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    expect(page.locator("[data-row]")).to_have_count(12)
    page.locator("[data-why]").first.click()
    page.get_by_label("Hours").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Set by you.")).to_be_visible()
    assert SensitivityLabel.objects.get().score == 5
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Important")


def test_a_phone_leaves_the_row_to_the_title(opened: Opener, shelf: Shelf) -> None:
    rate(shelf)
    page = opened(shelf.user, "/for-you/", viewport=PHONE, has_touch=True, is_mobile=True)
    box = row(page, 0).locator(".row-acts").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (1, 1)
    for name in ("Skip", "Read", "Star"):  # for screen readers
        expect(page.get_by_role("button", name=f"{name}: Title 00")).to_have_count(1)
    for name in ("Like", "Dislike"):
        expect(page.get_by_role("button", name=f"{name}: Title 00", exact=True)).to_be_hidden()
    page.get_by_role("navigation", name="Main navigation").get_by_role("link", name="Unread").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("All articles")


def test_a_phone_without_scripts_has_buttons(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=PHONE, has_touch=True, is_mobile=True, java_script_enabled=False)
    page.get_by_role("button", name="Star: Title 00").tap()
    expect(page.get_by_role("button", name="Star: Title 00")).to_have_attribute("aria-pressed", "true")


def test_the_whole_row_opens_the_article(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport=MIDDLE)
    box = row(page, 3).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 03")


def test_acts_come_to_the_row_that_is_pointed_at(opened: Opener, shelf: Shelf) -> None:
    rate(shelf)
    page = opened(shelf.user, viewport=MIDDLE)

    def opacity(place: int, what: str) -> str:
        return str(row(page, place).locator(what).evaluate("(it) => getComputedStyle(it).opacity"))

    page.mouse.move(5, 5)
    for what, shown in (("[data-act=skipped]", "0"), (".parts", "0"), (".dots", "1")):
        expect(row(page, 1).locator(what)).to_have_css("opacity", shown)
    row(page, 1).hover()
    for what in ("[data-act=skipped]", ".parts"):
        expect(row(page, 1).locator(what)).to_have_css("opacity", "1")
    assert opacity(0, "[data-act=skipped]") == "0"
    press(page, "j")
    expect(row(page, 0).locator("[data-act=skipped]")).to_have_css("opacity", "1")


def test_each_list_has_its_order_and_leads_to_why(opened: Opener, shelf: Shelf) -> None:
    rate(shelf)
    page = opened(shelf.user, "/for-you/")
    expect(row(page, 0).locator("[data-open]")).to_have_text("Title 00")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Important", exact=True).click()
    expect(row(page, 0).locator("[data-open]")).to_have_text("Title 11")
    points = row(page, 0).locator(".points").inner_text()
    press(page, "j")
    press(page, "w")
    expect(page.locator("[data-pane] h1")).to_have_text(f"Why {points}?")
    expect(page.locator(".why-parts h2")).to_have_text(["Authority", "Recency", "Corroboration", "Relevance", "Depth"])
    press(page, "u")
    expect(page).to_have_url(re.compile("/important/$"))


def test_under_the_text_why_opens_and_a_correction_comes_back_to_it(opened: Opener, shelf: Shelf) -> None:
    rate(shelf)
    page = opened(shelf.user, f"/articles/{shelf.articles[0]}/")
    expect(page.locator(".why-parts")).to_be_hidden()
    page.get_by_role("heading", name=re.compile("^Why")).click()
    expect(page.locator(".why-summary")).to_contain_text("importance: ")
    expect(page.locator(".why-parts")).to_be_hidden()
    page.get_by_text("Details", exact=True).click()
    expect(page.locator(".why-parts li")).to_have_count(5)
    expect(page.locator(".why-parts")).to_be_visible()
    page.get_by_label("Years").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Now relevant for years, for you only")).to_be_visible()
    page.get_by_role("heading", name=re.compile("^Why")).click()
    page.get_by_role("button", name="Reset to automatic").click()
    expect(page.get_by_text("Reset to automatic.")).to_be_visible()
    assert not SensitivityLabel.objects.exists()


@pytest.fixture
def interested(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> User:
    """A reader with some interests, and no queue."""
    monkeypatch.setattr("reader.views.interests.call_worker", lambda *_: None)
    for number, term in enumerate(("chess", "harbour", "日本", "vaccines")):
        make.term(shelf.user, term, 4.0 - number, engaged_at="2999-01-01T00:00Z")
    return shelf.user


def weight(page: Page, term: str) -> Locator:
    return page.locator(".term-row").filter(has=page.locator(".term", has_text=term)).locator(".sum")


def test_a_term_is_raised_lowered_muted_and_stays_where_it_was(opened: Opener, interested: User) -> None:
    page = opened(interested, "/interests/?weights=1")
    for expected in ("3.0", "4.0"):
        page.get_by_role("button", name="Show more: 日本").click()
        expect(weight(page, "日本")).to_contain_text(f"+{expected}")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Show more: 日本"
    page.get_by_role("button", name="Show less: vaccines").press("Enter")
    expect(weight(page, "vaccines")).to_contain_text("+0.0")
    page.get_by_role("button", name="Show less: vaccines").press("Enter")
    expect(page.get_by_role("heading", name="Not interested in")).to_be_visible()
    page.get_by_role("button", name="Mute: harbour", exact=True).click()
    expect(page.get_by_role("button", name="Unmute: harbour")).to_be_focused()
    assert InterestTerm.objects.get(term="harbour").is_muted
    assert page.url.endswith("/interests/?weights=1")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_removed_term_is_put_back(opened: Opener, interested: User, scripts: bool) -> None:
    page = opened(interested, "/interests/?weights=1", java_script_enabled=scripts)
    page.get_by_role("button", name="Remove: chess").click()
    expect(page.get_by_text("Removed: “chess”.")).to_be_visible()
    expect(page.locator(".term-row")).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".term-row")).to_have_count(4)
    assert InterestTerm.objects.get(term="chess").weight == 4.0


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_removed_chip_is_put_back(opened: Opener, interested: User, scripts: bool) -> None:
    InterestTerm.objects.filter(term__in=("chess", "日本")).update(origin="topic")
    page = opened(interested, "/interests/", java_script_enabled=scripts)
    expect(page.locator("form.interest-chip")).to_have_count(2)
    page.get_by_role("button", name="Remove: chess").click()
    expect(page.get_by_text("Removed: “chess”.").first).to_be_visible()
    expect(page.locator("form.interest-chip")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("form.interest-chip")).to_have_count(2)
    assert InterestTerm.objects.get(term="chess").weight == 4.0
    page.get_by_role("link", name="chess").click()
    expect(page.locator("[name=q]")).to_have_value('"chess"')


def test_interests_begin_by_a_form_and_are_forgotten_after_asking(
    opened: Opener, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reader.views.interests.call_worker", lambda *_: None)
    page = opened(shelf.user, "/interests/", java_script_enabled=False)
    page.get_by_label("Topics, separated by commas").fill("chess, open source")
    page.get_by_label("Categories and folders of my feeds").check()
    page.get_by_role("button", name="Get started").click()
    expect(page.locator("form.interest-chip")).to_have_count(3)
    page.get_by_role("link", name="Delete interests").click()
    page.get_by_role("button", name="Delete interests").click()
    expect(page.get_by_text("No interests yet.")).to_be_visible()


def reports(page: Page) -> list[tuple[str, dict[str, str]]]:
    return json.loads(page.evaluate("sessionStorage.getItem('reports') ?? '[]'"))


@pytest.mark.parametrize("width", [1300, 1100], ids=["beside", "in turn"])
def test_opening_tells_what_stood_above_it_on_the_same_screen(opened: Opener, shelf: Shelf, width: int) -> None:
    page = opened(shelf.user, viewport={"width": width, "height": 500})
    page.get_by_role("link", name="Title 03", exact=True).click()
    expect(page.get_by_role("heading", name="Title 03", level=1)).to_be_visible()
    [url, sent], *_ = reports(page)
    client = Client()
    client.force_login(shelf.user)
    assert (url, sent["opened"]) == ("/seen/", str(shelf.articles[3]))
    assert sent["above"] == ",".join(map(str, shelf.articles[:3]))
    seen = [int(each) for each in sent["ids"].split(",")]
    assert seen == shelf.articles[: len(seen)]
    assert 4 <= len(seen) < 12
    assert client.post(url, sent).status_code == 204
    assert acts() == [(shelf.articles[3], "opened"), *((pk, "passed") for pk in shelf.articles[:3])]
    assert set(Delivery.objects.filter(is_seen=True).values_list("article", flat=True)) == set(seen)


def test_scrolling_past_is_only_seen(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport={"width": 1300, "height": 500})
    row(page, 11).scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    page.goto("/starred/")
    told = [sent for _, sent in reports(page)]
    assert all("opened" not in sent for sent in told)
    assert {str(shelf.articles[0]), str(shelf.articles[11])} <= {pk for sent in told for pk in sent["ids"].split(",")}


@pytest.mark.parametrize(
    "path", ["/for-you/", "/articles/{}/", "/articles/{}/why/", "/interests/", "/interests/model/"]
)
def test_nothing_is_wider_than_the_screen(opened: Opener, shelf: Shelf, path: str) -> None:
    rate(shelf)
    long = "donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    for term in (long, "短い", "x" * 100):
        make.term(shelf.user, term, is_pinned=True, origin="topic")
    for _ in range(3):
        make.training(shelf.user)
    page = opened(shelf.user, path.format(shelf.articles[0]))
    if "why" in path or "articles" not in path:
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    else:
        page.get_by_role("heading", name=re.compile("^Why")).click()
    for width in (1300, 768, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(TOO_WIDE) == [], width


TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("main *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth).map((each) => each.outerHTML.slice(0, 160))"""
