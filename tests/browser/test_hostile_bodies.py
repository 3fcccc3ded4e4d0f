"""Hostile content on real pages in a real browser: nothing runs, nothing loads from other sites."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Request
from pytest_django.live_server_helper import LiveServer

from feeds.normalizing.entry import strip_unstorable
from feeds.normalizing.html import sanitize_body
from reader.models import Preferences
from tests import make
from tests.browser.conftest import WIDE
from tests.feeds.hostile_markup import VECTORS

TOGETHER = 8  # vectors of one body
SHOWN = ("image", "media")  # what a body may load from where its publisher says


@dataclass(slots=True)
class Seen:
    """What a browser did that no body may make it do, by the vector that was on the page."""

    vector: str = ""
    dialogs: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(self.vector)
        dialog.dismiss()

    def request(self, request: Request, home: str) -> None:
        is_ours = request.url.startswith((home, "data:image/"))
        if not is_ours and request.resource_type not in SHOWN:
            self.loaded.append(f"{self.vector}: {request.resource_type} {request.url}")


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def context(chromium: Browser, live_server: LiveServer, seen: Seen) -> Iterator[BrowserContext]:
    """A browser of somebody who sees pictures, watched."""
    made = chromium.new_context(base_url=live_server.url, viewport=WIDE, service_workers="block")  # type: ignore[arg-type]
    made.set_default_timeout(20_000)
    made.on("request", lambda request: seen.request(request, live_server.url))
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, seen: Seen) -> Page:
    page = context.new_page()
    page.on("dialog", lambda dialog: seen.dialog(dialog))
    page.on("pageerror", lambda error: seen.errors.append(f"{seen.vector}: {error}"))
    return page


# Everything that a body could have changed under the feet of the page's own scripts.
STATE = """() => ({
  hit: window.__hit ?? null,
  clobbered: ["body", "cookie", "forms", "location", "getElementById", "querySelector"].filter(
    (name) => document[name] instanceof HTMLImageElement || document[name] instanceof HTMLAnchorElement),
  bodies: document.querySelectorAll("div.body").length,
  active: [...document.querySelectorAll("div.body *:not([class=is-broken], [data-instead])")].filter(
    (each) => [...each.attributes].some((attribute) => /^on|^(?:id|name|style|class)$/.test(attribute.name))).length,
  base: document.baseURI,
})"""


def test_no_body_runs_or_loads_anything(
    live_server: LiveServer, context: BrowserContext, page: Page, seen: Seen
) -> None:
    user = make.user("ada")
    Preferences.objects.create(user=user, has_pictures=True)
    subscription = make.subscription(user, make.feed(title="Harbour Post"))
    addresses = [(names, _published(names, markup, subscription)) for names, markup in _bodies()]
    _sign_in(context, user, live_server)
    for names, address in addresses:
        seen.vector = names
        page.goto(address)
        state = page.evaluate(STATE)
        assert (seen.vector, state["hit"]) == (seen.vector, None)
        assert (seen.vector, state["clobbered"], state["active"], state["bodies"]) == (seen.vector, [], 0, 1)
        assert (seen.vector, state["base"]) == (seen.vector, f"{live_server.url}{address}")
        assert page.title().startswith(seen.vector[:40])
    assert seen == Seen(seen.vector)


def _bodies() -> Iterator[tuple[str, str]]:
    """What is published: what swallows all that comes after it in a body of its own, the others several together."""
    after = "<p>After</p>"
    closed = [vector for vector in VECTORS if sanitize_body(vector.markup + after, base_url="").html.endswith(after)]
    alone = [[vector] for vector in VECTORS if vector not in closed]
    for vectors in (*alone, *(closed[at : at + TOGETHER] for at in range(0, len(closed), TOGETHER))):
        names = "; ".join(f"{vector.technique}: {vector.id}" for vector in vectors)
        yield names, "<p>Before</p>" + "".join(f"{vector.markup}<p>Between</p>" for vector in vectors)


def _published(names: str, markup: str, subscription: object) -> str:
    article = make.article(title=strip_unstorable(names), markup=strip_unstorable(markup))
    make.delivery(subscription, article)  # type: ignore[arg-type]
    return f"/articles/{article.pk}/"


def _sign_in(context: BrowserContext, user: object, live_server: LiveServer) -> None:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
