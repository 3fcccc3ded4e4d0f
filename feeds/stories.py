"""Ties to rows: links, stories, and what an item says of its article's rivals. One writer at a time.

Whoever adds or removes links passes the articles they touch to `regroup`, in the same transaction. It looks up the
whole component that those articles are in, partitions it anew (`feeds.dedup.grouping`) and writes the difference. As
links say everything, the order in which they came does not matter, and repeating changes nothing. Two writers in one
component could each miss the other's links, so writers take turns (`one_writer`); a turn takes milliseconds. Polls and
purging do not: articles are locked before their stories, in one order (`lock_articles`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce, Left

from feeds.dedup.events import NUMBERED_CHARACTERS, salient_of
from feeds.dedup.grouping import LEAST_AVERAGE, Member, stories
from feeds.dedup.names import Names
from feeds.dedup.subject import Tie, strongest
from feeds.models import Article, Disposition, Item, Link, Sketch, Split, Story, StoryChange
from feeds.purging import lock_articles, stale_stories

LARGEST_COMPONENT = 3000  # articles; beyond it the newest are grouped and the rest stays as it is
_TURN = 0x5704  # the number of our advisory lock on PostgreSQL

Pair = tuple[int, int]
_Row = tuple[int, int | None, int, int, datetime | None, datetime | None]  # of a story
_SAME_EVENT = Disposition.SAME_EVENT.value
_DEEP_LAYERS = ("", "title", "content", "entities")  # of items whose disposition is ours to tell
_DERIVED = ("lead_id", "n_articles", "n_sources", "first_at", "last_at")  # columns of a story, from its articles
_SAVE_ITEM = """
UPDATE feeds_item SET disposition = %s, layer = %s, evidence = %s, rival_id = %s, measure = %s WHERE id = %s
"""
_RANK = {Disposition.NEAR_DUPLICATE.value: 2, Disposition.REVISION.value: 1, _SAME_EVENT: 0}


@contextmanager
def one_writer() -> Iterator[None]:
    """A transaction in which nobody else writes links and stories."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_TURN])
        yield


def add_ties(ties: Mapping[Pair, Tie]) -> None:
    """Keep ties between articles, by their ids in either order; a tie that is known already stays as it was."""
    rows = [
        Link(
            one_id=min(pair),
            other_id=max(pair),
            disposition=tie.disposition,
            layer=tie.layer,
            measure=tie.measure,
            closeness=tie.closeness,
            evidence=tie.evidence[:300],
            joins=tie.joins,
        )
        for pair, tie in sorted(ties.items())
    ]
    Link.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


def newest_link() -> int:
    """The id of the latest link, 0 before the first; links get their ids in turns, so lower ones are all there."""
    return Link.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def forget_ties(article_ids: Collection[int], *, layers: Collection[str], up_to: int) -> set[int]:
    """Remove the articles' links of some layers, as far as they are as old as link `up_to`; returns whom they tied.

    For articles compared anew: a link that somebody else added while we compared is younger, and stays.
    """
    found: dict[int, Pair] = {}
    for side in ("one__in", "other__in"):
        old = Link.objects.filter(**{side: article_ids}, layer__in=layers, pk__lte=up_to)
        found |= {pk: (one, other) for pk, one, other in old.values_list("pk", "one_id", "other_id")}
    if found:
        Link.objects.filter(pk__in=found).delete()
    return {pk for pair in found.values() for pk in pair}


@dataclass(frozen=True, slots=True)
class _Known:
    """An article as far as stories need it."""

    pk: int
    url_key: bytes
    language: str
    published_at: datetime
    word_count: int
    tier: int
    source_id: int | None
    story_id: int | None
    title: str
    beginning: str


class _Link(NamedTuple):
    """A row of links: a component may have thousands, of which models would cost many times as much."""

    pk: int
    one_id: int
    other_id: int
    disposition: str
    layer: str
    measure: float
    closeness: float
    evidence: str
    joins: bool

    @property
    def ties(self) -> bool:
        """Whether it can lead to a story, or is just a flag."""
        return self.joins or self.disposition == _SAME_EVENT

    @property
    def weight(self) -> tuple[int, float, int]:
        """By which the one is chosen that items tell of."""
        return _RANK[self.disposition], self.closeness, -self.one_id


@dataclass(frozen=True, slots=True)
class StoryRules:
    """How stories are made: how close reports must be on average to share one, and whether the newest article leads it
    or the fullest."""

    least_average: float = LEAST_AVERAGE
    newest_leads: bool = False


def in_stories(article_ids: Collection[int]) -> set[int]:
    """Those of the articles that stand in a story: what they say now may speak against it, or let them lead it."""
    return set(Article.objects.filter(pk__in=article_ids).exclude(story=None).values_list("pk", flat=True))


def regroup(article_ids: Collection[int], rules: StoryRules) -> int:
    """Work out anew the stories of these articles and of all that is linked with them; returns how many changed."""
    links = _links_of_components(article_ids, rules.least_average)
    concerned = {pk for pair in links for pk in pair} | set(article_ids)
    known = {each.pk: each for each in _articles(concerned)}
    partition = _partition(known, links, rules.least_average)
    changed = _write(known, partition, newest_leads=rules.newest_leads)
    _tell_items(known, links, partition)
    return changed


def refresh_stale(rules: StoryRules) -> int:
    """Derive anew what the stories say that lost an article to purging; returns how many those were.

    They are not grouped anew: of old articles nobody knows the names any more that kept look-alikes apart.
    """
    stale = set(stale_stories().values_list("pk", flat=True)[:LARGEST_COMPONENT])
    lock_articles(_told_in(stale))  # who purges more of them waits, and marks again
    Story.objects.filter(pk__in=stale).update(is_stale=False)
    changed = _refresh(stale, newest_leads=rules.newest_leads)
    _announce(changed.left_alone, changed.numbers)
    return len(stale)


def _links_of_components(article_ids: Collection[int], least: float) -> dict[Pair, list[_Link]]:
    """All links among the articles that can come to share a story with the given ones, by pair.

    Two groups merge only when they are close on average, so some link between them is at least as close; weaker links
    lead nowhere, and count only among those who are reached without them.
    """
    seen, frontier = set(article_ids), set(article_ids)
    links: dict[Pair, dict[int, _Link]] = defaultdict(dict)
    while frontier:
        reached = set()
        for link in _links_at(frontier, least):
            links[link.one_id, link.other_id][link.pk] = link
            if link.ties:
                reached |= {link.one_id, link.other_id}
        frontier = set(sorted(reached - seen, reverse=True)[: max(0, LARGEST_COMPONENT - len(seen))])
        seen |= frontier
    inside = {pair: list(several.values()) for pair, several in links.items() if set(pair) <= seen}
    for link in _weak_links(seen if inside else (), least):
        inside.setdefault((link.one_id, link.other_id), []).append(link)
    return inside


def _links_at(article_ids: Collection[int], least: float) -> Iterator[_Link]:
    for some in _chunks(article_ids):
        yield from _links(Q(one__in=some) | Q(other__in=some), closeness__gte=least)


def _weak_links(article_ids: Collection[int], least: float) -> Iterator[_Link]:
    known = set(article_ids)
    for some in _chunks(article_ids):
        yield from (link for link in _links(one__in=some, closeness__lt=least) if link.other_id in known)


def _links(*wanted: Q, **also: Any) -> Iterator[_Link]:
    return map(_Link._make, Link.objects.filter(*wanted, **also).values_list(*_Link._fields))


def _chunks(article_ids: Collection[int]) -> Iterator[list[int]]:
    ids = sorted(article_ids)
    for start in range(0, len(ids), 500):
        yield ids[start : start + 500]


def _articles(article_ids: Collection[int]) -> list[_Known]:
    rows = (
        Article.objects.filter(pk__in=article_ids)
        .annotate(tier=Coalesce("feed__tier", "source__tier", 5), beginning=Left("text", NUMBERED_CHARACTERS))
        .values_list(
            "pk",
            "url_key",
            "language",
            "published_at",
            "word_count",
            "tier",
            "source_id",
            "story_id",
            "title",
            "beginning",
        )
    )
    return [_Known(pk, bytes(key), *others) for pk, key, *others in rows]


def _partition(
    known: Mapping[int, _Known], links: Mapping[Pair, Sequence[_Link]], least_average: float
) -> list[list[int]]:
    """The stories of two articles and more."""
    linked = {pk for pair in links for pk in pair} & known.keys()
    names = dict(Sketch.objects.filter(article__in=linked).values_list("article_id", "names"))
    members = [
        Member(pk, (known[pk].published_at, known[pk].url_key), known[pk].language, _salient(known[pk], names.get(pk)))
        for pk in linked
    ]
    ties = {pair: strongest(map(_tie, several)) for pair, several in links.items()}
    splits = set(Split.objects.filter(one__in=linked, other__in=linked).values_list("one_id", "other_id"))
    return [story for story in stories(members, ties, apart=splits, least_average=least_average) if len(story) > 1]


def _salient(article: _Known, names: dict[str, list[str]] | None) -> frozenset[str]:
    if names is None:  # not enriched yet: nothing is known of it that could speak against a story
        return frozenset()
    return salient_of(title=article.title, text=article.beginning, names=Names.from_json(names))


def _tie(link: _Link) -> Tie:
    return Tie(link.disposition, link.layer, link.measure, link.closeness, link.evidence, link.joins)


def _write(known: Mapping[int, _Known], partition: Sequence[Sequence[int]], *, newest_leads: bool) -> int:
    """Let the rows say what the partition says; a story keeps its number where most of its articles stay."""
    before = {pk: each.story_id for pk, each in known.items() if each.story_id is not None}
    numbers = _numbers(partition, before)
    after = {pk: number for number, story in zip(numbers, partition, strict=True) for pk in story}
    moved = {pk for pk in known if before.get(pk) != after.get(pk)}
    touched = {number for pk in moved for number in (before.get(pk), after.get(pk)) if number is not None}
    if moved:
        moved &= lock_articles(moved.union(_told_in(touched)))  # without what was purged meanwhile
    with connection.cursor() as cursor:
        rows = [(after.get(pk), pk) for pk in sorted(moved)]
        cursor.executemany("UPDATE feeds_article SET story_id = %s WHERE id = %s", rows)
    changed = _refresh(touched | set(before.values()), newest_leads=newest_leads)
    _announce(moved | changed.left_alone, touched | changed.numbers)
    return len(touched | changed.numbers)


def _numbers(partition: Sequence[Sequence[int]], before: Mapping[int, int]) -> list[int]:
    """A story's number for each part: the one most of its articles have, each number once, new ones for the rest."""
    claims = sorted(
        ((-n, number, part) for part, story in enumerate(partition) for number, n in _votes(story, before).items()),
    )
    given: dict[int, int] = {}
    taken: set[int] = set()
    for _, number, part in claims:
        if part not in given and number not in taken:
            given[part] = number
            taken.add(number)
    fresh = Story.objects.bulk_create([Story() for part in range(len(partition)) if part not in given])
    numbers = iter([story.pk for story in fresh])
    return [given[part] if part in given else next(numbers) for part in range(len(partition))]


def _votes(story: Sequence[int], before: Mapping[int, int]) -> Counter[int]:
    return Counter(before[pk] for pk in story if pk in before)


@dataclass(frozen=True, slots=True)
class _Refreshed:
    """The stories whose columns changed, and the articles of those that dissolved."""

    numbers: set[int]
    left_alone: set[int]


def _refresh(numbers: Collection[int], *, newest_leads: bool) -> _Refreshed:
    """Derive the stories' columns from their articles, which may be fuller than before; dissolve those of fewer than
    two."""
    members: dict[int, list[_Known]] = {number: [] for number in numbers}
    for each in _articles(_told_in(numbers)):
        if each.story_id is not None:
            members[each.story_id].append(each)
    alone = {number for number, articles in members.items() if len(articles) < 2}
    if alone:
        Article.objects.filter(story__in=alone).update(story=None)
        Story.objects.filter(pk__in=alone).delete()
    before = {each[0]: each for each in Story.objects.filter(pk__in=numbers).values_list("pk", *_DERIVED)}
    after = [_derived(number, members[number], newest_leads=newest_leads) for number in sorted(members.keys() - alone)]
    changed = [row for row in after if before.get(row[0]) != row]
    rows = [Story(pk=row[0], **dict(zip(_DERIVED, row[1:], strict=True))) for row in changed]
    Story.objects.bulk_create(rows, update_conflicts=True, unique_fields=["id"], update_fields=_DERIVED, batch_size=500)
    return _Refreshed({row[0] for row in changed}, {each.pk for number in alone for each in members[number]})


def _told_in(numbers: Collection[int]) -> QuerySet[Article, int]:
    """The ids of the articles in these stories."""
    return Article.objects.filter(story__in=numbers).values_list("pk", flat=True)


def _derived(number: int, articles: Sequence[_Known], *, newest_leads: bool) -> _Row:
    lead = min(articles, key=_newest if newest_leads else _fullest)
    dates = [each.published_at for each in articles]
    return number, lead.pk, len(articles), len({each.source_id for each in articles}), min(dates), max(dates)


def _fullest(article: _Known) -> tuple[int, int, datetime, bytes]:
    return -article.word_count, article.tier, article.published_at, article.url_key


def _newest(article: _Known) -> tuple[float, int]:
    return -article.published_at.timestamp(), article.pk  # ties go to the first seen


def _announce(moved: Collection[int], numbers: Collection[int]) -> None:
    """Leave word of everybody in the stories that changed, and of who left one."""
    ids = sorted(set(moved).union(_told_in(numbers)))
    StoryChange.objects.bulk_create([StoryChange(article_id=pk) for pk in ids], batch_size=500)


def _tell_items(
    known: Mapping[int, _Known], links: Mapping[Pair, Sequence[_Link]], partition: Sequence[Sequence[int]]
) -> None:
    """Let each article's items say what tied it to an earlier one: the strongest link, near-duplicates first."""
    home = {pk: number for number, story in enumerate(partition) for pk in story}
    best: dict[int, _Link] = {}
    for (one, other), several in links.items():
        together = home.get(one, -1) == home.get(other, -2)
        for link in several:
            if (together or not link.ties) and (other not in best or link.weight > best[other].weight):
                best[other] = link
    changed = []
    for item in Item.objects.filter(article__in=known, layer__in=_DEEP_LAYERS).exclude(
        Q(layer="") & ~Q(article__in=best) & Q(rival=None)
    ):
        if _takes(item, best.get(item.article_id)):
            changed.append(item)
    if changed:
        _save_items(changed)


def _save_items(items: Sequence[Item]) -> None:
    """One prepared statement for all: the CASE expressions of `bulk_update` cost many times as much."""
    rows = [(each.disposition, each.layer, each.evidence, each.rival_id, each.measure, each.pk) for each in items]
    with connection.cursor() as cursor:
        cursor.executemany(_SAVE_ITEM, rows)


def _takes(item: Item, link: _Link | None) -> bool:
    """Put the link's words on the item; returns whether that changes it."""
    before = item.disposition, item.layer, item.evidence, item.rival_id, item.measure
    if link is None:
        after = Disposition.UNIQUE.value, "", "", None, None
    else:
        after = link.disposition, link.layer, link.evidence, link.one_id, link.measure  # type: ignore[assignment]
    item.disposition, item.layer, item.evidence, item.rival_id, item.measure = after
    return before != after
