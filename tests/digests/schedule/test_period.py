"""One due time per local day or week, across clock changes."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.edition.kinds import PLANNED, RULES, Kind
from digests.schedule.period import end_of_period, first_day, is_still_due, local_day, next_due, time_refusal, window_of
from tests.tables import table

DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


DUE = {
    # kind, time, weekday, zone, after, due
    "later today": (Kind.MORNING, "07:00", None, "UTC", "2026-03-04T06:00", "2026-03-04T07:00"),
    "strictly after": (Kind.MORNING, "07:00", None, "UTC", "2026-03-04T07:00", "2026-03-05T07:00"),
    "a microsecond before": (Kind.MORNING, "07:00", None, "UTC", "2026-03-04T06:59:59.999999", "2026-03-04T07:00"),
    "tomorrow, over the year's end": (Kind.EVENING, "18:00", None, "UTC", "2026-12-31T18:30", "2027-01-01T18:00"),
    "on a leap day": (Kind.MIDDAY, "12:00", None, "UTC", "2028-02-28T12:00", "2028-02-29T12:00"),
    "a weekday given to a daily one says nothing": (
        Kind.MORNING, "07:00", 6, "UTC", "2026-03-04T06:00", "2026-03-04T07:00",
    ),
    "Kathmandu, 5:45 ahead": (Kind.MORNING, "07:00", None, "Asia/Kathmandu", "2026-03-04T01:14", "2026-03-04T01:15"),
    "Kathmandu, tomorrow": (Kind.MORNING, "07:00", None, "Asia/Kathmandu", "2026-03-04T01:15", "2026-03-05T01:15"),
    "Kiritimati, the day before in UTC": (
        Kind.MORNING, "07:00", None, "Pacific/Kiritimati", "2026-03-04T12:00", "2026-03-04T17:00",
    ),
    "Berlin in winter": (Kind.MORNING, "07:00", None, "Europe/Berlin", "2026-03-27T12:00", "2026-03-28T06:00"),
    "Berlin, the day of the change": (
        Kind.MORNING, "07:00", None, "Europe/Berlin", "2026-03-28T06:00", "2026-03-29T05:00",
    ),
    "Berlin, a skipped time": (Kind.MORNING, "02:30", None, "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T01:00"),
    "Berlin, the first skipped time": (
        Kind.MORNING, "02:00", None, "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T01:00",
    ),
    "Berlin, the last skipped time": (
        Kind.MORNING, "02:59:59.999999", None, "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T01:00",
    ),
    "Berlin, right after the gap": (
        Kind.MORNING, "03:00", None, "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T01:00",
    ),
    "Berlin, right before the gap": (
        Kind.MORNING, "01:59", None, "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T00:59",
    ),
    "Berlin, after a skipped time": (
        Kind.MORNING, "02:30", None, "Europe/Berlin", "2026-03-29T01:00", "2026-03-30T00:30",
    ),
    "Berlin, a repeated time comes first": (
        Kind.MORNING, "02:30", None, "Europe/Berlin", "2026-10-24T12:00", "2026-10-25T00:30",
    ),
    "Berlin, and not again": (Kind.MORNING, "02:30", None, "Europe/Berlin", "2026-10-25T00:30", "2026-10-26T01:30"),
    "New York, a skipped time": (
        Kind.MORNING, "02:15", None, "America/New_York", "2026-03-07T12:00", "2026-03-08T07:00",
    ),
    "New York, a repeated time": (
        Kind.MORNING, "01:15", None, "America/New_York", "2026-11-01T00:00", "2026-11-01T05:15",
    ),
    "New York, and not again": (
        Kind.MORNING, "01:15", None, "America/New_York", "2026-11-01T05:15", "2026-11-02T06:15",
    ),
    "New York, the day after the change": (
        Kind.MORNING, "07:00", None, "America/New_York", "2026-03-08T00:00", "2026-03-08T11:00",
    ),
    "Lord Howe, a gap of half an hour": (
        Kind.MORNING, "02:15", None, "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-03T15:30",
    ),
    "Lord Howe, after the gap": (
        Kind.MORNING, "02:30", None, "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-03T15:30",
    ),
    "Lord Howe, a repeated half hour": (
        Kind.MORNING, "01:45", None, "Australia/Lord_Howe", "2026-04-04T12:00", "2026-04-04T14:45",
    ),
    "Sao Paulo, midnight skipped": (
        Kind.MORNING, "00:00", None, "America/Sao_Paulo", "2018-11-03T12:00", "2018-11-04T03:00",
    ),
    "Sao Paulo, half past midnight skipped": (
        Kind.MORNING, "00:30", None, "America/Sao_Paulo", "2018-11-03T12:00", "2018-11-04T03:00",
    ),
    "Sao Paulo, after it": (Kind.MORNING, "00:30", None, "America/Sao_Paulo", "2018-11-04T03:00", "2018-11-05T02:30"),
    "Apia, the last before the skipped day": (
        Kind.MORNING, "07:00", None, "Pacific/Apia", "2011-12-29T00:00", "2011-12-29T17:00",
    ),
    "Apia, nothing on a day that was not": (
        Kind.MORNING, "07:00", None, "Pacific/Apia", "2011-12-29T17:00", "2011-12-30T17:00",
    ),
    "weekly, Saturday if nobody chose": (Kind.WEEKLY, "08:00", None, "UTC", "2026-03-04T12:00", "2026-03-07T08:00"),
    "weekly, Sunday": (Kind.WEEKLY, "08:00", 6, "UTC", "2026-03-04T12:00", "2026-03-08T08:00"),
    "weekly, the next week": (Kind.WEEKLY, "08:00", 6, "UTC", "2026-03-08T08:00", "2026-03-15T08:00"),
    "weekly, over summer time": (Kind.WEEKLY, "08:00", 6, "Europe/Berlin", "2026-03-22T12:00", "2026-03-29T06:00"),
    "weekly, of a skipped Saturday at its end": (
        Kind.WEEKLY, "08:00", 5, "Pacific/Kiritimati", "1994-12-26T00:00", "1994-12-31T10:00",
    ),
    "weekly, of a week without its Friday": (
        Kind.WEEKLY, "08:00", 4, "Pacific/Apia", "2011-12-26T00:00", "2011-12-30T10:00",
    ),
}  # fmt: skip


@table(("kind", "local", "weekday", "zone", "after", "due"), DUE.values(), ids=DUE)
def test_the_next_due_moment(kind: Kind, local: str, weekday: int | None, zone: str, after: str, due: str) -> None:
    found = next_due(kind, at=time.fromisoformat(local), weekday=weekday, zone=ZoneInfo(zone), after=at(after))
    assert found == at(due)
    assert found.tzinfo is UTC


def local_days(begin: datetime, end: datetime, zone: ZoneInfo) -> list[date]:
    """The local dates between two times, sampled every half hour."""
    moments = [begin + number * timedelta(minutes=30) for number in range((end - begin) // timedelta(minutes=30))]
    return list(dict.fromkeys(local_day(moment, zone) for moment in moments))


def minutes_of(of: time) -> int:
    return of.hour * 60 + of.minute


@st.composite
def plans(draw: st.DrawFn) -> tuple[Kind, time, int | None]:
    """A kind with a time within its hours and a day of its week."""
    kind = draw(st.sampled_from(PLANNED))
    hours = RULES[kind].hours
    assert hours is not None
    minute = draw(st.integers(minutes_of(hours.first), minutes_of(hours.last)))
    weekday = draw(st.sampled_from(sorted(RULES[kind].weekdays))) if kind == Kind.WEEKLY else None
    return kind, time(*divmod(minute, 60)), weekday


ZONES = st.sampled_from(sorted(available_timezones()))
HARD_ZONES = st.sampled_from(
    ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "America/Sao_Paulo",
     "America/St_Johns", "Africa/Casablanca", "Asia/Tehran", "Pacific/Kiritimati", "Antarctica/Troll", "Asia/Gaza"]
)  # fmt: skip


@given(plan=plans(), zone=ZONES | HARD_ZONES, year=st.integers(1971, 2036))
def test_each_period_of_a_year_has_one_due_time(plan: tuple[Kind, time, int | None], zone: str, year: int) -> None:
    kind, local, weekday = plan
    clock, hours = ZoneInfo(zone), RULES[kind].hours
    assert hours is not None
    begin, end = datetime(year, 1, 5, tzinfo=UTC), datetime(year + 1, 1, 5, tzinfo=UTC)
    dues = [next_due(kind, at=local, weekday=weekday, zone=clock, after=begin)]
    while dues[-1] < end:
        dues.append(next_due(kind, at=local, weekday=weekday, zone=clock, after=dues[-1]))
    assert all(one < other for one, other in pairwise(dues))
    periods = [first_day(kind, local_day(due, clock)) for due in dues]
    lived = {first_day(kind, day): day for day in local_days(dues[0], dues[-1] + TICK, clock)}
    assert periods == list(lived)
    for due, period in zip(dues, periods, strict=True):
        shown = due.astimezone(clock)
        just_before = (due - TICK).astimezone(clock)
        day = period if kind != Kind.WEEKLY else period + (5 if weekday is None else weekday) * DAY
        wanted = datetime.combine(day, local)
        if shown.replace(tzinfo=None) != wanted:  # only where the clock skipped it
            assert just_before.replace(tzinfo=None) < wanted < shown.replace(tzinfo=None)
        else:
            assert hours.first <= shown.time() <= hours.last


@given(
    plan=plans(), zone=ZONES | HARD_ZONES, minute=st.integers(0, 60 * 365 * 24 * 60), gap=st.integers(0, 12 * 24 * 60)
)
def test_nothing_is_due_between_two_due_times(
    plan: tuple[Kind, time, int | None], zone: str, minute: int, gap: int
) -> None:
    kind, local, weekday = plan
    after = datetime(1971, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
    later = after + timedelta(minutes=gap)
    first = next_due(kind, at=local, weekday=weekday, zone=ZoneInfo(zone), after=after)
    second = next_due(kind, at=local, weekday=weekday, zone=ZoneInfo(zone), after=later)
    assert first > after
    assert second == first if first > later else second > first


STILL_DUE = {
    # kind, zone, due, now, whether
    "at the moment": (Kind.MORNING, "UTC", "2026-03-04T07:00", "2026-03-04T07:00", True),
    "not before": (Kind.MORNING, "UTC", "2026-03-04T07:00", "2026-03-04T06:59:59", False),
    "late in the evening": (Kind.MORNING, "UTC", "2026-03-04T07:00", "2026-03-04T23:59:59", True),
    "not on the next day": (Kind.MORNING, "UTC", "2026-03-04T07:00", "2026-03-05T00:00", False),
    "the person's day, not that of UTC": (
        Kind.EVENING, "America/Los_Angeles", "2026-03-05T01:00", "2026-03-05T07:59", True,
    ),
    "after the person's midnight": (
        Kind.EVENING, "America/Los_Angeles", "2026-03-05T01:00", "2026-03-05T08:00", False,
    ),
    "not the same day of another month": (Kind.MORNING, "UTC", "2026-03-04T07:00", "2026-04-04T08:00", False),
    "weekly, the day after": (Kind.WEEKLY, "UTC", "2026-03-07T08:00", "2026-03-08T23:59", True),
    "weekly, on Monday": (Kind.WEEKLY, "UTC", "2026-03-07T08:00", "2026-03-09T00:00", False),
    "weekly, on the Saturday after": (Kind.WEEKLY, "UTC", "2026-03-07T08:00", "2026-03-14T08:00", False),
    "weekly, Sunday where the person is": (
        Kind.WEEKLY, "America/Los_Angeles", "2026-03-07T16:00", "2026-03-09T06:59", True,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "zone", "due", "now", "expected"), STILL_DUE.values(), ids=STILL_DUE)
def test_late_in_its_period_rather_than_never(kind: Kind, zone: str, due: str, now: str, expected: bool) -> None:
    assert is_still_due(at(due), at(now), ZoneInfo(zone), kind=kind) is expected


ENDS = {
    "a day": (Kind.MORNING, "UTC", "2026-03-04", "2026-03-05T00:00"),
    "a day of 23 hours": (Kind.MORNING, "Europe/Berlin", "2026-03-29", "2026-03-29T22:00"),
    "a day before one that begins at one": (Kind.MORNING, "America/Sao_Paulo", "2018-11-03", "2018-11-04T03:00"),
    "a day before one that was not": (Kind.MORNING, "Pacific/Apia", "2011-12-29", "2011-12-30T10:00"),
    "a week, from its Wednesday": (Kind.WEEKLY, "UTC", "2026-03-04", "2026-03-09T00:00"),
    "a week, from its Sunday": (Kind.WEEKLY, "UTC", "2026-03-08", "2026-03-09T00:00"),
    "a week, from its Monday": (Kind.WEEKLY, "UTC", "2026-03-09", "2026-03-16T00:00"),
}


@pytest.mark.parametrize(("kind", "zone", "day", "end"), ENDS.values(), ids=ENDS)
def test_where_a_period_ends(kind: Kind, zone: str, day: str, end: str) -> None:
    assert end_of_period(kind, date.fromisoformat(day), ZoneInfo(zone)) == at(end)


NOON = "2026-03-04T12:00"
WINDOWS = {
    # kind, where the last digest ended, where the window begins
    "morning": (Kind.MORNING, None, "2026-03-03T12:00"),
    "morning, whatever was sent before": (Kind.MORNING, "2026-03-04T07:00", "2026-03-03T12:00"),
    "front page": (Kind.TODAY, "2026-03-04T07:00", "2026-03-03T12:00"),
    "weekly": (Kind.WEEKLY, "2026-03-04T07:00", "2026-02-25T12:00"),
    "midday, since the last": (Kind.MIDDAY, "2026-03-04T07:00", "2026-03-04T07:00"),
    "evening, since the last": (Kind.EVENING, "2026-03-04T11:59", "2026-03-04T11:59"),
    "midday, when there was none": (Kind.MIDDAY, None, "2026-03-03T12:00"),
    "midday, when the last is a window ago": (Kind.MIDDAY, "2026-03-03T12:00", "2026-03-03T12:00"),
    "midday, when the last is longer ago": (Kind.MIDDAY, "2026-03-01T12:00", "2026-03-03T12:00"),
    "midday, a minute less than a window ago": (Kind.MIDDAY, "2026-03-03T12:01", "2026-03-03T12:01"),
    "midday, when the last ended just now": (Kind.MIDDAY, NOON, "2026-03-03T12:00"),
    "midday, made for a moment before the last": (Kind.MIDDAY, "2026-03-04T18:00", "2026-03-03T12:00"),
}


@pytest.mark.parametrize(("kind", "last", "begin"), WINDOWS.values(), ids=WINDOWS)
def test_what_a_digest_covers(kind: Kind, last: str | None, begin: str) -> None:
    assert window_of(kind, ends_at=at(NOON), last_ended_at=at(last) if last else None) == (at(begin), at(NOON))


REFUSALS = {
    "morning, first": (Kind.MORNING, "06:00", ""),
    "morning, last": (Kind.MORNING, "08:00", ""),
    "morning, too early": (
        Kind.MORNING, "05:59", "The morning brief is sent between 06:00 and 08:00.",
    ),
    "morning, a second too late": (
        Kind.MORNING, "08:00:01", "The morning brief is sent between 06:00 and 08:00.",
    ),
    "midday, too early": (Kind.MIDDAY, "11:29", "The midday update is sent between 11:30 and 13:00."),
    "midday, last": (Kind.MIDDAY, "13:00", ""),
    "evening, too late": (Kind.EVENING, "19:01", "The evening recap is sent between 17:00 and 19:00."),
    "weekly, noon": (Kind.WEEKLY, "12:00", ""),
    "weekly, afternoon": (Kind.WEEKLY, "12:01", "The weekly roundup is sent between 06:00 and 12:00."),
    "front page": (Kind.TODAY, "07:00", "“Today” is a page and can't be sent."),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "local", "refusal"), REFUSALS.values(), ids=REFUSALS)
def test_why_a_time_is_refused(kind: Kind, local: str, refusal: str) -> None:
    assert time_refusal(kind, time.fromisoformat(local)) == refusal


@pytest.mark.parametrize("kind", PLANNED)
def test_the_usual_time_of_each_kind_is_within_its_hours(kind: Kind) -> None:
    hours = RULES[kind].hours
    assert hours is not None
    assert time_refusal(kind, hours.usual) == ""
