"""The second factor page: setting up, confirming, renewing and disabling it."""

import re
from base64 import b32decode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.authentication import second_factor
from rssmanager.authentication.models import RecoveryCode
from tests.rssmanager.authentication.conftest import code_of, set_up_app, sign_in_earlier

pytestmark = pytest.mark.django_db

PAGE = "/settings/account/second-factor/"
CONFIRM = "/settings/account/confirm/"
BEGIN, CODES, OFF = {"act": "begin"}, {"act": "codes"}, {"act": "off"}


def codes_on(markup: str) -> list[str]:
    return re.findall(r"<li><code>([A-Z2-7-]{19})</code></li>", markup)


def test_valid_code_turns_it_on_and_shows_recovery_codes_once(client: Client, ada: User) -> None:
    assert client.post(PAGE, BEGIN)["Location"] == PAGE
    page = client.get(PAGE)
    secret = re.search(r'<code class="secret">([A-Z2-7 ]+)</code>', page.content.decode())
    assert secret is not None
    assert b32decode(secret[1].replace(" ", "")) == TOTPDevice.objects.get().bin_key
    assert '<path class="qr-dark" d="M4 4h1v1h-1z' in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert not second_factor.is_on(ada)
    response = client.post(PAGE, {"act": "confirm", "code": code_of(ada)})
    codes = codes_on(response.content.decode())
    assert len(set(codes)) == 10
    assert "no-store" in response["Cache-Control"]
    assert second_factor.is_on(ada)
    after = client.get(PAGE).content.decode()
    assert "10 left." in after
    assert not any(code in after for code in (*codes, secret[1]))


def test_wrong_code_does_not_enable_it(client: Client, ada: User) -> None:
    client.post(PAGE, BEGIN)
    wrong = f"{(int(code_of(ada)) + 1) % 10**6:06d}"
    assert client.post(PAGE, {"act": "confirm", "code": wrong}).status_code == 422
    assert not second_factor.is_on(ada)
    assert not RecoveryCode.objects.exists()


def test_unconfirmed_secret_expires(client: Client, ada: User) -> None:
    client.post(PAGE, BEGIN)
    TOTPDevice.objects.update(created_at=timezone.now() - second_factor.SET_UP_WITHIN)
    assert 'class="secret"' not in client.get(PAGE).content.decode()
    assert client.post(PAGE, {"act": "confirm", "code": code_of(ada)}).status_code == 422
    assert not second_factor.is_on(ada)


@pytest.fixture
def old_codes(ada: User) -> list[str]:
    return set_up_app(ada)


def test_new_codes_replace_old_ones(client: Client, ada: User, old_codes: list[str]) -> None:
    new = codes_on(client.post(PAGE, CODES).content.decode())
    assert len(new) == 10
    assert not second_factor.check(ada, old_codes[0], now=timezone.now())
    assert second_factor.check(ada, new[0], now=timezone.now())


def test_disabling_deletes_everything(client: Client, ada: User, old_codes: list[str]) -> None:
    assert client.post(PAGE, OFF)["Location"] == PAGE
    assert (TOTPDevice.objects.exists(), RecoveryCode.objects.exists()) == (False, False)


@pytest.mark.parametrize("act", ["codes", "off", "begin"])
def test_changes_need_confirmation(client: Client, ada: User, old_codes: list[str], act: str) -> None:
    sign_in_earlier(client, ada)
    before = [list(model.objects.order_by("pk").values()) for model in (TOTPDevice, RecoveryCode)]
    assert client.post(PAGE, {"act": act})["Location"] == f"{CONFIRM}?next=%2Fsettings%2Faccount%2Fsecond-factor%2F"
    assert [list(model.objects.order_by("pk").values()) for model in (TOTPDevice, RecoveryCode)] == before


def test_right_password_resets_the_count_of_guesses(client: Client, ada: User, old_codes: list[str]) -> None:
    for _ in range(2):
        sign_in_earlier(client, ada)
        for _ in range(4):
            assert client.post(CONFIRM, {"password": "wrong"}).status_code == 422
        assert client.post(CONFIRM, {"password": "correct horse"}).status_code == 302


def test_starting_again_keeps_the_enabled_one(client: Client, ada: User, old_codes: list[str]) -> None:
    before = list(TOTPDevice.objects.values())
    client.post(PAGE, BEGIN)
    assert list(TOTPDevice.objects.values()) == before
