"""Signing in by OpenID Connect, against a provider that tells the truth and one that lies."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from rssmanager.auth import second_factor
from rssmanager.auth.models import Identity
from rssmanager.auth.openid import _client
from tests import make
from tests.rssmanager.auth.conftest import is_signed_in, sign_in_earlier
from tests.rssmanager.auth.provider import CLIENT_ID, CLIENT_SECRET, Provider

pytestmark = pytest.mark.django_db

SUBJECT = "248289"


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    made = Provider()
    values = {"OIDC_ISSUER": made.issuer, "OIDC_CLIENT_ID": CLIENT_ID, "OIDC_CLIENT_SECRET": CLIENT_SECRET}
    settings.ENV = replace(settings.ENV, OIDC_NAME="Our house", **values)
    _client.cache_clear()
    yield made
    made.close()


@pytest.fixture
def connected(ada: User, provider: Provider) -> Identity:
    return Identity.objects.create(user=ada, issuer=provider.issuer, subject=SUBJECT, connected_at=make.NOW)


def way_to(client: Client, *, next_page: str = "") -> str:
    """The provider's address that the reader leads to."""
    answer = client.post("/login/openid/", {"next": next_page})
    assert answer.status_code == 200
    return str(answer["Refresh"]).partition("url=")[2]


def state() -> list[object]:
    return [list(model.objects.order_by("pk").values()) for model in (User, Identity)]


def test_signs_in_and_redirects_to_next(client: Client, provider: Provider, connected: Identity) -> None:
    assert "Sign in with Our house" in client.get("/login/").content.decode()
    answer = client.get(provider.authorize(way_to(client, next_page="/starred/")))
    assert answer["Location"] == "/starred/"
    assert is_signed_in(client)
    assert len(provider.verifiers[0]) >= 43


def test_provider_is_not_contacted_before_sign_in(client: Client, provider: Provider, ada: User) -> None:
    client.get("/login/")
    assert provider.asked == []


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_redirects_to_no_other_site(client: Client, provider: Provider, connected: Identity, wanted: str) -> None:
    assert client.get(provider.authorize(way_to(client, next_page=wanted)))["Location"] == "/"


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"nonce": "another"}, id="wrong nonce"),
        pytest.param({"nonce": None}, id="no nonce"),
        pytest.param({"nonce": None, "nonce_supported": False}, id="nonce said not to be supported"),
        pytest.param({"aud": "another"}, id="wrong audience"),
        pytest.param({"aud": None}, id="no audience"),
        pytest.param({"aud": [CLIENT_ID, "another"], "azp": "another"}, id="for another party"),
        pytest.param({"iss": "https://evil.example"}, id="wrong issuer"),
        pytest.param({"iss": None}, id="no issuer"),
        pytest.param({"exp": int(time.time()) - 3600}, id="expired"),
        pytest.param({"exp": None}, id="without an end"),
        pytest.param({"sub": None}, id="nobody"),
        pytest.param({"sub": ""}, id="an empty subject"),
        pytest.param({"sub": 248289}, id="a number as subject"),
        pytest.param({"sub": "x" * 256}, id="a subject too long"),
    ],
)
def test_a_claim_that_is_wrong_changes_nothing(
    client: Client, provider: Provider, connected: Identity, claims: dict[str, object], settings: Settings
) -> None:
    settings.ENV = replace(settings.ENV, OIDC_CREATE=True)
    before = state()
    provider.claims = claims
    answer = client.get(provider.authorize(way_to(client)))
    assert answer.status_code == 403
    assert "Our house didn't sign you in" in answer.content.decode()
    assert not is_signed_in(client)
    assert state() == before


@pytest.mark.parametrize("signed", ["none", "HS256", "stranger"])
def test_invalid_signature_changes_nothing(
    client: Client, provider: Provider, connected: Identity, signed: str
) -> None:
    before = state()
    provider.signed = signed
    assert client.get(provider.authorize(way_to(client))).status_code == 403
    assert not is_signed_in(client)
    assert state() == before


@pytest.mark.parametrize(
    "change",
    ["another browser", "another state", "another code", "no code", "a second time", "another issuer", "refused"],
)
def test_answer_to_another_challenge_changes_nothing(
    client: Client, provider: Provider, connected: Identity, change: str
) -> None:
    back = provider.authorize(way_to(client))
    before = state()
    if change == "another browser":
        client = Client()
    elif change == "another state":
        back = back.replace("state=", "state=x")
    elif change == "another code":
        back = back.replace("code=", "code=x")
    elif change == "no code":
        back = "/login/openid/return/?" + back.partition("&")[2]
    elif change == "a second time":
        client.get(back)
        client.post("/logout/")
        before = state()
    elif change == "another issuer":
        back += "&iss=https://evil.example"
    else:
        back = "/login/openid/return/?error=access_denied&" + back.partition("&")[2]
    assert client.get(back).status_code in (302, 403)
    assert not is_signed_in(client)
    assert state() == before


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"issuer": "https://evil.example"}, id="another issuer"),
        pytest.param({"authorization_endpoint": None}, id="nowhere to go"),
        pytest.param({"id_token_signing_alg_values_supported": ["none", "HS256"]}, id="signed by no public key"),
    ],
)
def test_a_document_that_is_not_the_providers_leads_nowhere(
    client: Client, provider: Provider, ada: User, document: dict[str, object]
) -> None:
    provider.document = document
    answer = client.post("/login/openid/")
    assert answer.status_code == 502
    assert "Refresh" not in answer


def test_password_works_while_the_provider_is_down(client: Client, provider: Provider, ada: User) -> None:
    provider.close()
    assert client.post("/login/openid/").status_code == 502
    client.post("/login/", {"username": "ada", "password": "correct horse"})
    assert is_signed_in(client)


def test_an_address_alone_is_nobodys_account(client: Client, provider: Provider, ada: User) -> None:
    provider.claims = {"email": ada.email, "email_verified": True, "preferred_username": "ada"}
    before = state()
    answer = client.get(provider.authorize(way_to(client)))
    assert answer.status_code == 403
    assert "connected to an account here" in answer.content.decode()
    assert state() == before


def test_new_users_are_created_only_if_enabled(
    client: Client, provider: Provider, ada: User, settings: Settings
) -> None:
    settings.ENV = replace(settings.ENV, OIDC_CREATE=True)
    provider.claims = {"email": ada.email, "email_verified": True, "preferred_username": "ada"}
    client.get(provider.authorize(way_to(client)))
    assert is_signed_in(client)
    made = Identity.objects.get().user
    assert (made.username, made.has_usable_password(), made.is_staff, made == ada) == ("ada2", False, False, False)


def test_the_first_account_is_the_owners(client: Client, provider: Provider, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, OIDC_CREATE=True)
    assert client.get(provider.authorize(way_to(client))).status_code == 403
    assert not User.objects.exists()


def test_second_factor_is_required(client: Client, provider: Provider, connected: Identity, guarded: list[str]) -> None:
    assert client.get(provider.authorize(way_to(client)))["Location"] == "/login/code/"
    assert not is_signed_in(client)
    assert second_factor.is_on(connected.user)


def test_a_closed_account_stays_closed(client: Client, provider: Provider, connected: Identity) -> None:
    User.objects.update(is_active=False)
    assert client.get(provider.authorize(way_to(client))).status_code == 403
    assert not is_signed_in(client)


CONNECT = "/settings/account/provider/connect/"


def test_an_account_is_connected_and_disconnected(client: Client, provider: Provider, ada: User) -> None:
    client.force_login(ada)
    url = str(client.post(CONNECT)["Refresh"]).partition("url=")[2]
    assert client.get(provider.authorize(url))["Location"] == "/settings/account/"
    assert Identity.objects.filter(user=ada, issuer=provider.issuer, subject=SUBJECT).exists()
    assert "you can sign in with Our house" in client.get("/settings/account/").content.decode()
    client.post("/settings/account/provider/disconnect/")
    assert not Identity.objects.exists()


def test_previously_connected_user_can_reconnect(client: Client, provider: Provider, connected: Identity) -> None:
    Identity.objects.update(issuer="https://before.example")
    client.force_login(connected.user)
    assert CONNECT in client.get("/settings/account/").content.decode()
    client.get(provider.authorize(str(client.post(CONNECT)["Refresh"]).partition("url=")[2]))
    assert Identity.objects.filter(issuer=provider.issuer, subject=SUBJECT).count() == 1
    client.post("/settings/account/provider/disconnect/")
    assert not Identity.objects.exists()


def test_connecting_needs_the_password(client: Client, provider: Provider, ada: User) -> None:
    sign_in_earlier(client, ada)
    assert client.post(CONNECT)["Location"] == "/settings/account/confirm/?next=%2Fsettings%2Faccount%2F"
    assert provider.asked == []


def test_disconnecting_needs_the_password(client: Client, provider: Provider, connected: Identity) -> None:
    sign_in_earlier(client, connected.user)
    client.post("/settings/account/provider/disconnect/")
    assert Identity.objects.count() == 1
    client.post("/settings/account/confirm/", {"password": "correct horse"})
    client.post("/settings/account/provider/disconnect/")
    assert not Identity.objects.exists()


def test_what_is_anothers_is_not_connected(client: Client, provider: Provider, connected: Identity) -> None:
    client.force_login(make.user("eve"))
    url = str(client.post(CONNECT)["Refresh"]).partition("url=")[2]
    before = state()
    assert client.get(provider.authorize(url)).status_code == 403
    assert state() == before


def test_signed_out_user_connects_nothing(client: Client, provider: Provider, ada: User) -> None:
    client.force_login(ada)
    url = str(client.post(CONNECT)["Refresh"]).partition("url=")[2]
    back = provider.authorize(url)
    ada.set_password("a long enough phrase")
    ada.save()
    assert client.get(back)["Location"] == "/login/"
    assert not Identity.objects.exists()


def test_account_without_password_is_not_locked_out(client: Client, provider: Provider, connected: Identity) -> None:
    connected.user.set_unusable_password()
    connected.user.last_login = timezone.now()
    connected.user.save()
    client.force_login(connected.user)
    client.post("/settings/account/provider/disconnect/")
    assert Identity.objects.count() == 1


@pytest.mark.parametrize("path", ["/login/openid/", CONNECT])
def test_without_a_provider_there_is_no_such_page(client: Client, ada: User, path: str) -> None:
    client.force_login(ada)
    assert client.post(path).status_code == 404
    assert client.get("/login/openid/return/").status_code == 302
    assert "Sign in with" not in Client().get("/login/").content.decode()


def test_cannot_connect_for_another_user(client: Client, provider: Provider, connected: Identity) -> None:
    for path in (CONNECT, "/settings/account/provider/disconnect/"):
        assert client.post(path)["Location"] == f"/login/?next={path}"
        assert client.get(path).status_code in (302, 405)
    client.force_login(make.user("eve"))
    client.post("/settings/account/provider/disconnect/")
    assert Identity.objects.count() == 1
