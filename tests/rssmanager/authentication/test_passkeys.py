"""Passkeys: adding, signing in, replacing codes, confirming, and invalid responses."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from fido2.utils import websafe_encode
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from rssmanager.accounts.models import AccountChange
from rssmanager.authentication import passkeys, second_factor
from rssmanager.authentication.errors import PasskeyRefused
from rssmanager.authentication.models import Passkey, RecoveryCode
from tests import make
from tests.elsewhere import EVIL
from tests.rssmanager.authentication.authenticator import (
    OPTIONS,
    SETTINGS,
    VERIFIED,
    Authenticator,
    AuthenticatorData,
    add_passkey,
)
from tests.rssmanager.authentication.conftest import is_signed_in, set_up_app, sign_in_earlier

pytestmark = pytest.mark.django_db

SIGN_IN, CONFIRM = "/login/passkey/", "/settings/account/confirm/"
PASSWORD = {"username": "ada", "password": "correct horse", "next": "/starred/"}


@pytest.fixture(autouse=True)
def base_url(settings: Settings) -> None:
    settings.BASE_URL = "https://reader.example"


@pytest.fixture
def phone(ada: User) -> Authenticator:
    """Ada's passkey."""
    client, authenticator = Client(), Authenticator()
    client.force_login(ada)
    add_passkey(client, authenticator)
    return authenticator


def answer_of(client: Client, phone: Authenticator) -> str:
    return phone.get(client.post(OPTIONS).json())


def sign_in(client: Client, phone: Authenticator, **given: str) -> Any:
    return client.post(SIGN_IN, {"passkey": answer_of(client, phone)} | given)


def test_first_passkey_adds_codes_and_signs_out_others(client: Client, ada: User) -> None:
    other = Client()
    for browser in (client, other):
        browser.force_login(ada)
    page = add_passkey(client, Authenticator(), name="Ada's phone")
    assert len(re.findall(r"<li><code>[A-Z2-7-]{19}</code></li>", page)) == 10
    assert Passkey.objects.get().name == "Ada's phone"
    assert [is_signed_in(browser) for browser in (client, other)] == [True, False]
    assert list(AccountChange.objects.values_list("kind", flat=True)) == ["passkey on"]


def test_second_passkey_adds_no_new_codes(client: Client, ada: User, phone: Authenticator) -> None:
    client.force_login(ada)
    codes = list(RecoveryCode.objects.values_list("digest", flat=True))
    assert "Passkey added." in add_passkey(client, Authenticator())
    assert Passkey.objects.filter(user=ada).count() == 2
    assert list(RecoveryCode.objects.values_list("digest", flat=True)) == codes


def test_number_is_limited(client: Client, ada: User, phone: Authenticator, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(ada)
    monkeypatch.setattr(passkeys, "PASSKEYS", replace(passkeys.PASSKEYS, most=1))
    assert "You can have up to 1 passkeys. Remove one first." in add_passkey(client, Authenticator())
    assert Passkey.objects.count() == AccountChange.objects.count() == 1


def test_passkey_options_list_existing_credentials(client: Client, ada: User, phone: Authenticator) -> None:
    client.force_login(ada)
    options = client.post(f"{SETTINGS}passkey/").json()
    assert [credential["id"] for credential in options["excludeCredentials"]] == [websafe_encode(phone.credential_id)]
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert options["rp"]["id"] == "reader.example"
    assert add_passkey(client, phone).count("The passkey wasn&#x27;t added.") == 1
    assert Passkey.objects.count() == 1


def test_signs_in_without_password_and_code(client: Client, ada: User, phone: Authenticator) -> None:
    set_up_app(ada)
    assert sign_in(client, phone, next="/starred/")["Location"] == "/starred/"
    assert is_signed_in(client)
    assert client.get(CONFIRM).status_code == 302  # confirmed by the passkey
    assert Passkey.objects.get().last_used_at is not None


@pytest.mark.parametrize("wanted", EVIL)
def test_redirects_to_no_other_site(client: Client, phone: Authenticator, wanted: str) -> None:
    assert sign_in(client, phone, next=wanted)["Location"] == "/"


def test_password_alone_does_not_sign_in(client: Client, phone: Authenticator) -> None:
    assert client.post("/login/", PASSWORD)["Location"] == "/login/code/"
    assert not is_signed_in(client)
    page = client.get("/login/code/").content.decode()
    assert 'data-passkey="get"' in page
    assert "If you can't use your passkey, enter a recovery code." in page
    assert sign_in(client, phone, next="/starred/")["Location"] == "/starred/"
    assert is_signed_in(client)
    assert client.get("/login/code/")["Location"] == "/login/"


def test_recovery_code_replaces_it(client: Client, ada: User, phone: Authenticator) -> None:
    code = second_factor.new_recovery_codes(ada)[0]
    client.post("/login/", PASSWORD)
    assert client.post("/login/code/", {"code": code})["Location"] == "/starred/"


def test_response_works_once(client: Client, phone: Authenticator) -> None:
    answer = answer_of(client, phone)
    client.post(SIGN_IN, {"passkey": answer})
    client.logout()
    for attempt in (client, Client()):
        assert attempt.post(SIGN_IN, {"passkey": answer})["Location"] == "/login/"
        assert not is_signed_in(attempt)


@pytest.mark.parametrize(
    "lie",
    [
        {"origin": "https://evil.example"},
        {"origin": "https://sub.reader.example"},
        {"origin": "http://reader.example"},
        {"origin": "https://reader.example:8443"},
        {"host": "evil.example"},
        {"flags": AuthenticatorData.FLAG.UP},
        {"key": Authenticator().key},
        {"credential_id": b"unknown"},
    ],
    ids=["site", "subdomain", "http", "port", "host", "unverified user", "key", "credential"],
)
def test_wrong_response_does_not_sign_in(client: Client, phone: Authenticator, lie: dict[str, Any]) -> None:
    response = sign_in(client, replace(phone, **lie))
    assert response["Location"] == "/login/"
    assert "This passkey didn&#x27;t work." in client.get("/login/").content.decode()
    assert not is_signed_in(client)
    assert Passkey.objects.get().last_used_at is None


def test_refuses_another_browsers_challenge(client: Client, phone: Authenticator) -> None:
    client.post(OPTIONS)
    assert client.post(SIGN_IN, {"passkey": answer_of(Client(), phone)})["Location"] == "/login/"
    assert not is_signed_in(client)


def test_deleted_account_stays_closed(client: Client, phone: Authenticator) -> None:
    User.objects.update(is_active=False)
    assert sign_in(client, phone)["Location"] == "/login/"
    assert not is_signed_in(client)


@pytest.mark.parametrize("lie", [{"origin": "https://evil.example"}, {"flags": AuthenticatorData.FLAG.UP}])
def test_wrong_response_adds_no_passkey(client: Client, ada: User, lie: dict[str, Any]) -> None:
    client.force_login(ada)
    assert "The passkey wasn&#x27;t added." in add_passkey(client, replace(Authenticator(), **lie))
    assert (Passkey.objects.exists(), AccountChange.objects.exists()) == (False, False)
    assert not second_factor.is_on(ada)


def test_confirms_only_its_own_user(client: Client, ada: User, phone: Authenticator) -> None:
    eve, hers = make.user("eve"), Client()
    for user, browser in ((eve, hers), (ada, client)):
        sign_in_earlier(browser, user)
        assert browser.get(CONFIRM).status_code == 200
        browser.post(CONFIRM, {"passkey": answer_of(browser, phone)})
    assert [user.get(CONFIRM).status_code for user in (hers, client)] == [200, 302]


def test_confirming_redirects_to_requested_page(client: Client, ada: User, phone: Authenticator) -> None:
    sign_in_earlier(client, ada)
    assert "Confirm with a passkey" in client.get(CONFIRM).content.decode()
    form = {"passkey": answer_of(client, phone), "next": SETTINGS}
    assert client.post(CONFIRM, form)["Location"] == SETTINGS


def test_removing_the_last_disables_the_second_factor(client: Client, ada: User, phone: Authenticator) -> None:
    client.force_login(ada)
    pk = Passkey.objects.get().pk
    client.post(SETTINGS, {"act": "remove", "passkey": pk})
    assert (Passkey.objects.exists(), RecoveryCode.objects.exists()) == (False, False)
    assert AccountChange.objects.last().kind == "passkey off"  # type: ignore[union-attr]


@pytest.mark.parametrize("pk", ["", "x", "0", "9" * 30])
def test_cannot_remove_anothers_passkey(client: Client, phone: Authenticator, pk: str) -> None:
    client.force_login(make.user("eve"))
    for number in (pk, str(Passkey.objects.get().pk)):
        client.post(SETTINGS, {"act": "remove", "passkey": number})
    assert Passkey.objects.count() == 1
    assert AccountChange.objects.filter(kind="passkey off").count() == 0


def test_operator_can_remove_them(ada: User, phone: Authenticator) -> None:
    call_command("second_factor", "ada", "--off")
    assert (Passkey.objects.exists(), RecoveryCode.objects.exists()) == (False, False)


def test_everyone_gets_the_same_challenge(client: Client, phone: Authenticator) -> None:
    """The challenge doesn't reveal who has passkeys."""
    options = client.post(OPTIONS).json()
    assert not options.get("allowCredentials")
    assert options["userVerification"] == "required"
    assert options["challenge"] != client.post(OPTIONS).json()["challenge"]


def test_challenge_needs_a_csrf_token(phone: Authenticator) -> None:
    client = Client(enforce_csrf_checks=True)
    assert [client.post(path).status_code for path in (OPTIONS, SIGN_IN)] == [403, 403]
    assert [client.get(path).status_code for path in (OPTIONS, SIGN_IN)] == [405, 405]


@pytest.mark.parametrize(
    ("url", "is_possible"),
    [("https://reader.example/path", True), ("http://localhost:8000", True), ("http://127.0.0.1:8000", False)],
)
def test_are_offered_where_browsers_allow_them(
    client: Client, ada: User, settings: Settings, url: str, is_possible: bool
) -> None:
    settings.BASE_URL = url
    assert ("Sign in with a passkey" in client.get("/login/").content.decode()) is is_possible
    client.force_login(ada)
    assert ("Add a passkey" in client.get(SETTINGS).content.decode()) is is_possible


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(["AAAA", "webauthn.get", "!"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_PARTS = ("attestationObject", "clientDataJSON", "authenticatorData", "signature", "userHandle")
_ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "id": _JSON,
        "rawId": _JSON | st.just("AAAA"),
        "type": _JSON | st.just("public-key"),
        "response": _JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(_PARTS, _JSON)),
    },
)


@given(answer=st.text(max_size=50) | _ANSWERS.map(json.dumps) | st.sampled_from(["[" * 19_000, "[" * 100_000]))
def test_refuses_any_malformed_response(answer: str) -> None:
    class Request:
        def __init__(self, challenge: Any) -> None:
            self.session = {"passkey_challenge": challenge}

    challenge = {"challenge": "AAAA", "user_verification": "required"}
    for kept in (challenge, None):
        with pytest.raises(PasskeyRefused):
            passkeys.check(Request(kept), answer, now=make.NOW)  # type: ignore[arg-type]
        with pytest.raises(PasskeyRefused):
            passkeys.add(Request(kept), User(), answer, name="x", now=make.NOW)  # type: ignore[arg-type]


def test_refuses_flipped_bits(client: Client, phone: Authenticator) -> None:
    """All parts are verified, not only the signature, and no other exception is raised."""
    assert phone.flags == VERIFIED
    for part in ("authenticatorData", "signature", "clientDataJSON"):
        for at in (0, 10, 33, 36, -2):
            whole = json.loads(answer_of(client, phone))
            text = whole["response"][part]
            whole["response"][part] = text[:at] + ("A" if text[at] != "A" else "B") + text[at:][1:]
            assert client.post(SIGN_IN, {"passkey": json.dumps(whole)})["Location"] == "/login/", (part, at)
            assert not is_signed_in(client)
