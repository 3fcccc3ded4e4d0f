"""Plans: when a digest is due next, and that one worker makes it."""

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from digests.edition.kinds import PLANNED, Kind
from digests.errors import DigestsError, PlanRefused
from digests.models import Digest, DigestPlan
from digests.schedule.plans import (
    CLAIM,
    claim,
    due_plans,
    ensure_plans,
    has_due_plan,
    move_on,
    plans_of,
    plans_to_prepare,
    reschedule,
    save_plan,
    skip_missed,
)
from reader.preferences.store import set_time_zone
from tests import make
from tests.rssmanager.installation import installation

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
Plans = Callable[..., DigestPlan]
Queries = Callable[[int], Any]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


WEDNESDAY = at("2026-03-04T05:00")
SEVEN = at("2026-03-04T07:00")


@pytest.fixture
def user() -> User:
    return make.user()


@pytest.fixture
def plan(user: User) -> Plans:
    """Saves a plan of `user`, in UTC, on a Wednesday at 05:00; `now` and whatever else may differ."""

    def planned(kind: Kind = Kind.MORNING, *, now: datetime = WEDNESDAY, **values: Any) -> DigestPlan:
        usual = {Kind.MORNING: time(7), Kind.MIDDAY: time(12), Kind.EVENING: time(18), Kind.WEEKLY: time(8)}
        standard = {"is_on": True, "at": usual.get(kind, time(7)), "weekday": None, "by_mail": False, "n_topics": None}
        return save_plan(user, kind, now=now, **{**standard, **values})

    return planned


def keep(user: User, kind: Kind, day: str) -> Digest:
    moment = at(day + "T12:00")
    return Digest.objects.create(
        user=user,
        kind=kind,
        day=date.fromisoformat(day),
        time_zone="UTC",
        begins_at=moment - DAY,
        ends_at=moment,
        made_at=moment,
    )


def next_at(plan: DigestPlan) -> datetime | None:
    return DigestPlan.objects.values_list("next_at", flat=True).get(pk=plan.pk)


def test_offers_all_kinds_with_the_morning_brief_on(user: User) -> None:
    found = plans_of(user)
    assert [plan.kind for plan in found] == list(PLANNED)
    assert [plan.is_on for plan in found] == [True, False, False, False]
    assert [plan.at for plan in found] == [time(7), time(12), time(18), time(8)]
    assert [plan.weekday for plan in found] == [None, None, None, 5]
    assert not any(plan.by_mail or plan.pk for plan in found)
    assert not DigestPlan.objects.exists()


def test_shows_stored_plans_and_others_off(user: User, plan: Plans) -> None:
    kept = plan(Kind.EVENING, at=time(17, 30), by_mail=True)
    DigestPlan.objects.create(user=make.user(), kind=Kind.MORNING, at=time(6))
    found = {each.kind: each for each in plans_of(user)}
    assert found[Kind.EVENING] == kept
    assert (found[Kind.EVENING].at, found[Kind.EVENING].by_mail) == (time(17, 30), True)
    assert [each.is_on for each in found.values()] == [False, False, True, False]


def test_plans_cost_one_query(user: User, plan: Plans, django_assert_num_queries: Queries) -> None:
    plan()
    plan(Kind.WEEKLY)
    with django_assert_num_queries(1):
        assert len(plans_of(user)) == 4


def test_first_plan_is_a_morning_brief_without_email(user: User) -> None:
    make.subscription(user)
    set_time_zone(user, "Asia/Kathmandu")
    assert ensure_plans(WEDNESDAY) == 1
    [made] = DigestPlan.objects.all()
    assert (made.user, made.kind, made.is_on, made.at, made.weekday) == (user, Kind.MORNING, True, time(7), None)
    assert (made.by_mail, made.n_topics, made.next_at) == (False, None, at("2026-03-05T01:15"))
    assert ensure_plans(WEDNESDAY) == 0
    assert DigestPlan.objects.count() == 1


def test_adds_no_plan_for_other_users(user: User, plan: Plans) -> None:
    make.user()  # follows nothing
    make.subscription(make.user(is_active=False))
    make.subscription(user)
    plan(Kind.WEEKLY, is_on=False)  # has said what they want
    assert ensure_plans(WEDNESDAY) == 0
    assert DigestPlan.objects.count() == 1


def test_one_query_if_no_plan_is_needed(user: User, plan: Plans, django_assert_num_queries: Queries) -> None:
    for _ in range(3):
        make.subscription(user)
    plan()
    make.user()
    with django_assert_num_queries(1):
        ensure_plans(WEDNESDAY)


SAVED = {
    # kind, values, due next
    "morning, later today": (Kind.MORNING, {}, "2026-03-04T07:00"),
    "morning, passed already": (Kind.MORNING, {"now": at("2026-03-04T07:00")}, "2026-03-05T07:00"),
    "at another time": (Kind.MORNING, {"at": time(6, 30)}, "2026-03-04T06:30"),
    "midday": (Kind.MIDDAY, {"n_topics": 20}, "2026-03-04T12:00"),
    "evening, by mail": (Kind.EVENING, {"by_mail": True}, "2026-03-04T18:00"),
    "weekly, on the usual day": (Kind.WEEKLY, {}, "2026-03-07T08:00"),
    "weekly, on Sunday": (Kind.WEEKLY, {"weekday": 6, "n_topics": 60}, "2026-03-08T08:00"),
    "off": (Kind.MORNING, {"is_on": False}, None),
}


@pytest.mark.parametrize(("kind", "values", "due"), SAVED.values(), ids=SAVED)
def test_plan_shows_its_next_time(plan: Plans, kind: Kind, values: dict[str, Any], due: str | None) -> None:
    made = plan(kind, **values)
    made.refresh_from_db()
    assert made.next_at == (at(due) if due else None)
    for name, value in values.items():
        assert name == "now" or getattr(made, name) == value


def test_a_plan_is_changed_in_place_and_by_its_own_time_zone(user: User, plan: Plans) -> None:
    set_time_zone(user, "America/New_York")
    first = plan(by_mail=True)
    assert first.next_at == at("2026-03-04T12:00")
    second = plan(at=time(7, 45))
    assert second.pk == first.pk
    assert (second.next_at, second.by_mail) == (at("2026-03-04T12:45"), False)
    assert plan(is_on=False).next_at is None
    assert plan(is_on=True).next_at == at("2026-03-04T12:00")


REFUSED = {
    # kind, values, field, message
    "too early": (
        Kind.MORNING,
        {"at": time(5, 59)},
        "at",
        "The morning brief is sent between 06:00 and 08:00.",
    ),
    "too late": (Kind.EVENING, {"at": time(19, 1)}, "at", "The evening recap is sent between 17:00 and 19:00."),
    "the front page": (Kind.TODAY, {}, "kind", "“Today” is a page and can't be sent."),
    "weekly on a Friday": (
        Kind.WEEKLY,
        {"weekday": 4},
        "weekday",
        "The weekly roundup is sent on Saturday or Sunday.",
    ),
    "no such weekday": (Kind.WEEKLY, {"weekday": 7}, "weekday", "The weekly roundup is sent on Saturday or Sunday."),
    "a daily one on a Saturday": (
        Kind.MIDDAY,
        {"weekday": 5},
        "weekday",
        "The midday update is sent daily, not on one day of the week.",
    ),
    "one topic": (Kind.MORNING, {"n_topics": 1}, "n_topics", "The morning brief has 2 to 35 topics."),
    "too many topics": (Kind.MIDDAY, {"n_topics": 21}, "n_topics", "The midday update has 2 to 20 topics."),
}


@pytest.mark.parametrize(("kind", "values", "field", "message"), REFUSED.values(), ids=REFUSED)
def test_invalid_plan_is_refused_unchanged(
    plan: Plans, kind: Kind, values: dict[str, Any], field: str, message: str
) -> None:
    plan(Kind.MORNING, at=time(6, 15))
    before = list(DigestPlan.objects.values())
    with pytest.raises(PlanRefused) as refused:
        plan(kind, **values)
    assert (str(refused.value), refused.value.field) == (message, field)
    assert isinstance(refused.value, DigestsError)
    assert isinstance(refused.value, ValueError)
    assert list(DigestPlan.objects.values()) == before


def test_due_digest_stays_due_when_its_plan_changes(plan: Plans) -> None:
    assert plan().next_at == SEVEN
    late = SEVEN + 3 * HOUR
    assert plan(now=late, by_mail=True).next_at == SEVEN
    assert plan(now=late, at=time(6)).next_at == SEVEN
    assert plan(now=late + DAY, at=time(6)).next_at == at("2026-03-06T06:00")  # not of another day


def test_a_digest_of_today_is_not_due_again_at_a_later_time(user: User, plan: Plans) -> None:
    made = plan()
    keep(user, Kind.MORNING, "2026-03-04")
    move_on(made, SEVEN + MINUTE)
    assert plan(now=SEVEN + 2 * MINUTE, at=time(7, 45)).next_at == at("2026-03-05T07:45")


def test_a_week_has_one_roundup_whatever_day_is_chosen_then(user: User, plan: Plans) -> None:
    saturday = at("2026-03-07T08:01")
    made = plan(Kind.WEEKLY)
    keep(user, Kind.WEEKLY, "2026-03-07")
    move_on(made, saturday)
    assert plan(Kind.WEEKLY, now=saturday, weekday=6).next_at == at("2026-03-15T08:00")


NOT_COUNTED = {
    "yesterday's": (Kind.MORNING, "2026-03-03"),
    "another kind": (Kind.EVENING, "2026-03-04"),
    "one for a moment far ahead": (Kind.MORNING, "2027-03-04"),
}


@pytest.mark.parametrize(("kind", "day"), NOT_COUNTED.values(), ids=NOT_COUNTED)
def test_other_digests_keep_nothing_from_being_due(user: User, plan: Plans, kind: Kind, day: str) -> None:
    keep(user, kind, day)
    keep(make.user(), Kind.MORNING, "2026-03-04")
    assert plan().next_at == SEVEN


def test_manual_roundup_does_not_replace_saturdays(user: User, plan: Plans) -> None:
    keep(user, Kind.WEEKLY, "2026-03-04")
    assert plan(Kind.WEEKLY).next_at == at("2026-03-07T08:00")


def test_new_time_zone_reschedules_all_plans(user: User, plan: Plans) -> None:
    plans = [plan(), plan(Kind.WEEKLY), plan(Kind.EVENING, is_on=False)]
    stranger = DigestPlan.objects.create(user=make.user(), kind=Kind.MORNING, at=time(7), next_at=SEVEN)
    set_time_zone(user, "Asia/Tokyo")
    reschedule(user, WEDNESDAY)
    assert [next_at(each) for each in plans] == [at("2026-03-04T22:00"), at("2026-03-06T23:00"), None]
    assert next_at(stranger) == SEVEN


def test_traveling_west_makes_no_second_digest_of_a_day(user: User, plan: Plans) -> None:
    set_time_zone(user, "Asia/Tokyo")
    made = plan(now=at("2026-03-03T12:00"))
    assert made.next_at == at("2026-03-03T22:00")
    keep(user, Kind.MORNING, "2026-03-04")
    move_on(made, at("2026-03-03T22:01"))
    set_time_zone(user, "America/Los_Angeles")
    reschedule(user, at("2026-03-04T00:00"))  # there it is 3 March, 16:00; 4 March, 07:00 is to come
    assert next_at(made) == at("2026-03-05T15:00")


def test_due_digest_survives_a_time_zone_change(user: User, plan: Plans) -> None:
    made = plan()
    set_time_zone(user, "Europe/Berlin")
    reschedule(user, SEVEN + HOUR)
    assert next_at(made) == SEVEN
    set_time_zone(user, "America/Los_Angeles")
    reschedule(user, SEVEN + HOUR)  # there it is midnight, a new day
    assert next_at(made) == at("2026-03-04T15:00")


def test_due_plans_come_longest_waiting_first(user: User, plan: Plans) -> None:
    morning, midday = plan(), plan(Kind.MIDDAY)
    plan(Kind.EVENING, is_on=False)
    assert not has_due_plan(SEVEN - MINUTE)
    assert list(due_plans(SEVEN)) == [morning]
    assert has_due_plan(SEVEN)
    assert list(due_plans(SEVEN + 12 * HOUR)) == [morning, midday]


def test_people_who_were_shut_out_get_none(user: User, plan: Plans) -> None:
    plan()
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert not has_due_plan(SEVEN)


def test_a_plan_is_prepared_in_one_minute_before_it_is_due(user: User, plan: Plans) -> None:
    morning = plan()
    due = morning.next_at
    assert list(plans_to_prepare(due - 5 * MINUTE)) == [morning]
    assert list(plans_to_prepare(due - 5 * MINUTE - MINUTE / 2)) == [morning]
    assert not plans_to_prepare(due - 4 * MINUTE)
    assert not plans_to_prepare(due - 6 * MINUTE)
    assert not plans_to_prepare(due)


def test_finding_due_plans_is_one_indexed_query(plan: Plans, django_assert_num_queries: Queries) -> None:
    plan()
    with django_assert_num_queries(1):
        assert has_due_plan(SEVEN)
    with django_assert_num_queries(1):
        assert [due_plan.user.username for due_plan in due_plans(SEVEN)]
    if connection.vendor == "sqlite":  # PostgreSQL plans by statistics, which a few rows do not give
        assert "INDEX plan_due" in due_plans(SEVEN).explain()


def test_one_worker_holds_a_plan_until_it_moves_on(plan: Plans) -> None:
    plan()
    [first], [second] = due_plans(SEVEN), due_plans(SEVEN)
    assert claim(first, SEVEN)
    assert first.claimed_until == SEVEN + CLAIM
    assert not claim(second, SEVEN + MINUTE)
    assert not has_due_plan(SEVEN + MINUTE)
    move_on(first, SEVEN + 2 * MINUTE)
    assert (first.next_at, first.claimed_until) == (SEVEN + DAY, None)
    assert not claim(second, SEVEN + 3 * MINUTE)  # as it was seen before, it is not due any more
    assert next_at(second) == SEVEN + DAY


def test_a_claim_that_outlives_its_worker_expires(plan: Plans) -> None:
    plan()
    [held] = due_plans(SEVEN)
    assert claim(held, SEVEN)
    assert not has_due_plan(SEVEN + CLAIM - MINUTE)
    [again] = due_plans(SEVEN + CLAIM)
    assert claim(again, SEVEN + CLAIM)
    assert not claim(held, SEVEN + CLAIM)


@pytest.mark.parametrize("change", [{"is_on": False}, {"at": time(8), "now": SEVEN + DAY}], ids=["off", "moved"])
def test_changed_plan_is_not_claimed(plan: Plans, change: dict[str, Any]) -> None:
    plan()
    [seen] = due_plans(SEVEN)
    plan(**change)
    assert not claim(seen, SEVEN)
    assert DigestPlan.objects.get().claimed_until is None


def test_claiming_reads_one_table(plan: Plans) -> None:
    plan()
    [seen] = due_plans(SEVEN)
    with CaptureQueriesContext(connection) as captured:
        assert claim(seen, SEVEN)
    [statement] = [each["sql"] for each in captured]
    assert statement.startswith("UPDATE")
    assert "SELECT" not in statement


def test_plan_advances_by_its_current_settings(user: User, plan: Plans) -> None:
    plan()
    [held] = due_plans(SEVEN)
    assert claim(held, SEVEN)
    plan(now=SEVEN, at=time(7, 30))
    keep(user, Kind.MORNING, "2026-03-04")
    move_on(held, SEVEN + MINUTE)
    assert next_at(held) == at("2026-03-05T07:30")
    plan(now=SEVEN + DAY, is_on=False)
    move_on(held, SEVEN + DAY)
    assert (held.next_at, next_at(held)) == (None, None)
    DigestPlan.objects.all().delete()
    move_on(held, SEVEN + DAY)
    assert not DigestPlan.objects.exists()


def test_missed_digest_is_skipped_and_logged(plan: Plans, caplog: pytest.LogCaptureFixture) -> None:
    plan()
    [missed] = due_plans(SEVEN + DAY)
    with caplog.at_level(logging.WARNING, logger="digests.schedule.plans"):
        assert skip_missed(missed, SEVEN + DAY - MINUTE)
    assert next_at(missed) == SEVEN + DAY
    assert [record.getMessage() for record in caplog.records] == [
        f"Skipped the digest 'morning' of user {missed.user_id}, which was due at 2026-03-04 07:00:00+00:00"
    ]


STILL = {
    "late on its day": (Kind.MORNING, "2026-03-04T07:00", "2026-03-04T23:59"),
    "a roundup on Sunday": (Kind.WEEKLY, "2026-03-07T08:00", "2026-03-08T23:59"),
}


@pytest.mark.parametrize(("kind", "due", "now"), STILL.values(), ids=STILL)
def test_late_digest_is_not_skipped(plan: Plans, kind: Kind, due: str, now: str) -> None:
    plan(kind)
    [late] = due_plans(at(now))
    assert not skip_missed(late, at(now))
    assert next_at(late) == at(due)


def test_a_roundup_is_missed_when_its_week_is_over(plan: Plans) -> None:
    plan(Kind.WEEKLY)
    [missed] = due_plans(at("2026-03-09T00:00"))
    assert skip_missed(missed, at("2026-03-09T00:00"))
    assert next_at(missed) == at("2026-03-14T08:00")


N_PLANS, N_WORKERS = 40, 3
FILL = f"""
from datetime import UTC, datetime, time
from django.contrib.auth.models import User
from digests.models import DigestPlan
for n in range({N_PLANS}):
    user = User.objects.create(username=str(n))
    DigestPlan.objects.create(user=user, kind="morning", at=time(7), next_at=datetime(2026, 3, 4, 7, tzinfo=UTC))
"""
WORK = f"""
import pathlib, sys, time
from datetime import UTC, datetime
from digests.schedule.plans import claim, due_plans
now = datetime(2026, 3, 4, 7, 1, tzinfo=UTC)
plans = list(due_plans(now))
folder = pathlib.Path({{folder!r}})
(folder / {{name!r}}).touch()
while len(list(folder.iterdir())) < {N_WORKERS}:
    time.sleep(0.001)
print(*[plan.pk for plan in plans if claim(plan, now)])
"""


@pytest.mark.slow
def test_concurrent_workers_claim_each_plan_once(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ready.mkdir()
    with installation(tmp_path) as made:
        made.run("shell", "--no-imports", "-c", FILL)
        workers = [
            made.start("shell", "--no-imports", "-c", WORK.format(folder=str(ready), name=str(number)))
            for number in range(N_WORKERS)
        ]
        claimed = []
        for worker in workers:
            out, err = worker.communicate(timeout=60)
            assert worker.returncode == 0, err
            claimed += out.split()
    assert len(claimed) == len(set(claimed)) == N_PLANS
