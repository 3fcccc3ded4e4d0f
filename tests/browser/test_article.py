"""An article's page in a browser: player, menu, next article, waiting for the full text."""

import json
import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from feeds.models import Article, FullText
from reader.articles.enclosures import file_key
from reader.models import PlaybackPosition, Rule
from tests.browser.conftest import PHONE, WIDE, Opener, Shelf, press

SOUND = "https://cdn.example/talk.mp3"


def path(shelf: Shelf, place: int, query: str = "?next=/all/") -> str:
    return f"/articles/{shelf.articles[place]}/{query}"


def reports(page: Page) -> list[tuple[str, dict[str, str]]]:
    kept = page.evaluate("sessionStorage.getItem('reports')")
    return [(url, fields) for url, fields in json.loads(kept or "[]") if "/position/" in url]


def test_n_and_p_go_on_in_the_list(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, path(shelf, 1))
    press(page, "n")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 02")
    press(page, "p")
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 00")  # 01 was read
    press(page, "u")
    expect(page).to_have_url(re.compile(rf"/all/#a{shelf.articles[0]}$"))


def test_going_on_works_without_a_script(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, path(shelf, 1), java_script_enabled=False)
    page.get_by_role("navigation", name="Unread in this list").get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Title 02")


def test_footnotes_jump_by_keyboard_without_a_script(opened: Opener, shelf: Shelf) -> None:
    markup = (
        "<p>Claim <a href='#n1' id='r1'>1</a></p>" + "<p>Body</p>" * 80 + "<p id='n1'>Note <a href='#r1'>back</a></p>"
    )
    Article.objects.filter(pk=shelf.articles[0]).update(markup=markup)
    page = opened(shelf.user, path(shelf, 0), java_script_enabled=False, viewport=PHONE)
    page.get_by_role("link", name="1", exact=True).focus()
    press(page, "Enter")
    expect(page.get_by_text("Note")).to_be_in_viewport()
    press(page, "Tab", "Enter")
    expect(page.get_by_role("link", name="1", exact=True)).to_be_in_viewport()
    expect(page).to_have_url(re.compile(rf"/articles/{shelf.articles[0]}/.*#text{shelf.articles[0]}-r1$"))


def test_the_menu_closes_by_escape_and_gives_the_focus_back(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, path(shelf, 0))
    more = page.locator(".more > summary")
    more.click()
    expect(page.get_by_role("link", name="Email")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_role("link", name="Email")).to_be_hidden()
    expect(more).to_be_focused()


def test_copies_the_link(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, path(shelf, 0), permissions=["clipboard-read", "clipboard-write"])
    page.locator(".more > summary").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("[data-announce]")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == Article.objects.get(pk=shelf.articles[0]).link


@pytest.mark.parametrize("java_script_enabled", [True, False], ids=["", "without JavaScript"])
def test_mutes_a_word_and_takes_it_back(opened: Opener, shelf: Shelf, java_script_enabled: bool) -> None:
    page = opened(shelf.user, path(shelf, 0), java_script_enabled=java_script_enabled)
    page.locator(".more > summary").press("Enter")
    page.locator(".mute-word > summary").press("Enter")
    page.get_by_label("Word or phrase in titles").fill("title")
    page.get_by_role("button", name="Mute", exact=True).press("Enter")
    expect(page.get_by_text("Articles with “title” in the title are muted.")).to_be_visible()
    assert Rule.objects.get().mutes
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert not Rule.objects.exists()


def test_mutes_beside_the_list_and_makes_a_rule(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/all/", viewport=WIDE)
    page.locator("[data-open]").first.click()
    page.locator("[data-pane] .more > summary").click()
    page.get_by_role("button", name=re.compile("^Mute the feed")).click()
    expect(page.locator("[data-pane] .message")).to_contain_text("those you have are hidden")
    page.locator("[data-pane]").get_by_role("button", name="Undo").click()
    expect(page.locator("[data-pane] .message")).to_have_text("Undone.")
    page.locator("[data-pane] .more > summary").click()
    page.get_by_role("link", name="Create a rule…").click()
    expect(page.get_by_label("Value").first).not_to_have_value("")


def test_the_bar_fits_a_phone_and_its_targets_a_thumb(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, path(shelf, 0), viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    sizes = page.eval_on_selector_all(
        ".thin-bar > .thin, .thin-bar > form > .thin, .more > summary",
        "all => all.map((each) => each.getBoundingClientRect()).filter((b) => b.width).map((b) => [b.width, b.height])",
    )
    assert len(sizes) == 8
    assert all(width >= 44 and height >= 44 for width, height in sizes)


def test_wide_tables_and_code_scroll_inside_themselves(opened: Opener, shelf: Shelf) -> None:
    cells = "".join(f"<td>column number {number}</td>" for number in range(40))
    markup = f"<table><tr>{cells}</tr></table><pre><code>{'x = y + ' * 60}</code></pre>"
    Article.objects.filter(pk=shelf.articles[0]).update(markup=markup, safe_version=0)
    for viewport in (PHONE, WIDE):
        page = opened(shelf.user, path(shelf, 0), viewport=viewport)
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
        for selector in (".body table", ".body pre"):
            assert page.eval_on_selector(selector, "each => each.scrollWidth > each.clientWidth")


def test_nothing_is_asked_of_another_host_before_a_click(opened: Opener, shelf: Shelf) -> None:
    media = [{"url": SOUND, "mime_type": "audio/mpeg"}, {"url": "https://cdn.example/f.mp4", "mime_type": "video/mp4"}]
    markup = '<p>See</p><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'
    Article.objects.filter(pk=shelf.articles[0]).update(media=media, markup=markup, safe_version=0)
    page = opened(shelf.user, path(shelf, 0))
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("link", name="Play", exact=True)).to_be_visible()
    expect(page.locator("[data-player]")).to_have_count(2)  # the fixture asserts that no request left


def test_a_player_tells_where_it_stands_and_keeps_its_speed(opened: Opener, shelf: Shelf) -> None:
    Article.objects.filter(pk=shelf.articles[0]).update(media=[{"url": SOUND, "mime_type": "audio/mpeg"}])
    article = Article.objects.get(pk=shelf.articles[0])
    PlaybackPosition.objects.create(
        user=shelf.user, article=article, file=file_key(SOUND), seconds=75, saved_at=timezone.now()
    )
    page = opened(shelf.user, path(shelf, 0))
    audio = page.locator("audio")
    expect(audio).to_have_attribute("src", f"{SOUND}#t=75")
    page.get_by_label("Speed").select_option("1.5")
    assert audio.evaluate("each => each.playbackRate") == 1.5
    audio.evaluate(
        "each => { Object.defineProperty(each, 'currentTime', {value: 91.7}); each.dispatchEvent(new Event('pause')); }"
    )
    [[url, fields]] = reports(page)
    assert url == f"/articles/{article.pk}/position/"
    assert (fields["file"], fields["seconds"]) == (file_key(SOUND), "91")
    page.reload()
    expect(page.get_by_label("Speed")).to_have_value("1.5")


def test_the_full_text_appears_when_it_has_come(opened: Opener, shelf: Shelf) -> None:
    article = Article.objects.get(pk=shelf.articles[0])
    waiting = FullText.objects.create(article=article, requested_at=timezone.now())
    page = opened(shelf.user, path(shelf, 0, "?text=page&next=/all/"))
    expect(page.get_by_role("status").filter(has_text="Fetching the full text")).to_be_visible()
    FullText.objects.filter(pk=waiting.pk).update(
        status="done", markup="<p>From the page</p>", text="From the page", fetched_at=timezone.now()
    )
    expect(page.get_by_text("From the page", exact=True).first).to_be_visible()
    expect(page.get_by_role("link", name="Feed version")).to_be_visible()
