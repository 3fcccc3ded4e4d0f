"""Setup of the owner account: once, by a browser on this machine or with the setup code."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from reader.models import Owner
from rssmanager.authentication.setup_code import setup_code, setup_hint
from tests import make
from tests.tables import table

pytestmark = pytest.mark.django_db

HOME = "127.0.0.1"
STRANGER = "203.0.113.9"
ACCOUNT = {"username": "ada", "email": "", "password1": "a long enough phrase", "password2": "a long enough phrase"}


def test_first_visitor_is_led_to_setup(client: Client) -> None:
    response = client.get("/health/", follow=True)
    assert response.redirect_chain == [("/login/?next=/health/", 302), ("/setup/", 302)]
    response = client.post("/setup/", ACCOUNT)
    assert response["Location"] == "/subscribe/"
    user = User.objects.get()
    assert (user.username, user.is_superuser, Owner.objects.get().user) == ("ada", True, user)
    assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    "change",
    [{"password2": "another phrase"}, {"password1": "short", "password2": "short"}, {"username": ""}, {"email": "no"}],
    ids=["passwords differ", "short password", "no name", "no address"],
)
def test_refuses_invalid_account(client: Client, change: dict[str, str]) -> None:
    assert client.post("/setup/", ACCOUNT | change).status_code == 422
    assert not User.objects.exists()


def test_setup_is_not_found_later(client: Client) -> None:
    make.user()
    assert client.get("/setup/").status_code == 404
    assert client.post("/setup/", ACCOUNT).status_code == 404
    assert User.objects.count() == 1


def test_slower_visitor_is_redirected_to_sign_in(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make.user("faster")
    monkeypatch.setattr(
        "rssmanager.authentication.views.setup.is_owned", lambda: False
    )  # the state when the form was sent
    assert client.post("/setup/", ACCOUNT)["Location"] == "/login/"
    assert list(User.objects.values_list("username", flat=True)) == ["faster"]


@pytest.fixture
def client() -> Client:
    """A browser on this machine."""
    return Client(headers={"host": "localhost:8000"})


@pytest.fixture
def public(settings: Settings) -> str:
    """The host of a public installation."""
    settings.BASE_URL, settings.ALLOWED_HOSTS = "https://reader.example", ["reader.example", "localhost"]
    return "reader.example"


def create(client: Client, *, peer: str = STRANGER, **given: str) -> int:
    """Status of the response to the form."""
    return client.post("/setup/", ACCOUNT | given, REMOTE_ADDR=peer).status_code


def test_public_installation_needs_the_code(client: Client, public: str) -> None:
    page = client.get("/setup/", headers={"host": public}).content.decode()
    assert 'name="code"' in page
    assert setup_code() not in page
    wrong = setup_code()[:-1] + ("a" if setup_code()[-1] != "a" else "b")
    assert [create(client), create(client, code=""), create(client, code=wrong)] == [422] * 3
    assert create(client, peer=HOME) == 422  # a proxy is on this machine, too
    assert not User.objects.exists()
    assert create(client, code=f" {setup_code().upper()} ") == 302
    assert User.objects.get().is_superuser


def test_code_creates_one_owner(client: Client, public: str) -> None:
    assert create(client, code=setup_code()) == 302
    client.logout()
    assert client.get("/setup/").status_code == 404
    assert create(client, code=setup_code(), username="eve") == 404
    assert list(User.objects.values_list("username", flat=True)) == ["ada"]
    assert setup_hint() is None


@table(
    ("peer", "headers", "is_needed"),
    [
        (HOME, {}, False),
        ("::1", {}, False),
        ("::ffff:127.0.0.1", {}, False),
        (HOME, {"host": "[::1]:8000"}, False),
        (STRANGER, {}, True),  # bound to 0.0.0.0, with a forged Host
        ("192.168.1.7", {}, True),
        ("", {}, True),
        (HOME, {"x-forwarded-for": HOME}, True),
        (HOME, {"forwarded": "for=127.0.0.1"}, True),
        (HOME, {"x-real-ip": HOME}, True),
        (HOME, {"host": "reader.example"}, True),  # through a tunnel
    ],
)
def test_local_installation_needs_it_from_elsewhere(
    client: Client, settings: Settings, peer: str, headers: dict[str, str], is_needed: bool
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    response = client.post("/setup/", ACCOUNT, REMOTE_ADDR=peer, headers=headers)
    assert response.status_code == (422 if is_needed else 302)
    assert User.objects.exists() is not is_needed
    User.objects.all().delete()


def test_wrong_codes_are_limited(client: Client, public: str) -> None:
    assert [create(client, code="a" * 20) for _ in range(20)] == [422] * 20
    assert create(client, code=setup_code()) == 429
    assert not User.objects.exists()
    assert create(client, code=setup_code(), peer="198.51.100.1") == 302


def test_other_mistakes_beside_the_code_are_not_counted(client: Client, public: str) -> None:
    assert {create(client, code=setup_code(), password2="x") for _ in range(21)} == {422}
    assert create(client, code=setup_code()) == 302


def test_code_depends_on_the_secret_key(settings: Settings) -> None:
    first = setup_code()
    settings.SECRET_KEY = "another one, long and random enough for this"
    assert setup_code() != first
    assert [len(group) for group in first.split("-")] == [5, 5, 5, 5]


@pytest.mark.parametrize(
    ("base_url", "hint"),
    [
        ("https://reader.example", "Create it at https://reader.example/setup/ with the setup code {}"),
        ("http://127.0.0.1:8000", "Create it in a browser on this machine, or elsewhere with the setup code {}"),
    ],
)
def test_hint_names_the_code(settings: Settings, base_url: str, hint: str) -> None:
    settings.BASE_URL = base_url
    assert setup_hint() == f"There is no account yet. {hint.format(setup_code())}"
