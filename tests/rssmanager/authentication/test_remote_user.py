"""The proxy's user header: trusted only from trusted networks."""

from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_network

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser

from reader.preferences.owner import create_owner
from tests.rssmanager.authentication.conftest import is_signed_in

pytestmark = pytest.mark.django_db

PROXY, STRANGER = "10.0.0.2", "203.0.113.9"
Switch = Callable[..., None]


@pytest.fixture
def enable(settings: Settings) -> Switch:
    """Enables it, with other environment variables."""
    required = "django.contrib.auth.middleware.LoginRequiredMiddleware"
    at = settings.MIDDLEWARE.index(required)
    middleware = [
        *settings.MIDDLEWARE[:at],
        "rssmanager.authentication.remote_user.ProxySignIn",
        *settings.MIDDLEWARE[at:],
    ]

    def turn_on(**values: object) -> None:
        networks = (ip_network("10.0.0.0/16"),)
        on = {"TRUSTED_PROXIES": networks, "PROXY_SIGN_IN_HEADER": "Remote-User"}
        settings.ENV = replace(settings.ENV, **on | values)
        settings.MIDDLEWARE = middleware
        settings.AUTHENTICATION_BACKENDS = [
            "django.contrib.auth.backends.ModelBackend",
            "rssmanager.authentication.remote_user.ProxyBackend",
        ]

    return turn_on


def ask(client: Client, name: str | None, *, address: str = PROXY, header: str = "remote-user") -> str:
    """The user name that the request is signed in as; "" for none."""
    headers = {} if name is None else {header: name}
    response = client.get("/settings/account/", headers=headers, REMOTE_ADDR=address)
    return str(response.context["user"].get_username()) if response.status_code == 200 else ""


def test_trusted_proxy_sets_the_client_address(client: Client, ada: User, enable: Switch) -> None:
    enable()
    assert ask(client, "ada") == "ada"


def test_header_is_ignored_when_disabled(client: Client, ada: User) -> None:
    assert ask(client, "ada") == ""


@pytest.mark.parametrize(
    ("name", "address", "header"),
    [
        pytest.param("ada", STRANGER, "remote-user", id="from a stranger"),
        pytest.param("ada", "", "remote-user", id="from nowhere"),
        pytest.param("ada", PROXY, "remote-users", id="another header"),
        pytest.param("ada,eve", PROXY, "remote-user", id="two names"),
        pytest.param("ada, ada", PROXY, "remote-user", id="one name twice"),
        pytest.param("", PROXY, "remote-user", id="empty"),
        pytest.param("eve", PROXY, "remote-user", id="nobody's name"),
        pytest.param("Ada", PROXY, "remote-user", id="another name"),
    ],
)
def test_is_not_trusted(client: Client, ada: User, enable: Switch, name: str, address: str, header: str) -> None:
    enable()
    assert ask(client, name, address=address, header=header) == ""
    assert list(User.objects.values_list("username", flat=True)) == ["ada"]


def test_client_behind_the_proxy_cannot_set_the_header(client: Client, ada: User, enable: Switch) -> None:
    enable()
    headers = {"remote-user": "ada", "x-forwarded-for": PROXY}
    assert client.get("/settings/account/", headers=headers, REMOTE_ADDR=STRANGER).status_code == 302


@pytest.mark.parametrize("spelt", [b"Remote_User", b"REMOTE_USER", b"remote_user"])
def test_server_drops_header_with_underscore(spelt: bytes) -> None:
    sent = b"GET / HTTP/1.1\r\nHost: reader.example\r\nX-Other: 1\r\n" + spelt + b": mallory\r\n\r\n"
    request = HTTPRequestParser(Adjustments())
    assert request.received(sent) == len(sent)
    assert list(request.headers) == ["HOST", "X_OTHER"]


def test_session_is_invalid_without_the_proxy(client: Client, ada: User, enable: Switch) -> None:
    enable()
    assert ask(client, "ada") == "ada"
    assert ask(client, "ada", address=STRANGER) == ""
    assert ask(client, None) == ""


def test_another_name_is_another_user(client: Client, ada: User, enable: Switch) -> None:
    enable()
    User.objects.create_user("eve")
    assert [ask(client, name) for name in ("ada", "eve", "nobody")] == ["ada", "eve", ""]


def test_password_session_stays(client: Client, ada: User, enable: Switch) -> None:
    enable()
    client.post("/login/", {"username": "ada", "password": "correct horse"}, REMOTE_ADDR=STRANGER)
    assert is_signed_in(client)


def test_new_users_are_created_only_if_enabled(client: Client, ada: User, enable: Switch) -> None:
    enable(PROXY_SIGN_IN_CREATE=True)
    assert ask(client, "eve") == "eve"
    eve = User.objects.get(username="eve")
    assert (eve.has_usable_password(), eve.is_staff, eve.is_superuser) == (False, False, False)


@pytest.mark.parametrize("name", ["two words", "x" * 151, "a/b", " "])
def test_invalid_names_create_no_account(client: Client, ada: User, enable: Switch, name: str) -> None:
    enable(PROXY_SIGN_IN_CREATE=True)
    assert ask(client, name) == ""
    assert User.objects.count() == 1


def test_first_account_belongs_to_the_owner(client: Client, enable: Switch) -> None:
    enable(PROXY_SIGN_IN_CREATE=True)
    assert ask(client, "ada") == ""
    assert client.get("/", headers={"remote-user": "ada"}, REMOTE_ADDR=PROXY, follow=True).redirect_chain[-1][0] == (
        "/setup/"
    )
    assert not User.objects.exists()
    create_owner(username="ada", email="", password="correct horse battery")
    assert ask(client, "ada") == "ada"


def test_inactive_account_stays_signed_out(client: Client, ada: User, enable: Switch) -> None:
    enable(PROXY_SIGN_IN_CREATE=True)
    User.objects.update(is_active=False)
    assert ask(client, "ada") == ""
