"""Correcting times too far in the future, after the clock was set back."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models import QuerySet
from django_q.models import OrmQ, Schedule

from digests.models import DigestPlan, Mailing, MailingKind
from feeds.models import Pending, Source, Stage
from rssmanager.schedules import write_schedules
from rssmanager.server.clock_recovery import fix_future_times
from tests import make
from tests.tables import table

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NOW = make.NOW


@pytest.mark.parametrize(
    ("task", "ahead", "is_due"),
    [
        ("feeds.tasks.polling.poll", 1 * MINUTE, False),
        ("feeds.tasks.polling.poll", 2 * MINUTE, False),
        ("feeds.tasks.polling.poll", 61 * MINUTE, True),
        ("reader.tasks.recurring.refresh_ratings", 30 * MINUTE, False),
        ("reader.tasks.recurring.refresh_ratings", 32 * MINUTE, True),
        ("feeds.tasks.polling.tidy", 24 * HOUR, False),
        ("feeds.tasks.polling.tidy", 25 * HOUR, True),
        ("feeds.tasks.polling.poll", -1 * HOUR, False),
    ],
)
def test_schedule_is_due_within_its_interval(task: str, ahead: timedelta, is_due: bool) -> None:
    write_schedules()
    Schedule.objects.update(next_run=NOW)
    Schedule.objects.filter(func=task).update(next_run=NOW + ahead)
    assert fix_future_times(NOW) == is_due
    assert Schedule.objects.get(func=task).next_run == (NOW if is_due else NOW + ahead)


@table(
    ("model", "until", "longest"),
    [
        (Source, "leased_until", 15 * MINUTE),
        (Pending, "claimed_until", timedelta(seconds=75)),
        (DigestPlan, "claimed_until", 20 * MINUTE),
        (Mailing, "claimed_until", 15 * MINUTE),
        (OrmQ, "lock", 25 * MINUTE),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
@table("ahead", [-HOUR, timedelta(), MINUTE, HOUR, 24 * HOUR], ids=str)
def test_lease_is_shortened_as_if_taken_now(
    model: type[Source], until: str, longest: timedelta, ahead: timedelta
) -> None:
    user, feed = make.user(), make.feed()
    Pending.objects.create(article=make.article(feed=feed), stage=Stage.MATCH)
    make_plan_and_mailing(user)
    OrmQ.objects.create(key="rssmanager", payload="", lock=NOW)
    held = model.objects.order_by("pk").last()
    model.objects.filter(pk=held.pk).update(**{until: NOW + longest + ahead})
    is_too_long = ahead > MINUTE
    assert fix_future_times(NOW) == is_too_long
    held.refresh_from_db()
    assert getattr(held, until) == NOW + longest + (timedelta() if is_too_long else ahead)


def test_unclaimed_rows_stay_free() -> None:
    make.feed()
    assert fix_future_times(NOW) == 0
    assert not Source.objects.exclude(leased_until=None).exists()


def test_unavailable_database_fixes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **values: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(QuerySet, "_fetch_all", fail)
    assert fix_future_times(NOW) == 0


def make_plan_and_mailing(user: object) -> None:
    DigestPlan.objects.create(user=user, kind="morning", at=NOW.time())
    Mailing.objects.create(user=user, kind=MailingKind.ALERTS, message_id="<1@x>", created_at=NOW, next_try_at=NOW)
