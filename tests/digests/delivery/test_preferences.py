"""What a person wants of digests, written down."""

from datetime import UTC, datetime, time

import pytest
from django.contrib.auth.models import User

from digests.delivery.preferences import PlanChoice, choose_alerts, save_contact, save_plans
from digests.edition.kinds import Kind
from digests.errors import PlanRefused
from digests.models import AlertSettings, DigestPlan, Mailing, MailingKind, MailingState
from digests.schedule.plans import plans_of
from reader.models import Preferences
from tests import make
from tests.digests import kept

pytestmark = pytest.mark.django_db

NOW = make.NOW  # Wednesday 4 March 2026, 12:00 UTC
MORNING = PlanChoice(Kind.MORNING, is_on=True, at=time(7), weekday=None, by_mail=True, n_topics=None)


@pytest.fixture
def ada() -> User:
    return make.user("ada", email="ada@example.org")


def waiting_mail(user: User, kind: Kind = Kind.MORNING) -> Mailing:
    return kept.mailing(kept.digest(user, kind=kind, made_at=NOW))


def alert_mail(user: User) -> Mailing:
    values = {"message_id": f"<alerts.{user.pk}@x>", "created_at": NOW, "next_try_at": NOW}
    return Mailing.objects.create(user=user, kind=MailingKind.ALERTS, **values)


def state(mailing: Mailing) -> str:
    return Mailing.objects.get(pk=mailing.pk).state


def test_plans_use_the_users_time_zone(ada: User) -> None:
    Preferences.objects.create(user=ada, time_zone="Asia/Tokyo")
    weekly = PlanChoice(Kind.WEEKLY, is_on=True, at=time(9, 30), weekday=6, by_mail=False, n_topics=12)
    save_plans(ada, [MORNING, weekly], now=NOW)
    morning, _, _, roundup = plans_of(ada)
    assert morning.next_at == datetime(2026, 3, 4, 22, 0, tzinfo=UTC)  # 07:00 on the 5th in Tokyo
    assert roundup.next_at == datetime(2026, 3, 8, 0, 30, tzinfo=UTC)  # Sunday 09:30
    assert (roundup.n_topics, roundup.weekday, morning.by_mail) == (12, 6, True)


def test_one_refusal_changes_nothing(ada: User) -> None:
    mailing = waiting_mail(ada)
    late = PlanChoice(Kind.MIDDAY, is_on=True, at=time(15), weekday=None, by_mail=False, n_topics=None)
    with pytest.raises(PlanRefused):
        save_plans(ada, [PlanChoice(Kind.MORNING, False, time(7), None, False, None), late], now=NOW)
    assert not DigestPlan.objects.exists()
    assert state(mailing) == MailingState.WAITING


@pytest.mark.parametrize(
    ("is_on", "by_mail", "expected"),
    [
        (True, True, MailingState.WAITING),
        (True, False, MailingState.FAILED),
        (False, True, MailingState.FAILED),
    ],
    ids=["still wanted", "no mail", "no digest"],
)
def test_unwanted_email_is_canceled(ada: User, is_on: bool, by_mail: bool, expected: MailingState) -> None:
    mailing, of_evening = waiting_mail(ada), waiting_mail(ada, Kind.EVENING)
    of_other = waiting_mail(make.user())
    save_plans(ada, [PlanChoice(Kind.MORNING, is_on, time(7), None, by_mail, None)], now=NOW)
    assert [state(each) for each in (mailing, of_evening, of_other)] == [expected, "waiting", "waiting"]


def test_saves_address_and_time_zone_and_updates_plans(ada: User) -> None:
    save_plans(ada, [MORNING], now=NOW)
    assert save_contact(ada, email="new@example.org", time_zone="America/New_York", now=NOW) is False
    assert User.objects.get().email == ada.email == "new@example.org"
    assert DigestPlan.objects.get().next_at == datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
    assert DigestPlan.objects.get().by_mail


def test_without_an_address_nothing_goes_by_mail(ada: User) -> None:
    save_plans(ada, [MORNING], now=NOW)
    AlertSettings.objects.create(user=ada, feeds_by_mail=True)
    mails = [waiting_mail(ada), alert_mail(ada)]
    other = make.user(email="b@example.org")
    save_plans(other, [MORNING], now=NOW)
    of_other = waiting_mail(other)
    assert save_contact(ada, email="", time_zone="", now=NOW) is True
    assert [state(each) for each in (*mails, of_other)] == ["failed", "failed", "waiting"]
    assert list(DigestPlan.objects.order_by("user").values_list("is_on", "by_mail")) == [(True, False), (True, True)]
    assert not AlertSettings.objects.get().feeds_by_mail


def test_clearing_an_address_without_email_cancels_none(ada: User) -> None:
    AlertSettings.objects.create(user=ada)
    assert save_contact(ada, email="", time_zone="", now=NOW) is False


def test_invalid_time_zone_changes_nothing(ada: User) -> None:
    with pytest.raises(ValueError, match="unknown time zone 'Mars/Olympus'"):
        save_contact(ada, email="new@example.org", time_zone="Mars/Olympus", now=NOW)
    assert User.objects.get().email == "ada@example.org"
    assert not Preferences.objects.exists()


@pytest.mark.parametrize(
    ("before", "wanted", "begins_anew"),
    [
        ((False, False), (True, False), True),
        ((True, False), (True, True), True),
        ((True, False), (True, False), False),
        ((True, True), (False, True), False),
        ((True, False), (False, True), True),
    ],
    ids=["the first", "one more", "the same", "one less", "another"],
)
def test_alert_email_starts_when_enabled(
    ada: User, before: tuple[bool, bool], wanted: tuple[bool, bool], begins_anew: bool
) -> None:
    earlier = datetime(2026, 1, 1, tzinfo=UTC)
    AlertSettings.objects.create(
        user=ada, breaking_by_mail=before[0], feeds_by_mail=before[1], mail_from=earlier if any(before) else None
    )
    choose_alerts(ada, breaking=False, breaking_by_mail=wanted[0], feeds_by_mail=wanted[1], now=NOW)
    kept_now = AlertSettings.objects.get()
    assert (kept_now.breaking_by_mail, kept_now.feeds_by_mail, kept_now.breaking) == (*wanted, False)
    assert kept_now.mail_from == (NOW if begins_anew else earlier)


@pytest.mark.parametrize(("by_mail", "expected"), [(True, "waiting"), (False, "failed")])
def test_alerts_that_wait_are_called_off_with_the_last_of_them(ada: User, by_mail: bool, expected: str) -> None:
    mailing, digest = alert_mail(ada), waiting_mail(ada)
    choose_alerts(ada, breaking=True, breaking_by_mail=False, feeds_by_mail=by_mail, now=NOW)
    assert [state(mailing), state(digest)] == [expected, "waiting"]
