"""Rules for new passwords; existing passwords keep working."""

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from pytest_django import Settings

from tests.rssmanager.authentication.conftest import is_signed_in

ADA = User(username="ada.lovelace", email="lovelace@example.org")
NINE, TEN = "qzxwvkjhp", "qzxwvkjhpm"


@pytest.mark.parametrize(
    "password",
    [
        pytest.param(NINE, id="nine characters"),
        pytest.param("1234567890", id="common"),
        pytest.param("ada.lovelace1", id="the user's name"),
        pytest.param("rssmanager", id="the program's name"),
        pytest.param("RSSmanager-2026!", id="the program's name with a year"),
        pytest.param("newsplace123", id="the host's name"),
        pytest.param("newsplace.example.org", id="the whole host"),
    ],
)
def test_refuses_password(password: str, settings: Settings) -> None:
    settings.BASE_URL = "https://newsplace.example.org"
    with pytest.raises(ValidationError):
        validate_password(password, ADA)


@pytest.mark.parametrize(
    "password",
    [
        pytest.param(TEN, id="ten characters"),
        pytest.param("battery staple horse", id="words with spaces"),
        pytest.param("тихий дождь над гаванью", id="another script"),
        pytest.param("我家后院有三棵老桃树", id="ten Chinese characters"),
        pytest.param("a rssmanager of my own", id="the program's name among others"),
    ],
)
def test_accepts_password(password: str) -> None:
    validate_password(password, ADA)


@pytest.mark.django_db
def test_rules_apply_wherever_a_password_is_set(client: Client) -> None:
    account = {"username": "ada", "email": "ada@example.org", "password1": NINE, "password2": NINE}
    local = {"host": "localhost"}  # so that no setup code is needed
    assert client.post("/setup/", account, headers=local).status_code == 422
    assert not User.objects.exists()
    client.post("/setup/", account | {"password1": TEN, "password2": TEN}, headers=local)
    change = {"form": "password", "new-old_password": TEN, "new-new_password1": NINE, "new-new_password2": NINE}
    assert client.post("/settings/account/", change).status_code == 422
    visitor = Client()
    visitor.post("/forgotten/", {"email": "ada@example.org"})
    link = re.search(r"https?://[^/\s]+(/\S+)", str(mail.outbox[0].body))
    assert link is not None
    page = visitor.get(link[1], follow=True).redirect_chain[-1][0]
    response = visitor.post(page, {"new_password1": NINE, "new_password2": NINE})
    assert "at least 10 characters" in response.content.decode()
    assert User.objects.get().check_password(TEN)


@pytest.mark.django_db
def test_older_short_password_still_works(client: Client, ada: User) -> None:
    ada.set_password("short")
    ada.save()
    client.post("/login/", {"username": "ada", "password": "short"})
    assert is_signed_in(client)
