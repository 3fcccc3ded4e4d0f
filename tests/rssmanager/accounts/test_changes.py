"""Taking over an account from an unlocked browser: confirmation, notices, and undoing it."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings

from digests.tasks.mail import send
from reader.models import Tag
from rssmanager.accounts import changes
from rssmanager.accounts.models import AccountChange, ChangeNotice, PendingDeletion, UndoLink
from rssmanager.accounts.tasks import remove_account, resume
from rssmanager.authentication import second_factor
from rssmanager.authentication.models import AppPassword, BrowserSession, Identity, Passkey, RecoveryCode
from tests import make
from tests.rssmanager.accounts.conftest import Enqueued
from tests.rssmanager.accounts.test_views_account import is_signed_in, signed_in
from tests.rssmanager.authentication.authenticator import ORIGIN, Authenticator, add_passkey
from tests.rssmanager.authentication.conftest import code_of, set_up_app, sign_in_earlier

pytestmark = pytest.mark.django_db

ACCOUNT, FACTOR, EXPORT = "/settings/account/", "/settings/account/second-factor/", "/settings/data/export/"
APPS = f"{ACCOUNT}apps/"
CONFIRM = f"{ACCOUNT}confirm/?next=%2Fsettings%2Faccount%2F"
OLD, EVIL = "ada@example.org", "evil@example.org"
NEW = "a long enough phrase"
TAKE_OVER = {"form": "email", "mail-email": EVIL}
NEW_PASSWORD = {"form": "password", "new-new_password1": NEW, "new-new_password2": NEW}
MINUTE = timedelta(minutes=1)


def notices() -> dict[str, str]:
    """The body of the email just sent to each address."""
    mail.outbox.clear()
    send()
    return {message.to[0]: str(message.body) for message in mail.outbox}


def link_in(body: str) -> str:
    """The path of the undo link in the body; "" if there is none."""
    match = re.search(r"https?://[^/\s]+(/account/undo/\S+)", body)
    return match[1] if match else ""


def state(user: User) -> list[Any]:
    """Everything that a takeover would change."""
    return [
        list(User.objects.filter(pk=user.pk).values_list("email", "password", "is_active")),
        list(TOTPDevice.objects.filter(user=user, confirmed=True).values_list("key", "last_t")),
        sorted(RecoveryCode.objects.filter(user=user).values_list("digest", flat=True)),
        list(Identity.objects.filter(user=user).values_list("issuer", "subject", "connected_at")),
    ]


@pytest.mark.parametrize(("minutes", "is_taken"), [(9, True), (10, False)])
@pytest.mark.parametrize("form", [TAKE_OVER, NEW_PASSWORD, {"form": "elsewhere"}], ids=lambda form: form["form"])
def test_needs_the_password_after_ten_minutes(
    client: Client, ada: User, form: dict[str, str], minutes: int, is_taken: bool
) -> None:
    phone = signed_in(ada)
    sign_in_earlier(client, ada, ago=minutes * MINUTE)
    before = (*state(ada), is_signed_in(phone))
    assert client.post(ACCOUNT, form)["Location"] == (ACCOUNT if is_taken else CONFIRM)
    assert ((*state(ada), is_signed_in(phone)) != before) is is_taken
    assert AccountChange.objects.exists() is is_taken


def test_old_address_is_notified_and_can_undo(client: Client, ada: User, settings: Settings) -> None:
    settings.BASE_URL = "https://reader.example"
    agent = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"}
    client.post(ACCOUNT, TAKE_OVER, headers=agent, REMOTE_ADDR="203.0.113.9")
    emails = notices()
    assert list(emails) == [OLD]
    assert mail.outbox[0].subject == "Your account at reader.example: Email address changed"
    assert f"The email address was changed from {OLD} to {EVIL}." in emails[OLD]
    assert "Browser: Firefox on Linux\nIP address: 203.0.113.9" in emails[OLD]
    assert "https://reader.example/account/undo/" in emails[OLD]
    visitor = Client()
    page = visitor.get(link_in(emails[OLD]))
    assert f"changed from {OLD} to {EVIL}" in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert visitor.post(link_in(emails[OLD])).status_code == 200
    assert User.objects.get().email == OLD
    assert not is_signed_in(client)
    assert not is_signed_in(visitor)


def test_opening_a_link_changes_nothing(client: Client, ada: User) -> None:
    client.post(ACCOUNT, TAKE_OVER)
    link = link_in(notices()[OLD])
    before = state(ada)
    for ask in (client.get, client.head, client.options):
        ask(link)
    assert state(ada) == before
    assert is_signed_in(client)
    assert Client(enforce_csrf_checks=True).post(link).status_code == 403
    assert state(ada) == before


def take_over(client: Client, ada: User) -> dict[str, str]:
    """Change address, password and second factor; return the email to the old address about the first change."""
    client.post(ACCOUNT, TAKE_OVER)
    emails = notices()
    client.post(ACCOUNT, NEW_PASSWORD)
    client.post(FACTOR, {"act": "begin"})
    client.post(FACTOR, {"act": "confirm", "code": code_of(ada)})
    return emails


def test_takeover_is_undone_by_its_first_link(client: Client, ada: User) -> None:
    before = state(ada)
    emails = take_over(client, ada)
    assert state(ada)[:3] != before[:3]
    later = notices()
    assert set(later) == {OLD, EVIL}
    page = Client().get(link_in(emails[OLD])).content.decode()
    assert "The password was changed." in page
    assert "An authenticator app was set up." in page
    Client().post(link_in(emails[OLD]))
    assert state(ada) == before
    assert not is_signed_in(client)
    undone = notices()
    assert set(undone) == {OLD, EVIL}
    assert [link_in(notice) for notice in undone.values()] == ["", ""]
    assert Client().post(link_in(later[EVIL])).status_code == 410
    assert state(ada) == before


def test_undone_change_stores_no_secret(client: Client, ada: User) -> None:
    emails = take_over(client, ada)
    Client().post(link_in(emails[OLD]))
    assert [account_change.before for account_change in AccountChange.objects.all()] == [{}] * 4


def test_reset_link_is_invalid_after_undoing_the_address(client: Client, ada: User) -> None:
    client.post(ACCOUNT, TAKE_OVER)
    emails = notices()
    Client().post("/forgotten/", {"email": EVIL})
    reset = re.search(r"(/forgotten/\S+/\S+/)", str(mail.outbox[-1].body))
    assert reset is not None
    assert "Choose a new password" in Client().get(reset[1], follow=True).content.decode()
    Client().post(link_in(emails[OLD]))
    assert "no longer works" in Client().get(reset[1], follow=True).content.decode()


def test_reset_link_to_the_old_address_is_invalid(client: Client, ada: User) -> None:
    client.post(EXPORT)
    emails = notices()
    Client().post("/forgotten/", {"email": OLD})
    reset = re.search(r"(/forgotten/\S+/\S+/)", str(mail.outbox[-1].body))
    assert reset is not None
    Client().post(link_in(emails[OLD]))
    assert "no longer works" in Client().get(reset[1], follow=True).content.decode()


def test_address_replaced_by_an_older_one_gets_no_link(client: Client, ada: User) -> None:
    client.post(ACCOUNT, TAKE_OVER)
    notices()
    client.post(ACCOUNT, {"form": "email", "mail-email": OLD})  # manually, not by the link
    assert {address: link_in(body) for address, body in notices().items()} == {OLD: "", EVIL: ""}
    client.post(ACCOUNT, NEW_PASSWORD)
    emails = notices()
    assert (link_in(emails[OLD]) != "", link_in(emails[EVIL])) == (True, "")


@pytest.mark.parametrize(
    ("chain", "kept"),
    [
        (["a"], ["a"]),
        (["a", "b"], ["a", "b"]),
        (["a", "evil", "a"], ["a"]),
        (["a", "b", "evil", "b"], ["a", "b"]),
        (["a", "evil", "a", "c"], ["a", "c"]),
        (["a", "evil", "c"], ["a", "evil", "c"]),
    ],
)
def test_addresses_that_may_undo(chain: list[str], kept: list[str]) -> None:
    assert changes.unreplaced(chain) == kept


def test_link_undoes_only_its_own_account(client: Client, ada: User) -> None:
    eve = make.user("eve", email="eve@example.org")
    hers = signed_in(eve)
    client.post(ACCOUNT, TAKE_OVER)
    hers.post(ACCOUNT, {"form": "email", "mail-email": "eve2@example.org"})
    emails = notices()
    before = state(ada)
    assert hers.post(link_in(emails["eve@example.org"])).status_code == 200
    assert (User.objects.get(pk=eve.pk).email, state(ada)) == ("eve@example.org", before)
    assert is_signed_in(client)


@pytest.mark.parametrize("token", ["x", "x" * 43, "%00"])
def test_unknown_link_is_explained(client: Client, ada: User, token: str) -> None:
    client.post(ACCOUNT, TAKE_OVER)
    before = state(ada)
    for ask in (client.get, client.post):
        response = ask(f"/account/undo/{token}/")
        assert response.status_code == 404
        assert "work for 7 days" in response.content.decode()
    assert state(ada) == before


def test_link_works_for_seven_days(client: Client, ada: User) -> None:
    client.post(ACCOUNT, TAKE_OVER)
    link = link_in(notices()[OLD])
    AccountChange.objects.update(expires_at=timezone.now() + MINUTE)
    assert client.get(link).status_code == 200
    AccountChange.objects.update(expires_at=timezone.now())
    assert client.post(link).status_code == 404
    assert User.objects.get().email == EVIL
    resume()
    assert [model.objects.count() for model in (AccountChange, ChangeNotice, UndoLink)] == [0, 0, 0]


def test_used_link_is_explained(client: Client, ada: User) -> None:
    client.post(ACCOUNT, TAKE_OVER)
    link = link_in(notices()[OLD])
    client.post(link)
    for ask in (client.get, client.post):
        response = ask(link)
        assert response.status_code == 410
        assert "has already been undone" in response.content.decode()


def test_second_factor_is_restored_with_recovery_codes(client: Client, ada: User) -> None:
    codes = set_up_app(ada)
    before = state(ada)
    client.post(FACTOR, {"act": "codes"})
    link = link_in(notices()[OLD])
    client.post(FACTOR, {"act": "off"})
    assert "The authenticator app was removed." in notices()[OLD]
    assert not second_factor.is_on(ada)
    Client().post(link)
    assert state(ada) == before
    assert second_factor.check(ada, codes[0], now=timezone.now())
    assert second_factor.check(ada, code_of(ada), now=timezone.now())


def test_new_second_factor_is_removed(client: Client, ada: User) -> None:
    client.post(FACTOR, {"act": "begin"})
    client.post(FACTOR, {"act": "confirm", "code": code_of(ada)})
    Client().post(link_in(notices()[OLD]))
    assert (TOTPDevice.objects.count(), RecoveryCode.objects.count()) == (0, 0)


def test_passkeys_are_removed_and_restored(client: Client, ada: User, settings: Settings) -> None:
    settings.BASE_URL = ORIGIN
    add_passkey(client, Authenticator(), name="theirs")
    before = (Passkey.objects.values("name", "credential_id", "credential", "created_at").get(), state(ada))
    notices()
    client.post(FACTOR, {"act": "remove", "passkey": Passkey.objects.get().pk})
    email = notices()[OLD]
    assert "A passkey was removed." in email
    Client().post(link_in(email))
    assert (Passkey.objects.values(*before[0]).get(), state(ada)) == before
    client.force_login(ada)
    add_passkey(client, Authenticator(), name="a thief's")
    email = notices()[OLD]
    assert "A passkey was added, which can now sign in to the account." in email
    Client().post(link_in(email))
    assert (Passkey.objects.values(*before[0]).get(), state(ada)) == before


def test_app_passwords_are_removed_and_restored(client: Client, ada: User) -> None:
    client.post(APPS, {"name": "Mine"})
    kept = list(AppPassword.objects.values("name", "digest", "fever_digest", "created_at"))
    notices()
    client.post(APPS, {"name": "A thief's"})
    email = notices()[OLD]
    assert "An app password was created, with which a reading app can use the account." in email
    client.post(f"{APPS}{AppPassword.objects.get(name='Mine').pk}/revoke/")
    assert "An app password was revoked." in notices()[OLD]
    Client().post(link_in(email))
    assert list(AppPassword.objects.values("name", "digest", "fever_digest", "created_at")) == kept


@pytest.mark.parametrize("is_taken", [False, True], ids=["free", "connected to another account since"])
def test_connection_is_restored_if_unused(client: Client, ada: User, is_taken: bool) -> None:
    values = {"issuer": "https://id.example", "subject": "1", "connected_at": make.NOW}
    Identity.objects.create(user=ada, **values)
    client.post("/settings/account/provider/disconnect/")
    link = link_in(notices()[OLD])
    assert not Identity.objects.exists()
    owner = ada
    if is_taken:
        owner = make.user()
        Identity.objects.create(user=owner, **values)
    assert Client().post(link).status_code == 200
    assert list(Identity.objects.values_list("user", "issuer", "subject", "connected_at")) == [
        (owner.pk, *values.values())
    ]


def test_download_is_reported_with_a_sign_out_link(client: Client, ada: User) -> None:
    assert client.get(EXPORT).status_code == 405
    response = client.post(EXPORT)
    assert response["Content-Type"] == "application/zip"
    assert "no-store" in response["Cache-Control"]
    link = link_in(notices()[OLD])
    page = Client().get(link).content.decode()
    assert "Secure your account?" in page
    assert "Choose a new password" in Client().post(link).content.decode()
    assert not is_signed_in(client)


def test_download_needs_the_password_after_ten_minutes(client: Client, ada: User) -> None:
    sign_in_earlier(client, ada)
    assert client.post(EXPORT)["Location"] == "/settings/account/confirm/?next=%2Fsettings%2Fdata%2F"
    assert not AccountChange.objects.exists()
    client.post(CONFIRM, {"password": "correct horse"})
    assert client.post(EXPORT)["Content-Type"] == "application/zip"


def test_deleted_account_can_be_restored_for_seven_days(client: Client, ada: User, enqueued: Enqueued) -> None:
    Tag.objects.create(user=ada, name="Later")
    before = state(ada)
    assert "restores everything" in client.get("/settings/account/delete/").content.decode()
    assert "the link we sent to ada@example.org" in client.post("/settings/account/delete/").content.decode()
    assert not is_signed_in(client)
    assert not Client().login(username="ada", password="correct horse")
    remove_account(ada.pk)
    assert ("rssmanager.accounts.tasks.remove_account", ada.pk) not in enqueued
    Client().post(link_in(notices()[OLD]))
    assert state(ada) == before
    PendingDeletion.objects.update(due_at=make.NOW)
    resume()
    assert list(Tag.objects.values_list("name", flat=True)) == ["Later"]
    assert Client().login(username="ada", password="correct horse")


def test_deleted_account_is_removed_after_seven_days(client: Client, ada: User) -> None:
    client.post("/settings/account/delete/")
    link = link_in(notices()[OLD])
    PendingDeletion.objects.update(due_at=timezone.now() - 30 * MINUTE)
    resume()
    assert not User.objects.exists()
    assert Client().post(link).status_code == 404


def test_account_reactivated_by_administrator_is_kept(client: Client, ada: User) -> None:
    client.post("/settings/account/delete/")
    PendingDeletion.objects.update(due_at=make.NOW)
    User.objects.update(is_active=True)
    resume()
    assert User.objects.get() == ada


@pytest.mark.parametrize(
    ("address", "backend", "reason"),
    [
        pytest.param("", "locmem", "Without an email address", id="no address"),
        pytest.param(OLD, "console", "This server can", id="no mail server"),
    ],
)
def test_deleting_is_final_without_mail(
    client: Client, ada: User, enqueued: Enqueued, settings: Settings, address: str, backend: str, reason: str
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    User.objects.update(email=address)
    assert reason in client.get("/settings/account/delete/").content.decode()
    assert "is being deleted" in client.post("/settings/account/delete/").content.decode()
    assert enqueued == [("rssmanager.accounts.tasks.remove_account", ada.pk)]
    remove_account(ada.pk)
    assert not User.objects.exists()


def test_changes_work_without_mail_server(client: Client, ada: User, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert "t send emails, not even about changes" in client.get(ACCOUNT).content.decode()
    client.post(ACCOUNT, TAKE_OVER)
    assert User.objects.get().email == EVIL
    assert not AccountChange.objects.exists()


def test_saving_the_same_address_is_no_change(client: Client, ada: User) -> None:
    client.post(ACCOUNT, {"form": "email", "mail-email": OLD})
    assert not AccountChange.objects.exists()


def test_first_address_sends_no_notice(client: Client, ada: User) -> None:
    User.objects.update(email="")
    client.post(ACCOUNT, TAKE_OVER)
    assert notices() == {}
    assert not AccountChange.objects.exists()


def test_password_reset_ends_all_sessions_and_is_reported(client: Client, ada: User) -> None:
    set_up_app(ada)
    before = state(ada)
    halfway = Client()
    halfway.post("/login/", {"username": "ada", "password": "correct horse"})
    visitor = Client()
    visitor.post("/forgotten/", {"email": OLD})
    reset = re.search(r"(/forgotten/\S+/\S+/)", str(mail.outbox[-1].body))
    assert reset is not None
    page = visitor.get(reset[1], follow=True).redirect_chain[-1][0]
    assert visitor.post(page, {"new_password1": NEW, "new_password2": NEW})["Location"] == "/login/code/"
    assert not is_signed_in(client)
    assert halfway.get("/login/code/")["Location"] == "/login/"
    assert BrowserSession.objects.filter(waits_for=ada).count() == 1  # the visitor's own
    assert state(ada)[1:] == before[1:]
    emails = notices()
    assert "The password was changed." in emails[OLD]
    Client().post(link_in(emails[OLD]))
    assert state(ada) == before
    assert not BrowserSession.objects.filter(waits_for=ada).exists()


def test_queues_task_to_send_email(
    client: Client, ada: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    called: list[object] = []
    monkeypatch.setattr("rssmanager.accounts.changes.call_worker", called.append)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(ACCOUNT, TAKE_OVER)
    assert called == ["digests.tasks.mail.send"]
