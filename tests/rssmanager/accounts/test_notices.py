"""Emails about account changes are sent despite mail server failures, and contain no stored secret."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from digests.delivery.errors import NotAccepted, Unconfirmed
from digests.delivery.smtp import MailServer
from reader.models import Preferences
from rssmanager.accounts.changes import digest_of, recorded, undo
from rssmanager.accounts.models import AccountChange, ChangeKind, ChangeNotice, UndoLink
from rssmanager.accounts.notices import describe_change, send_due
from rssmanager.auth.sessions import Browser
from tests import make
from tests.rssmanager.accounts.test_changes import link_in

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
HERE = Browser("curl/8.5.0", "203.0.113.9")


@pytest.fixture
def ada() -> User:
    """A user whose address was just changed."""
    user = make.user("ada", email="ada@example.org")
    with recorded(user, ChangeKind.EMAIL, browser=HERE, now=make.NOW):
        User.objects.update(email="evil@example.org")
    return user


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> None:
    def deliver(*given: object, **named: object) -> None:
        if error is not None:
            raise error

    monkeypatch.setattr(MailServer, "deliver", deliver)


def test_is_sent_once(ada: User) -> None:
    assert [send_due(now=make.NOW), send_due(now=make.NOW + timedelta(hours=1))] == [1, 0]
    assert [message.to for message in mail.outbox] == [["ada@example.org"]]
    assert mail.outbox[0].extra_headers == {"Auto-Submitted": "auto-generated"}


def test_waits_until_the_server_accepts_mail(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        failing(patched, NotAccepted("away", is_for_all=True))
        assert send_due(now=make.NOW) == 0
    assert send_due(now=make.NOW) == 0  # not yet
    assert send_due(now=make.NOW + MINUTE) == 1
    assert len(mail.outbox) == 1


def test_retried_email_has_two_working_links(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, Unconfirmed("?"))
    now = make.NOW
    for n_links in (1, 2, 2):
        send_due(now=now)
        assert UndoLink.objects.count() == n_links
        now += timedelta(hours=1)
    assert set(UndoLink.objects.values_list("change", flat=True)) == {AccountChange.objects.get().pk}


@pytest.mark.parametrize("refused", ["by the server", "by Django"])
def test_gives_up_on_refused_address(ada: User, monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    failing(monkeypatch, NotAccepted("no", is_final=True) if refused == "by the server" else ValueError("no"))
    assert send_due(now=make.NOW) == 0
    assert ChangeNotice.objects.get().next_try_at is None


def test_email_being_sent_is_not_sent_by_another_worker(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """It isn't lost either if that worker dies."""

    class Killed(BaseException):
        pass

    with monkeypatch.context() as patched:
        failing(patched, Killed())  # type: ignore[arg-type]
        with pytest.raises(Killed):
            send_due(now=make.NOW)
    assert send_due(now=make.NOW + 14 * MINUTE) == 0
    assert send_due(now=make.NOW + 15 * MINUTE) == 1


def test_undone_change_is_no_longer_reported(ada: User) -> None:
    UndoLink.objects.create(digest=digest_of("token"), change=AccountChange.objects.get())
    undo("token", now=make.NOW)
    send_due(now=make.NOW)
    assert [message.subject.rpartition(": ")[2] for message in mail.outbox] == ["Changes undone"] * 2
    assert [message.to[0] for message in mail.outbox] == ["ada@example.org", "evil@example.org"]


def test_database_contains_no_token(ada: User) -> None:
    send_due(now=make.NOW)
    token = link_in(str(mail.outbox[0].body)).split("/")[-2]
    assert len(token) == 43
    rows = str([list(model.objects.values()) for model in (AccountChange, ChangeNotice, UndoLink)])
    assert token not in rows
    assert digest_of(token) in rows


def test_times_are_in_the_users_time_zone(ada: User) -> None:
    Preferences.objects.update_or_create(user=ada, defaults={"time_zone": "Asia/Tokyo"})
    send_due(now=make.NOW)
    assert "(JST)" in str(mail.outbox[0].body)


def test_change_by_administrator_names_no_browser() -> None:
    user = make.user("bob", email="bob@example.org")
    with recorded(user, ChangeKind.PASSWORD, browser=None, now=make.NOW):
        User.objects.update(password="x")
    send_due(now=make.NOW)
    body = str(mail.outbox[0].body)
    assert "By: an administrator" in body
    assert "Browser:" not in body


def test_failed_change_records_nothing(ada: User) -> None:
    with pytest.raises(ZeroDivisionError), recorded(ada, ChangeKind.PASSWORD, browser=HERE, now=make.NOW):
        User.objects.update(password=1 / 0)
    assert AccountChange.objects.count() == 1


def test_every_kind_has_its_own_text(ada: User) -> None:
    sentences = [describe_change(AccountChange(user=ada, kind=kind, detail="x@example.org")) for kind in ChangeKind]
    assert len(set(sentences)) == len(ChangeKind)


def test_link_opens_the_confirmation_page(client: Client, ada: User) -> None:
    send_due(now=make.NOW)
    AccountChange.objects.update(expires_at=timezone.now() + MINUTE)
    assert client.get(link_in(str(mail.outbox[0].body))).status_code == 200
