"""The list of sessions, and ending them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from rssmanager.authentication import second_factor
from rssmanager.authentication.models import BrowserSession
from rssmanager.authentication.sessions import digest
from tests import make
from tests.rssmanager.accounts.test_views_account import is_signed_in, signed_in
from tests.rssmanager.authentication.conftest import code_of, sign_in_earlier

pytestmark = pytest.mark.django_db


def ending(client: Client) -> str:
    return reverse("session_end", args=[digest(str(client.cookies["sessionid"].value))])


def test_sessions_are_listed_and_others_can_be_ended(client: Client, ada: User) -> None:
    phone, stranger = signed_in(ada), signed_in(make.user())
    BrowserSession.objects.filter(user=ada).update(agent="curl/8.5.0", address="203.0.113.9")
    markup = client.get("/settings/account/").content.decode()
    assert markup.count("<strong>curl</strong>") == 2
    assert markup.count("this browser") == 1
    assert "203.0.113.9" in markup
    assert [ending(browser) in markup for browser in (client, phone, stranger)] == [False, True, False]


def test_signs_out_another_browser(client: Client, ada: User) -> None:
    phone, tablet = signed_in(ada), signed_in(ada)
    sign_in_earlier(client, ada)
    confirmation = client.post(ending(phone))["Location"]
    assert confirmation == "/settings/account/confirm/?next=%2Fsettings%2Faccount%2F"
    assert is_signed_in(phone)
    assert client.post(confirmation, {"password": "correct horse"})["Location"] == "/settings/account/"
    assert client.post(ending(phone))["Location"] == "/settings/account/"
    assert [is_signed_in(browser) for browser in (client, phone, tablet)] == [True, False, True]


def test_other_users_get_404(client: Client, ada: User) -> None:
    eve = signed_in(make.user())
    assert client.post(ending(eve)).status_code == 404
    assert is_signed_in(eve)


def test_visitors_are_redirected_and_get_is_refused(client: Client, ada: User) -> None:
    phone = signed_in(ada)
    assert Client().post(ending(phone))["Location"].startswith("/login/")
    assert client.get(ending(phone)).status_code == 405
    unsafe = Client(enforce_csrf_checks=True)
    unsafe.force_login(ada)
    assert unsafe.post(ending(phone)).status_code == 403
    assert is_signed_in(phone)


def test_enabling_second_factor_signs_out_other_sessions(client: Client, ada: User) -> None:
    phone = signed_in(ada)
    second_factor.start_setup(ada)
    client.post("/settings/account/second-factor/", {"act": "confirm", "code": code_of(ada)})
    assert [is_signed_in(browser) for browser in (client, phone)] == [True, False]
