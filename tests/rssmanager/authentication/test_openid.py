"""Signing in with OpenID Connect, with an honest provider and a lying one."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from rssmanager.authentication import second_factor
from rssmanager.authentication.models import Identity
from rssmanager.authentication.openid import _client
from tests import make
from tests.rssmanager.authentication.conftest import is_signed_in, sign_in_earlier
from tests.rssmanager.authentication.provider import CLIENT_ID, CLIENT_SECRET, Provider

pytestmark = pytest.mark.django_db

SUBJECT = "248289"


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    provider = Provider()
    values = {"OIDC_ISSUER": provider.issuer, "OIDC_CLIENT_ID": CLIENT_ID, "OIDC_CLIENT_SECRET": CLIENT_SECRET}
    settings.ENV = replace(settings.ENV, OIDC_NAME="Our house", **values)
    _client.cache_clear()
    yield provider
    provider.close()


@pytest.fixture
def connected(ada: User, provider: Provider) -> Identity:
    return Identity.objects.create(user=ada, issuer=provider.issuer, subject=SUBJECT, connected_at=make.NOW)


def way_to(client: Client, *, next_page: str = "") -> str:
    """The provider's URL that the app redirects to."""
    response = client.post("/login/openid/", {"next": next_page})
    assert response.status_code == 200
    return str(response["Refresh"]).partition("url=")[2]


def state() -> list[object]:
    return [list(model.objects.order_by("pk").values()) for model in (User, Identity)]


def test_signs_in_and_redirects_to_next(client: Client, provider: Provider, connected: Identity) -> None:
    assert "Sign in with Our house" in client.get("/login/").content.decode()
    response = client.get(provider.authorize(way_to(client, next_page="/starred/")))
    assert response["Location"] == "/starred/"
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
def test_wrong_claim_changes_nothing(
    client: Client, provider: Provider, connected: Identity, claims: dict[str, object], settings: Settings
) -> None:
    settings.ENV = replace(settings.ENV, OIDC_CREATE=True)
    before = state()
    provider.claims = claims
    response = client.get(provider.authorize(way_to(client)))
    assert response.status_code == 403
    page = response.content.decode()
    assert "Our house didn't sign you in" in page
    assert "Our house is unreachable or sent an invalid response." in page
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
def test_response_to_another_challenge_changes_nothing(
    client: Client, provider: Provider, connected: Identity, change: str
) -> None:
    callback = provider.authorize(way_to(client))
    before = state()
    if change == "another browser":
        client = Client()
    elif change == "another state":
        callback = callback.replace("state=", "state=x")
    elif change == "another code":
        callback = callback.replace("code=", "code=x")
    elif change == "no code":
        callback = "/login/openid/return/?" + callback.partition("&")[2]
    elif change == "a second time":
        client.get(callback)
        client.post("/logout/")
        before = state()
    elif change == "another issuer":
        callback += "&iss=https://evil.example"
    else:
        callback = "/login/openid/return/?error=access_denied&" + callback.partition("&")[2]
    assert client.get(callback).status_code in (302, 403)
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
def test_refuses_metadata_of_another_issuer(
    client: Client, provider: Provider, ada: User, document: dict[str, object]
) -> None:
    provider.document = document
    response = client.post("/login/openid/")
    assert response.status_code == 502
    assert "Refresh" not in response


def test_password_works_while_the_provider_is_down(client: Client, provider: Provider, ada: User) -> None:
    provider.close()
    assert client.post("/login/openid/").status_code == 502
    client.post("/login/", {"username": "ada", "password": "correct horse"})
    assert is_signed_in(client)


def test_email_alone_matches_no_account(client: Client, provider: Provider, ada: User) -> None:
    provider.claims = {"email": ada.email, "email_verified": True, "preferred_username": "ada"}
    before = state()
    response = client.get(provider.authorize(way_to(client)))
    assert response.status_code == 403
    assert "connected to an account here" in response.content.decode()
    assert state() == before


def test_new_users_are_created_only_if_enabled(
    client: Client, provider: Provider, ada: User, settings: Settings
) -> None:
    settings.ENV = replace(settings.ENV, OIDC_CREATE=True)
    provider.claims = {"email": ada.email, "email_verified": True, "preferred_username": "ada"}
    client.get(provider.authorize(way_to(client)))
    assert is_signed_in(client)
    user = Identity.objects.get().user
    assert (user.username, user.has_usable_password(), user.is_staff, user == ada) == ("ada2", False, False, False)


def test_first_account_belongs_to_the_owner(client: Client, provider: Provider, settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, OIDC_CREATE=True)
    assert client.get(provider.authorize(way_to(client))).status_code == 403
    assert not User.objects.exists()


def test_second_factor_is_required(client: Client, provider: Provider, connected: Identity, guarded: list[str]) -> None:
    assert client.get(provider.authorize(way_to(client)))["Location"] == "/login/code/"
    assert not is_signed_in(client)
    assert second_factor.is_on(connected.user)


def test_deleted_account_stays_closed(client: Client, provider: Provider, connected: Identity) -> None:
    User.objects.update(is_active=False)
    assert client.get(provider.authorize(way_to(client))).status_code == 403
    assert not is_signed_in(client)


CONNECT = "/settings/account/provider/connect/"


def test_connects_and_disconnects_account(client: Client, provider: Provider, ada: User) -> None:
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


def test_does_not_connect_identity_of_another_user(client: Client, provider: Provider, connected: Identity) -> None:
    client.force_login(make.user("eve"))
    url = str(client.post(CONNECT)["Refresh"]).partition("url=")[2]
    before = state()
    assert client.get(provider.authorize(url)).status_code == 403
    assert state() == before


def test_signed_out_user_connects_nothing(client: Client, provider: Provider, ada: User) -> None:
    client.force_login(ada)
    url = str(client.post(CONNECT)["Refresh"]).partition("url=")[2]
    callback = provider.authorize(url)
    ada.set_password("a long enough phrase")
    ada.save()
    assert client.get(callback)["Location"] == "/login/"
    assert not Identity.objects.exists()


def test_account_without_password_is_not_locked_out(client: Client, provider: Provider, connected: Identity) -> None:
    connected.user.set_unusable_password()
    connected.user.last_login = timezone.now()
    connected.user.save()
    client.force_login(connected.user)
    client.post("/settings/account/provider/disconnect/")
    assert Identity.objects.count() == 1


@pytest.mark.parametrize("path", ["/login/openid/", CONNECT])
def test_pages_do_not_exist_without_provider(client: Client, ada: User, path: str) -> None:
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
