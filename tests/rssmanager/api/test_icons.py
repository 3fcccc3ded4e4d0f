"""Icons that apps load without signing in, and who can know their addresses."""

from urllib.parse import urlsplit

import pytest
from django.test import Client
from pytest_django import Settings

from feeds.models import Icon
from tests import make
from tests.rssmanager.api.conftest import App

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG"


def icon(digest: str = "ab" * 16, **values: str) -> Icon:
    key = digest[:8].encode()
    return Icon.objects.create(
        key=key, home_url="https://a.example", due_at=make.NOW, digest=digest, content=PNG,
        **{"mime_type": "image/png", **values},
    )  # fmt: skip


def addresses(app: App) -> list[str]:
    return [row["iconUrl"] for row in app.get("subscription/list").json()["subscriptions"]]


def test_icon_loads_without_signing_in(app: App, settings: Settings) -> None:
    settings.BASE_URL = "https://reader.example"
    make.subscription(app.user, make.feed(icon=icon()))
    make.subscription(app.user)  # has none
    make.subscription(app.user, make.feed(icon=icon("")))  # none was found
    address, *others = addresses(app)
    assert address.startswith(f"https://reader.example/api/icons/{'ab' * 16}/")
    assert others == ["", ""]
    answer = Client().get(urlsplit(address).path)
    assert (answer.content, answer["Content-Type"]) == (PNG, "image/png")
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert not answer.cookies
    assert Client().post(urlsplit(address).path).status_code == 405


def test_address_cannot_be_made_from_the_icon(app: App) -> None:
    make.subscription(app.user, make.feed(icon=icon()))
    path = urlsplit(addresses(app)[0]).path
    before, _, signature = path.rpartition("/")
    other = icon("cd" * 16)
    guesses = [f"{before}/x", f"{before}/{signature[:-1]}", before, f"/api/icons/{other.digest}/{signature}"]
    assert [Client().get(guess).status_code for guess in guesses] == [404] * 4


def test_address_shows_nothing_of_its_users(app: App) -> None:
    feed = make.feed(icon=icon())
    make.subscription(app.user, feed)
    eve = App(make.user("eve"))
    assert addresses(eve) == []
    make.subscription(eve.user, feed)
    assert addresses(eve) == addresses(app)
