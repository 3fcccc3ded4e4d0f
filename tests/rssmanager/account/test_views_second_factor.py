"""The page of one's own second factor: set up, confirmed, renewed, switched off."""

import re
from base64 import b32decode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.signing_in import second_factor, throttling
from rssmanager.signing_in.models import RecoveryCode, Try
from tests.rssmanager.signing_in.conftest import code_of

pytestmark = pytest.mark.django_db

PAGE = "/settings/account/second-factor/"
BEGIN, CODES, OFF = (
    {"act": act, f"{act}-password": password}
    for act, password in (("begin", "correct horse"), ("codes", "correct horse"), ("off", "correct horse"))
)

NEW = "a long enough phrase"


def codes_on(markup: str) -> list[str]:
    return re.findall(r"<li><code>([A-Z2-7-]{19})</code></li>", markup)


def test_it_is_on_once_the_code_was_given_and_codes_are_shown_once(client: Client, ada: User) -> None:
    assert client.post(PAGE, BEGIN)["Location"] == PAGE
    page = client.get(PAGE)
    secret = re.search(r'<code class="secret">([A-Z2-7 ]+)</code>', page.content.decode())
    assert secret is not None
    assert b32decode(secret[1].replace(" ", "")) == TOTPDevice.objects.get().bin_key
    assert '<path class="qr-dark" d="M4 4h1v1h-1z' in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert not second_factor.is_on(ada)
    answer = client.post(PAGE, {"act": "confirm", "code": code_of(ada)})
    codes = codes_on(answer.content.decode())
    assert len(set(codes)) == 10
    assert "no-store" in answer["Cache-Control"]
    assert second_factor.is_on(ada)
    after = client.get(PAGE).content.decode()
    assert "10 are left." in after
    assert not any(code in after for code in (*codes, secret[1]))


def test_a_wrong_code_does_not_switch_it_on(client: Client, ada: User) -> None:
    client.post(PAGE, BEGIN)
    wrong = f"{(int(code_of(ada)) + 1) % 10**6:06d}"
    assert client.post(PAGE, {"act": "confirm", "code": wrong}).status_code == 422
    assert not second_factor.is_on(ada)
    assert not RecoveryCode.objects.exists()


def test_a_secret_left_on_the_screen_is_forgotten(client: Client, ada: User) -> None:
    client.post(PAGE, BEGIN)
    TOTPDevice.objects.update(created_at=timezone.now() - second_factor.SET_UP_WITHIN)
    assert 'class="secret"' not in client.get(PAGE).content.decode()
    assert client.post(PAGE, {"act": "confirm", "code": code_of(ada)}).status_code == 422
    assert not second_factor.is_on(ada)


@pytest.fixture
def old_codes(ada: User) -> list[str]:
    second_factor.begin(ada)
    return second_factor.confirm(ada, code_of(ada), now=timezone.now())


def test_new_codes_replace_the_old(client: Client, ada: User, old_codes: list[str]) -> None:
    new = codes_on(client.post(PAGE, CODES).content.decode())
    assert len(new) == 10
    assert not second_factor.check(ada, old_codes[0], now=timezone.now())
    assert second_factor.check(ada, new[0], now=timezone.now())


def test_switching_it_off_forgets_everything(client: Client, ada: User, old_codes: list[str]) -> None:
    assert client.post(PAGE, OFF)["Location"] == PAGE
    assert (TOTPDevice.objects.exists(), RecoveryCode.objects.exists()) == (False, False)


@pytest.mark.parametrize("act", ["codes", "off", "begin"])
def test_without_the_password_nothing_changes(client: Client, ada: User, old_codes: list[str], act: str) -> None:
    before = [list(model.objects.order_by("pk").values()) for model in (TOTPDevice, RecoveryCode)]
    assert client.post(PAGE, {"act": act, f"{act}-password": "wrong"}).status_code == 422
    assert [list(model.objects.order_by("pk").values()) for model in (TOTPDevice, RecoveryCode)] == before


def test_guesses_of_who_is_signed_in_are_counted_over_all_forms(
    client: Client, ada: User, old_codes: list[str]
) -> None:
    forms = {
        PAGE: {"act": "off", "off-password": "wrong"},
        "/settings/account/": {"form": "elsewhere", "sessions-password": "wrong"},
        "/settings/account/delete/": {"password": "wrong"},
    }
    for path, form in forms.items():
        assert "This is not your password." in client.post(path, form).content.decode()
    change = {"form": "password", "new-old_password": "wrong", "new-new_password1": NEW, "new-new_password2": NEW}
    for _ in range(2):
        assert client.post("/settings/account/", change).status_code == 422
    answer = client.post(PAGE, OFF)
    assert "That was tried too often. Try again in 15 minutes." in answer.content.decode()
    assert second_factor.is_on(ada)
    Try.objects.update(at=timezone.now() - throttling.QUARTER)
    assert client.post(PAGE, OFF)["Location"] == PAGE


def test_who_gets_the_password_right_begins_anew(client: Client, ada: User, old_codes: list[str]) -> None:
    for _ in range(2):
        for _ in range(4):
            assert client.post(PAGE, {"act": "codes", "codes-password": "wrong"}).status_code == 422
        assert len(codes_on(client.post(PAGE, CODES).content.decode())) == 10


def test_beginning_again_does_not_touch_one_that_is_on(client: Client, ada: User, old_codes: list[str]) -> None:
    before = list(TOTPDevice.objects.values())
    client.post(PAGE, BEGIN)
    assert list(TOTPDevice.objects.values()) == before
