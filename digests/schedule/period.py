"""When a digest is due and what it covers. Pure: time zones and calendars, no database.

Theory. A plan is a local time on each day or on one day a week. Local clocks skip hours in spring and repeat them in
autumn, by half an hour on Lord Howe Island; Samoa once skipped a whole day. So a plan is one moment per *period*, which
is a local day, or a week from Monday to Sunday:

1. the moment the local clock first shows the chosen time, the first one if an hour is repeated;
2. a skipped time is due at the first moment after the gap;
3. if the gap swallows the rest of the period, nothing is due in it.

A digest that couldn't be made in time is made later in the same period, but not in another one.
"""

from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from zoneinfo import ZoneInfo

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from digests.edition.kinds import RULES, Kind

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


def next_due(kind: Kind, *, at: time, weekday: int | None, zone: ZoneInfo, after: datetime) -> datetime:
    """The first moment in UTC after `after` when this kind is due at `at` local time.

    `weekday` (0 = Monday) applies to weekly digests, None is the default day.
    """
    wanted = _weekday(kind, weekday)
    yesterday = local_day(after, zone) - _DAY
    for number in count():
        day = yesterday + number * _DAY
        if wanted is not None and day.weekday() != wanted:
            continue
        moment = _moment(day, at, zone)
        if moment > after and first_day(kind, local_day(moment, zone)) == first_day(kind, day):
            return moment
    raise AssertionError("there is always another day")


def local_day(moment: datetime, zone: ZoneInfo) -> date:
    """The date in this zone at an aware moment."""
    return moment.astimezone(zone).date()


def first_day(kind: Kind, day: date) -> date:
    """The first day of a day's period: itself, or the Monday of its week for a weekly digest."""
    return day - day.weekday() * _DAY if _is_weekly(kind) else day


def end_of_period(kind: Kind, day: date, zone: ZoneInfo) -> datetime:
    """The first moment in UTC after the period that `day` is in."""
    length = 7 * _DAY if _is_weekly(kind) else _DAY
    return _moment(first_day(kind, day) + length, time(), zone)


def is_still_due(due_at: datetime, now: datetime, zone: ZoneInfo, *, kind: Kind) -> bool:
    """Whether a digest due at `due_at` is still made: on the same local day, a weekly one until the end of Sunday."""
    return due_at <= now and first_day(kind, local_day(due_at, zone)) == first_day(kind, local_day(now, zone))


def window_of(kind: Kind, *, ends_at: datetime, last_ended_at: datetime | None) -> tuple[datetime, datetime]:
    """Start and end of what a digest covers.

    A kind that continues the last digest starts where that ended, if that is within its window.
    """
    rules = RULES[kind]
    begins_at = ends_at - rules.window
    if rules.since_last and last_ended_at is not None and begins_at < last_ended_at < ends_at:
        begins_at = last_ended_at
    return begins_at, ends_at


def time_refusal(kind: Kind, at: time) -> str:
    """Why this kind can't be sent at this local time, in a sentence; "" if it can."""
    hours = RULES[kind].hours
    if hours is None:
        return _("“%(name)s” is a page and can't be sent.") % {"name": kind.label}
    if hours.first <= at <= hours.last:
        return ""
    values = {"name": capfirst(kind.in_sentence), "first": f"{hours.first:%H:%M}", "last": f"{hours.last:%H:%M}"}
    return _("%(name)s is sent between %(first)s and %(last)s.") % values


def _is_weekly(kind: Kind) -> bool:
    return RULES[kind].usual_weekday is not None


def _weekday(kind: Kind, weekday: int | None) -> int | None:
    """The day of the week it is due on; None for daily digests."""
    usual = RULES[kind].usual_weekday
    return usual if usual is None or weekday is None else weekday


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    """When the clock first shows `at` on `day`, in UTC; in a gap, the first moment after it."""
    local = datetime.combine(day, at, tzinfo=zone)  # fold=0: the first of two; in a gap, the offset before it
    moment = local.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None):
        return moment
    return _change(local.replace(fold=1).astimezone(UTC), moment, zone)


def _change(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The moment between these two when the zone's offset changes, to the second."""
    old = before.astimezone(zone).utcoffset()
    low = before.replace(microsecond=0)
    steps = -((low - after) // _SECOND)  # the change is at most so many seconds after `low`
    first = 0
    while steps - first > 1:
        middle = (first + steps) // 2
        if (low + middle * _SECOND).astimezone(zone).utcoffset() == old:
            first = middle
        else:
            steps = middle
    return low + steps * _SECOND
