"""Claims on mails, and what becomes of a mail; whoever holds a claim that is over changes nothing."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from digests.delivery import outbox
from digests.delivery.outbox import CLAIM, CLAIM_WHILE_ANSWERING, LONGEST_ANSWER, Claimed
from digests.delivery.queueing import call_off, send_again
from digests.delivery.smtp import ANSWER_TIMEOUT
from digests.links import Subscribed
from digests.models import Mailing, MailingState
from reader.models import Notification, NotificationKind
from tests.digests.mails import digest, mailing, reader_with_mail
from tests.make import NOW

pytestmark = pytest.mark.django_db

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


def test_who_is_due_longest_comes_first() -> None:
    mails = [mailing(next_try_at=NOW - timedelta(minutes=minutes)) for minutes in (1, 30, 5)]
    taken = [claimed().mailing for _ in mails]
    assert taken == [mails[1], mails[2], mails[0]]


def test_what_is_not_due_is_left() -> None:
    mailing(next_try_at=SOON)
    assert outbox.claim(NOW) is None
    assert outbox.claim(SOON)


def test_one_mail_can_be_asked_for_before_its_time() -> None:
    of = mailing(next_try_at=SOON)
    mine = outbox.claim_one(of.pk, NOW)
    assert mine
    assert mine.mailing == of
    assert outbox.claim_one(of.pk, NOW) is None


@pytest.mark.parametrize("state", [each for each in MailingState if each != MailingState.WAITING])
def test_only_what_waits_is_claimed(state: str) -> None:
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
    assert not outbox.mail_waits(NOW)
    for _ in range(10):
        mailing()
    with django_assert_num_queries(1):
        assert outbox.mail_waits(NOW)
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
    assert outbox.mail_waits(NOW) == waits


# Handing over


def test_handing_over_is_recorded_and_holds_longer_than_a_server_thinks() -> None:
    mailing()
    assert outbox.hand_over(claimed(), SOON)
    stored = Mailing.objects.get()
    assert (stored.state, stored.claimed_until) == (MailingState.HANDING_OVER, SOON + CLAIM_WHILE_ANSWERING)
    assert timedelta(seconds=ANSWER_TIMEOUT) < CLAIM_WHILE_ANSWERING


def _taken_by_another(mine: Claimed) -> None:
    assert outbox.claim(NOW + CLAIM)


def _called_off(mine: Claimed) -> None:
    assert call_off(Subscribed(mine.mailing.user_id, "morning"))


def _deleted(mine: Claimed) -> None:
    mine.mailing.user.delete()


def _handed_over_already(mine: Claimed) -> None:
    assert outbox.hand_over(mine, NOW)


@pytest.mark.parametrize("happened", [_taken_by_another, _called_off, _deleted, _handed_over_already])
def test_what_is_not_mine_any_more_is_not_handed_over(happened: Callable[[Claimed], None]) -> None:
    mailing()
    mine = claimed()
    happened(mine)
    before = list(Mailing.objects.values())
    assert not outbox.hand_over(mine, SOON)
    assert list(Mailing.objects.values()) == before


def test_a_claim_that_is_over_and_that_nobody_else_took_still_serves() -> None:
    mailing()
    assert outbox.hand_over(claimed(), NOW + 2 * CLAIM)


@pytest.mark.django_db(transaction=True)
def test_handing_over_refuses_to_be_part_of_something_that_may_be_rolled_back() -> None:
    mailing()
    mine = claimed()
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        outbox.hand_over(mine, NOW)
    assert state() == (MailingState.WAITING, "")


# What becomes of it


def test_what_was_sent_is_done_with() -> None:
    mailing(answer="The mail server does not answer.")
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.sent(mine, SOON)
    stored = Mailing.objects.get()
    assert (stored.state, stored.sent_at, stored.answer) == (MailingState.SENT, SOON, "")
    assert (stored.claim, stored.claimed_until) == (None, None)
    assert not outbox.mail_waits(A_DAY_LATER)
    assert not Notification.objects.exists()


@pytest.mark.parametrize("was_handed_over", [False, True], ids=["before the dot", "by its answer"])
def test_what_was_not_taken_waits_for_its_next_try(was_handed_over: bool) -> None:
    mailing()
    mine = claimed()
    if was_handed_over:
        outbox.hand_over(mine, NOW)
    assert outbox.postponed(mine, "Busy.", NOW)
    stored = Mailing.objects.get()
    assert (stored.state, stored.answer, stored.next_try_at) == (MailingState.WAITING, "Busy.", SOON)
    assert (stored.claim, stored.claimed_until) == (None, None)
    assert outbox.claim(SOON)
    assert not Notification.objects.exists()


def test_a_day_later_it_has_failed_and_the_person_is_told_once() -> None:
    of = mailing()
    mine = outbox.claim(A_DAY_LATER)
    assert mine
    assert not outbox.postponed(mine, "Busy.", A_DAY_LATER)
    assert state() == (MailingState.FAILED, "Not sent within a day. Busy.")
    news = Notification.objects.get()
    assert of.digest
    day = f"{of.digest.day:%-d %B}"
    assert news.text == f"The morning brief of {day} could not be mailed. Not sent within a day. Busy."
    assert (news.user, news.kind, news.path, news.happened_at) == (
        of.user,
        NotificationKind.MAIL,
        f"/digests/{of.digest_id}/",
        A_DAY_LATER,
    )
    assert outbox.claim(A_DAY_LATER) is None


def test_a_mail_of_alerts_that_failed_leads_to_them() -> None:
    mailing(reader_with_mail(), kind="alerts")
    outbox.failed(claimed(), "No such user.", NOW)
    news = Notification.objects.get()
    assert (news.text, news.path) == ("A mail with alerts could not be mailed. No such user.", "/notifications/")


def test_what_is_dropped_is_told_to_nobody() -> None:
    mailing()
    outbox.dropped(claimed(), "The account is switched off.")
    assert state() == (MailingState.FAILED, "The account is switched off.")
    assert not Notification.objects.exists()


def test_long_answers_fit() -> None:
    mailing()
    outbox.failed(claimed(), "x" * 2000, NOW)
    assert state() == (MailingState.FAILED, "x" * LONGEST_ANSWER)
    assert len(Notification.objects.get().text) == 700


def test_what_is_in_doubt_is_told_and_not_sent_again() -> None:
    of = mailing()
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.in_doubt(mine, "The mail server had it and did not answer.", SOON)
    assert state() == (MailingState.UNCERTAIN, "The mail server had it and did not answer.")
    assert "was perhaps mailed" in Notification.objects.get().text
    assert outbox.claim(A_DAY_LATER) is None
    assert outbox.doubt_stuck(A_DAY_LATER) == 0
    assert not outbox.mail_waits(A_DAY_LATER)
    assert send_again(of, now=A_DAY_LATER)
    assert outbox.claim(A_DAY_LATER)


@pytest.mark.parametrize("happened", [_taken_by_another, _called_off])
@pytest.mark.parametrize("outcome", ["sent", "postponed", "failed", "dropped", "in_doubt"])
def test_who_lost_a_claim_says_nothing_of_the_mail(happened: Callable[[Claimed], None], outcome: str) -> None:
    mailing()
    mine = claimed()
    happened(mine)
    before = list(Mailing.objects.values())
    arguments: dict[str, tuple[object, ...]] = {"sent": (NOW,), "dropped": ("Gone.",)}
    getattr(outbox, outcome)(mine, *arguments.get(outcome, ("Busy.", NOW)))
    assert list(Mailing.objects.values()) == before
    assert not Notification.objects.exists()


# Workers that died


def test_a_worker_that_died_handing_over_leaves_doubt_told_once() -> None:
    mailing()
    outbox.hand_over(claimed(), NOW)
    assert outbox.doubt_stuck(DIED - timedelta(seconds=1)) == 0
    assert outbox.doubt_stuck(DIED) == 1
    assert outbox.doubt_stuck(DIED) == 0
    assert state()[0] == MailingState.UNCERTAIN
    assert Notification.objects.count() == 1
    assert outbox.claim(A_DAY_LATER) is None


def test_a_worker_that_was_only_slow_may_still_say_that_it_was_sent() -> None:
    mailing()
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.doubt_stuck(DIED)
    outbox.sent(mine, DIED)
    assert state() == (MailingState.SENT, "")


def test_a_slow_worker_does_not_settle_what_the_person_asked_for_anew() -> None:
    of = mailing()
    mine = claimed()
    outbox.hand_over(mine, NOW)
    outbox.doubt_stuck(DIED)
    send_again(of, now=DIED)
    outbox.failed(mine, "No such user.", DIED)
    assert state() == (MailingState.WAITING, "")


def test_each_stuck_mail_is_told_to_its_own_person() -> None:
    people = [reader_with_mail(), reader_with_mail()]
    for person in people:
        mailing(digest=digest(person), state=MailingState.HANDING_OVER, claimed_until=NOW)
    assert outbox.doubt_stuck(NOW) == 2
    assert [each.user for each in Notification.objects.order_by("user")] == people
