"""Ties to stories: which articles stand together, decided for all that are connected at once. Pure.

Theory. Following ties from article to article would join, over a busy day, half the news into one chain. So ties that
join by themselves (copies) are followed first, and the groups are then merged by average linkage (Sokal and Michener
1958): always the two that are closest on average over all pairs of their articles, a pair without a tie counting 0,
as long as that is at least `LEAST_AVERAGE`. Three things hold two groups apart:

- *contrast*: each side keeps naming what the other never names. One report may leave out a name; when four reports
  name Reggie Bush and four others Pierre Thomas, they tell of two injuries of one team in one week. The contrast is the
  share of reports that name it, smoothed by one (a single report says 1/2), of the weaker side; times
  `CONTRAST_WEIGHT` it is taken off the average. Counted within a language, since names are spelled otherwise elsewhere;
- *time*: a story of one event stays within 72 hours (SPEC §7);
- *splits*: what a person has separated stays so, whatever ties it.

The result depends on the articles and ties alone, not on the order in which they came: equal averages are ordered by
date and key. A new tie can only change the component it falls into, so the caller passes whole components.
Cost: n·log n in the number of ties.
"""

import heapq
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from feeds.dedup.subject import Tie

LEAST_AVERAGE = 0.30  # closeness in [0, 1]
CONTRAST_WEIGHT = 0.20
LONGEST_SPAN = timedelta(hours=72)  # SPEC §7

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Member(Generic[Name]):
    """An article to be grouped: `order` is the same wherever it is stored (not its id); `salient` as of its account."""

    name: Name
    order: tuple[datetime, bytes]
    language: str = ""
    salient: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Group:
    members: list[int]
    first_at: datetime
    last_at: datetime
    said: dict[str, Counter[str]]  # by language: how many of its articles name it
    n_by_language: Counter[str]
    sums: dict[int, float] = field(default_factory=dict)  # to each other group: closeness over all pairs
    version: int = 0


def stories(
    members: Sequence[Member[Name]],
    ties: Mapping[tuple[Name, Name], Tie],
    *,
    apart: Collection[tuple[Name, Name]] = (),
    least_average: float = LEAST_AVERAGE,
) -> list[list[Name]]:
    """Partition the members; stories and their members in order. Ties and `apart` name members in either order.

    Ties that name no member are left out; ties of disposition "revision" that do not join are flags, and ignored.
    """
    ordered = sorted(members, key=lambda member: member.order)
    at = {member.name: position for position, member in enumerate(ordered)}
    enemies = _pairs(apart, at)
    close, joining = _numbered(ties, at)
    groups = _copies(ordered, joining, enemies)
    _weigh(groups, close)
    _merge(groups, _Enemies(enemies, groups), least_average)
    return [[ordered[position].name for position in sorted(group.members)] for _, group in sorted(groups.items())]


def _pairs(pairs: Collection[tuple[Name, Name]], at: Mapping[Name, int]) -> set[tuple[int, int]]:
    return {(min(at[a], at[b]), max(at[a], at[b])) for a, b in pairs if a in at and b in at}


def _numbered(
    ties: Mapping[tuple[Name, Name], Tie], at: Mapping[Name, int]
) -> tuple[dict[tuple[int, int], float], list[tuple[float, int, int]]]:
    close: dict[tuple[int, int], float] = {}
    joining = []
    for (a, b), tie in ties.items():
        if a not in at or b not in at or (tie.disposition == "revision" and not tie.joins):
            continue
        pair = (min(at[a], at[b]), max(at[a], at[b]))
        close[pair] = max(close.get(pair, 0.0), 1.0 if tie.joins else tie.closeness)
        if tie.joins:
            joining.append((-tie.closeness, *pair))
    return close, sorted(joining)


def _copies(
    ordered: Sequence[Member[Name]], joining: Sequence[tuple[float, int, int]], enemies: set[tuple[int, int]]
) -> dict[int, _Group]:
    """Groups of what is tied for certain, closest first, each by its earliest member."""
    groups = {position: _alone(position, member) for position, member in enumerate(ordered)}
    home = list(range(len(ordered)))
    for _, a, b in joining:
        one, other = sorted((home[a], home[b]))
        if one == other or _are_enemies(groups[one].members, groups[other].members, enemies):
            continue
        for position in groups[other].members:
            home[position] = one
        _absorb(groups[one], groups.pop(other))
    return groups


def _alone(position: int, member: Member[Name]) -> _Group:
    published_at = member.order[0]
    return _Group(
        [position],
        published_at,
        published_at,
        {member.language: Counter(member.salient)},
        Counter((member.language,)),
    )


def _absorb(group: _Group, other: _Group) -> None:
    group.members += other.members
    group.first_at, group.last_at = min(group.first_at, other.first_at), max(group.last_at, other.last_at)
    for language, counts in other.said.items():
        group.said.setdefault(language, Counter()).update(counts)
    group.n_by_language.update(other.n_by_language)
    group.version += 1


def _are_enemies(ours: Sequence[int], theirs: Sequence[int], enemies: set[tuple[int, int]]) -> bool:
    return bool(enemies) and any((min(a, b), max(a, b)) in enemies for a in ours for b in theirs)


def _weigh(groups: Mapping[int, _Group], close: Mapping[tuple[int, int], float]) -> None:
    home = {position: number for number, group in groups.items() for position in group.members}
    for (a, b), closeness in sorted(close.items()):
        one, other = home[a], home[b]
        if one != other:
            for here, there in ((one, other), (other, one)):
                groups[here].sums[there] = groups[here].sums.get(there, 0.0) + closeness


class _Enemies:
    """Whether two groups hold members that were separated."""

    def __init__(self, pairs: set[tuple[int, int]], groups: Mapping[int, _Group]) -> None:
        self.pairs, self.groups = pairs, groups

    def __call__(self, one: int, other: int) -> bool:
        return _are_enemies(self.groups[one].members, self.groups[other].members, self.pairs)


def _merge(groups: dict[int, _Group], are_enemies: _Enemies, least_average: float) -> None:
    waiting: list[tuple[float, int, int, int, int]] = []

    def offer(one: int, other: int) -> None:
        average = _average(groups[one], groups[other], other, least_average)
        if average is not None:
            versions = groups[one].version, groups[other].version
            heapq.heappush(waiting, (-average, one, other, *versions))

    for one, group in groups.items():
        for other in group.sums:
            if one < other:
                offer(one, other)
    while waiting:
        _, one, other, *versions = heapq.heappop(waiting)
        if one not in groups or other not in groups or [groups[one].version, groups[other].version] != versions:
            continue
        if are_enemies(one, other):
            continue
        _join(groups, one, other)
        for neighbour in sorted(groups[one].sums):
            offer(min(one, neighbour), max(one, neighbour))


def _join(groups: dict[int, _Group], one: int, other: int) -> None:
    """Let the group `one` take in `other`, with its ties to third ones."""
    gone = groups.pop(other)
    _absorb(groups[one], gone)
    sums = groups[one].sums
    sums.pop(other)
    for third, total in gone.sums.items():
        if third == one:
            continue
        sums[third] = groups[third].sums[one] = sums.get(third, 0.0) + total
        groups[third].sums.pop(other)


def _average(group: _Group, other_group: _Group, other: int, least: float) -> float | None:
    """Average closeness less contrast; None when the two stay apart."""
    average = group.sums[other] / (len(group.members) * len(other_group.members))
    if average < least:
        return None
    if max(group.last_at, other_group.last_at) - min(group.first_at, other_group.first_at) > LONGEST_SPAN:
        return None
    average -= CONTRAST_WEIGHT * _contrast(group, other_group)
    return average if average >= least else None


def _contrast(ours: _Group, theirs: _Group) -> float:
    """How firmly each side names what the other does not, the weaker side's; in [0, 1)."""
    if len(ours.members) + len(theirs.members) < 3:
        return 0.0
    return max(
        (
            min(_only_here(ours, theirs, language), _only_here(theirs, ours, language))
            for language in ours.said.keys() & theirs.said.keys()
        ),
        default=0.0,
    )


def _only_here(here: _Group, there: _Group, language: str) -> float:
    n_here, n_there = here.n_by_language[language], there.n_by_language[language]
    elsewhere = there.said[language]
    return max(
        (n / (n_here + 1) - 2 * elsewhere.get(name, 0) / n_there for name, n in here.said[language].items()),
        default=0.0,
    )
