"""Links between articles: written by the comparing stages, read for grouping; only under the `one_writer` lock."""

import fcntl
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Q

from feeds.dedup.comparable import Match
from feeds.models import Disposition, Link

LARGEST_COMPONENT = 3000  # articles; beyond it only the newest are regrouped
MAX_LINKS = 40_000  # of a component; beyond it only the closest count. Grouping takes about 1 kB per link
WRITTEN_AT_ONCE = 500  # links in one transaction: some 20 ms on SQLite
_ADVISORY_LOCK = 0x5704  # on PostgreSQL

Pair = tuple[int, int]
_SAME_EVENT = Disposition.SAME_EVENT.value
_RANK = {Disposition.NEAR_DUPLICATE.value: 2, Disposition.REVISION.value: 1, _SAME_EVENT: 0}


@contextmanager
def one_writer() -> Iterator[None]:
    """Hold the lock under which links and stories are written.

    On PostgreSQL it is one transaction. On SQLite, where a transaction would block all other writers, it is a lock on a
    file beside the database, and its holder writes in short transactions.
    """
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ADVISORY_LOCK])
            yield
    else:
        with _file_lock():
            yield


@contextmanager
def _file_lock() -> Iterator[None]:
    """Exclusive access on SQLite: a file lock, or a transaction where no file can be locked.

    Inside a transaction (a dry run) no other process can write, and waiting for the file's lock could be a deadlock.
    """
    if connection.in_atomic_block or connection.is_in_memory_db():  # type: ignore[attr-defined]
        yield
        return
    try:
        handle = os.open(f"{connection.settings_dict['NAME']}-stories", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        with transaction.atomic():
            yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class Row(NamedTuple):
    """The columns of a link that grouping needs. A component may have thousands; models would cost many times more."""

    pk: int
    one_id: int
    other_id: int
    disposition: str
    layer: str
    closeness: float
    joins: bool

    @property
    def can_group(self) -> bool:
        """Whether it can lead to a story, or is only a flag."""
        return self.joins or self.disposition == _SAME_EVENT

    @property
    def pair(self) -> Pair:
        return self.one_id, self.other_id

    @property
    def weight(self) -> tuple[int, float, int]:
        """Sort key: the link with the highest weight is shown on items."""
        return _RANK[self.disposition], self.closeness, -self.one_id

    @property
    def match(self) -> Match:
        """The match without its evidence."""
        return Match(self.disposition, self.layer, 0.0, self.closeness, "", self.joins)


@dataclass(frozen=True, slots=True)
class Outdated:
    """Links of articles that were compared again, by id: those not confirmed, and those with other values."""

    gone: dict[int, Pair]
    changed: tuple[int, ...]

    @property
    def articles(self) -> set[int]:
        return {pk for pair in self.gone.values() for pk in pair}


def newest_link() -> int:
    """The id of the latest link, 0 for none. Ids are assigned under the lock, so all lower ones are committed."""
    return Link.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def outdated(
    article_ids: Collection[int], matches: Mapping[Pair, Match], *, layers: Collection[str], up_to: int
) -> Outdated:
    """The existing links of compared articles in these layers that `matches` doesn't confirm.

    Links above `up_to` were added by another worker during the comparison, and stay.
    """
    gone: dict[int, Pair] = {}
    changed: set[int] = set()
    by_pair = {(min(pair), max(pair)): _values(match) for pair, match in matches.items()}
    for side in ("one__in", "other__in"):
        old = Link.objects.filter(**{side: article_ids}, layer__in=layers, pk__lte=up_to)
        columns = ("pk", "one_id", "other_id", "layer", *_VALUES)
        for pk, one, other, layer, *values in old.values_list(*columns):
            values_now = by_pair.get((one, other))
            if values_now is None or values_now["layer"] != layer:
                gone[pk] = one, other
            elif values != [values_now[name] for name in _VALUES]:
                changed.add(pk)
    return Outdated(gone, tuple(sorted(changed)))


_VALUES = ("disposition", "measure", "closeness", "evidence", "joins")


def _values(match: Match) -> dict[str, Any]:
    return {"layer": match.layer, "evidence": match.evidence[:300]} | {
        name: getattr(match, name) for name in ("disposition", "measure", "closeness", "joins")
    }


def add_links(matches: Mapping[Pair, Match], *, instead_of: Collection[int] = ()) -> None:
    """Save matches as links, the ids of a pair in either order. Existing links stay as they are, except `instead_of`,
    which are replaced."""
    rows = [Link(one_id=min(pair), other_id=max(pair), **_values(match)) for pair, match in sorted(matches.items())]
    with transaction.atomic() if instead_of else nullcontext():
        if instead_of:
            Link.objects.filter(pk__in=instead_of).delete()
        for start in range(0, len(rows), WRITTEN_AT_ONCE):
            Link.objects.bulk_create(rows[start : start + WRITTEN_AT_ONCE], ignore_conflicts=True)


def links_of_components(
    article_ids: Collection[int], least: float, *, without: Collection[int] = (), most: int = MAX_LINKS
) -> list[Row]:
    """The links among all articles that may share a story with the given ones, sorted by pair, except `without`.

    Two groups merge only if they are close on average, so they have a link of at least `least` closeness. Weaker links
    lead to no further articles and count only among those already reached. At most `most` links.
    """
    visited, frontier, known = set(article_ids), set(article_ids), set(without)
    links: list[Row] = []
    while frontier and len(links) < most:
        reached: set[int] = set()
        for link in _links_at(frontier, least, most - len(links)):
            if link.pk not in known:
                known.add(link.pk)
                links.append(link)
                reached |= {link.one_id, link.other_id} if link.can_group else set()
        frontier = set(sorted(reached - visited, reverse=True)[: max(0, LARGEST_COMPONENT - len(visited))])
        visited |= frontier
    inside = [link for link in links if link.one_id in visited and link.other_id in visited]
    if inside:
        inside += (link for link in _weak_links(visited, least, most - len(links)) if link.pk not in known)
    return sorted(inside, key=lambda link: (link.pair, link.pk))


def _links_at(article_ids: Collection[int], least: float, most: int) -> Iterator[Row]:
    for some in chunks(article_ids):
        for link in _links(Q(one__in=some) | Q(other__in=some), closeness__gte=least, most=most):
            yield link
            most -= 1


def _weak_links(article_ids: Collection[int], least: float, most: int) -> Iterator[Row]:
    known = set(article_ids)
    for some in chunks(article_ids):
        for link in _links(one__in=some, closeness__lt=least, most=most):
            if link.other_id in known:
                yield link
                most -= 1


def _links(*wanted: Q, most: int, **also: Any) -> Iterator[Row]:
    links = Link.objects.filter(*wanted, **also).order_by("-closeness", "pk").values_list(*Row._fields)
    return map(Row._make, links[: max(0, most)])


def chunks(article_ids: Collection[int]) -> Iterator[list[int]]:
    """The sorted ids, in chunks small enough for one statement."""
    ids = sorted(article_ids)
    for start in range(0, len(ids), 500):
        yield ids[start : start + 500]


def evidence_of(rows: Sequence[Row]) -> dict[int, tuple[float, str]]:
    """The measure and evidence of links, by id."""
    return {
        pk: (measure, evidence)
        for some in chunks([row.pk for row in rows])
        for pk, measure, evidence in Link.objects.filter(pk__in=some).values_list("pk", "measure", "evidence")
    }
