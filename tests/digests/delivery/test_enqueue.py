"""What waits to be mailed: once each, called off, asked for again."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from digests.delivery.enqueue import cancel_email, queue, queue_alerts, resend
from digests.delivery.links import ALERTS, Subscribed
from digests.models import MailedNotification, Mailing, MailingKind, MailingState
from reader.models import Notification, NotificationKind
from tests import make
from tests.digests.mails import digest, mailing, reader_with_mail
from tests.make import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

LATER = NOW + timedelta(hours=30)


def told(user: User, **values: object) -> Notification:
    values = {"kind": "breaking", "text": "It happened.", "happened_at": NOW, **values}
    return Notification.objects.create(user=user, **values)


def test_queueing_a_digest_again_creates_no_second_email() -> None:
    of = digest(reader_with_mail())
    first, second = queue(of, now=NOW), queue(of, now=LATER)
    assert first == second
    assert (first.user, first.digest, first.kind, first.state) == (
        of.user,
        of,
        MailingKind.DIGEST,
        MailingState.WAITING,
    )
    assert (second.created_at, second.next_try_at, second.n_tries, second.claim) == (NOW, NOW, 0, None)


def test_sent_email_does_not_wait_again() -> None:
    was_sent = mailing(state=MailingState.SENT)
    assert was_sent.digest
    assert queue(was_sent.digest, now=LATER).state == MailingState.SENT


def test_the_front_page_is_not_mailed() -> None:
    with pytest.raises(ValueError, match="Today is never emailed"):
        queue(digest(reader_with_mail(), kind="today"), now=NOW)
    assert not Mailing.objects.exists()


@pytest.mark.parametrize(
    ("site", "host"),
    [
        ("https://reader.example.org", "reader.example.org"),
        ("http://127.0.0.1:8000", "127.0.0.1"),
        ("https://lesen.zürich.example", "lesen.xn--zrich-kva.example"),
    ],
)
def test_a_mail_is_called_after_the_site(settings: Settings, site: str, host: str) -> None:
    settings.BASE_URL = site
    user = reader_with_mail()
    ids = {queue(digest(user), now=NOW).message_id for _ in range(3)}
    assert len(ids) == 3
    for id_ in ids:
        assert id_.startswith("<")
        assert id_.endswith(f"@{host}>")
        assert len(id_.partition("@")[0]) == 33


def test_alerts_go_into_one_mail() -> None:
    user = reader_with_mail()
    news = [told(user) for _ in range(3)]
    made = queue_alerts(user, [news_item.pk for news_item in news], now=NOW)
    assert made
    assert (made.user, made.kind, made.digest, made.next_try_at) == (user, MailingKind.ALERTS, None, NOW)
    assert set(made.notifications.values_list("pk", flat=True)) == {news_item.pk for news_item in news}


def test_notification_is_emailed_once() -> None:
    user = reader_with_mail()
    first, second = told(user), told(user)
    queue_alerts(user, [first.pk], now=NOW)
    made = queue_alerts(user, [first.pk, second.pk], now=NOW)
    assert made
    assert list(made.notifications.values_list("pk", flat=True)) == [second.pk]
    assert queue_alerts(user, [first.pk, second.pk], now=NOW) is None
    assert Mailing.objects.count() == 2


def test_alerts_are_emailed_only_to_their_user() -> None:
    user, other = reader_with_mail(), reader_with_mail()
    mine, theirs = told(user), told(other)
    made = queue_alerts(user, [mine.pk, theirs.pk, 999_999], now=NOW)
    assert made
    assert list(made.notifications.values_list("pk", flat=True)) == [mine.pk]


def test_no_mail_is_sent_about_mail_that_was_not() -> None:
    user = reader_with_mail()
    failed = told(user, kind=NotificationKind.MAIL)
    assert queue_alerts(user, [failed.pk], now=NOW) is None
    assert queue_alerts(user, [], now=NOW) is None
    assert not Mailing.objects.exists()
    assert not MailedNotification.objects.exists()


@pytest.mark.parametrize("state", [MailingState.FAILED, MailingState.UNCERTAIN])
def test_failed_or_uncertain_email_can_be_resent(state: str) -> None:
    of = mailing(state=state, n_tries=29, answer="Not sent within a day.", next_try_at=NOW + timedelta(hours=23))
    assert resend(of, now=LATER)
    again = Mailing.objects.get()
    assert (again.state, again.n_tries, again.answer) == (MailingState.WAITING, 0, "")
    assert again.created_at == again.next_try_at == LATER  # so that it has a day again
    assert again.message_id == of.message_id
    assert not resend(of, now=LATER)  # pressed twice


@pytest.mark.parametrize("state", [MailingState.WAITING, MailingState.HANDING_OVER, MailingState.SENT])
def test_waiting_or_sent_email_is_not_resent(state: str) -> None:
    of = mailing(state=state, n_tries=2)
    assert not resend(of, now=LATER)
    assert (Mailing.objects.get().state, Mailing.objects.get().n_tries) == (state, 2)


def test_cancels_only_disabled_email() -> None:
    user, other = reader_with_mail(), reader_with_mail()
    morning, weekly = mailing(user), mailing(digest=digest(user, kind="weekly"))
    alerts, theirs = mailing(user, kind="alerts"), mailing(other)
    assert cancel_email(Subscribed(user.pk, "morning")) == 1
    waiting = set(Mailing.objects.filter(state=MailingState.WAITING))
    assert waiting == {weekly, alerts, theirs}
    assert cancel_email(Subscribed(user.pk, ALERTS)) == 1
    alerts.refresh_from_db()
    assert (alerts.state, alerts.answer) == (
        MailingState.FAILED,
        "You turned off email for alerts before this was sent.",
    )
    assert cancel_email(Subscribed(user.pk, "morning")) == 0
    morning.refresh_from_db()
    assert morning.state == MailingState.FAILED
    assert not Notification.objects.exists()  # the person knows


@pytest.mark.parametrize("state", [MailingState.HANDING_OVER, MailingState.SENT, MailingState.UNCERTAIN])
def test_sent_or_sending_email_is_not_canceled(state: str) -> None:
    of = mailing(state=state)
    assert cancel_email(Subscribed(of.user_id, "morning")) == 0
    assert Mailing.objects.get().state == state


def test_deleted_account_deletes_its_email() -> None:
    of = mailing()
    make.user()
    of.user.delete()
    assert not Mailing.objects.exists()
