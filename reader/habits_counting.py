"""What a person's acts add up to: shares, hours, weeks, minutes. Pure; the zone is the person's own."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

OPENED, SKIPPED, PASSED = "opened", "skipped", "passed"
WEEKS = 12
HOURS, DAYS = 24, 7


@dataclass(frozen=True, slots=True)
class Deed:
    """One article, and what was done with it in the end: opened, skipped (or disliked), or passed over.

    `place` is the subscription that brought it, None where none does any more; `seconds` how long it takes to read.
    """

    article: int
    kind: str
    at: datetime
    place: int | None = None
    seconds: int = 0


@dataclass(slots=True)
class Tally:
    """Articles of one feed, folder, week or of all."""

    n_opened: int = 0
    n_skipped: int = 0
    n_passed: int = 0
    seconds: int = 0

    @property
    def n(self) -> int:
        return self.n_opened + self.n_skipped + self.n_passed

    @property
    def share(self) -> float:
        """Opened of what was come past, in [0, 1]."""
        return self.n_opened / self.n if self.n else 0.0

    @property
    def percent(self) -> int:
        return round(100 * self.share)

    @property
    def minutes(self) -> int:
        return round(self.seconds / 60)

    def add(self, deed: Deed) -> None:
        self.n_opened += deed.kind == OPENED
        self.n_skipped += deed.kind == SKIPPED
        self.n_passed += deed.kind == PASSED
        self.seconds += deed.seconds if deed.kind == OPENED else 0


@dataclass(frozen=True, slots=True)
class Counted:
    """`by_place` by subscription; `heat[weekday][hour]` articles opened, Monday first; `weeks` the oldest first, by the
    Monday they begin on."""

    everything: Tally
    by_place: Mapping[int, Tally]
    heat: Sequence[Sequence[int]]
    weeks: Sequence[tuple[date, Tally]]


@dataclass(slots=True)
class _Sums:
    everything: Tally = field(default_factory=Tally)
    by_place: dict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    heat: list[list[int]] = field(default_factory=lambda: [[0] * HOURS for _ in range(DAYS)])


def first_moment(now: datetime, zone: ZoneInfo) -> datetime:
    """The beginning of the first of the `WEEKS` weeks, the present one the last; on a Monday, by the person's clock."""
    monday = _monday(now.astimezone(zone).date()) - timedelta(weeks=WEEKS - 1)
    return datetime.combine(monday, time(), zone)


def counted(deeds: Iterable[Deed], *, now: datetime, zone: ZoneInfo) -> Counted:
    """The sums of deeds since `first_moment`."""
    sums = _Sums()
    first = first_moment(now, zone).date()
    weeks = {first + timedelta(weeks=number): Tally() for number in range(WEEKS)}
    for deed in deeds:
        local = deed.at.astimezone(zone)
        sums.everything.add(deed)
        if deed.place is not None:
            sums.by_place[deed.place].add(deed)
        if (monday := _monday(local.date())) in weeks:
            weeks[monday].add(deed)
        if deed.kind == OPENED:
            sums.heat[local.weekday()][local.hour] += 1
    return Counted(sums.everything, dict(sums.by_place), sums.heat, list(weeks.items()))


def together(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies."""
    total = Tally()
    for each in tallies:
        total.n_opened += each.n_opened
        total.n_skipped += each.n_skipped
        total.n_passed += each.n_passed
        total.seconds += each.seconds
    return total


def busiest_hours(heat: Sequence[Sequence[int]]) -> tuple[int, int] | None:
    """The shortest stretch of the day that holds half of all openings, from and to an hour; None where none of 2, 3, 4
    or 6 hours does. May go on over midnight."""
    by_hour = Counter({hour: sum(day[hour] for day in heat) for hour in range(HOURS)})
    total = sum(by_hour.values())
    if not total:
        return None
    for length in (2, 3, 4, 6):
        sums = [(sum(by_hour[(start + each) % HOURS] for each in range(length)), -start) for start in range(HOURS)]
        most, start = max(sums)
        if 2 * most >= total:
            return -start, (-start + length) % HOURS
    return None


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
