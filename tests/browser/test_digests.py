"""The front page, past digests and their settings, with mouse, keys and thumb, and without scripts."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from digests.edition.document import SectionName, Topic, Trend
from digests.edition.kinds import Kind
from digests.models import Digest, DigestPlan, PrivateFeed
from feeds.models import Article
from reader.models import ArticleState, Delivery, Engagement
from tests import make
from tests.browser.conftest import MIDDLE, PHONE, WIDE, Opener, Shelf, every_look, press
from tests.browser.faults import Look, faults_at, faults_of
from tests.browser.test_scoring import TOO_WIDE
from tests.browser.test_swiping import TOUCH, swipe
from tests.digests import editions, kept

TOP, NOTEWORTHY, ALSO = SectionName
HERE = re.compile(r"\bis-here\b")
READ = re.compile(r"\bis-read\b")
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
NARROW = {"width": 360, "height": 700}


@dataclass(frozen=True, slots=True)
class Front:
    """A reader's front page: `leads` are the articles that lead its topics, in their order."""

    shelf: Shelf
    digest: Digest
    leads: list[int]


def told(shelf: Shelf, number: int, section: SectionName, n_related: int = 0) -> Topic:
    """A topic about articles of the shelf, from the number-th on."""
    entries = [
        editions.entry(
            pk, title=f"Title {number + place:02}", source="Harbour Post", importance=editions.IMPORTANCE[section]
        )
        for place, pk in enumerate(shelf.articles[number : number + 1 + n_related])
    ]
    made = editions.topic(number, section, lead=entries[0], label=f"Label {number}", summary="Whole sentences. Two.")
    return replace(made, related=tuple(entries[1:]), sources=("Reuters", "DW"), category="Science")


@pytest.fixture
def front(shelf: Shelf) -> Front:
    topics = [
        replace(told(shelf, 0, TOP, n_related=2), trend=Trend.EMERGING),
        told(shelf, 3, TOP),
        told(shelf, 4, TOP),
        told(shelf, 5, NOTEWORTHY),
        told(shelf, 6, NOTEWORTHY, n_related=1),
        told(shelf, 8, ALSO),
    ]
    report = editions.full_edition().report
    findings = editions.full_edition().findings
    digest = kept.front_page(shelf.user, *topics, made_at=timezone.now(), report=report, findings=findings)
    make.story(*Article.objects.filter(pk__in=shelf.articles[:2]))
    return Front(shelf, digest, [shelf.articles[place] for place in (0, 3, 4, 5, 6, 8)])


@pytest.fixture(autouse=True)
def _no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("digests.today.refresh.call_worker", lambda *_: True)


def headline(page: Page, title: str) -> Locator:
    """The headline of a topic or of a related article; the contents list it too."""
    return page.locator(".digest-section").get_by_role("link", name=title, exact=True)


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent"))


def test_the_first_screen_says_what_matters(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/")
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    expect(headline(page, "Title 00")).to_be_in_viewport()
    expect(page.get_by_text("Whole sentences. Two.").first).to_be_in_viewport()
    for place in (0, 3, 4):
        expect(
            page.get_by_role("navigation", name="In this digest").get_by_text(f"Title {place:02}")
        ).to_be_in_viewport()


def test_keys_walk_through_topics_and_rows_and_act(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/")
    walked = []
    for _ in range(7):
        press(page, "j")
        walked.append(focused(page))
    titles = [f"Title {place:02}" for place in (0, 3, 4, 5, 6, 8)]
    assert walked == [*titles, titles[-1]]  # at the end it stays
    for _ in range(4):
        press(page, "k")
    assert focused(page) == "Title 03"
    place = page.locator(f"#a{front.leads[1]}")
    expect(place).to_have_class(HERE)
    for key, words in (("s", "Starred"), ("l", "Liked. Press z to undo."), ("m", "Read")):
        press(page, key)
        expect(page.locator("[data-announce]")).to_have_text(words)
    expect(place).to_have_class(READ)
    state = ArticleState.objects.get()
    assert (state.article_id, state.is_read, state.is_starred) == (front.leads[1], True, True)
    press(page, "x")
    expect(page.locator("[data-announce]")).to_contain_text("Skipped")
    assert focused(page) == "Title 04"  # a skip goes on to the next
    press(page, "d")
    expect(page.locator("[data-announce]")).to_contain_text("Disliked")
    kinds = list(Engagement.objects.order_by("pk").values_list("article", "kind"))
    assert kinds[-2:] == [(front.leads[1], "skipped"), (front.leads[2], "disliked")]


def test_keys_open_the_article_its_story_and_why_and_come_back_to_the_topic(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/", viewport=MIDDLE)
    press(page, "j")
    press(page, "o")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 00")
    press(page, "u")
    expect(page).to_have_url(re.compile(f"/#a{front.leads[0]}$"))
    expect(page.locator(f"#a{front.leads[0]}")).to_have_class(READ)
    press(page, "t")  # walking goes on from the row one came back to
    expect(page).to_have_url(re.compile("/stories/"))
    press(page, "u")
    expect(page).to_have_url(re.compile(f"/#a{front.leads[0]}$"))
    press(page, "w")
    expect(page).to_have_url(re.compile(f"/articles/{front.leads[0]}/why/"))


def test_v_opens_the_original_which_counts_as_opening(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/")
    press(page, "j")
    with page.context.expect_page():
        press(page, "v")
    expect(page.locator(f"#a{front.leads[0]}")).to_have_class(READ)
    sent = page.evaluate("JSON.parse(sessionStorage.getItem('reports'))")[-1][1]
    assert (sent["opened"], sent["original"]) == (str(front.leads[0]), "1")


def test_an_article_opens_beside_the_front_page(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/", viewport=WIDE)
    pane = page.get_by_role("region", name="Article", exact=True)
    expect(pane).to_be_hidden()
    for title in ("Title 00", "Title 05"):  # a topic, and a row
        headline(page, title).click()
        expect(pane.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator("main [aria-current=true][data-open]")).to_have_text(title)
    press(page, "u")
    expect(pane).to_be_hidden()
    expect(page).to_have_url(re.compile("/$"))


def test_opening_and_closing_leaves_the_row_in_its_place(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/", viewport={"width": 1300, "height": 300})
    row = headline(page, "Title 05")
    row.scroll_into_view_if_needed()
    tops = [round((row.bounding_box() or {"y": 0})["y"])]
    row.click()
    expect(page.get_by_role("region", name="Article", exact=True).get_by_role("heading", level=1)).to_be_visible()
    tops.append(round((row.bounding_box() or {"y": 0})["y"]))
    press(page, "Escape")
    expect(page.get_by_role("region", name="Article", exact=True)).to_be_hidden()
    tops.append(round((row.bounding_box() or {"y": 0})["y"]))
    assert max(tops) - min(tops) < 60


@pytest.mark.parametrize("number", [1, 3], ids=["a topic", "a row"])
def test_a_swipe_to_the_right_stars(opened: Opener, front: Front, number: int) -> None:
    page = opened(front.shelf.user, "/", **TOUCH)
    page.locator("[data-row]").nth(number).scroll_into_view_if_needed()
    swipe(page, number, 120, on=":is(.row-title, .topic-title)")
    expect(page.locator("[data-toast]")).to_contain_text("Starred.")
    assert ArticleState.objects.get(is_starred=True).article_id == front.leads[number]


def test_acts_by_mouse_show_at_once_and_are_undone(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/")
    page.get_by_role("button", name="Skip: Title 03").click()
    expect(page.locator(f"#a{front.leads[1]}")).to_have_class(READ)
    page.locator("[data-toast]").get_by_role("button", name="Undo").click()
    expect(page.locator("[data-announce]")).to_have_text("Undone")
    expect(page.locator(f"#a{front.leads[1]}")).not_to_have_class(READ)
    assert not Delivery.objects.filter(is_read=True).exists()


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_everything_works_without_scripts(opened: Opener, front: Front, viewport: dict[str, int]) -> None:
    page = opened(front.shelf.user, "/", java_script_enabled=False, viewport=viewport)
    page.get_by_role("button", name="Star: Title 03").click()
    expect(page.get_by_role("button", name="Star: Title 03")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Skip: Title 04").click()
    expect(page.get_by_text("Skipped: “Title 04”.")).to_be_visible()
    expect(page).to_have_url(re.compile(f"/#a{front.leads[2]}$"))
    page.get_by_text("2 related").click()
    headline(page, "Title 01").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 01")
    page.get_by_role("link", name="Back").click()
    page.get_by_role("button", name="Update now").click()
    expect(page.get_by_text("updating")).to_be_visible()
    expect(page.get_by_role("link", name="Reload")).to_be_visible()


def test_contents_lead_to_their_topics(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/", viewport={"width": 1300, "height": 500})
    page.get_by_role("navigation", name="In this digest").get_by_role("link", name="Title 04").click()
    expect(headline(page, "Title 04")).to_be_in_viewport()
    expect(headline(page, "Title 00")).not_to_be_in_viewport()


def test_on_a_phone_the_contents_are_folded(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/", viewport=PHONE)
    contents = page.get_by_role("navigation", name="In this digest")
    expect(contents.get_by_role("link", name="Title 04")).to_be_hidden()
    contents.get_by_text("In this digest").click()
    expect(contents.get_by_role("link", name="Title 04")).to_be_visible()


def test_what_was_on_the_screen_is_told_as_in_any_list(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/", viewport={"width": 1300, "height": 5000})
    headline(page, "Title 04").click()
    expect(page.locator("[data-pane]").get_by_role("heading", level=1)).to_have_text("Title 04")
    sent = page.evaluate("JSON.parse(sessionStorage.getItem('reports'))")[0][1]
    assert sent["opened"] == str(front.leads[2])
    assert sent["above"] == f"{front.leads[0]},{front.leads[1]}"


def test_the_first_digest_shows_by_itself(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Preparing your first digest")
    expect(page.get_by_role("progressbar")).to_be_visible()
    kept.front_page(shelf.user, told(shelf, 0, TOP), made_at=timezone.now())
    expect(headline(page, "Title 00")).to_be_visible()


def test_a_newer_digest_is_offered_and_the_page_stays(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/")
    page.get_by_role("button", name="Update now").click()
    expect(page.get_by_text("updating")).to_be_visible()
    kept.front_page(front.shelf.user, told(front.shelf, 9, TOP), made_at=later(front))
    newer = page.get_by_role("link", name="Show newer version")
    expect(newer).to_be_visible()
    expect(page.get_by_text("Updated just now")).to_be_hidden()
    expect(headline(page, "Title 00")).to_be_visible()
    newer.click()
    expect(page.locator(".topic").get_by_role("link", name="Title 09", exact=True)).to_be_visible()
    expect(page.locator(".topic").get_by_role("link", name="Title 00", exact=True)).to_be_hidden()


def later(front: Front) -> datetime:
    return Digest.objects.get(pk=front.digest.pk).made_at + timedelta(seconds=2)


def test_paper_holds_the_digest_and_its_addresses_alone(opened: Opener, front: Front) -> None:
    page = opened(front.shelf.user, "/", color_scheme="dark")
    page.emulate_media(media="print")
    for name in ("Reader", "Places", "In this digest"):
        expect(page.get_by_role("navigation", name=name, include_hidden=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Skip: Title 00", include_hidden=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Update now", include_hidden=True)).to_be_hidden()
    after = "(it) => getComputedStyle(it, '::after').content"
    link = page.locator(f"#a{front.leads[0]} [data-open]")
    assert link.evaluate(after) == f'"https://paper.example/{front.leads[0]}"'
    assert link.evaluate("(it) => getComputedStyle(it).color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".topic").first.evaluate("(it) => getComputedStyle(it).breakInside") == "avoid"


@pytest.fixture
def past(front: Front) -> Digest:
    """A morning brief whose mail failed, and two more days."""
    user = front.shelf.user
    for days in (1, 2):
        kept.digest(user, told(front.shelf, 3, TOP), made_at=timezone.now() - timedelta(days=days))
    digest = kept.digest(user, *(told(front.shelf, place, TOP) for place in range(6)), made_at=timezone.now())
    kept.mailing(digest, "failed", n_tries=9, answer="550: no such user.")
    return digest


def test_past_digests_are_walked_opened_and_sent_again(opened: Opener, front: Front, past: Digest) -> None:
    user = front.shelf.user
    user.email = "ada@example.org"
    user.save()
    page = opened(user, "/")
    menu = page.get_by_role("navigation", name="RSS Manager")
    menu.get_by_text("More", exact=True).click()
    menu.get_by_role("link", name="Digests").click()
    expect(page.locator("[data-row]")).to_have_count(3)
    press(page, "j")
    press(page, "o")
    expect(page.get_by_text("550: no such user.")).to_be_visible()
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_text("Sending again to ada@example.org")).to_be_visible()
    expect(page.get_by_text("Waiting to be emailed.")).to_be_visible()
    press(page, "u")
    expect(page.get_by_role("heading", level=1)).to_have_text("Digests")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_digest_is_planned(opened: Opener, shelf: Shelf, scripts: bool) -> None:
    User.objects.update(email="ada@example.org")
    page = opened(shelf.user, "/digests/settings/", java_script_enabled=scripts)
    page.get_by_role("link", name="Your time zone").click()
    page.get_by_label("Your time zone").fill("Asia/Tokyo")
    page.get_by_role("button", name="Save time zone").click()
    page.goto("/digests/settings/")
    expect(page.get_by_text("Times are in Asia/Tokyo.")).to_be_visible()
    evening = page.get_by_role("group", name="Evening recap")
    evening.get_by_label("On", exact=True).check()
    evening.get_by_label("At").fill("17:30")
    evening.get_by_label("By email").check()
    page.locator("#plans").get_by_role("button", name="Save").click()
    expect(page.get_by_role("group", name=re.compile("Evening recap · next: .*17:30"))).to_be_visible()
    plan = DigestPlan.objects.get(kind=Kind.EVENING)
    assert (plan.is_on, plan.by_mail, f"{plan.at:%H:%M}") == (True, True, "17:30")


def test_the_private_feed_is_read_by_its_address(opened: Opener, front: Front, past: Digest) -> None:
    page = opened(front.shelf.user, "/digests/settings/")
    page.get_by_role("button", name="Create address").click()
    address = page.locator(".new-address .address").inner_text()
    path = address[address.index("/digests/feed/") :]
    answer = page.request.get(path, headers={"Cookie": ""})
    assert (answer.status, answer.text().count("<entry>")) == (200, 3)
    page.goto("/digests/settings/")
    expect(page.get_by_text("last read")).to_be_visible()
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_text("Its address no longer works.")).to_be_visible()
    assert not PrivateFeed.objects.exists()


PATHS = {"today": "/", "past": "/digests/{past}/", "list": "/digests/", "settings": "/digests/settings/"}
every_page = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())


@every_look
@every_page
def test_digest_page_is_accessible(opened: Opener, front: Front, past: Digest, path: str, looks: list[Look]) -> None:
    for pk in (front.leads[0], front.leads[3]):
        ArticleState.objects.create(user=front.shelf.user, article_id=pk, is_read=True)
    page = opened(front.shelf.user, path.format(past=past.pk))
    for each in page.locator("summary:visible").all():
        each.click()
    assert faults_at(page, looks) == []


@pytest.mark.parametrize("path", ["/", "/digests/", "/digests/settings/"])
@pytest.mark.parametrize("has_feeds", [True, False], ids=["first visit", "nothing followed"])
def test_pages_with_nothing_yet_owe_the_same(opened: Opener, shelf: Shelf, path: str, has_feeds: bool) -> None:
    page = opened(shelf.user if has_feeds else make.user("bob"), path, viewport=PHONE)
    assert faults_of(page) == []


@every_page
def test_nothing_is_wider_than_the_screen(opened: Opener, front: Front, past: Digest, path: str) -> None:
    for section in SectionName:
        entry = editions.entry(article_id=None, title=LONG, source=LONG, url=f"https://a.example/{LONG * 3}")
        topic = editions.topic(1, section, lead=entry, label=LONG, summary=LONG, moved=LONG, category=LONG)
        for digest in (front.digest, past):
            add(digest, replace(topic, related=(entry,), sources=(LONG, LONG, LONG)))
    page = opened(front.shelf.user, path.format(past=past.pk))
    for each in page.locator("summary:visible").all():
        each.click()
    for viewport in (WIDE, {"width": 820, "height": 900}, NARROW):
        page.set_viewport_size(viewport)
        assert page.evaluate(TOO_WIDE) == [], viewport


def add(digest: Digest, topic: Topic) -> None:
    """One more topic, at the end."""
    position = digest.topics.count()
    row = digest.topics.create(
        position=position,
        section=topic.section,
        label=topic.label,
        importance=topic.importance,
        category=topic.category,
        summary=topic.summary,
        moved=topic.moved,
        sources=list(topic.sources),
        n_more=1,
    )
    for place, entry in enumerate(topic.entries):
        row.articles.create(
            position=place,
            title=entry.title,
            url=entry.url,
            source=entry.source,
            tier=entry.tier,
            published_at=entry.published_at,
            importance=entry.importance,
        )
