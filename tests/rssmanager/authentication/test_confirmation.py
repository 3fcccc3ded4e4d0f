"""Recent confirmation: what counts, for how long, and the limit of guesses."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.utils import timezone

from reader.models import Owner
from rssmanager.authentication import confirmation
from rssmanager.authentication.models import BrowserSession, Try
from rssmanager.authentication.sessions import SessionStore
from rssmanager.demo.auto_login import SignInVisitors
from tests import make
from tests.elsewhere import EVIL
from tests.rssmanager.authentication.conftest import code_of, sign_in_earlier

pytestmark = pytest.mark.django_db

CONFIRM = "/settings/account/confirm/"
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


def is_asked(client: Client) -> bool:
    return client.get(CONFIRM).status_code == 200


def requested() -> HttpRequest:
    request = HttpRequest()
    request.session = SessionStore()
    return request


@pytest.mark.parametrize(
    ("after", "is_confirmed"),
    [(timedelta(0), True), (10 * MINUTE - SECOND, True), (10 * MINUTE, False), (-SECOND, False)],
    ids=["at once", "just before", "ten minutes", "a clock set back"],
)
def test_confirmation_lasts_ten_minutes(after: timedelta, is_confirmed: bool) -> None:
    request = requested()
    confirmation.mark_confirmed(request, now=make.NOW)
    assert confirmation.is_confirmed(request, now=make.NOW + after) is is_confirmed


def test_new_session_is_not_confirmed() -> None:
    assert not confirmation.is_confirmed(requested(), now=make.NOW)


def test_signing_in_counts_as_confirmation(client: Client, ada: User) -> None:
    client.post("/login/", {"username": "ada", "password": "correct horse"})
    assert not is_asked(client)
    sign_in_earlier(client, ada)
    assert is_asked(client)


def test_signing_in_with_a_code_counts_as_confirmation(client: Client, ada: User, guarded: list[str]) -> None:
    client.post("/login/", {"username": "ada", "password": "correct horse"})
    client.post("/login/code/", {"code": code_of(ada)})
    BrowserSession.objects.update(began_at=timezone.now() - 60 * MINUTE)
    assert not is_asked(client)


def test_does_not_confirm_other_browsers(client: Client, ada: User) -> None:
    other = Client()
    for browser in (other, client):
        sign_in_earlier(browser, ada)
    client.post(CONFIRM, {"password": "correct horse"})
    assert (is_asked(client), is_asked(other)) == (False, True)


def test_code_or_recovery_code_confirms_once(client: Client, ada: User, guarded: list[str]) -> None:
    for code in (code_of(ada), guarded[0]):
        sign_in_earlier(client, ada)
        assert client.post(CONFIRM, {"password": code}).status_code == 302
        sign_in_earlier(client, ada)
        response = client.post(CONFIRM, {"password": code})
        assert response.status_code == 422
        assert "neither your password nor a valid code" in response.content.decode()


def test_codes_need_a_second_factor(client: Client, ada: User) -> None:
    sign_in_earlier(client, ada)
    assert client.post(CONFIRM, {"password": "123456"}).status_code == 422
    assert list(Try.objects.values_list("limit", flat=True)) == ["password again"]


def test_twelve_wrong_guesses_stop_after_five(client: Client, ada: User) -> None:
    sign_in_earlier(client, ada)
    answers = [client.post(CONFIRM, {"password": f"wrong {n}"}) for n in range(12)]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429] * 7
    assert "Try again in 15 minutes." in answers[-1].content.decode()
    assert client.post(CONFIRM, {"password": "correct horse"}).status_code == 429
    assert is_asked(client)


@pytest.mark.parametrize("wanted", EVIL)
def test_redirects_to_no_other_site(client: Client, ada: User, wanted: str) -> None:
    sign_in_earlier(client, ada)
    assert client.get(CONFIRM, {"next": wanted}).context["next"] == "/settings/account/"
    assert client.post(CONFIRM, {"password": "correct horse", "next": wanted})["Location"] == "/settings/account/"
    assert client.get(CONFIRM, {"next": wanted})["Location"] == "/settings/account/"


def test_redirects_back(client: Client, ada: User) -> None:
    sign_in_earlier(client, ada)
    assert client.post(f"{CONFIRM}?next=/keys/", {"password": "correct horse"})["Location"] == "/keys/"


def test_demo_visitors_are_never_asked(ada: User) -> None:
    """The demo owner's password is unknown."""
    Owner.objects.create(user=ada)
    request = requested()
    request.META |= {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost:8000"}
    request.user = ada
    SignInVisitors(lambda _: HttpResponse())(request)
    assert confirmation.is_confirmed(request, now=timezone.now())
    for elsewhere in ({"REMOTE_ADDR": "203.0.113.9"}, {"HTTP_X_FORWARDED_FOR": "203.0.113.9"}):
        other = requested()
        other.META |= request.META | elsewhere
        other.user = ada
        SignInVisitors(lambda _: HttpResponse())(other)
        assert not confirmation.is_confirmed(other, now=timezone.now())
