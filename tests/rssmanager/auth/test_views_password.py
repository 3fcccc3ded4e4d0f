"""Signing in: one page for all, also for the admin site."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from rssmanager.auth.urls import urlpatterns
from rssmanager.env import PROJECT
from tests import make
from tests.elsewhere import EVIL, leads_elsewhere

pytestmark = pytest.mark.django_db

PUBLIC = {
    "login",
    "second_factor",
    "passkey_sign_in",
    "passkey_options",
    "openid_begin",
    "openid_return",
    "admin_sign_in",
}
ROOMS = ("rssmanager", "digests", "reader", "feeds")


def test_the_admin_site_has_no_page_of_its_own_to_sign_in(client: Client) -> None:
    make.user("root", is_staff=True, is_superuser=True)
    form = {"username": "root", "password": "correct horse", "next": "/admin/"}
    answer = client.post("/admin/login/?next=/admin/", form)
    assert answer["Location"] == "/login/?next=/admin/"
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/login/?next=/admin/"
    assert client.post("/login/", form)["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_non_staff_gets_403_without_redirects(client: Client, ada: User) -> None:
    client.force_login(ada)
    answer = client.get("/admin/", follow=True)
    assert answer.status_code == 403
    assert "Only administrators can open this page." in answer.content.decode()


def test_the_table_of_pages_without_signing_in_is_complete() -> None:
    assert {pattern.name for pattern in urlpatterns} == PUBLIC


@pytest.mark.parametrize("wanted", EVIL)
def test_signing_in_and_out_leads_to_no_other_site(client: Client, ada: User, wanted: str) -> None:
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
def test_a_code_leads_to_no_other_site(client: Client, ada: User, guarded: list[str], wanted: str) -> None:
    client.post("/login/", {"username": "ada", "password": "correct horse", "next": wanted})
    answer = client.post("/login/code/", {"code": guarded[0], "next": wanted}, query_params={"next": wanted})
    assert answer["Location"] == "/"


def test_email_links_ignore_the_requests_host(client: Client, ada: User, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    hostile = {"host": "evil.example", "x-forwarded-host": "evil.example", "forwarded": "host=evil.example"}
    assert client.post("/forgotten/", {"email": ada.email}, headers=hostile).status_code == 302
    (sent,) = mail.outbox
    assert "evil.example" not in sent.message().as_string()
    assert re.findall(r"https?://[^/\s]+", str(sent.body)) == [settings.BASE_URL]


def test_links_ignore_the_request_host() -> None:
    """What leads here from outside begins with BASE_URL; a host is only asked for to compare with it."""
    texts = {path: path.read_text() for room in ROOMS for path in (PROJECT / room).rglob("*.py")}
    for words in ("build_absolute_uri", "get_current_site"):
        assert [path.name for path, text in texts.items() if words in text] == []
    assert [path.name for path, text in texts.items() if "get_host()" in text] == ["base.py"]
