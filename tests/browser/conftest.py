"""A real browser before a real server; skipped where there is no Chromium.

Playwright's synchronous interface runs an event loop in this thread, which Django takes for asynchronous code; the
tests touch the database between two steps of the browser, never within one.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from reader.models import Subscription
from tests import make

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

WIDE = {"width": 1300, "height": 900}
PHONE = {"width": 390, "height": 844}


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
    """Opens a page of a browser of its own: `opened(user, "/path/", viewport=PHONE, java_script_enabled=False)`."""
    contexts: list[BrowserContext] = []

    def open_page(user: User | None, path: str = "/", **options: object) -> Page:
        context = chromium.new_context(base_url=live_server.url, **{"viewport": WIDE, **options})  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        contexts.append(context)
        if user is not None:
            client = Client()
            client.force_login(user)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
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
