"""Installing the app, and its offline page."""

import json
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from reader.models import Preferences
from tests import make

pytestmark = pytest.mark.django_db


def test_manifest_links_existing_pages_and_icons(client: Client) -> None:
    response = client.get("/manifest.webmanifest")
    assert response["Content-Type"] == "application/manifest+json"
    document = json.loads(response.content)
    assert (document["start_url"], document["scope"], document["display"]) == ("/", "/", "standalone")
    for icon in document["icons"]:
        path = finders.find(icon["src"].removeprefix("/static/"))
        assert path is not None
        width, height = icon["sizes"].split("x")
        head = Path(path).read_bytes()[:24]
        assert (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])) == (int(width), int(height))
    for shortcut in document["shortcuts"]:
        assert client.get(shortcut["url"])["Location"] == f"/login/?next={shortcut['url']}"


@pytest.mark.parametrize(
    ("field", "shared"),
    [
        pytest.param("url", "https://paper.example/a", id="as an address"),
        pytest.param("text", "Look at https://paper.example/a now", id="within a text, as many programs do"),
    ],
)
def test_shared_url_fills_subscribe_form(browser: Client, field: str, shared: str) -> None:
    target = json.loads(browser.get("/manifest.webmanifest").content)["share_target"]
    page = browser.get(target["action"], {target["params"][field]: shared}).content.decode()
    assert 'value="https://paper.example/a"' in page


def test_service_worker_covers_the_whole_site(client: Client) -> None:
    response = client.get("/service-worker.js")
    assert (response["Content-Type"], "no-cache" in response["Cache-Control"]) == ("text/javascript", True)
    assert "/offline/" in response.content.decode()


def test_offline_page_needs_only_linked_files(client: Client) -> None:
    page = client.get("/offline/").content.decode()
    assert "<script" not in page
    linked = re.findall(r'<link[^>]* href="([^"]+)"', page)
    assert all(url.startswith("/static/") or url == "/manifest.webmanifest" for url in linked)
    assert any(url.endswith(".css") for url in linked)


@pytest.mark.parametrize("address", ["/offline/", "/service-worker.js"])
def test_cached_pages_contain_no_user_data(client: Client, address: str) -> None:
    ada = make.user("ada")
    Preferences.objects.create(user=ada, theme="dark")
    for_nobody = client.get(address).content
    client.force_login(ada)
    assert client.get(address).content == for_nobody
