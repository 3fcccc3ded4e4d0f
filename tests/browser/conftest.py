"""A real browser and a real server; skipped if Chromium is not installed.

Playwright's synchronous interface runs an event loop in this thread, which Django takes for asynchronous code; the
tests touch the database between two steps of the browser, never within one.
"""

import itertools
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, expect, sync_playwright
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from feeds.models import Article
from reader.models import Delivery, Subscription
from reader.scoring.ranked_order import slot_of
from tests import make
from tests.browser.faults import LOOKS
from tests.reader.assessed import assess
from tests.reader.conftest import FACTS
from tests.screenshots.__main__ import BROWSERS

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",  # asks no other host; a route would cost the cache
]
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

expect.set_options(timeout=20_000)  # a machine that runs two browsers and two servers at once is slow at times

# Every width, light and dark, takes as long again for each; the demo's pages are also checked at all of them.
every_look = pytest.mark.parametrize(
    "looks", [LOOKS[:1], pytest.param(LOOKS, marks=pytest.mark.nightly)], ids=["phone", "every width, light and dark"]
)

WIDE: ViewportSize = {"width": 1300, "height": 900}  # an article opens beside its list
MIDDLE: ViewportSize = {"width": 1100, "height": 900}  # list and article come in turn
PHONE: ViewportSize = {"width": 390, "height": 844}


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


@dataclass(frozen=True, slots=True)
class Copy:
    """The database as it was after some setup, in memory, with what that setup returned."""

    rows: sqlite3.Connection
    value: object = None
    next_number: int = 1  # of `make`

    @classmethod
    def of_database(cls, *values: Any) -> "Copy":
        rows = sqlite3.connect(":memory:")
        connection.ensure_connection()
        connection.connection.backup(rows)
        return cls(rows, *values)

    def restore(self) -> None:
        connection.ensure_connection()
        self.rows.backup(connection.connection)


Filler = Callable[..., Any]
Copies = dict[Callable[..., object], Copy]


@pytest.fixture(scope="session")
def copies() -> Iterator[Copies]:
    """What `filled` keeps, by the function that filled the database."""
    copies: Copies = {}
    yield copies
    for copy in copies.values():
        copy.rows.close()


def migrated() -> None:
    """Stands in `copies` for the empty database."""


@pytest.fixture
def transactional_db(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker, copies: Copies
) -> Iterator[None]:
    """The empty database. On SQLite it is restored from a copy: 3 ms instead of 100 for flushing a hundred tables."""
    if connection.vendor != "sqlite":
        request.getfixturevalue("transactional_db")  # pytest-django's
        yield
        return
    with django_db_blocker.unblock():
        if migrated not in copies:
            copies[migrated] = Copy.of_database()
        copies[migrated].restore()
        yield


@pytest.fixture
def filled(transactional_db: None, copies: Copies, monkeypatch: pytest.MonkeyPatch) -> Filler:
    """Fills the database by a function once, and restores a copy of it for each later test: `filled(fill, *args)`.

    Returns what the function returned, a new copy for each test. The arguments must be the same for each.
    """

    def fill(function: Callable[..., object], *args: object) -> object:
        if copy := copies.get(function):
            copy.restore()
            monkeypatch.setattr(make, "_numbers", itertools.count(copy.next_number))
            return deepcopy(copy.value)
        value = function(*args)
        if connection.vendor == "sqlite":
            number = make.fresh_number()
            copies[function] = Copy.of_database(deepcopy(value), number)
            monkeypatch.setattr(make, "_numbers", itertools.count(number))
        return value

    return fill


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
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


class Contexts:
    """Browser contexts that tests use in turn, each with an empty profile.

    A page that stays open in each of them keeps its caches: opening another page then costs half as much.
    """

    def __init__(self, browser: Browser, home: str) -> None:
        self._browser = browser
        self._home = home
        self._free: dict[str, list[BrowserContext]] = {}
        self._taken: list[tuple[str, BrowserContext]] = []

    def take(self, **options: object) -> BrowserContext:
        """A context with these options that no other page of this test has."""
        kind = repr(sorted(options.items()))
        free = self._free.setdefault(kind, [])
        context = free.pop() if free else self._new(options)
        self._taken.append((kind, context))
        return context

    def _new(self, options: dict[str, object]) -> BrowserContext:
        context = self._browser.new_context(base_url=self._home, viewport=WIDE, **options)  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        context.add_init_script(KEPT_REPORTS)
        context.new_page().goto("/static/icons/favicon.svg")
        return context

    def clean(self) -> None:
        """Empty the contexts that were taken, and free them."""
        while self._taken:
            kind, context = self._taken.pop()
            if "allow" in kind:  # it has a service worker
                context.close()
                continue
            first, *others = context.pages
            for page in others:
                page.close()
            context.set_offline(False)
            context.clear_cookies()
            first.evaluate("localStorage.clear()")
            self._free[kind].append(context)


@pytest.fixture(scope="session")
def contexts(chromium: Browser, live_server: LiveServer) -> Contexts:
    return Contexts(chromium, live_server.url)


Opener = Callable[..., Page]


@pytest.fixture
def opened(contexts: Contexts, live_server: LiveServer, watch: Watch) -> Iterator[Opener]:
    """Opens a page in a context of its own: `opened(user, "/path/", viewport=PHONE, java_script_enabled=False)`.

    Service workers are blocked, because ours asks for pages by itself; `service_workers="allow"` lets it.

    Reports of what was on the screen are sent when a page is left, beside whatever comes next or after the test's end;
    so none leaves the browser; `KEPT_REPORTS` says where they are kept.
    """

    def open_page(user: User | None, path: str = "/all/", *, viewport: ViewportSize = WIDE, **options: object) -> Page:
        context = contexts.take(**{"service_workers": "block", **options})
        if user is not None:
            client = Client()
            client.force_login(user)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
        page = context.new_page()
        if viewport != WIDE:
            page.set_viewport_size(viewport)
        page.on("console", lambda message: _note_error(watch, page, message))
        page.on("pageerror", lambda error: watch.complaints.append(f"{page.url}: {error}"))
        page.on("request", lambda request: _note_outside(watch, request.url, live_server.url))
        page.goto(path)
        return page

    yield open_page
    contexts.clean()


def _note_error(watch: Watch, page: Page, message: ConsoleMessage) -> None:
    if message.type == "error":
        watch.complaints.append(f"{page.url}: {message.text}")


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
def shelf(filled: Filler) -> Shelf:
    return filled(filled_shelf)


def filled_shelf() -> Shelf:
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
        assess(article, shared_importance=20.0 + place, depth_features=asdict(FACTS), sensitivity=1 + place % 5)
        Delivery.objects.filter(article=article).update(
            relevance=90.0 - place,
            static_importance=20.0 + place + 0.2 * (90.0 - place),
            slot=slot_of(article.published_at),
            sensitivity=3,
            decay_key=100.0 - place,
            is_rated=True,
        )
