"""Emails about accounts are sent once despite mail server failures, and no secret waits in the database."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from digests.delivery import sending
from digests.models import Mailing, MailingState
from digests.tasks.mail import send
from reader.models import Notification, Preferences
from rssmanager.accounts import tasks
from rssmanager.accounts.changes import digest_of, recorded, undo
from rssmanager.accounts.emails import describe_change
from rssmanager.accounts.models import AccountChange, ChangeKind, ChangeNotice, UndoLink
from rssmanager.authentication.sessions import Browser
from tests import make
from tests.digests.mail_server import RealServer, free_port
from tests.digests.mails import use_smtp
from tests.rssmanager.accounts.test_changes import link_in

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
NEW = "a long enough phrase"
HERE = Browser("curl/8.5.0", "203.0.113.9")


@pytest.fixture
def ada() -> User:
    """A user whose address was just changed."""
    user = make.user("ada", email="ada@example.org")
    with recorded(user, ChangeKind.EMAIL, browser=HERE, now=make.NOW):
        User.objects.update(email="evil@example.org")
    return user


@pytest.fixture
def root(client: Client) -> Client:
    """An administrator's browser, just confirmed."""
    user = make.user("root", is_staff=True, is_superuser=True)
    client.post("/login/", {"username": user.username, "password": "correct horse"})
    return client


@pytest.fixture
def smtp(settings: Settings) -> Iterator[RealServer]:
    server = RealServer()
    use_smtp(settings, server.port)
    yield server
    server.close()


def ask(kind: str, root: Client, user: User) -> None:
    """Do what an email to the user's address is about."""
    if kind == "reset":
        Client().post("/forgotten/", {"email": user.email})
    elif kind == "invitation":
        root.post(f"/settings/users/{user.pk}/", {"act": "link"})
    else:
        with recorded(user, ChangeKind.PASSWORD, browser=HERE, now=timezone.now()):
            User.objects.filter(pk=user.pk).update(password="x")


def send_due(*, now: datetime) -> int:
    """How many were sent."""
    return sending.send_due(until=now + MINUTE, clock=lambda: now).n_sent


def test_notice_is_sent_once(ada: User) -> None:
    assert [send_due(now=make.NOW), send_due(now=make.NOW + HOUR)] == [1, 0]
    assert [message.to for message in mail.outbox] == [["ada@example.org"]]
    headers = mail.outbox[0].extra_headers
    assert headers["Auto-Submitted"] == "auto-generated"
    assert "List-Unsubscribe" not in headers


def test_notice_waits_for_a_server_that_is_away_for_days(ada: User, smtp: RealServer, settings: Settings) -> None:
    """As long as the change can be undone."""
    use_smtp(settings, free_port())
    days = [make.NOW + timedelta(days=n) for n in range(7)]
    assert [send_due(now=now) for now in days] == [0] * 7
    assert UndoLink.objects.count() == 7
    use_smtp(settings, smtp.port)
    assert [send_due(now=days[-1] + HOUR), send_due(now=days[-1] + 2 * HOUR)] == [1, 0]
    (sent,) = smtp.received
    link = link_in(sent.part("plain"))
    assert UndoLink.objects.filter(digest=digest_of(link.split("/")[-2])).count() == 1


def test_notice_fails_after_a_week(ada: User, settings: Settings) -> None:
    use_smtp(settings, free_port())
    send_due(now=make.NOW + timedelta(days=7))
    assert Mailing.objects.get().state == MailingState.FAILED
    text = Notification.objects.get().text
    assert text.startswith("An email about a change to your account couldn't be sent. Not sent within a week.")


@pytest.mark.parametrize("kind", ["reset", "invitation", "notice"])
@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DOT"])
def test_email_refused_for_now_arrives_once(root: Client, smtp: RealServer, kind: str, command: str) -> None:
    smtp.say(command, "451 4.7.1 Greylisted, try again later")
    bob = make.user("bob", email="bob@example.org")
    ask(kind, root, bob)
    now = timezone.now()
    send_due(now=now)
    waiting = Mailing.objects.get()
    assert (waiting.n_tries, waiting.state, smtp.received) == (1, MailingState.WAITING, [])
    assert "“451 4.7.1 Greylisted, try again later”" in waiting.answer
    send_due(now=waiting.next_try_at - timedelta(seconds=1))
    assert smtp.received == []
    for hours in (1, 2, 3):
        send_due(now=now + hours * HOUR)
    assert [letter.recipients for letter in smtp.received] == [["bob@example.org"]]
    assert smtp.received[0].message["Message-ID"] == waiting.message_id
    assert not Notification.objects.exists()


@pytest.mark.parametrize("kind", ["reset", "invitation", "notice"])
def test_email_waits_while_the_server_is_unreachable(
    root: Client, smtp: RealServer, settings: Settings, kind: str
) -> None:
    use_smtp(settings, free_port())
    bob = make.user("bob", email="bob@example.org")
    ask(kind, root, bob)
    send_due(now=timezone.now() + HOUR)
    assert Mailing.objects.get().answer.endswith("can't be reached: Connection refused.")
    use_smtp(settings, smtp.port)
    assert send_due(now=timezone.now() + 3 * HOUR) == 1
    assert len(smtp.received) == 1


def test_reset_link_is_valid_from_when_it_is_sent(root: Client, smtp: RealServer, settings: Settings) -> None:
    settings.PASSWORD_RESET_TIMEOUT = 3600
    bob = make.user("bob", email="bob@example.org")
    smtp.say("RCPT", "451 4.7.1 Greylisted")
    ask("reset", root, bob)
    Mailing.objects.update(created_at=timezone.now() - 20 * HOUR, next_try_at=timezone.now())
    send()
    link = re.search(r"http://[^/]+(/forgotten/\S+)", smtp.received[0].part("plain"))
    assert link is not None
    theirs = Client()
    form = theirs.get(link[1])["Location"]
    assert theirs.post(form, {"new_password1": NEW, "new_password2": NEW}).status_code == 302
    bob.refresh_from_db()
    assert bob.check_password(NEW)


@pytest.mark.parametrize(
    "change", [{"email": "new@example.org"}, {"is_active": False}, {"last_login": make.NOW + timedelta(days=9999)}]
)
@pytest.mark.parametrize("kind", ["reset", "invitation"])
def test_link_is_not_sent_if_it_would_be_invalid_by_now(
    root: Client, smtp: RealServer, kind: str, change: dict[str, object]
) -> None:
    smtp.say("RCPT", "451 4.7.1 Greylisted")
    bob = make.user("bob", email="bob@example.org")
    ask(kind, root, bob)
    send_due(now=timezone.now())
    User.objects.filter(pk=bob.pk).update(**change)
    send_due(now=timezone.now() + HOUR)
    assert (smtp.received, Mailing.objects.count(), Notification.objects.count()) == ([], 0, 0)


def test_undoing_cancels_a_reset_that_waits(ada: User, smtp: RealServer) -> None:
    """Asked for by a thief, for the address that the account had for an hour."""
    thief = "evil@example.org"
    smtp.say("RCPT", "451 4.7.1 Greylisted")
    tasks.send_reset(thief)
    UndoLink.objects.create(digest=digest_of("token"), change=AccountChange.objects.get())
    undo("token", now=make.NOW)
    send_due(now=timezone.now() + HOUR)
    assert [letter.recipients for letter in smtp.received if "/forgotten/" in letter.part("plain")] == []


def test_refused_address_is_not_tried_again(root: Client, smtp: RealServer) -> None:
    smtp.say("RCPT", "550 5.1.1 nobody of that name")
    ask("reset", root, make.user("bob", email="bob@example.org"))
    assert Mailing.objects.get().state == MailingState.FAILED
    assert Notification.objects.get().text.startswith("The email to reset your password couldn't be sent.")
    assert send_due(now=timezone.now() + HOUR) == 0


def test_waiting_email_contains_no_link(ada: User, root: Client, smtp: RealServer) -> None:
    smtp.say("RCPT", *["451 4.7.1 Greylisted"] * 2)
    ask("reset", root, make.user("bob", email="bob@example.org"))
    rows = str([list(model.objects.values()) for model in (Mailing, ChangeNotice)])
    assert "forgotten" not in rows
    assert "undo/" not in rows
    [row] = Mailing.objects.filter(kind="reset").values()
    assert {name for name, value in row.items() if value not in (None, "")} == {
        "id", "user_id", "kind", "recipient", "message_id", "state", "n_tries", "created_at", "next_try_at", "answer"
    }  # fmt: skip


def test_old_emails_about_accounts_are_forgotten(ada: User, root: Client) -> None:
    ask("reset", root, make.user("bob", email="bob@example.org"))
    tasks.resume()  # ada's change was long ago
    assert [of.kind for of in Mailing.objects.all()] == ["reset"]


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
