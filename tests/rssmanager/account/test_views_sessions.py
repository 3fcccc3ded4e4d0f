"""Where one is signed in, and ending it there."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from rssmanager.signing_in import second_factor
from rssmanager.signing_in.models import BrowserSession
from rssmanager.signing_in.sessions import digest
from tests import make
from tests.rssmanager.account.test_views_account import is_signed_in, signed_in
from tests.rssmanager.signing_in.conftest import code_of

pytestmark = pytest.mark.django_db


def ending(client: Client) -> str:
    return reverse("session_end", args=[digest(str(client.cookies["sessionid"].value))])


def test_each_is_listed_and_only_others_can_be_ended(client: Client, ada: User) -> None:
    phone, stranger = signed_in(ada), signed_in(make.user())
    BrowserSession.objects.filter(user=ada).update(agent="curl/8.5.0", address="203.0.113.9")
    markup = client.get("/settings/account/").content.decode()
    assert markup.count("<strong>curl</strong>") == 2
    assert markup.count("this browser") == 1
    assert "203.0.113.9" in markup
    assert [ending(each) in markup for each in (client, phone, stranger)] == [False, True, False]


def test_a_browser_is_signed_out_from_another(client: Client, ada: User) -> None:
    phone, tablet = signed_in(ada), signed_in(ada)
    assert client.post(ending(phone))["Location"] == "/settings/account/"
    assert [is_signed_in(each) for each in (client, phone, tablet)] == [True, False, True]


def test_somebody_elses_is_not_there(client: Client, ada: User) -> None:
    eve = signed_in(make.user())
    assert client.post(ending(eve)).status_code == 404
    assert is_signed_in(eve)


def test_nobody_is_sent_to_sign_in_and_it_cannot_be_fetched(client: Client, ada: User) -> None:
    phone = signed_in(ada)
    assert Client().post(ending(phone))["Location"].startswith("/login/")
    assert client.get(ending(phone)).status_code == 405
    unsafe = Client(enforce_csrf_checks=True)
    unsafe.force_login(ada)
    assert unsafe.post(ending(phone)).status_code == 403
    assert is_signed_in(phone)


def test_a_second_factor_signs_out_who_came_in_without_it(client: Client, ada: User) -> None:
    phone = signed_in(ada)
    second_factor.begin(ada)
    client.post("/settings/account/second-factor/", {"act": "confirm", "code": code_of(ada)})
    assert [is_signed_in(each) for each in (client, phone)] == [True, False]
