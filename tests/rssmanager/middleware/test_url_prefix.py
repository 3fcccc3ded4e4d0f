"""A site below a path: pages link only within it, and nothing stored depends on the path."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import transaction
from django.test import Client
from django.test.utils import override_script_prefix
from django.urls import reverse
from pytest_django import Settings

from digests.delivery.links import EmailLinks
from digests.delivery.outbox import notify_failed
from digests.models import Mailing
from reader.models import Notification
from rssmanager.accounts.models import DataImport
from rssmanager.middleware.url_prefix import below
from tests import make
from tests.digests.test_views_access import ADDRESSES as OF_DIGESTS
from tests.digests.test_views_access import World as DigestWorld
from tests.digests.test_views_access import world as digest_world
from tests.reader import conftest as of_reader
from tests.reader.conftest import World
from tests.reader.test_views_access import ADDRESSES as OF_READER
from tests.rssmanager.accounts import conftest as of_account
from tests.rssmanager.accounts.test_views_access import ADDRESSES as OF_ACCOUNT
from tests.rssmanager.authentication.provider import CLIENT_ID, Provider
from tests.rssmanager.below_client import BELOW, ClientBelow, leading_out

HOME = f"https://reader.example.org{BELOW}"
pytestmark = pytest.mark.django_db

of_digests, make_world, enqueued, preview = digest_world, of_reader.make_world, of_reader.enqueued, of_account.preview


@contextmanager
def lying_at(settings: Settings, path: str) -> Iterator[None]:
    """Apply the settings of a `BASE_URL` with this path to this process."""
    settings.BASE_URL = f"https://reader.example.org{path}"
    settings.FORCE_SCRIPT_NAME, settings.STATIC_URL = path or None, f"{path}/static/"
    settings.STORAGES = dict(settings.STORAGES)  # recreated with the URL of static files
    settings.ALLOWED_HOSTS = ["reader.example.org", "testserver"]
    with override_script_prefix(f"{path}/"):
        yield


@pytest.fixture
def lying_below(settings: Settings) -> Iterator[None]:
    with lying_at(settings, BELOW):
        yield


@pytest.fixture
def visitor(lying_below: None) -> ClientBelow:
    return ClientBelow()


class RollbackRequest(Exception):
    """Raised to roll back what a request wrote."""


def ask_all(asked: Iterable[Callable[[], int]]) -> None:
    """Make each request on the same rows."""
    for request in asked:
        try:
            with transaction.atomic():
                request()
                raise RollbackRequest
        except RollbackRequest:
            pass


def test_finds_page_with_link_outside() -> None:
    html = f'<a href="/all/">a</a><a href="{BELOW}/all/?next=%2Ffeeds">b</a><use href="{BELOW}/s#a"></use>'
    assert leading_out(html) == ["href=/all/", "next=/feeds"]


def test_reader_pages_stay_within(
    visitor: ClientBelow,
    make_world: Callable[..., World],
    enqueued: object,
) -> None:
    world = make_world()
    visitor.force_login(world.user)
    ask_all(lambda address=entry: address.ask(visitor, world) for entry in OF_READER)
    assert visitor.n_pages > 50
    assert visitor.faults == []


def test_digest_pages_stay_within(visitor: ClientBelow, of_digests: DigestWorld) -> None:
    visitor.force_login(of_digests.user)
    ask_all(lambda address=of_digest: address.ask(visitor, of_digests) for of_digest in OF_DIGESTS)
    assert visitor.n_pages > 3
    assert visitor.faults == []


def test_account_pages_stay_within(
    visitor: ClientBelow,
    preview: Callable[[User], DataImport],
) -> None:
    user = make.user("ada", email="ada@example.org")
    visitor.force_login(user)
    job = preview(user)
    ask_all(lambda address=entry: address.ask(visitor, job) for entry in OF_ACCOUNT)
    assert visitor.n_pages > 5
    assert visitor.faults == []


@pytest.mark.parametrize("name", ["today", "login", "setup", "offline", "forgotten", "admin:index"])
def test_visitors_stay_within(visitor: ClientBelow, name: str) -> None:
    assert visitor.get(reverse(name), follow=True).status_code == 200
    assert visitor.faults == []


def test_redirect_to_another_site_is_ignored(visitor: ClientBelow, make_world: Callable[..., World]) -> None:
    world = make_world()
    visitor.force_login(world.user)
    url = reverse("article_read", args=[world.article.pk])
    assert visitor.post(url, {"is_read": "1", "next": "/other/program"})["Location"].startswith(f"{BELOW}/all/")
    assert visitor.post(url, {"is_read": "1", "next": f"{BELOW}/starred/"})["Location"].startswith(f"{BELOW}/starred/")


def test_remembers_the_list_of_origin(visitor: ClientBelow, make_world: Callable[..., World]) -> None:
    world = make_world()
    make.delivery(world.subscription, make.article(title="The next of them", feed=world.subscription.feed))
    visitor.force_login(world.user)
    page = visitor.get(reverse("article", args=[world.article.pk]), {"next": reverse("home")}).content.decode()
    assert "The next of them" in page


def test_installed_app_stays_within_the_prefix(visitor: ClientBelow) -> None:
    document = json.loads(visitor.get(reverse("manifest")).content)
    addresses = [document[name] for name in ("id", "scope", "start_url")] + [document["share_target"]["action"]]
    addresses += [icon["src"] for icon in document["icons"]] + [shortcut["url"] for shortcut in document["shortcuts"]]
    assert document["scope"] == f"{BELOW}/"
    assert all(address.startswith(f"{BELOW}/") for address in addresses)
    script = visitor.get(f"{BELOW}/service-worker.js").content.decode()
    assert re.findall(r'const \w+ = "(/[^"]*)"', script) == [f"{BELOW}/static/", f"{BELOW}/offline/"]


def test_email_links_have_the_path_once(visitor: ClientBelow) -> None:
    make.user("ada", email="ada@example.org")
    visitor.post(reverse("forgotten"), {"email": "ada@example.org"}, headers={"host": "reader.example.org"})
    link = re.findall(r"https?://\S+", str(mail.outbox[0].body))[0]
    assert link.startswith(f"{HOME}/forgotten/")
    letter = EmailLinks(user_id=1, written_at=make.NOW)
    assert letter.article(7) == f"{HOME}/articles/7/"
    assert letter.unsubscribe.startswith(f"{HOME}/")


def test_private_feed_has_correct_urls(visitor: ClientBelow, of_digests: DigestWorld) -> None:
    visitor.force_login(of_digests.user)
    page = visitor.post(reverse("digest_feed"), {"act": "renew"}).content.decode()
    address = re.findall(rf"{HOME}/[\w./-]+", page)[0]
    document = ClientBelow().get(address.removeprefix(HOME.removesuffix(BELOW))).content.decode()
    links = re.findall(r'href="(https://reader[^"]+)"', document)
    assert address in links
    assert f"{HOME}{reverse('digest', args=[of_digests.digest.pk]).removeprefix(BELOW)}" in links
    assert all(link.startswith(f"{HOME}/") and link.count(BELOW) == 1 for link in links)


def test_stored_path_still_works_under_a_new_prefix(
    settings: Settings, lying_below: None, of_digests: DigestWorld
) -> None:
    notify_failed(Mailing.objects.get(), "No such mailbox.", now=make.NOW)
    assert Notification.objects.get().path == f"/digests/{of_digests.digest.pk}/"
    below_it, at_the_root = ClientBelow(), Client()
    below_it.force_login(of_digests.user)
    assert f'href="{BELOW}/digests/{of_digests.digest.pk}/"' in below_it.get(reverse("notifications")).content.decode()
    with lying_at(settings, ""):
        at_the_root.force_login(of_digests.user)
        page = at_the_root.get("/notifications/").content.decode()
    assert f'href="/digests/{of_digests.digest.pk}/"' in page


def test_provider_redirects_back_below_the_path(visitor: ClientBelow, settings: Settings) -> None:
    provider = Provider()
    settings.ENV = replace(settings.ENV, OIDC_ISSUER=provider.issuer, OIDC_CLIENT_ID=CLIENT_ID)
    make.user()
    onward = visitor.post(reverse("openid_begin"))["Refresh"].partition("url=")[2]
    provider.close()
    assert dict(parse_qsl(urlsplit(onward).query))["redirect_uri"] == f"{HOME}/login/openid/return/"


def test_admin_site_is_below_the_path(visitor: ClientBelow) -> None:
    make.user()
    assert visitor.get(f"{BELOW}/admin/login/")["Location"] == f"{BELOW}/login/?next={BELOW}/admin/"


def answered(path: str, *, script_name: str = "", method: str = "GET") -> tuple[str, dict[str, str], str]:
    """The response of an application below a path; the inner application returns the paths it received."""
    begun: list[Any] = []

    def within(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [f"{environ['SCRIPT_NAME']} {environ['PATH_INFO']}".encode()]

    environ = {"SCRIPT_NAME": script_name, "PATH_INFO": path, "REQUEST_METHOD": method}
    body = b"".join(below(BELOW, within)(environ, lambda status, headers: begun.extend((status, dict(headers)))))
    return begun[0], begun[1], body.decode()


@pytest.mark.parametrize(
    ("path", "within"),
    [
        pytest.param(f"{BELOW}/", "/", id="its first page"),
        pytest.param(f"{BELOW}/all/", "/all/", id="a page"),
        pytest.param(f"{BELOW}{BELOW}/7/", f"{BELOW}/7/", id="a page whose path begins as the site's does"),
    ],
)
def test_pages_are_below_the_path(path: str, within: str) -> None:
    assert answered(path)[::2] == ("200 OK", f"{BELOW} {within}")


def test_server_that_strips_the_path_prefix_works() -> None:
    assert answered("/all/", script_name=BELOW)[::2] == ("200 OK", f"{BELOW} /all/")


@pytest.mark.parametrize("path", ["", "/", BELOW])
def test_wrong_prefix_redirects_to_the_home_page(path: str) -> None:
    status, headers, _body = answered(path)
    assert (status, headers["Location"]) == ("302 Found", f"{BELOW}/")


@pytest.mark.parametrize("path", ["/all/", f"{BELOW}7/", "//evil.example/", f"/{BELOW}/"])
def test_nothing_is_outside_the_path(path: str) -> None:
    status, headers, body = answered(path)
    assert (status, "Location" in headers, body) == ("404 Not Found", False, f"The app is at {BELOW}/.\n")
    assert answered(path, method="HEAD")[::2] == ("404 Not Found", "")


def test_health_checks_need_no_path_prefix() -> None:
    assert answered("/healthz")[::2] == ("200 OK", " /healthz")
