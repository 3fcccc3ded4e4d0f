"""Signing in with a second factor: by a code or recovery code, once each; nothing bypasses it."""

import re
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.authentication import second_factor, throttling
from rssmanager.authentication.errors import TooManyTries
from rssmanager.authentication.models import RecoveryCode, Try
from tests import make
from tests.rssmanager.authentication.conftest import code_of, is_signed_in, set_up_app

pytestmark = pytest.mark.django_db

PASSWORD = {"username": "ada", "password": "correct horse", "next": "/starred/"}


@pytest.fixture
def after_password(client: Client, guarded: list[str]) -> Client:
    """A client after the password and before the code."""
    assert client.post("/login/", PASSWORD)["Location"] == "/login/code/"
    return client


def enter_code(client: Client, code: str) -> int:
    return int(client.post("/login/code/", {"code": code}).status_code)


def test_code_redirects_to_requested_page(after_password: Client, ada: User) -> None:
    assert not is_signed_in(after_password)
    response = after_password.post("/login/code/", {"code": code_of(ada)})
    assert response["Location"] == "/starred/"
    assert is_signed_in(after_password)


def test_code_works_once(after_password: Client, ada: User) -> None:
    code = code_of(ada)
    assert enter_code(after_password, code) == 302
    other = Client()
    other.post("/login/", PASSWORD)
    assert enter_code(other, code) == 422
    assert not is_signed_in(other)


def test_code_used_for_setup_does_not_sign_in(after_password: Client, ada: User) -> None:
    device = TOTPDevice.objects.get()
    totp = TOTP(device.bin_key)
    totp.time = device.last_t * device.step
    assert enter_code(after_password, f"{totp.token():06d}") == 422
    assert not is_signed_in(after_password)


def test_recovery_code_works_once_in_any_spelling(after_password: Client, guarded: list[str]) -> None:
    assert enter_code(after_password, guarded[0].lower().replace("-", " ")) == 302
    assert is_signed_in(after_password)
    other = Client()
    other.post("/login/", PASSWORD)
    assert enter_code(other, guarded[0]) == 422
    assert RecoveryCode.objects.count() == 9


def test_recovery_codes_are_stored_hashed(guarded: list[str]) -> None:
    rows = str(list(RecoveryCode.objects.values()))
    assert not any(code in rows or code.replace("-", "") in rows for code in guarded)


def test_refuses_codes_of_others(after_password: Client, guarded: list[str]) -> None:
    eve = make.user("eve")
    codes = set_up_app(eve)
    assert [enter_code(after_password, code_of(eve)), enter_code(after_password, codes[0])] == [422, 422]
    assert not is_signed_in(after_password)
    assert RecoveryCode.objects.filter(user=eve).count() == 10


def test_five_wrong_codes_block_even_the_right_one(after_password: Client, ada: User, guarded: list[str]) -> None:
    assert [enter_code(after_password, "000000") for _ in range(6)] == [422] * 5 + [429]
    assert enter_code(after_password, code_of(ada)) == 429
    assert not is_signed_in(after_password)
    assert enter_code(after_password, guarded[0]) == 302


def test_daily_limit_applies_across_addresses(ada: User, guarded: list[str]) -> None:
    now = timezone.now()
    for n in range(20):
        assert not second_factor.check(ada, "000000", now=now + n * throttling.QUARTER / 4)
    with pytest.raises(TooManyTries) as refusal:
        second_factor.check(ada, "000000", now=now + throttling.HOUR * 12)
    assert refusal.value.until == now + throttling.DAY


def test_right_codes_are_not_counted(after_password: Client, ada: User) -> None:
    enter_code(after_password, code_of(ada))
    assert not Try.objects.exists()


@pytest.mark.parametrize("path", ["/", "/admin/", "/settings/account/", "/settings/account/second-factor/"])
def test_password_alone_does_not_sign_in(after_password: Client, path: str) -> None:
    User.objects.update(is_staff=True, is_superuser=True)
    assert after_password.get(path, follow=True).redirect_chain[-1][0] == f"/login/?next={path}"


@pytest.mark.parametrize("is_in", [False, True], ids=["signed out", "signed in"])
def test_email_link_does_not_replace_the_code(client: Client, ada: User, guarded: list[str], is_in: bool) -> None:
    if is_in:
        client.force_login(ada)
    client.post("/forgotten/", {"email": ada.email})
    link = re.search(r"https?://[^/\s]+(/\S+)", str(mail.outbox[0].body))
    assert link is not None
    page = client.get(link[1], follow=True).redirect_chain[-1][0]
    new = {"new_password1": "a long enough phrase", "new_password2": "a long enough phrase"}
    assert client.post(page, new)["Location"] == "/login/code/"
    assert not is_signed_in(client)
    assert client.post("/login/code/", {"code": code_of(ada)})["Location"] == "/"
    assert is_signed_in(client)


@pytest.mark.parametrize("change", ["password", "leaves", "late"])
def test_half_finished_sign_in_expires(
    after_password: Client, ada: User, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if change == "password":
        ada.set_password("a long enough phrase")
        ada.save()
    elif change == "leaves":
        User.objects.filter(pk=ada.pk).update(is_active=False)
    else:
        later = timezone.now() + throttling.QUARTER
        monkeypatch.setattr("rssmanager.authentication.views.second_factor.timezone.now", lambda: later)
    assert after_password.post("/login/code/", {"code": code_of(ada)})["Location"] == "/login/"
    assert not is_signed_in(after_password)


def test_code_is_asked_only_after_a_password(client: Client, ada: User, guarded: list[str]) -> None:
    assert client.get("/login/code/")["Location"] == "/login/"
    assert client.post("/login/code/", {"code": code_of(ada)})["Location"] == "/login/"
    assert not is_signed_in(client)


def test_password_changes_the_session(client: Client, ada: User, guarded: list[str]) -> None:
    session = client.session
    session["planted"] = True
    session.save()
    planted = session.session_key
    client.cookies["sessionid"] = planted
    client.post("/login/", PASSWORD)
    after_password = client.cookies["sessionid"].value
    enter_code(client, code_of(ada))
    assert len({planted, after_password, client.cookies["sessionid"].value}) == 3


def test_admin_site_shows_no_secrets(client: Client, ada: User, guarded: list[str]) -> None:
    client.force_login(make.user("root", is_staff=True, is_superuser=True))
    assert client.get("/admin/otp_totp/totpdevice/").status_code == 404


def test_operator_can_disable_it(ada: User, guarded: list[str]) -> None:
    out = StringIO()
    call_command("second_factor", "ada", stdout=out)
    assert second_factor.is_on(ada)
    call_command("second_factor", "ada", "--off", stdout=out)
    call_command("second_factor", "ada", "--off", stdout=out)
    assert out.getvalue() == (
        "ada has a second factor and 10 recovery codes left.\n"
        "The second factor of ada is off.\nada has no second factor.\n"
    )
    assert (TOTPDevice.objects.exists(), RecoveryCode.objects.exists()) == (False, False)
    with pytest.raises(CommandError, match="No user is called eve"):
        call_command("second_factor", "eve")
