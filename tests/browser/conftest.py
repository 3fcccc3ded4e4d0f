"""A real browser before a real server; skipped where there is no Chromium.

Playwright's synchronous interface runs an event loop in this thread, which Django takes for asynchronous code; the
tests touch the database between two steps of the browser, never within one.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from feeds.models import Article
from reader.models import Delivery, Subscription
from reader.ranking import slot_of
from tests import make
from tests.reader.assessed import assess
from tests.reader.conftest import FACTS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

expect.set_options(timeout=20_000)  # a machine that runs two browsers and two servers at once is slow at times

WIDE = {"width": 1300, "height": 900}  # an article opens beside its list
MIDDLE = {"width": 1100, "height": 900}  # list and article come in turn
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A database in a file: one in memory is one connection for all threads of the server.

    A request that a closed page left behind would then share a transaction with the emptying of the tables.
    """
    if connection.vendor == "sqlite":
        test_settings = connection.settings_dict["TEST"]
        test_settings["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


# What would have been sent stays in the tab: a list of [address, fields], newest last.
KEPT_REPORTS = """
navigator.sendBeacon = (url, body) => {
  const kept = JSON.parse(sessionStorage.getItem("reports") ?? "[]");
  sessionStorage.setItem("reports", JSON.stringify([...kept, [url, Object.fromEntries(body)]]));
  return true;
};
"""


@dataclass(slots=True)
class Watch:
    """What must not happen on any page: complaints in the console, requests to elsewhere."""

    complaints: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    yield watch
    assert watch.complaints == []
    assert watch.outside == []


Opener = Callable[..., Page]


@pytest.fixture
def opened(chromium: Browser, live_server: LiveServer, watch: Watch) -> Iterator[Opener]:
    """Opens a page of a browser of its own: `opened(user, "/path/", viewport=PHONE, java_script_enabled=False)`.

    The worker that shows the offline page is kept out, for it asks for pages by itself; `service_workers="allow"`.

    Reports of what was on the screen are sent when a page is left, beside whatever comes next or after the test's end;
    so none leaves the browser; `KEPT_REPORTS` says where they are kept.
    """
    contexts: list[BrowserContext] = []

    def open_page(user: User | None, path: str = "/all/", **options: object) -> Page:
        context = chromium.new_context(
            base_url=live_server.url, **{"viewport": WIDE, "service_workers": "block", **options}
        )  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        contexts.append(context)
        if user is not None:
            client = Client()
            client.force_login(user)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
        context.add_init_script(KEPT_REPORTS)
        page = context.new_page()
        page.on("console", lambda message: watch.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: watch.complaints.append(str(error)))
        page.on("request", lambda request: _note_outside(watch, request.url, live_server.url))
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def _note_outside(watch: Watch, url: str, home: str) -> None:
    if not url.startswith((home, "data:", "blob:")):
        watch.outside.append(url)


def press(page: Page, *keys: str) -> None:
    """Keys on a page that is there as a whole: before its scripts have run, a letter means nothing.

    Every test presses by this; one that opens another page by a key looks for something on it before the next key.
    """
    page.wait_for_load_state()
    for key in keys:
        page.keyboard.press(key)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A reader with one feed in a folder and its articles, newest first."""

    user: User
    subscription: Subscription
    articles: list[int]


@pytest.fixture
def shelf(transactional_db: None) -> Shelf:
    user = make.user("ada")
    feed = make.feed(title="Harbour Post")
    subscription = make.subscription(user, feed, folder=make.folder(user, "Mornings"))
    articles = []
    for number in range(12):
        article = make.article(
            title=f"Title {number:02}", feed=feed, source=feed.source, markup=f"<p>Body {number:02}</p>" * 40
        )
        make.delivery(subscription, article)
        articles.append(article.pk)
    return Shelf(user, subscription, articles)


def rate(shelf: Shelf) -> None:
    """Rate everything on the shelf as the worker does: the first one is the most relevant and the least important."""
    for place, article in enumerate(Article.objects.filter(pk__in=shelf.articles).order_by("pk")):
        assess(article, worth=20.0 + place, depth_facts=asdict(FACTS), sensitivity=1 + place % 5)
        Delivery.objects.filter(article=article).update(
            relevance=90.0 - place,
            standing=20.0 + place + 0.2 * (90.0 - place),
            slot=slot_of(article.published_at),
            sensitivity=3,
            pull=100.0 - place,
            is_rated=True,
        )
