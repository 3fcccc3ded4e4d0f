"""Groups matched articles into stories, a whole connected component at a time. Pure.

Theory. Following matches from article to article would chain half of a busy day's news into one story. So only matches
that join by themselves (copies) are followed. The resulting groups are then merged by average linkage (Sokal and
Michener 1958): always the two with the highest average closeness over all pairs of two publishers' articles, where a
pair without a match counts 0, as long as the average is at least `MIN_AVERAGE`. Two single reports need `MIN_PAIR`:
nothing else speaks for them. Four things keep groups apart:

- *contrast*: each side repeatedly names what the other never names. One report may leave out a name, but when four
  reports name Reggie Bush and four others Pierre Thomas, they cover two injuries in one team in one week. The contrast
  is the share of reports that have the name, smoothed by one (1/2 for a single report), of the weaker side; it is
  subtracted from the average, times `CONTRAST_WEIGHT`. It is counted per language, because names are spelled
  differently in others;
- *time*: a story of one event spans at most 72 hours (SPEC §7);
- *publisher*: two articles of one publisher indicate a series, not an event (SPEC §6). They never match as one event,
  and share a story only if each firmly matches an article of another publisher in it;
- *splits*: articles that a user has separated stay apart.

The result depends only on the articles and matches, not on the order of arrival: equal averages are sorted by date and
key. A new match only affects its own component, so callers pass whole components. Cost: n·log n in the number of
matches, which callers limit (`budgets`).
"""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from feeds.dedup.comparable import Match, is_one_publisher

MIN_AVERAGE = 0.25  # closeness in [0, 1]
MIN_PAIR = 0.50  # closeness of two reports that no third one joins
CONTRAST_WEIGHT = 0.20
LONGEST_SPAN = timedelta(hours=72)  # SPEC §7

_NONE: frozenset[int] = frozenset()

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Member(Generic[Name]):
    """An article to group. `order` doesn't depend on where it is stored, unlike its id; `salient` and `publisher` as in
    `EventProfile`."""

    name: Name
    order: tuple[datetime, bytes]
    language: str = ""
    salient: frozenset[str] = frozenset()
    publisher: str = ""


@dataclass(slots=True)
class _Group:
    """`units`: the numbers of the groups of copies it consists of; `ranked`: the names in it, most frequent first."""

    members: list[int]
    first_at: datetime
    last_at: datetime
    names: dict[str, Counter[str]]  # by language: the number of articles with each name
    n_by_language: Counter[str]
    n_by_publisher: Counter[str]  # articles of each known publisher
    publishers: dict[str, list[int]]  # the units with an article of each known publisher
    units: set[int]
    sums: dict[int, float] = field(default_factory=dict)  # total closeness to each other group
    ranked: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    version: int = 0


def group_into_stories(
    members: Sequence[Member[Name]],
    matches: Mapping[tuple[Name, Name], Match],
    *,
    apart: Collection[tuple[Name, Name]] = (),
    least_average: float = MIN_AVERAGE,
) -> list[list[Name]]:
    """Partition the members into stories, both in order. Pairs in `matches` and `apart` may be in either order.

    Matches of other articles are ignored, as are revisions that don't join (flags).
    """
    ordered = sorted(members, key=lambda member: member.order)
    at = {member.name: position for position, member in enumerate(ordered)}
    enemies = {(min(at[a], at[b]), max(at[a], at[b])) for a, b in apart if a in at and b in at}
    close, joining = _edges(matches, ordered, at)
    groups = _copies(ordered, joining, enemies)
    firm = _weigh(groups, close, least_average)
    _merge(groups, enemies, firm, least_average)
    return [[ordered[position].name for position in sorted(group.members)] for _, group in sorted(groups.items())]


def _edges(
    matches: Mapping[tuple[Name, Name], Match], ordered: Sequence[Member[Name]], at: Mapping[Name, int]
) -> tuple[dict[tuple[int, int], float], list[tuple[float, int, int]]]:
    close: dict[tuple[int, int], float] = {}
    joining = []
    for (a, b), match in matches.items():
        if a not in at or b not in at or (match.disposition == "revision" and not match.joins):
            continue
        if not match.joins and is_one_publisher(ordered[at[a]].publisher, ordered[at[b]].publisher):
            continue
        pair = (min(at[a], at[b]), max(at[a], at[b]))
        close[pair] = max(close.get(pair, 0.0), 1.0 if match.joins else match.closeness)
        if match.joins:
            joining.append((-match.closeness, *pair))
    return close, sorted(joining)


def _copies(
    ordered: Sequence[Member[Name]], joining: Sequence[tuple[float, int, int]], enemies: set[tuple[int, int]]
) -> dict[int, _Group]:
    """Groups of copies, joined by the closest matches first, each under its earliest member."""
    groups = {position: _alone(position, member) for position, member in enumerate(ordered)}
    home = list(range(len(ordered)))
    for _, a, b in joining:
        one, other = sorted((home[a], home[b]))
        if one == other or _are_enemies(groups[one].members, groups[other].members, enemies):
            continue
        for position in groups[other].members:
            home[position] = one
        _absorb(groups[one], groups.pop(other))
    for number, group in groups.items():
        group.units, group.publishers = {number}, {publisher: [number] for publisher in group.publishers}
    return groups


def _alone(position: int, member: Member[Name]) -> _Group:
    published_at = member.order[0]
    return _Group(
        [position],
        published_at,
        published_at,
        {member.language: Counter(member.salient)},
        Counter((member.language,)),
        Counter([member.publisher] if member.publisher else []),
        {member.publisher: [position]} if member.publisher else {},
        {position},
    )


def _absorb(group: _Group, other: _Group) -> None:
    group.members += other.members
    group.first_at, group.last_at = min(group.first_at, other.first_at), max(group.last_at, other.last_at)
    for language, counts in other.names.items():
        group.names.setdefault(language, Counter()).update(counts)
    group.n_by_language.update(other.n_by_language)
    group.n_by_publisher.update(other.n_by_publisher)
    for publisher, units in other.publishers.items():
        group.publishers[publisher] = group.publishers.get(publisher, []) + units
    group.units |= other.units
    group.ranked.clear()
    group.version += 1


def _are_enemies(ours: Sequence[int], theirs: Sequence[int], enemies: set[tuple[int, int]]) -> bool:
    return bool(enemies) and any((min(a, b), max(a, b)) in enemies for a in ours for b in theirs)


def _weigh(groups: Mapping[int, _Group], close: Mapping[tuple[int, int], float], least: float) -> dict[int, set[int]]:
    """Fill in the groups' sums; returns the groups with which each has a firm match."""
    home = {position: number for number, group in groups.items() for position in group.members}
    firm: dict[int, set[int]] = defaultdict(set)
    for (a, b), closeness in sorted(close.items()):
        one, other = home[a], home[b]
        if one == other:
            continue
        for here, there in ((one, other), (other, one)):
            groups[here].sums[there] = groups[here].sums.get(there, 0.0) + closeness
            if closeness >= least:
                firm[here].add(there)
    return firm


def _have_evidence(ours: _Group, theirs: _Group, firm: Mapping[int, set[int]], units: Mapping[int, int]) -> bool:
    """Whether each unit of a publisher that is in both groups has a copy by another publisher or a firm match.

    `units`: the number of publishers of each unit. Firm matches are always between two publishers.
    """
    shared = ours.publishers.keys() & theirs.publishers.keys()
    if not shared:
        return True
    together = ours.units | theirs.units
    affected = {unit for name in shared for unit in ours.publishers[name] + theirs.publishers[name]}
    return all(units[unit] > 1 or not firm.get(unit, _NONE).isdisjoint(together) for unit in affected)


def _merge(
    groups: dict[int, _Group], enemies: set[tuple[int, int]], firm: Mapping[int, set[int]], least_average: float
) -> None:
    waiting: list[tuple[float, int, int, int, int]] = []
    n_publishers = {number: len(group.publishers) for number, group in groups.items()}

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
        if _are_enemies(groups[one].members, groups[other].members, enemies):
            continue
        if not _have_evidence(groups[one], groups[other], firm, n_publishers):
            continue
        _join(groups, one, other)
        for neighbour in sorted(groups[one].sums):
            offer(min(one, neighbour), max(one, neighbour))


def _join(groups: dict[int, _Group], one: int, other: int) -> None:
    """Merge the group `other` into `one`, with its sums to third groups."""
    merged = groups.pop(other)
    _absorb(groups[one], merged)
    sums = groups[one].sums
    sums.pop(other)
    for third, total in merged.sums.items():
        if third == one:
            continue
        sums[third] = groups[third].sums[one] = sums.get(third, 0.0) + total
        groups[third].sums.pop(other)


def _average(group: _Group, other_group: _Group, other: int, least: float) -> float | None:
    """Average closeness minus contrast; None if the two stay apart."""
    n_of_one = sum(n * other_group.n_by_publisher[publisher] for publisher, n in group.n_by_publisher.items())
    n_pairs = len(group.members) * len(other_group.members)
    if n_pairs == n_of_one:
        return None
    average = group.sums[other] / (n_pairs - n_of_one)
    if average < (least if n_pairs > 1 else max(least, MIN_PAIR)):
        return None
    if max(group.last_at, other_group.last_at) - min(group.first_at, other_group.first_at) > LONGEST_SPAN:
        return None
    average -= CONTRAST_WEIGHT * _contrast(group, other_group)
    return average if average >= least else None


def _contrast(ours: _Group, theirs: _Group) -> float:
    """How consistently each side names what the other doesn't, of the weaker side; in [0, 1)."""
    if len(ours.members) + len(theirs.members) < 3:
        return 0.0
    return max(
        (
            min(_only_here(ours, theirs, language), _only_here(theirs, ours, language))
            for language in ours.names.keys() & theirs.names.keys()
        ),
        default=0.0,
    )


def _only_here(here: _Group, there: _Group, language: str) -> float:
    n_here, n_there = here.n_by_language[language], there.n_by_language[language]
    elsewhere, most = there.names[language], -math.inf
    if language not in here.ranked:
        here.ranked[language] = here.names[language].most_common()
    for name, n in here.ranked[language]:
        if n / (n_here + 1) <= most:  # and so for all that follow
            break
        most = max(most, n / (n_here + 1) - 2 * elsewhere.get(name, 0) / n_there)
    return most if here.ranked[language] else 0.0
