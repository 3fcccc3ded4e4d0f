"""Mails from the outbox to a mail server: each once, whatever the server does; and everybody is told what is due."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.core import mail
from django.test import Client
from pytest_django import Settings

from digests.delivery.enqueue import cancel_email, queue, queue_alerts, resend
from digests.delivery.links import Subscribed
from digests.delivery.outbox import CLAIM_WHILE_ANSWERING
from digests.delivery.sending import SendReport, send_due, send_one
from digests.delivery.smtp import MailServer
from digests.models import DigestPlan, Mailing, MailingState
from digests.rendering.mail import EmailContent
from digests.tasks import mail as mailing_tasks
from reader.models import Notification, NotificationKind
from tests import make
from tests.digests.editions import full_edition
from tests.digests.mail_server import OK, Conversation, RealServer, Script, ScriptedServer, free_port
from tests.digests.mails import letter, mailing, reader_with_mail, stored, use_smtp
from tests.make import NOW

pytestmark = pytest.mark.django_db

TIMEOUT = 0.2  # seconds; for servers that never answer, so nothing depends on how long it is


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def real(settings: Settings) -> Iterator[RealServer]:
    server = RealServer()
    use_smtp(settings, server.port)
    yield server
    server.close()


@pytest.fixture
def scripted(settings: Settings) -> Iterator[Callable[..., ScriptedServer]]:
    made: list[ScriptedServer] = []

    def make_server(*scripts: Script) -> ScriptedServer:
        made.append(ScriptedServer(*scripts))
        use_smtp(settings, made[-1].port)
        return made[-1]

    yield make_server
    for each in made:
        each.close()


def some_letter(of: Mailing) -> EmailContent:
    return letter(subject=f"Mail {of.pk}")


def run(clock: Clock) -> SendReport:
    server = MailServer(timeout=TIMEOUT, answer_timeout=TIMEOUT)
    return send_due(until=clock.now + timedelta(minutes=1), clock=clock, email_content_of=some_letter, server=server)


def state(of: Mailing) -> str:
    return Mailing.objects.get(pk=of.pk).state


# Sent


def test_a_stored_digest_arrives_as_a_mail_client_reads_it(
    real: RealServer, clock: Clock, settings: Settings, client: Client
) -> None:
    settings.BASE_URL = "https://reader.example.org"
    user = reader_with_mail(email="ada@example.org")
    plan = DigestPlan.objects.create(user=user, kind="morning", at="07:00", by_mail=True)
    of = queue(stored(user, full_edition()), now=NOW)
    assert send_due(until=NOW + timedelta(minutes=1), clock=clock) == SendReport(n_sent=1)
    taken = real.received[0]
    assert taken.recipients == ["ada@example.org"]
    message = taken.message
    assert str(message["To"]) == "ada@example.org"
    assert str(message["Message-ID"]) == of.message_id
    assert message["Date"].datetime == NOW
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
    assert not message.defects
    text, page = taken.part("plain"), taken.part("html")
    for headline in (
        "Iran and US end second round with “guiding principles”",
        "日銀、政策金利を据え置き 物価見通しは引き上げ",
    ):
        assert headline in page
    assert "guiding principles" in text
    assert "日銀" in text
    assert max(map(len, text.splitlines())) < 200  # links are long, words are wrapped
    assert "<style" not in text
    assert max(map(len, taken.content.split(b"\r\n"))) <= 998
    way_out = str(message["List-Unsubscribe"]).strip("<>").removeprefix("https://reader.example.org")
    assert str(message["List-Unsubscribe-Post"]) == "List-Unsubscribe=One-Click"
    assert client.post(way_out, {"List-Unsubscribe": "One-Click"}).status_code == 200
    plan.refresh_from_db()
    assert not plan.by_mail
    assert (state(of), Mailing.objects.get().sent_at) == (MailingState.SENT, NOW)


def test_alerts_arrive(real: RealServer, clock: Clock) -> None:
    user = reader_with_mail()
    subscription = make.subscription(user)
    queue_alerts(user, [make.notification(subscription, text="Paper is no more.").pk], now=NOW)
    assert send_due(until=NOW + timedelta(minutes=1), clock=clock).n_sent == 1
    assert "Paper is no more." in real.received[0].part("plain")


def test_due_email_shares_one_connection(real: RealServer, clock: Clock) -> None:
    mails = [mailing() for _ in range(5)]
    later = mailing(next_try_at=NOW + timedelta(hours=1))
    assert run(clock) == SendReport(n_sent=5)
    assert real.n_connections == 1
    assert sorted(str(each.message["Subject"]) for each in real.received) == sorted(f"Mail {each.pk}" for each in mails)
    assert sorted(each.recipients[0] for each in real.received) == sorted(each.user.email for each in mails)
    assert state(later) == MailingState.WAITING
    assert run(clock) == SendReport()
    assert len(real.received) == 5


def test_sends_nothing_after_the_time_limit(real: RealServer, clock: Clock) -> None:
    mailing()
    report = send_due(until=NOW, clock=clock, email_content_of=some_letter)
    assert report == SendReport()
    assert not real.received


def test_no_connection_without_email_to_send(real: RealServer, clock: Clock) -> None:
    assert run(clock) == SendReport()
    assert real.n_connections == 0


def test_the_task_sends() -> None:
    user = reader_with_mail()
    of = queue(stored(user, full_edition()), now=NOW)
    mailing_tasks.send()
    assert [each.to for each in mail.outbox] == [[user.email]]
    assert state(of) == MailingState.SENT


def test_one_mail_can_be_sent_by_itself_before_its_time(real: RealServer, clock: Clock) -> None:
    of, other = mailing(next_try_at=NOW + timedelta(hours=1)), mailing()
    assert send_one(of, clock=clock, email_content_of=some_letter) == SendReport(n_sent=1)
    assert (state(of), state(other)) == (MailingState.SENT, MailingState.WAITING)
    assert send_one(of, clock=clock, email_content_of=some_letter) == SendReport()
    assert len(real.received) == 1


# Refused, and tried again


def test_greylisting_is_waited_out(real: RealServer, clock: Clock) -> None:
    of = mailing()
    real.say("RCPT", "451 4.7.1 Greylisted", "451 4.7.1 Greylisted")
    for minutes in (1, 5):
        assert run(clock) == SendReport(n_postponed=1)
        waits = Mailing.objects.get()
        assert waits.answer == "The mail server doesn't accept the address right now: “451 4.7.1 Greylisted”."
        assert waits.next_try_at == clock.now + timedelta(minutes=minutes)
        clock.now = waits.next_try_at - timedelta(seconds=1)
        assert run(clock) == SendReport()
        clock.now = waits.next_try_at
    assert run(clock) == SendReport(n_sent=1)
    assert len(real.received) == 1
    assert (state(of), Mailing.objects.get().answer, Mailing.objects.get().n_tries) == (MailingState.SENT, "", 3)
    assert not Notification.objects.exists()


def test_email_is_sent_once_if_the_server_stops_after_data(real: RealServer, clock: Clock) -> None:
    mailing()
    real.say("DOT", "451 4.3.0 out of space")
    assert run(clock) == SendReport(n_postponed=1)
    clock.now += timedelta(minutes=1)
    assert run(clock) == SendReport(n_sent=1)
    assert len(real.received) == 1


@pytest.mark.parametrize("command", ["RCPT", "MAIL", "DOT"])
def test_a_mail_that_is_refused_for_good_fails_and_others_go_out(real: RealServer, clock: Clock, command: str) -> None:
    of, other = mailing(next_try_at=NOW - timedelta(hours=1)), mailing()
    real.say(command, "550 5.1.1 nobody of that name")
    assert run(clock) == SendReport(n_sent=1, n_failed=1)
    assert (state(of), state(other)) == (MailingState.FAILED, MailingState.SENT)
    news = Notification.objects.get()
    assert (news.user, news.kind, news.path) == (of.user, NotificationKind.MAIL, f"/digests/{of.digest_id}/")
    assert ": “550 5.1.1 nobody of that name”." in news.text
    clock.now += timedelta(days=1)
    assert run(clock) == SendReport()


def test_unavailable_server_is_tried_once(settings: Settings, clock: Clock) -> None:
    use_smtp(settings, free_port())
    for _ in range(3):
        mailing()
    assert run(clock) == SendReport(n_postponed=1)
    assert sorted(Mailing.objects.values_list("n_tries", flat=True)) == [0, 0, 1]
    clock.now += timedelta(minutes=1)
    assert run(clock) == SendReport(n_postponed=1)
    assert sorted(Mailing.objects.values_list("n_tries", flat=True)) == [0, 1, 1]
    server = RealServer()
    use_smtp(settings, server.port)
    try:
        clock.now += timedelta(hours=1)
        assert run(clock) == SendReport(n_sent=3)
    finally:
        server.close()


def test_user_is_notified_once_after_a_day_without_server(settings: Settings, clock: Clock) -> None:
    use_smtp(settings, free_port())
    of = mailing()
    n_runs = 0
    while (waits := Mailing.objects.get()).state == MailingState.WAITING:
        clock.now = waits.next_try_at
        run(clock)
        n_runs += 1
    assert state(of) == MailingState.FAILED
    assert clock.now == NOW + timedelta(hours=24)
    assert n_runs == Mailing.objects.get().n_tries == 29
    assert Notification.objects.get().text.endswith("can't be reached: Connection refused.")


def test_failed_email_is_sent_on_request(real: RealServer, clock: Clock) -> None:
    of = mailing()
    real.say("RCPT", "550 full")
    run(clock)
    clock.now += timedelta(days=3)
    resend(of, now=clock.now)
    real.say("RCPT", "451 busy")  # it has a day again
    assert run(clock) == SendReport(n_postponed=1)
    clock.now += timedelta(minutes=1)
    assert run(clock) == SendReport(n_sent=1)
    assert str(real.received[0].message["Message-ID"]) == of.message_id


def _too_busy(talk: Conversation) -> None:
    talk.say("421 come back later")


def _closes_at_once(talk: Conversation) -> None:
    pass


def _silent(talk: Conversation) -> None:
    talk.hold()


def _takes_it(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()
    talk.say(OK)
    talk.until("QUIT")


@pytest.mark.parametrize("script", [_too_busy, _closes_at_once, _silent])
def test_failure_before_data_is_retried(scripted: Callable[..., ScriptedServer], clock: Clock, script: Script) -> None:
    of = mailing()
    scripted(script, _takes_it)
    assert run(clock) == SendReport(n_postponed=1)
    assert state(of) == MailingState.WAITING
    clock.now += timedelta(minutes=1)
    assert run(clock) == SendReport(n_sent=1)
    assert state(of) == MailingState.SENT


# In doubt


def _closes_after_the_dot(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()


def _silent_after_the_dot(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()
    talk.hold()


@pytest.mark.parametrize("script", [_closes_after_the_dot, _silent_after_the_dot])
def test_without_an_answer_to_the_dot_it_is_not_sent_again(
    scripted: Callable[..., ScriptedServer], clock: Clock, script: Script
) -> None:
    of, other = mailing(next_try_at=NOW - timedelta(hours=1)), mailing()
    server = scripted(script, _takes_it)
    assert run(clock) == SendReport(n_sent=1, n_unconfirmed=1)
    assert (state(of), state(other)) == (MailingState.UNCERTAIN, MailingState.SENT)
    news = Notification.objects.get()
    assert (news.user, news.kind, news.path) == (of.user, NotificationKind.MAIL, f"/digests/{of.digest_id}/")
    assert "may not have been sent" in news.text
    clock.now += timedelta(days=2)
    assert run(clock) == SendReport()
    assert server.n_connections == 2


def test_email_of_a_dead_worker_is_uncertain(real: RealServer, clock: Clock) -> None:
    of = mailing(state=MailingState.HANDING_OVER, claimed_until=NOW + CLAIM_WHILE_ANSWERING)
    assert run(clock) == SendReport()
    clock.now += CLAIM_WHILE_ANSWERING
    assert run(clock) == SendReport(n_unconfirmed=1)
    assert state(of) == MailingState.UNCERTAIN
    assert not real.received


# Not to be sent


def test_user_without_address_is_warned(real: RealServer, clock: Clock) -> None:
    of = mailing(reader_with_mail(email=""))
    assert run(clock) == SendReport(n_failed=1)
    assert Mailing.objects.get().answer == "You haven't entered an email address."
    assert Notification.objects.get().user == of.user
    assert real.n_connections == 0


def test_invalid_address_fails_immediately(real: RealServer, clock: Clock) -> None:
    mailing(reader_with_mail(email="ada@example.org\nBcc: victim@example.org"))
    assert run(clock) == SendReport(n_failed=1)
    assert not real.received


def test_inactive_account_gets_no_email(real: RealServer, clock: Clock) -> None:
    of = mailing(reader_with_mail(is_active=False))
    assert run(clock) == SendReport(n_dropped=1)
    assert (state(of), Mailing.objects.get().answer) == (MailingState.FAILED, "The account is deactivated.")
    assert not Notification.objects.exists()
    assert real.n_connections == 0


def test_alerts_whose_feed_is_gone_are_dropped(real: RealServer, clock: Clock) -> None:
    user = reader_with_mail()
    subscription = make.subscription(user)
    of = queue_alerts(user, [make.notification(subscription).pk], now=NOW)
    assert of
    Notification.objects.all().delete()
    assert send_due(until=NOW + timedelta(minutes=1), clock=clock) == SendReport(n_dropped=1)
    assert (state(of), Mailing.objects.get().answer) == (MailingState.FAILED, "Its content no longer exists.")
    assert not Notification.objects.exists()


def test_email_turned_off_while_sending_is_not_handed_over(real: RealServer, clock: Clock) -> None:
    of, other = mailing(next_try_at=NOW - timedelta(hours=1)), mailing()

    def written_slowly(each: Mailing) -> EmailContent:
        if each == of:
            cancel_email(Subscribed(of.user_id, "morning"))
        return letter()

    report = send_due(until=NOW + timedelta(minutes=1), clock=clock, email_content_of=written_slowly)
    assert report == SendReport(n_sent=1)
    assert (state(of), state(other)) == (MailingState.FAILED, MailingState.SENT)
    assert [each.recipients for each in real.received] == [[other.user.email]]


def test_error_in_one_email_does_not_stop_others(
    real: RealServer, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    of, other = mailing(next_try_at=NOW - timedelta(hours=1)), mailing()

    def broken(each: Mailing) -> EmailContent:
        if each == of:
            raise KeyError("secret title")
        return letter()

    report = send_due(until=NOW + timedelta(minutes=1), clock=clock, email_content_of=broken)
    assert report == SendReport(n_sent=1, n_postponed=1)
    assert (state(of), state(other)) == (MailingState.WAITING, MailingState.SENT)
    assert Mailing.objects.get(pk=of.pk).answer == "The email couldn't be created (KeyError)."
    assert "Traceback" in caplog.text
