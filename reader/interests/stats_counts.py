"""Adds up outcomes: shares, hours, weeks, minutes. Pure; `zone` is the user's time zone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

OPENED, SKIPPED, PASSED = "opened", "skipped", "passed"
WEEKS = 12
COLOR_LEVELS = 4  # of an hour in the week, besides 0
HOURS, DAYS = 24, 7


@dataclass(frozen=True, slots=True)
class Outcome:
    """An article and what finally happened to it: opened, skipped (or disliked), or passed over.

    `place` is the subscription that delivered it, None if there is none; `seconds` the reading time.
    """

    article: int
    kind: str
    at: datetime
    place: int | None = None
    seconds: int = 0


@dataclass(slots=True)
class Tally:
    """Articles of a feed, a folder, a week or all."""

    n_opened: int = 0
    n_skipped: int = 0
    n_passed: int = 0
    seconds: int = 0

    @property
    def n(self) -> int:
        return self.n_opened + self.n_skipped + self.n_passed

    @property
    def share(self) -> float:
        """Opened articles of all, in [0, 1]."""
        return self.n_opened / self.n if self.n else 0.0

    @property
    def percent(self) -> int:
        return round(100 * self.share)

    @property
    def minutes(self) -> int:
        return round(self.seconds / 60)

    def add(self, outcome: Outcome) -> None:
        self.n_opened += outcome.kind == OPENED
        self.n_skipped += outcome.kind == SKIPPED
        self.n_passed += outcome.kind == PASSED
        self.seconds += outcome.seconds if outcome.kind == OPENED else 0


@dataclass(frozen=True, slots=True)
class Counted:
    """`by_place` by subscription; `heat[weekday][hour]`: articles opened, Monday first; `weeks` oldest first, by their
    Monday.
    """

    everything: Tally
    by_place: Mapping[int, Tally]
    heat: Sequence[Sequence[int]]
    weeks: Sequence[tuple[date, Tally]]


@dataclass(slots=True)
class _Sums:
    everything: Tally = field(default_factory=Tally)
    by_place: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    heat: list[list[int]] = field(default_factory=lambda: [[0] * HOURS for _ in range(DAYS)])


def stats_start(now: datetime, zone: ZoneInfo) -> datetime:
    """The beginning of the first of the `WEEKS` weeks, the current one being the last: a Monday in `zone`."""
    monday = _monday(now.astimezone(zone).date()) - timedelta(weeks=WEEKS - 1)
    return datetime.combine(monday, time(), zone)


def count_outcomes(outcomes: Iterable[Outcome], *, now: datetime, zone: ZoneInfo) -> Counted:
    """The sums of outcomes since `stats_start`."""
    sums = _Sums()
    first = stats_start(now, zone).date()
    weeks = {first + timedelta(weeks=number): Tally() for number in range(WEEKS)}
    for outcome in outcomes:
        local = outcome.at.astimezone(zone)
        sums.everything.add(outcome)
        if outcome.place is not None:
            sums.by_place[outcome.place].add(outcome)
        if (monday := _monday(local.date())) in weeks:
            weeks[monday].add(outcome)
        if outcome.kind == OPENED:
            sums.heat[local.weekday()][local.hour] += 1
    return Counted(sums.everything, dict(sums.by_place), sums.heat, list(weeks.items()))


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total.n_opened += tally.n_opened
        total.n_skipped += tally.n_skipped
        total.n_passed += tally.n_passed
        total.seconds += tally.seconds
    return total


def busiest_hours(heat: Sequence[Sequence[int]]) -> tuple[int, int] | None:
    """The shortest span of the day with half of all openings, as start and end hour; None if no span of 2, 3, 4 or 6
    hours has that many. May wrap around midnight.
    """
    by_hour = Counter({hour: sum(day[hour] for day in heat) for hour in range(HOURS)})
    total = sum(by_hour.values())
    if not total:
        return None
    for length in (2, 3, 4, 6):
        sums = [(sum(by_hour[(start + offset) % HOURS] for offset in range(length)), -start) for start in range(HOURS)]
        most, start = max(sums)
        if 2 * most >= total:
            return -start, (-start + length) % HOURS
    return None


def color_level(n: int, largest: int) -> int:
    """The color level of a number, by quarters of the largest: 0 for none, up to `COLOR_LEVELS`."""
    return -(-COLOR_LEVELS * n // largest) if n else 0


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
