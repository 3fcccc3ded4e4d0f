"""What lies further ahead than it can, for the clock was set back."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models import QuerySet
from django_q.models import OrmQ, Schedule

from digests.models import DigestPlan, Mailing, MailingKind
from feeds.models import Pending, Source, Stage
from rssmanager.clock_changes import set_right
from rssmanager.schedules import write_schedules
from tests import make

pytestmark = pytest.mark.django_db

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NOW = make.NOW


@pytest.mark.parametrize(
    ("task", "ahead", "is_due"),
    [
        ("feeds.tasks.poll", 1 * MINUTE, False),
        ("feeds.tasks.poll", 2 * MINUTE, False),
        ("feeds.tasks.poll", 61 * MINUTE, True),
        ("reader.tasks.keep_fresh", 30 * MINUTE, False),
        ("reader.tasks.keep_fresh", 32 * MINUTE, True),
        ("feeds.tasks.tidy", 24 * HOUR, False),
        ("feeds.tasks.tidy", 25 * HOUR, True),
        ("feeds.tasks.poll", -1 * HOUR, False),
    ],
)
def test_a_schedule_is_due_no_later_than_after_its_interval(task: str, ahead: timedelta, is_due: bool) -> None:
    write_schedules()
    Schedule.objects.update(next_run=NOW)
    Schedule.objects.filter(func=task).update(next_run=NOW + ahead)
    assert set_right(NOW) == is_due
    assert Schedule.objects.get(func=task).next_run == (NOW if is_due else NOW + ahead)


@pytest.mark.parametrize(
    ("model", "until", "longest"),
    [
        (Source, "leased_until", 15 * MINUTE),
        (Pending, "claimed_until", 5 * MINUTE),
        (DigestPlan, "claimed_until", 20 * MINUTE),
        (Mailing, "claimed_until", 15 * MINUTE),
        (OrmQ, "lock", 25 * MINUTE),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
@pytest.mark.parametrize("ahead", [-HOUR, timedelta(), MINUTE, HOUR, 24 * HOUR], ids=str)
def test_a_lease_ends_no_later_than_if_it_were_taken_now(
    model: type[Source], until: str, longest: timedelta, ahead: timedelta
) -> None:
    user, feed = make.user(), make.feed()
    Pending.objects.create(article=make.article(feed=feed), stage=Stage.MATCH)
    make_plan_and_mailing(user)
    OrmQ.objects.create(key="rssmanager", payload="", lock=NOW)
    held = model.objects.order_by("pk").last()
    model.objects.filter(pk=held.pk).update(**{until: NOW + longest + ahead})
    is_too_long = ahead > MINUTE
    assert set_right(NOW) == is_too_long
    held.refresh_from_db()
    assert getattr(held, until) == NOW + longest + (timedelta() if is_too_long else ahead)


def test_what_is_not_held_stays_free() -> None:
    make.feed()
    assert set_right(NOW) == 0
    assert not Source.objects.exclude(leased_until=None).exists()


def test_a_database_that_does_not_answer_is_asked_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*arguments: object, **values: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(QuerySet, "_fetch_all", away)
    assert set_right(NOW) == 0


def make_plan_and_mailing(user: object) -> None:
    DigestPlan.objects.create(user=user, kind="morning", at=NOW.time())
    Mailing.objects.create(user=user, kind=MailingKind.ALERTS, message_id="<1@x>", created_at=NOW, next_try_at=NOW)
