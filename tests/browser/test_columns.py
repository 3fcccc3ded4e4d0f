"""An article beside its list, in a wide window."""

import json
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, Route, expect

from feeds.models import Article, FullText
from reader.lists.queries import PAGE_SIZE
from reader.models import ArticleState, Delivery, Engagement, Preferences, TaggedArticle
from reader.stories.collapse import fold
from tests import make
from tests.browser.conftest import MIDDLE, Opener, Shelf, Watch, press, rate
from tests.browser.faults import SCHEMES, faults_of

PLAY = [{"url": "https://cdn.example/talk.mp3", "mime_type": "audio/mpeg"}]


def beside(page: Page) -> Locator:
    return page.get_by_role("region", name="Article", exact=True)


def headline(page: Page) -> Locator:
    return beside(page).get_by_role("heading", level=1)


def title(page: Page, name: str) -> Locator:
    return page.locator("main").get_by_role("link", name=name, exact=True)


def row(page: Page, shelf: Shelf, place: int) -> Locator:
    return page.locator(f"#a{shelf.articles[place]}")


def address(shelf: Shelf, place: int) -> re.Pattern[str]:
    return re.compile(rf"/articles/{shelf.articles[place]}/\?next=%2Fall%2F$")


def asked_of(page: Page) -> list[str]:
    """The paths that are asked for from now on."""
    paths: list[str] = []
    page.on("request", lambda request: paths.append(request.url.split("/", 3)[3].split("?")[0]))
    return paths


def at_rest(page: Page, top: str) -> int:
    """Where something stands once it has come there: a browser takes its time to scroll."""
    seen: list[int] = []
    while len(seen) < 2 or seen[-1] != seen[-2]:
        page.wait_for_timeout(100)
        seen.append(page.evaluate(top))
    return seen[-1]


def read() -> set[int]:
    return set(Delivery.objects.filter(is_read=True).values_list("article", flat=True))


def test_what_is_clicked_opens_beside_the_list_which_stays(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport={"width": 1300, "height": 420})
    expect(beside(page)).to_contain_text("Select an article to read it here.")
    title(page, "Title 07").scroll_into_view_if_needed()
    before = page.evaluate("document.getElementById('main').scrollTop")
    asked = asked_of(page)
    title(page, "Title 07").click()
    expect(headline(page)).to_have_text("Title 07")
    expect(page).to_have_url(address(shelf, 7))
    expect(page).to_have_title("Title 07 · RSS Manager")
    expect(title(page, "Title 07")).to_have_attribute("aria-current", "true")
    expect(row(page, shelf, 7)).to_have_class(re.compile(r"\bis-read\b"))
    assert page.evaluate("document.getElementById('main').scrollTop") == before > 0
    assert page.locator("[aria-current=true][data-open]").count() == 1
    assert read() == {shelf.articles[7]}
    assert "all/" not in asked


def test_list_and_article_scroll_each_for_itself(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport={"width": 1300, "height": 420})
    title(page, "Title 00").click()
    expect(headline(page)).to_be_focused()
    press(page, "End")
    expect(beside(page).get_by_role("heading", name="Found in")).to_be_in_viewport()
    expect(title(page, "Title 00")).to_be_in_viewport()
    assert page.evaluate("[scrollY, document.getElementById('main').scrollTop]") == [0, 0]
    title(page, "Title 01").click()
    expect(headline(page)).to_have_text("Title 01")
    expect(headline(page)).to_be_in_viewport()  # each begins at its beginning


def test_a_list_keeps_its_place_as_a_page_does(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, viewport={"width": 1300, "height": 420})
    top = "document.getElementById('main').scrollTop"
    press(page, "PageDown")
    expect(title(page, "Title 00")).not_to_be_in_viewport()
    press(page, "End")
    expect(title(page, "Title 11")).to_be_in_viewport()
    before = at_rest(page, top)
    page.reload()
    expect(title(page, "Title 11")).to_be_in_viewport()
    page.goto("/settings/")
    page.go_back()
    expect(title(page, "Title 11")).to_be_in_viewport()
    assert page.evaluate(top) == before
    page.goto("/all/?show=unread")
    assert page.evaluate(top) == 0


def test_an_article_opened_while_it_is_being_starred_shows_its_star(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    held: list[Route] = []
    page.route("**/star/", lambda route: held.append(route))
    press(page, "j", "s")
    expect(row(page, shelf, 0).locator("[data-act=star]")).to_have_attribute("aria-pressed", "true")
    asked = asked_of(page)
    press(page, "Enter")
    expect(beside(page)).to_have_attribute("aria-busy", "true")
    assert asked == []
    held[0].continue_()
    expect(headline(page)).to_have_text("Title 00")
    expect(beside(page).locator("[data-act=star]")).to_have_attribute("aria-pressed", "true")


def test_the_whole_way_by_keyboard(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "j", "j", "o")
    expect(headline(page)).to_have_text("Title 01")
    expect(headline(page)).to_be_focused()
    expect(page.locator("[data-announce]")).to_have_text("Article opened")
    press(page, "j")  # walks on from what is open, which stays
    expect(title(page, "Title 02")).to_be_focused()
    expect(headline(page)).to_have_text("Title 01")
    press(page, "s")  # of the row that has the focus
    expect(row(page, shelf, 2).locator("[data-act=star]")).to_have_attribute("aria-pressed", "true")
    expect(beside(page).locator("[data-act=star]")).to_have_attribute("aria-pressed", "false")
    press(page, "Enter")
    expect(headline(page)).to_have_text("Title 02")
    expect(beside(page).locator("[data-act=star]")).to_have_attribute("aria-pressed", "true")
    press(page, "n")
    expect(headline(page)).to_have_text("Title 03")
    press(page, "p")
    expect(headline(page)).to_have_text("Title 02")
    press(page, "u")
    expect(headline(page)).to_have_count(0)
    expect(page).to_have_url(re.compile("/all/$"))
    expect(page).to_have_title("All articles · RSS Manager")
    expect(title(page, "Title 02")).to_be_focused()
    press(page, "k", "o")
    expect(headline(page)).to_have_text("Title 01")
    press(page, "Escape")
    expect(headline(page)).to_have_count(0)
    expect(title(page, "Title 01")).to_be_focused()
    assert read() == set(shelf.articles[1:4])


def test_escape_closes_the_menu_first(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 00").click()
    beside(page).locator("[data-menu] > summary").click()
    expect(page.get_by_role("link", name="Email")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_role("link", name="Email")).to_be_hidden()
    expect(headline(page)).to_have_text("Title 00")
    press(page, "Escape")
    expect(headline(page)).to_have_count(0)


def test_back_and_forward_go_through_what_was_open(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    for name in ("Title 00", "Title 01"):
        title(page, name).click()
        expect(headline(page)).to_have_text(name)
    page.go_back()
    expect(headline(page)).to_have_text("Title 00")
    expect(page).to_have_url(address(shelf, 0))
    expect(title(page, "Title 00")).to_have_attribute("aria-current", "true")
    page.go_back()
    expect(headline(page)).to_have_count(0)
    expect(page).to_have_url(re.compile("/all/$"))
    expect(page.locator("[data-open][aria-current]")).to_have_count(0)
    page.go_forward()
    expect(headline(page)).to_have_text("Title 00")


def test_why_a_score_opens_beside_the_list_and_marks_nothing_read(opened: Opener, shelf: Shelf) -> None:
    rate(shelf)
    page = opened(shelf.user)
    press(page, "j")
    press(page, "w")
    expect(headline(page)).to_have_text(re.compile("Why "))
    expect(page).to_have_url(re.compile(rf"/articles/{shelf.articles[0]}/why/"))
    expect(title(page, "Title 00")).to_have_attribute("aria-current", "true")
    expect(row(page, shelf, 0)).not_to_have_class(re.compile("is-read"))
    assert read() == set()
    beside(page).get_by_label("Years").check()
    beside(page).get_by_role("button", name="Save").click()
    expect(beside(page)).to_contain_text("Now relevant for years, for you only.")
    press(page, "u")
    expect(page).to_have_url(re.compile("/all/$"))
    title(page, "Title 00").click()
    expect(headline(page)).to_have_text("Title 00")
    press(page, "w")
    expect(headline(page)).to_have_text(re.compile("Why "))
    beside(page).get_by_role("link", name="Back").click()
    expect(headline(page)).to_have_text("Title 00")


def test_reload_and_back_keep_list_and_article(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/all/?show=newest")
    title(page, "Title 00").click()
    expect(headline(page)).to_have_text("Title 00")
    page.reload()
    expect(headline(page)).to_have_text("Title 00")
    expect(page.locator("main").get_by_role("heading", level=1)).to_have_text("All articles")
    expect(page).to_have_url(re.compile(rf"/articles/{shelf.articles[0]}/\?next=%2Fall%2F%3Fshow%3Dnewest$"))
    expect(title(page, "Title 00")).to_have_attribute("aria-current", "true")
    page.goto("/settings/")
    page.go_back()
    expect(headline(page)).to_have_text("Title 00")
    page.go_back()
    expect(page).to_have_url(re.compile(r"/all/\?show=newest$"))
    expect(page.locator("[data-row]")).to_have_count(12)
    page.go_forward()
    expect(headline(page)).to_have_text("Title 00")


NOTES = (
    "<p id='r1'>Claim <a href='#n1'>1</a></p>"
    + "<p>Body</p>" * 80
    + "<ol><li id='n1'>Source <a href='#r1'>back</a></li></ol>"
)


def test_footnotes_jump_beside_the_list_which_stays(opened: Opener, shelf: Shelf) -> None:
    Article.objects.filter(pk=shelf.articles[0]).update(markup=NOTES)
    page = opened(shelf.user, "/all/?show=newest", viewport={"width": 1300, "height": 420})
    title(page, "Title 00").click()
    note, claim = beside(page).get_by_text("Source"), beside(page).get_by_text("Claim")
    expect(note).not_to_be_in_viewport()
    beside(page).get_by_role("link", name="1", exact=True).click()
    expect(note).to_be_in_viewport()
    expect(claim).not_to_be_in_viewport()
    expect(title(page, "Title 00")).to_be_in_viewport()
    page.reload()
    expect(headline(page)).to_have_text("Title 00")
    expect(page.locator("main").get_by_role("heading", level=1)).to_have_text("All articles")
    beside(page).get_by_role("link", name="1", exact=True).click()
    expect(note).to_be_in_viewport()
    press(page, "Tab", "Enter")  # the link back, which follows the note
    expect(claim).to_be_in_viewport()
    assert claim.bounding_box()["y"] >= beside(page).locator(".thin-bar").bounding_box()["height"]
    page.go_back()
    page.go_back()
    expect(headline(page)).to_have_text("Title 00")


def test_reload_keeps_the_rows_and_the_place_of_a_long_list(opened: Opener, shelf: Shelf) -> None:
    for number in range(PAGE_SIZE):
        article = make.article(title=f"Earlier {number:02}", published_at=make.NOW - timedelta(days=1 + number))
        make.delivery(shelf.subscription, article)
    page = opened(shelf.user, "/all/?show=newest")
    last = page.locator("[data-row]").last
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE)
    page.locator("[data-older]").scroll_into_view_if_needed()
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE + 12)
    last.get_by_role("link").first.click()
    name = last.get_by_role("heading").inner_text()
    expect(headline(page)).to_have_text(name)
    page.reload()
    expect(headline(page)).to_have_text(name)
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE + 12)
    expect(title(page, name)).to_be_in_viewport()
    press(page, "u")
    expect(page).to_have_url(re.compile(r"/all/\?show=newest$"))


def test_a_list_grows_while_an_article_is_open(opened: Opener, shelf: Shelf) -> None:
    for number in range(PAGE_SIZE):
        article = make.article(title=f"Earlier {number:02}", published_at=make.NOW - timedelta(days=1 + number))
        make.delivery(shelf.subscription, article)
    page = opened(shelf.user, "/all/?show=newest")
    title(page, "Title 03").click()
    expect(headline(page)).to_have_text("Title 03")
    page.locator("[data-older]").scroll_into_view_if_needed()
    expect(page.locator("[data-row]")).to_have_count(PAGE_SIZE + 12)
    expect(headline(page)).to_have_text("Title 03")


ACTS = {"s": "star", "l": "liked", "d": "disliked"}


@pytest.mark.parametrize("key", ACTS)
def test_an_act_shows_in_the_list_at_once_and_is_taken_back_in_both(opened: Opener, shelf: Shelf, key: str) -> None:
    page = opened(shelf.user)
    title(page, "Title 03").click()
    expect(headline(page)).to_be_focused()
    both = page.locator(f'[data-act="{ACTS[key]}"][formaction^="/articles/{shelf.articles[3]}/"]')
    expect(both).to_have_count(2)
    press(page, key)
    for place in (0, 1):
        expect(both.nth(place)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-busy]")).to_have_count(0)
    press(page, "z")
    for place in (0, 1):
        expect(both.nth(place)).to_have_attribute("aria-pressed", "false")
    expect(page.locator("[data-busy]")).to_have_count(0)
    title(page, "Title 03").focus()
    press(page, key)  # of the row
    expect(both.last).to_have_attribute("aria-pressed", "true")


def test_acts_come_to_the_pointer_and_what_was_pressed_stays(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "j", "s")
    star, skip = (row(page, shelf, 0).locator(f'[data-act="{act}"]') for act in ("star", "skipped"))
    page.mouse.move(5, 5)
    expect(star).to_have_css("opacity", "1")
    expect(skip).to_have_css("opacity", "0")
    row(page, shelf, 0).hover()
    expect(skip).to_have_css("opacity", "1")
    skip.click()
    expect(page.locator("[data-toast]")).to_contain_text("Skipped.")
    expect(headline(page)).to_have_count(0)


def test_what_was_done_is_taken_back_also_when_another_is_open(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 03").click()
    expect(headline(page)).to_be_focused()
    press(page, "s")
    expect(page.locator("[data-announce]")).to_have_text("Starred")
    press(page, "n")
    expect(headline(page)).to_have_text("Title 04")
    press(page, "z")
    expect(row(page, shelf, 3).locator("[data-act=star]")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("[data-announce]")).to_have_text("Unstarred")
    assert not ArticleState.objects.filter(is_starred=True).exists()


def test_keeping_it_unread_shows_in_its_row_and_leaves_it_open(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 03").click()
    expect(headline(page)).to_be_focused()
    press(page, "m")
    expect(row(page, shelf, 3)).not_to_have_class(re.compile(r"\bis-read\b"))
    expect(page.locator("[data-announce]")).to_have_text("Unread")
    expect(headline(page)).to_have_text("Title 03")
    assert read() == set()


def test_skipping_closes_it_and_goes_on_in_the_list(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 03").click()
    expect(headline(page)).to_be_focused()
    press(page, "x")
    expect(headline(page)).to_have_count(0)
    expect(title(page, "Title 04")).to_be_focused()
    assert Engagement.objects.filter(kind="skipped", article=shelf.articles[3]).exists()
    press(page, "z")
    expect(page.locator("[data-announce]")).to_have_text("Undone")
    expect(title(page, "Title 03")).to_be_focused()


def test_a_tag_is_given_without_leaving_the_list(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 03").click()
    asked = asked_of(page)
    beside(page).get_by_text("Add tag").click()
    beside(page).get_by_label("Tags to add").fill("Later")
    beside(page).get_by_role("button", name="Add", exact=True).click()
    expect(beside(page).get_by_role("link", name="Later", exact=True)).to_be_visible()
    assert TaggedArticle.objects.get().article_id == shelf.articles[3]
    beside(page).get_by_role("button", name="Remove tag Later").click()
    expect(beside(page).get_by_text("Add tag")).to_be_visible()
    expect(page).to_have_url(address(shelf, 3))
    assert "all/" not in asked
    page.go_back()  # what changed it is no step of its own
    expect(page).to_have_url(re.compile("/all/$"))


def test_others_on_its_story_and_what_is_next_open_there_too(opened: Opener, shelf: Shelf) -> None:
    first, second = Article.objects.filter(pk__in=shelf.articles[:2]).order_by("pk")
    make.story(first, second, lead=first)
    fold([first.pk])
    page = opened(shelf.user)
    title(page, "Title 00").click()
    expect(headline(page)).to_have_text("Title 00")
    beside(page).locator(".beside").get_by_role("link", name="Title 01").first.click()
    expect(headline(page)).to_have_text("Title 01")
    beside(page).get_by_role("button", name="Remove from story").click()
    expect(beside(page).get_by_text("from its story, for you only")).to_be_visible()
    beside(page).get_by_role("navigation", name="Unread in this list").get_by_role("link", name="Next").click()
    expect(headline(page)).to_have_text("Title 02")
    expect(title(page, "Title 02")).to_have_attribute("aria-current", "true")
    assert page.locator("main").get_by_role("heading", level=1).text_content() == "All articles"


def test_what_else_there_is_comes_when_it_is_scrolled_to(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 00").click()
    expect(headline(page)).to_be_focused()
    press(page, "End")
    expect(beside(page).locator("[data-related]")).to_contain_text("No related articles.")


def test_its_player_works_as_on_a_page(opened: Opener, shelf: Shelf) -> None:
    Article.objects.filter(pk__in=shelf.articles[:2]).update(media=PLAY)
    page = opened(shelf.user)
    for name in ("Title 00", "Title 01"):
        title(page, name).click()
        expect(headline(page)).to_have_text(name)
        page.get_by_label("Speed").select_option("1.5")
    audio = page.locator("audio")
    assert audio.evaluate("each => each.playbackRate") == 1.5
    audio.evaluate(
        "each => { Object.defineProperty(each, 'currentTime', {value: 91.7}); each.dispatchEvent(new Event('pause')); }"
    )
    kept = json.loads(page.evaluate("sessionStorage.getItem('reports')"))
    [(url, fields)] = [(url, fields) for url, fields in kept if "/position/" in url]
    assert (url, fields["seconds"]) == (f"/articles/{shelf.articles[1]}/position/", "91")


def test_the_full_text_appears_there_when_it_has_come(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 00").click()
    beside(page).get_by_role("button", name="Full text").first.click()
    expect(beside(page).get_by_text("Fetching the full text")).to_be_visible()
    expect(page).to_have_url(re.compile(r"text=page"))
    FullText.objects.update(
        status="done", markup="<p>From the page</p>", text="From the page", fetched_at=timezone.now()
    )
    expect(beside(page).get_by_text("From the page", exact=True).first).to_be_visible()
    beside(page).get_by_role("link", name="Feed version").click()
    expect(beside(page).locator(".body")).to_contain_text("Body 00")
    expect(headline(page)).to_have_text("Title 00")


def test_with_control_it_is_a_tab_of_its_own(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    with page.context.expect_page() as tab:
        title(page, "Title 00").click(modifiers=["Control"])
    expect(tab.value.locator("main").get_by_role("heading", level=1)).to_have_text("Title 00")
    expect(headline(page)).to_have_count(0)
    expect(page).to_have_url(re.compile("/all/$"))


def in_turn(page: Page) -> None:
    """Clicking opens the article's page, and back leads to the list."""
    expect(beside(page)).to_be_hidden()
    page.get_by_role("link", name="Title 00", exact=True).click()
    expect(page.locator("main").get_by_role("heading", level=1)).to_have_text("Title 00")
    page.locator("[data-back]").click()
    expect(page.locator("main").get_by_role("heading", level=1)).to_have_text("All articles")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"viewport": MIDDLE}, id="narrower"),
        pytest.param({"java_script_enabled": False}, id="no scripts"),
    ],
)
def test_elsewhere_list_and_article_come_in_turn(opened: Opener, shelf: Shelf, options: dict[str, object]) -> None:
    in_turn(opened(shelf.user, **options))


def test_who_does_not_want_it_reads_in_turn(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/settings/")
    page.get_by_label("Three columns on wide screens").uncheck()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert not Preferences.objects.get().has_columns
    page.goto("/all/")
    in_turn(page)
    page.goto("/all/")
    press(page, "n", "n")  # walks, for there is no room to open something in
    expect(page.get_by_role("link", name="Title 02", exact=True)).to_be_focused()
    expect(page).to_have_url(re.compile("/all/$"))


def test_a_window_made_narrow_shows_the_article_and_then_the_list(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    title(page, "Title 04").click()
    expect(headline(page)).to_have_text("Title 04")
    page.set_viewport_size({"width": 900, "height": 800})
    expect(headline(page)).to_be_visible()
    expect(page.locator("main")).to_be_hidden()
    page.set_viewport_size({"width": 1300, "height": 800})
    expect(page.locator("main")).to_be_visible()
    expect(headline(page)).to_be_visible()
    page.set_viewport_size({"width": 900, "height": 800})
    press(page, "s")
    expect(beside(page).locator("[data-act=star]")).to_have_attribute("aria-pressed", "true")
    press(page, "u")
    expect(beside(page)).to_be_hidden()
    expect(title(page, "Title 04")).to_be_focused()
    expect(page).to_have_url(re.compile("/all/$"))


@pytest.fixture
def forgiving(watch: Watch) -> Callable[[], None]:
    """To be called at a test's end: Chromium notes each request that fails as an error."""
    return watch.complaints.clear


def test_without_a_connection_it_says_so_and_opens_when_asked_again(
    opened: Opener, shelf: Shelf, forgiving: Callable[[], None]
) -> None:
    page = opened(shelf.user)
    page.context.set_offline(True)
    title(page, "Title 00").click()
    line = page.locator("[data-trouble]")
    expect(line).to_contain_text("The server isn't responding. Are you online?")
    expect(page).to_have_url(re.compile("/all/$"))
    expect(row(page, shelf, 0)).not_to_have_class(re.compile(r"\bis-read\b"))
    page.context.set_offline(False)
    line.get_by_role("button", name="Try again").click()
    expect(headline(page)).to_have_text("Title 00")
    expect(line).to_be_hidden()
    forgiving()


def test_a_session_that_ended_and_an_article_that_is_gone_are_told(
    opened: Opener, shelf: Shelf, forgiving: Callable[[], None]
) -> None:
    page = opened(shelf.user)
    Delivery.objects.filter(article=shelf.articles[1]).delete()
    Article.objects.filter(pk=shelf.articles[1]).delete()
    title(page, "Title 01").click()
    expect(page.locator("[data-trouble]")).to_contain_text("This no longer exists.")
    page.context.clear_cookies()
    title(page, "Title 00").click()
    expect(page.locator("[data-trouble]")).to_contain_text("You've been signed out.")
    expect(headline(page)).to_have_count(0)
    forgiving()


def test_of_several_asked_for_quickly_the_last_is_shown(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "n", "n", "n")
    expect(headline(page)).to_have_text("Title 02")
    page.wait_for_load_state("networkidle")
    expect(headline(page)).to_have_text("Title 02")
    expect(page.locator("[data-row].is-read")).to_have_count(3)  # the server was asked for each of them


def test_headlines_name_their_source(opened: Opener, shelf: Shelf) -> None:
    Preferences.objects.create(user=shelf.user, density="headlines")
    page = opened(shelf.user)
    source = row(page, shelf, 0).get_by_text("Harbour Post", exact=True)
    expect(source).to_be_visible()
    assert title(page, "Title 00").evaluate("title => title.offsetWidth") > 120


LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3
ARABIC = "العنوان طويل بما يكفي ليمتد على أكثر من سطر واحد في عمود القراءة"


@pytest.mark.parametrize("density", ["compact", "cards", "headlines"])
def test_it_is_without_fault(opened: Opener, shelf: Shelf, density: str) -> None:
    rate(shelf)
    Preferences.objects.create(user=shelf.user, density=density)
    Article.objects.filter(pk=shelf.articles[0]).update(title=LONG, media=PLAY)
    Article.objects.filter(pk=shelf.articles[1]).update(
        title=ARABIC, language="ar", markup=f"<p>{ARABIC} {LONG.replace(' ', '')}</p>"
    )
    page = opened(shelf.user)
    for place in (0, 1):
        row(page, shelf, place).locator("[data-open]").click()
        expect(row(page, shelf, place).locator("[aria-current]")).to_have_count(1)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert faults_of(page) == []
        column, room = page.evaluate(
            "['main', '[data-pane]'].map((each) => document.querySelector(each))"
            ".map((each) => each.scrollWidth - each.clientWidth)"
        )
        assert (column, room) == (0, 0)


@pytest.mark.parametrize("width", [1200, 1440, 1920])
def test_a_line_has_sixty_to_seventy_two_letters(opened: Opener, shelf: Shelf, width: int) -> None:
    words = "The harbour office said on Monday that the last ferry of the season would leave a week early. " * 20
    Article.objects.filter(pk=shelf.articles[0]).update(markup=f"<p>{words}</p>")
    page = opened(shelf.user, viewport={"width": width, "height": 900})
    title(page, "Title 00").click()
    expect(headline(page)).to_have_text("Title 00")
    height, line = page.locator(".body p").evaluate(
        "each => [each.getBoundingClientRect().height, parseFloat(getComputedStyle(each).lineHeight)]"
    )
    assert 60 <= len(words) / round(height / line) <= 72
    columns = page.evaluate("['#menu', 'main'].map((each) => document.querySelector(each).offsetWidth)")
    assert columns == [240, {1200: 400, 1440: 400, 1920: 480}[width]]
