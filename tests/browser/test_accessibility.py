"""What every page owes to people who do not see it, or see it badly: names, order, contrast."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from feeds.models import Article, Disposition, FullText, Revision
from feeds.search import indexer
from reader.articles.highlights import add_highlight
from reader.models import (
    Duplicate,
    Import,
    Muted,
    RuleRun,
    SavedSearch,
    SendTarget,
    Separation,
    Subscription,
    TaggedArticle,
)
from reader.subscriptions.save_page import save_page
from reader.subscriptions.unfollow import unfollow
from rssmanager.accounts.models import DataImport
from tests import make
from tests.browser.conftest import Filler, Opener, Shelf, Watch, every_look, press, rate
from tests.browser.faults import Look, faults_at, faults_of

PATHS = [
    "/all/",
    "/folders/{folder}/",
    "/folders/{folder}/selection/",
    "/feeds/{feed}/",
    "/feeds/{feed}/edit/",
    "/feeds/{feed}/unfollow/",
    "/feeds/{feed}/health/",
    "/feeds/duplicates/",
    "/feeds/duplicates/{duplicate}/",
    "/folders/",
    "/folders/{folder}/edit/",
    "/articles/{article}/",
    "/articles/{article}/?next=/all/&text=page",
    "/articles/{fetched}/?next=/all/&text=page",
    "/articles/{article}/changes/",
    "/articles/{article}/related/",
    "/stories/{story}/",
    "/stories/",
    "/all/?show=newest",
    "/for-you/",
    "/important/",
    "/articles/{article}/why/",
    "/interests/",
    "/interests/reset/",
    "/interests/model/",
    "/starred/",
    "/save/",
    "/save/?url=https://page.example/a&title=A+page",
    "/saved/{saved}/",
    "/search/",
    "/search/?q=title",
    "/search/?q=(title+is%3Astarred",
    "/searches/{search}/",
    "/searches/{search}/edit/",
    "/rules/",
    "/rules/{rule}/",
    "/rules/new/",
    "/rules/new/?article={article}",
    "/highlights/",
    "/settings/send-to/",
    "/muted/",
    "/tags/{tag}/",
    "/subscribe/",
    "/imports/{job}/",
    "/imports/{preview}/",
    "/health/",
    "/notifications/",
    "/settings/",
    "/keys/",
    "/settings/data/",
    "/settings/data/imports/{data_done}/",
    "/settings/data/imports/{data_preview}/",
    "/settings/account/",
    "/settings/account/second-factor/",
    "/settings/account/delete/",
    "/habits/",
    "/habits/forget/",
]


def one_of_everything(shelf: Shelf) -> dict[str, int]:
    """One of everything, with something on every page."""
    folder = shelf.subscription.folder
    assert folder is not None
    folder.item_limit_per_category = 3
    folder.save()
    feed = shelf.subscription.feed
    feed.discovered_feeds = [{"url": "https://found.example/feed", "title": "Found"}]
    feed.condition, feed.condition_reason, feed.consecutive_failures = "unhealthy", "its last 3 polls failed", 3
    feed.save()
    for outcome in ("new", "unchanged", "timeout"):
        make.poll(feed, outcome)
    second = make.subscription(shelf.user, title="Second", n_month=6, n_quarter=20)
    make.delivery(second, feed.items.earliest("pk").article)
    Subscription.objects.update(added_at=make.NOW - timedelta(days=400))
    duplicate = Duplicate.objects.create(user=shelf.user, one=shelf.subscription, other=second, why="site")
    unfollow(shelf.user, [make.subscription(shelf.user, title="Left").pk], now=timezone.now())
    article = shelf.articles[0]
    found = Article.objects.get(pk=article)
    add_highlight(shelf.user, found, quote="A line", note="Mine", now=make.NOW)
    SendTarget.objects.create(user=shelf.user, service="mastodon", values={"url": "https://social.example"})
    Revision.objects.create(article_id=article, replaced_at=make.NOW, title="Old", text="Old text", content_hash=1)
    make.notification(shelf.subscription)
    fetched = hard_to_read(article, shelf.articles[6])
    rate(shelf)
    for term, weight in (("chess", 3.0), ("harbour", -2.0), ("silent", 1.0)):
        make.term(shelf.user, term, weight, is_muted=term == "silent", is_pinned=term == "chess", origin="topic")
    make.training(shelf.user)
    make.training(shelf.user, average_precision=0.7, trained_at=make.NOW - timedelta(days=1))
    make.engagement(shelf.user, Article.objects.get(pk=article), "liked")
    make.engagement(shelf.user, Article.objects.get(pk=shelf.articles[1]), "disliked")
    job = Import.objects.create(user=shelf.user, kind="file", name="x.opml", status="running", n_total=4, n_done=1)
    listed = b"https://a.example/feed\nftp://b.example/feed"
    preview = Import.objects.create(user=shelf.user, kind="file", name="x.txt", status="preview", data=listed)
    job.lines.create(line=3, label="Third", reason="no feed URL")
    done = DataImport.objects.create(user=shelf.user, name="a.zip", status="done", n_refused=1, created_at=make.NOW)
    done.lines.create(line=3, label="Third", reason="It has no title.")
    shown = DataImport.objects.create(
        user=shelf.user,
        name="b.zip",
        status="preview",
        holds={"counts": {"feed": 3, "unknown": 1}},
        created_at=make.NOW,
    )
    for number, each in enumerate(shelf.articles):
        kind = ("opened", "skipped", "passed")[number % 3]
        make.engagement(shelf.user, Article.objects.get(pk=each), kind, happened_at=make.timezone.now())
    indexer.queue_articles(shelf.articles)
    indexer.index_waiting()
    tag = make.tag(shelf.user, "Games")
    TaggedArticle.objects.create(
        user=shelf.user, tag=tag, article_id=article, published_at=make.NOW, tagged_at=make.NOW
    )
    rule = make.rule(shelf.user, name="Chess", tag=tag, lift=20, n_hits=3)
    make.rule(shelf.user, author="Ada", mutes=True, is_on=False)
    RuleRun.objects.create(rule=rule, n_total=10, n_done=4, asked_at=make.NOW)
    Muted.objects.create(
        user=shelf.user,
        subscription=shelf.subscription,
        article_id=shelf.articles[9],
        rule=rule,
        published_at=make.NOW,
        muted_at=make.NOW,
    )
    search = SavedSearch.objects.create(user=shelf.user, name="Titles", query="title")
    numbers = {"search": search.pk, "rule": rule.pk, "tag": tag.pk}
    numbers |= {
        "data_done": done.pk,
        "data_preview": shown.pk,
        "folder": folder.pk,
        "feed": shelf.subscription.pk,
        "article": article,
        "fetched": fetched,
        "saved": save_page(shelf.user, "https://page.example/a", title="A page", now=timezone.now())[0].pk,
    }
    return numbers | {"job": job.pk, "preview": preview.pk, "story": told(shelf), "duplicate": duplicate.pk}


def hard_to_read(article: int, fetched: int) -> int:
    """Give an article a recording, a player of another site and a page that failed, and another one its full text."""
    media = [{"url": "https://cdn.example/talk.mp3", "mime_type": "audio/mpeg"}]
    frame = '<p>Body</p><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>'
    Article.objects.filter(pk=article).update(media=media, markup=frame)
    page = {"requested_at": make.NOW, "fetched_at": make.NOW}
    FullText.objects.create(article_id=article, status="failed", error="The page requires signing in.", **page)
    FullText.objects.create(article_id=fetched, status="done", markup="<p>All of it</p>", text="All of it", **page)
    return fetched


def told(shelf: Shelf) -> int:
    """A story with reports of its own, copies of the lead and of a report, and one that was taken out."""
    lead, copy, report, copy_of_report, apart = Article.objects.filter(pk__in=shelf.articles[:5]).order_by("pk")
    story = make.story(lead, report, apart, lead=lead)
    for one, other in ((lead, copy), (report, copy_of_report)):
        make.link(one, other, Disposition.NEAR_DUPLICATE, layer="content", evidence="SimHash distance 2")
    Article.objects.filter(pk__in=(copy.pk, copy_of_report.pk)).update(story=story, summary="Summary.", language="de")
    Separation.objects.create(user=shelf.user, article=apart, made_at=make.NOW)
    return story.pk


@pytest.fixture
def addresses(filled: Filler, shelf: Shelf) -> list[str]:
    places = filled(one_of_everything, shelf)
    return [path.format(**places) for path in PATHS]


@every_look
def test_every_page_is_accessible(opened: Opener, shelf: Shelf, addresses: list[str], looks: list[Look]) -> None:
    page = opened(shelf.user)
    faults = []
    for address in addresses:
        page.goto(address)
        faults += faults_at(page, looks)
    assert faults == []


@every_look
@pytest.mark.parametrize("path", ["/login/", "/nowhere/"])
def test_signed_out_page_is_accessible(opened: Opener, watch: Watch, path: str, looks: list[Look]) -> None:
    assert faults_at(opened(None, path), looks) == []
    watch.complaints.clear()  # Chromium reports the 404 as an error


def test_the_checks_find_faults(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    spoil(page, "<input id='x'><h1>Second</h1><button></button><p class='pale'>Pale words</p>")
    page.evaluate("document.querySelector('.pale').style.color = '#aaa'")
    faults = " ".join(faults_of(page))
    for name in ("label:", "button-name:", "color-contrast:", "small:"):
        assert name in faults


def spoil(page: Page, markup: str) -> None:
    page.evaluate("(markup) => document.querySelector('main').insertAdjacentHTML('afterbegin', markup)", markup)


def test_the_first_tab_skips_to_the_text(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user)
    press(page, "Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    press(page, "Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_motion_ends_where_none_is_wanted(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.querySelector('.button')).transitionDuration") == "0s"
