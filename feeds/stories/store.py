"""Saves links and updates the stories and items that follow from them.

Code that adds or removes links regroups the affected articles under the same `one_writer` lock. Their whole component
is read and partitioned again (`feeds.dedup.clustering`), and the difference is written. Stories follow from links
alone, so the order of arrival doesn't matter and repeating changes nothing. Two writers in one component could miss
each other's links, hence the lock. Reading and partitioning may take a second, and on SQLite nothing else can write
during a transaction, so only the difference is written in one. Polls and purging may change rows in the meantime:
deleted articles are skipped, articles are locked before their stories and in one order (`lock_articles`), and what a
poll wrote on an item stays.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Left

from feeds.dedup.clustering import MIN_AVERAGE, Member, group_into_stories
from feeds.dedup.comparable import Match, strongest
from feeds.dedup.entities import Names
from feeds.dedup.events import NUMBERED_CHARACTERS, salient_of
from feeds.dedup.leads import Report, lead_order
from feeds.models import Article, Disposition, Item, Link, Sketch, Split, Story, StoryChange
from feeds.publishers.attribution import ARTICLE_COLUMNS, Attribution, attribute
from feeds.storage.origins import comparable_ids, publishers_of
from feeds.storage.purge import lock_articles, stale_stories
from feeds.stories.links import (
    LARGEST_COMPONENT,
    Row,
    add_links,
    chunks,
    evidence_of,
    links_of_components,
    one_writer,
    outdated,
)

Pair = tuple[int, int]
_Row = tuple[int, int | None, int, int, datetime | None, datetime | None]  # of a story
_DEEP_LAYERS = ("", "title", "content", "entities")  # layers of items whose disposition is set here
_DERIVED = (
    "lead_id",
    "n_articles",
    "n_sources",
    "first_at",
    "last_at",
)  # columns of a story that are derived from its articles
_SAVE_ITEM = """
UPDATE feeds_item SET disposition = %s, layer = %s, evidence = %s, rival_id = %s, measure = %s
WHERE id = %s AND layer IN ('', 'title', 'content', 'entities')
"""


@dataclass(frozen=True, slots=True)
class _Member:
    """The columns of an article that grouping needs."""

    pk: int
    url_key: bytes
    language: str
    published_at: datetime
    word_count: int
    story_id: int | None
    title: str
    beginning: str
    url: str
    said_by: Attribution


@dataclass(frozen=True, slots=True)
class StoryRules:
    """How stories are formed: the least average closeness of their reports, and whether the newest leads instead
    of the one that `lead_order` chooses."""

    least_average: float = MIN_AVERAGE
    newest_leads: bool = False


def replace_links(
    article_ids: Collection[int],
    matches: Mapping[Pair, Match],
    rules: StoryRules,
    *,
    layers: Collection[str],
    up_to: int,
    then: Callable[[], None],
) -> int:
    """Replace the links of compared articles in these layers by `matches` and update stories; returns the number of
    changed stories.

    Links above `up_to` were added during the comparison and stay. `then` is called in the transaction that writes the
    stories. After an interruption there may be links that stories don't reflect yet; running it again fixes that.
    """
    with one_writer():
        comparable = set(comparable_ids({pk for pair in matches for pk in pair}))  # none was made private meanwhile
        matches = {pair: match for pair, match in matches.items() if comparable.issuperset(pair)}
        old = outdated(article_ids, matches, layers=layers, up_to=up_to)
        add_links(matches, instead_of=old.changed)
        affected = old.articles | _story_members(article_ids) | {pk for pair in matches for pk in pair}
        plan = _plan(affected, rules, without=old.gone)
        with transaction.atomic():
            Link.objects.filter(pk__in=old.gone).delete()
            n_changed = _apply(plan, rules)
            then()
    return n_changed


def _story_members(article_ids: Collection[int]) -> set[int]:
    """All articles in the stories of these articles: their changed texts may split a story or change its lead."""
    story_ids = Article.objects.filter(pk__in=article_ids).exclude(story=None).values_list("story", flat=True)
    return set(_articles_in(set(story_ids)))


def regroup(article_ids: Collection[int], rules: StoryRules) -> int:
    """Update the stories of these articles and all linked ones; returns the number of changed stories.

    Call it under `one_writer`. Only the difference is written, in one transaction.
    """
    plan = _plan(article_ids, rules)
    with transaction.atomic():
        return _apply(plan, rules)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to write: the stories of two or more articles, and rows for `_SAVE_ITEM`."""

    known: dict[int, _Member]
    partition: list[list[int]]
    items: list[tuple[Any, ...]]


def _plan(article_ids: Collection[int], rules: StoryRules, *, without: Collection[int] = ()) -> _Plan:
    """The stories that follow from all links except `without`; reads only."""
    links = links_of_components(article_ids, rules.least_average, without=without)
    affected = {pk for link in links for pk in link.pair} | set(article_ids)
    known = {article.pk: article for article in _articles(affected)}
    partition = _partition(known, links, rules.least_average)
    return _Plan(known, partition, _item_updates(known, links, partition))


def _apply(plan: _Plan, rules: StoryRules) -> int:
    """Write the difference, in the caller's transaction; returns the number of changed stories."""
    changed = _write(plan.known, plan.partition, newest_leads=rules.newest_leads)
    with connection.cursor() as cursor:  # the CASE expressions of `bulk_update` cost many times as much
        cursor.executemany(_SAVE_ITEM, plan.items)
    return changed


def refresh_stale(rules: StoryRules) -> int:
    """Update the columns of stories that lost an article to purging; returns their number.

    Their articles are not regrouped: the names that kept similar old articles apart have been deleted.
    """
    with transaction.atomic():
        stale = set(stale_stories().values_list("pk", flat=True)[:LARGEST_COMPONENT])
        lock_articles(_articles_in(stale))  # purging more of them waits, and marks the stories again
        Story.objects.filter(pk__in=stale).update(is_stale=False)
        changed = _refresh(stale, newest_leads=rules.newest_leads)
        _record_changes(changed.released, changed.story_ids)
    return len(stale)


def _articles(article_ids: Collection[int]) -> list[_Member]:
    rows = (
        Article.objects.filter(pk__in=article_ids)
        .annotate(beginning=Left("text", NUMBERED_CHARACTERS))
        .values_list(
            "pk",
            "url_key",
            "language",
            "published_at",
            "word_count",
            "story_id",
            "title",
            "beginning",
            "url",
            *ARTICLE_COLUMNS,
        )
    )
    return [
        _Member(pk, bytes(key), language, published_at, n_words, story, title, beginning, url, attribute(*columns))
        for pk, key, language, published_at, n_words, story, title, beginning, url, *columns in rows
    ]


def _partition(known: Mapping[int, _Member], links: Sequence[Row], least_average: float) -> list[list[int]]:
    """The stories of two or more articles."""
    linked = {pk for link in links for pk in link.pair} & known.keys()
    names = dict(Sketch.objects.filter(article__in=linked).values_list("article_id", "names"))
    publishers = publishers_of(linked)
    members = [
        Member(
            pk,
            (known[pk].published_at, known[pk].url_key),
            known[pk].language,
            _salient(known[pk], names.get(pk)),
            publishers.get(pk, ""),
        )
        for pk in linked
    ]
    by_pair = groupby(links, key=attrgetter("pair"))
    matches = {pair: strongest(link.match for link in several) for pair, several in by_pair}
    splits = set(Split.objects.filter(one__in=linked, other__in=linked).values_list("one_id", "other_id"))
    return [
        story
        for story in group_into_stories(members, matches, apart=splits, least_average=least_average)
        if len(story) > 1
    ]


def _salient(article: _Member, names: dict[str, list[str]] | None) -> frozenset[str]:
    if names is None:  # not enriched yet: no names that could keep it out of a story
        return frozenset()
    return salient_of(title=article.title, text=article.beginning, names=Names.from_json(names))


def _write(known: Mapping[int, _Member], partition: Sequence[Sequence[int]], *, newest_leads: bool) -> int:
    """Update articles and stories to the partition; a story keeps its id where most of its articles stay."""
    before = {pk: article.story_id for pk, article in known.items() if article.story_id is not None}
    story_ids = _assign_ids(partition, before)
    after = {pk: story_id for story_id, story in zip(story_ids, partition, strict=True) for pk in story}
    moved = {pk for pk in known if before.get(pk) != after.get(pk)}
    affected = {story for pk in moved for story in (before.get(pk), after.get(pk)) if story is not None}
    if moved:
        moved &= lock_articles(moved.union(_articles_in(affected)))  # without articles purged in the meantime
    with connection.cursor() as cursor:
        rows = [(after.get(pk), pk) for pk in sorted(moved)]
        cursor.executemany("UPDATE feeds_article SET story_id = %s WHERE id = %s", rows)
    changed = _refresh(affected | set(before.values()), newest_leads=newest_leads)
    _record_changes(moved | changed.released, affected | changed.story_ids)
    return len(affected | changed.story_ids)


def _assign_ids(partition: Sequence[Sequence[int]], before: Mapping[int, int]) -> list[int]:
    """A story id for each part: the one most of its articles have, each id once; new ones for the rest."""
    claims = sorted(
        (-n, story_id, part)
        for part, articles in enumerate(partition)
        for story_id, n in Counter(before[pk] for pk in articles if pk in before).items()
    )
    assigned: dict[int, int] = {}
    used: set[int] = set()
    for _, story_id, part in claims:
        if part not in assigned and story_id not in used:
            assigned[part] = story_id
            used.add(story_id)
    created = Story.objects.bulk_create([Story() for part in range(len(partition)) if part not in assigned])
    new_ids = iter([story.pk for story in created])
    return [assigned[part] if part in assigned else next(new_ids) for part in range(len(partition))]


@dataclass(frozen=True, slots=True)
class _Refreshed:
    """The stories whose columns changed, and the articles of dissolved stories."""

    story_ids: set[int]
    released: set[int]


def _refresh(story_ids: Collection[int], *, newest_leads: bool) -> _Refreshed:
    """Update the stories' columns from their articles; dissolve stories of fewer than two."""
    members: dict[int, list[_Member]] = {story: [] for story in story_ids}
    for article in _articles(_articles_in(story_ids)):
        if article.story_id is not None:
            members[article.story_id].append(article)
    dissolved = {story for story, articles in members.items() if len(articles) < 2}
    if dissolved:
        Article.objects.filter(story__in=dissolved).update(story=None)
        Story.objects.filter(pk__in=dissolved).delete()
    before = {row[0]: row for row in Story.objects.filter(pk__in=story_ids).values_list("pk", *_DERIVED)}
    after = [_derived(story, members[story], newest_leads=newest_leads) for story in sorted(members.keys() - dissolved)]
    changed = [row for row in after if before.get(row[0]) != row]
    rows = [Story(pk=row[0], **dict(zip(_DERIVED, row[1:], strict=True))) for row in changed]
    Story.objects.bulk_create(rows, update_conflicts=True, unique_fields=["id"], update_fields=_DERIVED, batch_size=500)
    return _Refreshed({row[0] for row in changed}, {article.pk for story in dissolved for article in members[story]})


def _articles_in(story_ids: Collection[int]) -> QuerySet[Article, int]:
    return Article.objects.filter(story__in=story_ids).values_list("pk", flat=True)


def _derived(story_id: int, articles: Sequence[_Member], *, newest_leads: bool) -> _Row:
    if newest_leads:  # the first seen of two with the same date
        lead_id = min(articles, key=lambda article: (-article.published_at.timestamp(), article.pk)).pk
    else:
        lead_id = lead_order([_report(article) for article in sorted(articles, key=attrgetter("url_key"))])[0]
    dates = [article.published_at for article in articles]
    n_publishers = len({article.said_by.publisher for article in articles})
    return story_id, lead_id, len(articles), n_publishers, min(dates), max(dates)


def _report(article: _Member) -> Report:
    return Report(
        pk=article.pk,
        title=article.title,
        beginning=article.beginning,
        language=article.language,
        url=article.url,
        tier=article.said_by.tier,
        n_words=article.word_count,
        published_at=article.published_at,
    )


def _record_changes(moved: Collection[int], story_ids: Collection[int]) -> None:
    """Write a `StoryChange` for each article in a changed story or that left one."""
    ids = sorted(set(moved).union(_articles_in(story_ids)))
    StoryChange.objects.bulk_create([StoryChange(article_id=pk) for pk in ids], batch_size=500)


def _item_updates(
    known: Mapping[int, _Member], links: Sequence[Row], partition: Sequence[Sequence[int]]
) -> list[tuple[Any, ...]]:
    """Rows for `_SAVE_ITEM`, for the items to change: each gets the strongest link of its article to an earlier one,
    near-duplicates first.
    """
    part_of = {pk: number for number, story in enumerate(partition) for pk in story}
    best: dict[int, Row] = {}
    for link in links:
        together = part_of.get(link.one_id, -1) == part_of.get(link.other_id, -2)
        rival = best.get(link.other_id)
        if (together or not link.can_group) and (rival is None or link.weight > rival.weight):
            best[link.other_id] = link
    evidence = evidence_of(list(best.values()))
    columns = ("pk", "article_id", "disposition", "layer", "evidence", "rival_id", "measure")
    rows = []
    for some in chunks(known):
        items = Item.objects.filter(article__in=some, layer__in=_DEEP_LAYERS)
        for pk, article, *before in items.values_list(*columns):
            after = _item_values(best.get(article), evidence)
            if before != after:
                rows.append((*after, pk))
    return rows


def _item_values(link: Row | None, evidence: Mapping[int, tuple[float, str]]) -> list[Any]:
    """Disposition, layer, evidence, rival and measure of an item whose article has this link."""
    if link is None or link.pk not in evidence:
        return [Disposition.UNIQUE.value, "", "", None, None]
    measure, text = evidence[link.pk]
    return [link.disposition, link.layer, text, link.one_id, measure]
