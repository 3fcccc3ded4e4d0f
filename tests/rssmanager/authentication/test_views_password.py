"""Signing in: one page, also for the admin site."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from rssmanager.authentication.urls import urlpatterns
from rssmanager.env import PROJECT
from tests import make
from tests.elsewhere import EVIL, leads_elsewhere

pytestmark = pytest.mark.django_db

PUBLIC = {
    "setup",
    "login",
    "second_factor",
    "passkey_sign_in",
    "passkey_options",
    "openid_begin",
    "openid_return",
    "admin_sign_in",
}
ROOMS = ("rssmanager", "digests", "reader", "feeds")


def test_admin_site_has_no_login_page_of_its_own(client: Client) -> None:
    make.user("root", is_staff=True, is_superuser=True)
    form = {"username": "root", "password": "correct horse", "next": "/admin/"}
    response = client.post("/admin/login/?next=/admin/", form)
    assert response["Location"] == "/login/?next=/admin/"
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/login/?next=/admin/"
    assert client.post("/login/", form)["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_non_staff_gets_403_without_redirects(client: Client, ada: User) -> None:
    client.force_login(ada)
    response = client.get("/admin/", follow=True)
    assert response.status_code == 403
    assert "Only administrators can open this page." in response.content.decode()


def test_table_of_public_pages_is_complete() -> None:
    assert {pattern.name for pattern in urlpatterns} == PUBLIC


@pytest.mark.parametrize("wanted", EVIL)
def test_signing_in_and_out_redirects_to_no_other_site(client: Client, ada: User, wanted: str) -> None:
    query = {"next": wanted}
    for path, data in (
        ("/login/", {"username": "ada", "password": "correct horse"}),
        ("/login/", {}),  # signed in already
        ("/admin/login/", {}),
        ("/logout/", {}),
        ("/admin/login/", {}),
    ):
        assert not leads_elsewhere(client.post(path, data | query, query_params=query))


@pytest.mark.parametrize("wanted", EVIL)
def test_code_redirects_to_no_other_site(client: Client, ada: User, guarded: list[str], wanted: str) -> None:
    client.post("/login/", {"username": "ada", "password": "correct horse", "next": wanted})
    response = client.post("/login/code/", {"code": guarded[0], "next": wanted}, query_params={"next": wanted})
    assert response["Location"] == "/"


def test_email_links_ignore_the_requests_host(client: Client, ada: User, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    hostile = {"host": "evil.example", "x-forwarded-host": "evil.example", "forwarded": "host=evil.example"}
    assert client.post("/forgotten/", {"email": ada.email}, headers=hostile).status_code == 302
    (sent,) = mail.outbox
    assert "evil.example" not in sent.message().as_string()
    assert re.findall(r"https?://[^/\s]+", str(sent.body)) == [settings.BASE_URL]


def test_links_ignore_the_request_host() -> None:
    """External links begin with BASE_URL; the request's host is only compared with it."""
    texts = {path: path.read_text() for room in ROOMS for path in (PROJECT / room).rglob("*.py")}
    for words in ("build_absolute_uri", "get_current_site"):
        assert [path.name for path, text in texts.items() if words in text] == []
    reading = {path.name for path, text in texts.items() if "get_host()" in text}
    assert reading == {"error_pages.py", "trusted_proxies.py", "base.py"}  # the first shows a wrong one
