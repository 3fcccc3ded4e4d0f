"""What every page owes to people who do not see it, or see it badly: names, order, contrast."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page

from feeds.models import Article, Disposition, Revision
from reader.models import Import, Separation
from tests import make
from tests.browser.conftest import PHONE, WIDE, Opener, Shelf, rate

PATHS = {
    "home": "/all/",
    "folder": "/folders/{folder}/",
    "selection": "/folders/{folder}/selection/",
    "feed": "/feeds/{feed}/",
    "edit": "/feeds/{feed}/edit/",
    "unfollow": "/feeds/{feed}/unfollow/",
    "article": "/articles/{article}/",
    "story": "/stories/{story}/",
    "for you": "/for-you/",
    "important": "/important/",
    "why": "/articles/{article}/why/",
    "interests": "/interests/",
    "forget interests": "/interests/reset/",
    "model": "/interests/model/",
    "starred": "/starred/",
    "subscribe": "/subscribe/",
    "import": "/imports/{job}/",
    "health": "/health/",
    "notifications": "/notifications/",
}

# Names as a browser computes them for the cases that occur here: aria-label, labels, text, image alternatives.
FAULTS = """() => {
  const faults = [];
  const seen = (element) => element.getClientRects().length > 0 || element.closest(".spoken");
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const named = (element) => (element.getAttribute("aria-label") || element.textContent || "").trim() !== ""
    || element.querySelector("img[alt]:not([alt=''])");
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title.trim()) faults.push("no title");
  for (const field of all("input:not([type=hidden]), select, textarea"))
    if (!field.labels?.length && !field.getAttribute("aria-label")) faults.push(`no label: ${field.outerHTML}`);
  for (const each of all("a[href], button, summary"))
    if (!named(each)) faults.push(`no name: ${each.outerHTML.slice(0, 120)}`);
  for (const image of all("img:not([alt])")) faults.push(`no alternative: ${image.outerHTML.slice(0, 120)}`);
  for (const nav of all("nav")) if (!nav.getAttribute("aria-label")) faults.push("a navigation without a name");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, place) => ids.indexOf(id) !== place))) faults.push(`id twice: ${id}`);
  let level = 0;
  for (const heading of document.querySelectorAll("main :is(h1, h2, h3, h4)")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) faults.push(`heading skips a level: ${heading.textContent.trim().slice(0, 60)}`);
    level = own;
  }
  for (const each of document.querySelectorAll("[aria-describedby], [for], [list]"))
    for (const name of ["aria-describedby", "for", "list"])
      for (const id of (each.getAttribute(name) || "").split(/\\s+/).filter(Boolean))
        if (!document.getElementById(id)) faults.push(`${name} leads nowhere: ${id}`);
  return faults;
}"""

# Text against the nearest ground behind it (WCAG 2.2, 1.4.3); colours are painted to read whatever syntax they have.
PALE = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], ground) => [r, g, b].map((part, place) => part * a + ground[place] * (1 - a));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) layers.push(rgba(getComputedStyle(each).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const faults = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.getClientRects().length) continue;
    if (element.closest(".spoken, .skip, script, noscript, option, svg")) continue;
    const below = ground(element), style = getComputedStyle(element);
    const [light, dark] = [luminance(over(rgba(style.color), below)), luminance(below)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const least = element.closest(".body") ? 7 : 4.5;
    if (ratio < least) faults.add(`${ratio.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 50)}`);
  }
  return [...faults];
}"""

SMALL = """() => [...document.querySelectorAll("button, .button, .bar a, .row-acts a, input:not([type=hidden])")]
  .filter((each) => each.getClientRects().length)
  .map((each) => [each, each.getBoundingClientRect()])
  .filter(([each, box]) => box.width < 24 || box.height < 24)
  .map(([each]) => each.outerHTML.slice(0, 120))"""


@pytest.fixture
def places(shelf: Shelf) -> dict[str, int]:
    """One of everything, with something on every page."""
    folder = shelf.subscription.folder
    assert folder is not None
    folder.item_limit_per_category = 3
    folder.save()
    feed = shelf.subscription.feed
    feed.found_feeds = [{"url": "https://found.example/feed", "title": "Found"}]
    feed.condition, feed.condition_reason, feed.failures_running = "unhealthy", "its last 3 polls failed", 3
    feed.save()
    for outcome in ("new", "unchanged", "timeout"):
        make.poll(feed, outcome)
    make.delivery(make.subscription(shelf.user, title="Second"), feed.items.earliest("pk").article)
    article = shelf.articles[0]
    Revision.objects.create(article_id=article, replaced_at=make.NOW, title="Old", text="Old text", content_hash=1)
    make.notification(shelf.subscription)
    rate(shelf)
    for term, weight in (("chess", 3.0), ("harbour", -2.0), ("silent", 1.0)):
        make.term(shelf.user, term, weight, is_muted=term == "silent", is_pinned=term == "chess", origin="topic")
    make.training(shelf.user)
    make.training(shelf.user, average_precision=0.7, trained_at=make.NOW - timedelta(days=1))
    make.engagement(shelf.user, Article.objects.get(pk=article), "liked")
    make.engagement(shelf.user, Article.objects.get(pk=shelf.articles[1]), "disliked")
    job = Import.objects.create(user=shelf.user, kind="file", name="x.opml", status="running", n_total=4, n_done=1)
    job.lines.create(line=3, label="Third", reason="no feed URL")
    return {"folder": folder.pk, "feed": shelf.subscription.pk, "article": article, "job": job.pk, "story": told(shelf)}


def told(shelf: Shelf) -> int:
    """A story with reports of its own, copies of the lead and of a report, and one that was taken out."""
    lead, copy, report, copy_of_report, apart = Article.objects.filter(pk__in=shelf.articles[:5]).order_by("pk")
    story = make.story(lead, report, apart, lead=lead)
    for one, other in ((lead, copy), (report, copy_of_report)):
        make.link(one, other, Disposition.NEAR_DUPLICATE, layer="content", evidence="SimHash distance 2")
    Article.objects.filter(pk__in=(copy.pk, copy_of_report.pk)).update(story=story, summary="Summary.", language="de")
    Separation.objects.create(user=shelf.user, article=apart, made_at=make.NOW)
    return story.pk


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_everything_has_a_name_and_its_place(
    opened: Opener, shelf: Shelf, places: dict[str, int], path: str, viewport: dict[str, int]
) -> None:
    page = opened(shelf.user, path.format(**places), viewport=viewport)
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(SMALL) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_text_stands_out_from_its_ground(
    opened: Opener, shelf: Shelf, places: dict[str, int], path: str, scheme: str
) -> None:
    page = opened(shelf.user, path.format(**places), color_scheme=scheme)
    assert page.evaluate(PALE) == []


@pytest.mark.parametrize("path", ["/login/", "/nowhere/"])
def test_pages_outside_owe_the_same(opened: Opener, shelf: Shelf, watch: object, path: str) -> None:
    page = opened(None, path)
    assert [page.evaluate(FAULTS), page.evaluate(PALE)] == [[], []]
    watch.complaints.clear()  # type: ignore[attr-defined]  # Chromium notes the answer 404 as an error


def test_the_checks_find_faults(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    spoil(page, "<input id='x'><h1>Second</h1><button></button><p class='pale'>Pale words</p>")
    faults = " ".join(page.evaluate(FAULTS))
    assert all(words in faults for words in ("no label", "not one h1", "no name"))
    page.evaluate("document.querySelector('.pale').style.color = '#aaa'")
    assert any("Pale words" in fault for fault in page.evaluate(PALE))


def spoil(page: Page, markup: str) -> None:
    page.evaluate("(markup) => document.querySelector('main').insertAdjacentHTML('beforeend', markup)", markup)


def test_the_first_tab_skips_to_the_text(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_motion_ends_where_none_is_wanted(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.querySelector('.button')).transitionDuration") == "0s"
