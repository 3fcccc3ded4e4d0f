"""Claims on mails, and what becomes of a mail; whoever holds a claim that is over changes nothing."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from digests.delivery import outbox
from digests.delivery.enqueue import cancel_email, resend
from digests.delivery.links import Subscribed
from digests.delivery.outbox import CLAIM, CLAIM_WHILE_ANSWERING, MAX_ANSWER, Claimed
from digests.delivery.smtp import ANSWER_TIMEOUT
from digests.models import Mailing, MailingState
from reader.models import Notification, NotificationKind
from tests.digests.mails import digest, mailing, reader_with_mail
from tests.make import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

SOON = NOW + timedelta(minutes=1)
DIED = NOW + CLAIM_WHILE_ANSWERING
A_DAY_LATER = NOW + timedelta(hours=24)


def claimed() -> Claimed:
    found = outbox.claim(NOW)
    assert found
    return found


def state() -> tuple[str, str]:
    of = Mailing.objects.get()
    return of.state, of.answer


# Claims


def test_a_mail_is_claimed_by_one() -> None:
    of = mailing()
    mine = claimed()
    assert mine.mailing == of
    assert outbox.claim(NOW) is None
    stored = Mailing.objects.get()
    assert (stored.claim, stored.claimed_until, stored.n_tries) == (mine.token, NOW + CLAIM, 1)
    assert mine.mailing.n_tries == 1


def test_longest_due_comes_first() -> None:
    mails = [mailing(next_try_at=NOW - timedelta(minutes=minutes)) for minutes in (1, 30, 5)]
    taken = [claimed().mailing for _ in mails]
    assert taken == [mails[1], mails[2], mails[0]]


def test_what_is_not_due_is_left() -> None:
    mailing(next_try_at=SOON)
    assert outbox.claim(NOW) is None
    assert outbox.claim(SOON)


def test_waiting_email_can_be_sent_early() -> None:
    of = mailing(next_try_at=SOON)
    mine = outbox.claim_one(of.pk, NOW)
    assert mine
    assert mine.mailing == of
    assert outbox.claim_one(of.pk, NOW) is None


@pytest.mark.parametrize("state", [each for each in MailingState if each != MailingState.WAITING])
def test_claims_only_waiting_email(state: str) -> None:
    of = mailing(state=state)
    assert outbox.claim(NOW) is None
    assert outbox.claim_one(of.pk, NOW) is None


def test_a_claim_that_outlives_its_worker_expires() -> None:
    mailing()
    first = claimed()
    second = outbox.claim(NOW + CLAIM)
    assert second
    assert second.token != first.token
    assert second.mailing.n_tries == 2


def test_looking_costs_little(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    assert not outbox.has_due_mail(NOW)
    for _ in range(10):
        mailing()
    with django_assert_num_queries(1):
        assert outbox.has_due_mail(NOW)
    with django_assert_num_queries(3):
        assert outbox.claim(NOW)


@pytest.mark.parametrize(
    ("values", "waits"),
    [
        ({}, True),
        ({"next_try_at": SOON}, False),
        ({"claimed_until": SOON}, False),
        ({"claimed_until": NOW}, True),
        ({"state": MailingState.HANDING_OVER, "claimed_until": SOON}, False),
        ({"state": MailingState.HANDING_OVER, "claimed_until": NOW}, True),
        ({"state": MailingState.SENT}, False),
        ({"state": MailingState.FAILED}, False),
        ({"state": MailingState.UNCERTAIN, "claimed_until": NOW}, False),
    ],
    ids=["due", "not due", "claimed", "claim over", "leaving", "stuck", "sent", "failed", "in doubt"],
)
def test_mail_waits_when_there_is_something_to_do(values: dict[str, object], waits: bool) -> None:
    mailing(**values)
    assert outbox.has_due_mail(NOW) == waits


# Handing over


def test_hand_over_claim_outlasts_the_server_timeout() -> None:
    mailing()
    assert outbox.hand_over(claimed(), SOON)
    stored = Mailing.objects.get()
    assert (stored.state, stored.claimed_until) == (MailingState.HANDING_OVER, SOON + CLAIM_WHILE_ANSWERING)
    assert timedelta(seconds=ANSWER_TIMEOUT) < CLAIM_WHILE_ANSWERING


def _taken_by_another(mine: Claimed) -> None:
    assert outbox.claim(NOW + CLAIM)


def _called_off(mine: Claimed) -> None:
    assert cancel_email(Subscribed(mine.mailing.user_id, "morning"))


def _deleted(mine: Claimed) -> None:
    mine.mailing.user.delete()


def _handed_over_already(mine: Claimed) -> None:
    assert outbox.hand_over(mine, NOW)


@pytest.mark.parametrize("happened", [_taken_by_another, _called_off, _deleted, _handed_over_already])
def test_email_claimed_by_another_is_not_handed_over(happened: Callable[[Claimed], None]) -> None:
    mailing()
    mine = claimed()
    happened(mine)
    before = list(Mailing.objects.values())
    assert not outbox.hand_over(mine, SOON)
    assert list(Mailing.objects.values()) == before


def test_expired_claim_works_until_another_worker_claims() -> None:
    mailing()
    assert outbox.hand_over(claimed(), NOW + 2 * CLAIM)


@pytest.mark.django_db(transaction=True)
def test_hand_over_refuses_to_run_in_a_transaction() -> None:
    mailing()
    mine = claimed()
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        outbox.hand_over(mine, NOW)
    assert state() == (MailingState.WAITING, "")


# What becomes of it


def test_sent_email_is_final() -> None:
    mailing(answer="The mail server does not answer.")
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.mark_sent(mine, SOON)
    stored = Mailing.objects.get()
    assert (stored.state, stored.sent_at, stored.answer) == (MailingState.SENT, SOON, "")
    assert (stored.claim, stored.claimed_until) == (None, None)
    assert not outbox.has_due_mail(A_DAY_LATER)
    assert not Notification.objects.exists()


@pytest.mark.parametrize("was_handed_over", [False, True], ids=["before the dot", "by its answer"])
def test_refused_email_waits_for_its_next_try(was_handed_over: bool) -> None:
    mailing()
    mine = claimed()
    if was_handed_over:
        outbox.hand_over(mine, NOW)
    assert outbox.postpone(mine, "Busy.", NOW)
    stored = Mailing.objects.get()
    assert (stored.state, stored.answer, stored.next_try_at) == (MailingState.WAITING, "Busy.", SOON)
    assert (stored.claim, stored.claimed_until) == (None, None)
    assert outbox.claim(SOON)
    assert not Notification.objects.exists()


def test_fails_after_a_day_with_one_notification() -> None:
    of = mailing()
    mine = outbox.claim(A_DAY_LATER)
    assert mine
    assert not outbox.postpone(mine, "Busy.", A_DAY_LATER)
    assert state() == (MailingState.FAILED, "Not sent within a day. Busy.")
    news = Notification.objects.get()
    assert of.digest
    day = f"{of.digest.day:%-d %B}"
    assert news.text == f"The morning brief of {day} couldn't be sent. Not sent within a day. Busy."
    assert (news.user, news.kind, news.path, news.happened_at) == (
        of.user,
        NotificationKind.MAIL,
        f"/digests/{of.digest_id}/",
        A_DAY_LATER,
    )
    assert outbox.claim(A_DAY_LATER) is None


def test_a_mail_of_alerts_that_failed_leads_to_them() -> None:
    mailing(reader_with_mail(), kind="alerts")
    outbox.mark_failed(claimed(), "No such user.", NOW)
    news = Notification.objects.get()
    assert (news.text, news.path) == ("An email with alerts couldn't be sent. No such user.", "/notifications/")


def test_dropped_email_notifies_no_one() -> None:
    mailing()
    outbox.drop(claimed(), "The account is deactivated.")
    assert state() == (MailingState.FAILED, "The account is deactivated.")
    assert not Notification.objects.exists()


def test_long_answers_fit() -> None:
    mailing()
    outbox.mark_failed(claimed(), "x" * 2000, NOW)
    assert state() == (MailingState.FAILED, "x" * MAX_ANSWER)
    assert len(Notification.objects.get().text) == 700


def test_uncertain_email_is_reported_and_not_resent() -> None:
    of = mailing()
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.mark_unconfirmed(mine, "The mail server had it and did not answer.", SOON)
    assert state() == (MailingState.UNCERTAIN, "The mail server had it and did not answer.")
    assert "may not have been sent" in Notification.objects.get().text
    assert outbox.claim(A_DAY_LATER) is None
    assert outbox.mark_stuck_unconfirmed(A_DAY_LATER) == 0
    assert not outbox.has_due_mail(A_DAY_LATER)
    assert resend(of, now=A_DAY_LATER)
    assert outbox.claim(A_DAY_LATER)


@pytest.mark.parametrize("happened", [_taken_by_another, _called_off])
@pytest.mark.parametrize("outcome", ["mark_sent", "postpone", "mark_failed", "drop", "mark_unconfirmed"])
def test_outcome_is_ignored_without_a_claim(happened: Callable[[Claimed], None], outcome: str) -> None:
    mailing()
    mine = claimed()
    happened(mine)
    before = list(Mailing.objects.values())
    arguments: dict[str, tuple[object, ...]] = {"mark_sent": (NOW,), "drop": ("Gone.",)}
    getattr(outbox, outcome)(mine, *arguments.get(outcome, ("Busy.", NOW)))
    assert list(Mailing.objects.values()) == before
    assert not Notification.objects.exists()


# Workers that died


def test_dead_worker_leaves_uncertain_email_with_one_notice() -> None:
    mailing()
    outbox.hand_over(claimed(), NOW)
    assert outbox.mark_stuck_unconfirmed(DIED - timedelta(seconds=1)) == 0
    assert outbox.mark_stuck_unconfirmed(DIED) == 1
    assert outbox.mark_stuck_unconfirmed(DIED) == 0
    assert state()[0] == MailingState.UNCERTAIN
    assert Notification.objects.count() == 1
    assert outbox.claim(A_DAY_LATER) is None


def test_slow_worker_may_still_record_sending() -> None:
    mailing()
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.mark_stuck_unconfirmed(DIED)
    outbox.mark_sent(mine, DIED)
    assert state() == (MailingState.SENT, "")


def test_slow_worker_does_not_clear_a_newer_request() -> None:
    of = mailing()
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.mark_stuck_unconfirmed(DIED)
    resend(of, now=DIED)
    outbox.mark_failed(mine, "No such user.", DIED)
    assert state() == (MailingState.WAITING, "")


def test_stuck_email_is_reported_to_its_user() -> None:
    people = [reader_with_mail(), reader_with_mail()]
    for person in people:
        mailing(digest=digest(person), state=MailingState.HANDING_OVER, claimed_until=NOW)
    assert outbox.mark_stuck_unconfirmed(NOW) == 2
    assert [notification.user for notification in Notification.objects.order_by("user")] == people
