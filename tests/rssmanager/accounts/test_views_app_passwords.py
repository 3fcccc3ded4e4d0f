"""The page of app passwords: shown once, listed, revoked."""

import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from reader.limits import APP_PASSWORDS
from reader.models import Preferences
from rssmanager.accounts.models import AccountChange
from rssmanager.authentication import app_passwords
from rssmanager.authentication.models import AppPassword
from tests import make

pytestmark = pytest.mark.django_db

PAGE = "/settings/account/apps/"
DEFAULTS = {"apps_get_lists": True, "apps_get_copies": False, "apps_get_sources": True}


def test_password_is_shown_once_with_qr_code_and_address(client: Client, ada: User, settings: Settings) -> None:
    settings.BASE_URL = "https://reader.example"
    page = client.post(PAGE, {"name": "<b>Phone", "scopes": ["write", "rules"]})
    text = page.content.decode()
    shown = re.search(r'<code class="secret">([a-z2-7-]{34})</code>', text)
    assert shown is not None
    assert '<path class="qr-dark" d="M4 4h1v1h-1z' in text
    assert "https://reader.example/api/greader.php" in text
    assert "&lt;b&gt;Phone" in text
    assert "no-store" in page["Cache-Control"]
    created = app_passwords.by_password("ada", shown[1], now=make.NOW)
    assert (created.user, created.scopes) == (ada, "write rules")  # type: ignore[union-attr]
    assert shown[1] not in client.get(PAGE).content.decode()


def test_number_is_limited(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_passwords, "APP_PASSWORDS", replace(APP_PASSWORDS, most=1))
    assert [client.post(PAGE, {"name": "Phone"}).status_code for _ in range(2)] == [200, 422]
    assert AppPassword.objects.count() == AccountChange.objects.count() == 1


def test_only_its_user_can_revoke_it(client: Client, ada: User) -> None:
    eve = make.user("eve")
    for user in (ada, eve):
        app_passwords.create(user, name="Phone", now=make.NOW)
    mine, other = (AppPassword.objects.get(user=user) for user in (ada, eve))
    answers = [client.post(f"{PAGE}{row.pk}/revoke/") for row in (mine, other)]
    assert [answer.status_code for answer in answers] == [302, 404]
    assert list(AppPassword.objects.all()) == [other]


def test_settings_are_those_of_the_user(client: Client, ada: User) -> None:
    eve = make.user("eve")
    Preferences.objects.create(user=eve)
    page = client.get(PAGE).content.decode()
    for name, is_on in DEFAULTS.items():
        [switch] = re.findall(rf'<input type="checkbox" name="{name}"[^>]*>', page)
        assert ("checked" in switch) == is_on
    saved = client.post(f"{PAGE}settings/", {"apps_get_copies": "on"}, follow=True)
    assert (saved.status_code, "Saved." in saved.content.decode()) == (200, True)
    wanted = {name: name == "apps_get_copies" for name in DEFAULTS}
    assert Preferences.objects.filter(user=ada).values(*DEFAULTS).get() == wanted
    assert Preferences.objects.filter(user=eve).values(*DEFAULTS).get() == DEFAULTS
    assert client.get(f"{PAGE}settings/").status_code == 405
