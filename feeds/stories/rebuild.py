"""Deduplicates the archive again under the current settings: another policy, another closeness, better code.

First the candidate index is completed, because old keys are deleted over time; so each batch finds everything it must
be compared with. Then one statement enqueues every article, and the queue is processed here as a worker would; running
workers help. An interruption before the queue is filled leaves everything unchanged; after that, `resume` or a worker
finishes the job with the same result. Running it twice changes nothing.

A dry run does all of this in one transaction and rolls it back (`rolled_back`).

Keys of an earlier policy stay in the index until they expire. At worst they cause a comparison that finds nothing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice, zip_longest

from django.db import connection, transaction
from django.db.models import QuerySet

from feeds.dedup.comparable import BlockingKey
from feeds.dedup.events import LONGEST_APART, event_keys
from feeds.dedup.partition_diff import Change, Changes, Kind, diff_partitions
from feeds.models import Article, Link, Pending, Stage, Story
from feeds.search import indexer
from feeds.storage import work_queue
from feeds.stories import candidates
from feeds.stories.candidates import hour_of
from feeds.stories.comparables import event_profiles_of, subjects_of
from feeds.stories.engine import match, policy, story_rules
from feeds.stories.links import one_writer
from feeds.stories.store import regroup
from feeds.time_limit import MAX_TRIES

INDEXING, COMPARING, READING, GROUPING = "Indexed", "Compared", "Read", "Grouped"  # steps reported as progress
CHUNK = 400  # articles indexed or grouped at once
MAX_PARTS = 6  # shown of a story in an example
MAX_TITLES = 5  # shown of a part

_ENQUEUE = """
INSERT INTO feeds_pending (article_id, stage, n_tries) SELECT id, %s, 0 FROM feeds_article WHERE {which}
ON CONFLICT (article_id) DO UPDATE SET stage = excluded.stage, claimed_until = NULL, n_tries = 0
"""

Progress = Callable[[str, int, int], None]  # step, number done, total
Enrich = Callable[[Callable[[int], None]], object]  # `event_engine.enrich`; its argument gets the size of each batch


@dataclass(frozen=True, slots=True)
class Rededuplication:
    """What changed during the run. `n_waiting`: articles held by other workers or left to them."""

    changes: Changes
    n_matched: int
    n_enriched: int
    n_stories_before: int
    n_stories_after: int
    n_links_before: int
    n_links_after: int
    n_waiting: int


@dataclass(frozen=True, slots=True)
class Example:
    """A changed story: the titles of its parts, and the evidence of the strongest link between two of them ("" for
    none)."""

    kind: Kind
    n_articles: int
    parts: tuple[tuple[str, ...], ...]
    layer: str
    evidence: str


@contextmanager
def rolled_back() -> Iterator[None]:
    """A transaction that is always rolled back. On SQLite nothing else can write until it ends."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def rededuplicate(*, since: datetime | None, enrich: Enrich | None, on_progress: Progress) -> Rededuplication:
    """Compare all articles published `since` (None: ever) again. `enrich` None leaves events to the worker."""
    _complete_index(since, on_progress)
    before = _snapshot()
    _enqueue(since)
    return _result(before, *_process_queue(enrich, on_progress))


def resume(*, enrich: Enrich | None, on_progress: Progress) -> Rededuplication:
    """Process what an earlier run left in the queue; articles it held are tried alone, last."""
    before = _snapshot()
    with transaction.atomic():  # a worker that holds some of these processes them twice, which changes nothing
        Pending.objects.exclude(claimed_until=None).update(claimed_until=None)
        work_queue.given_up().update(n_tries=MAX_TRIES - 1)
        indexer.retry_given_up()
    return _result(before, *_process_queue(enrich, on_progress))


def regroup_linked(*, since: datetime | None, on_progress: Progress) -> Rededuplication:
    """Group all linked articles into stories again from their existing links, for example with another closeness."""
    before = _snapshot()
    ids = sorted(_linked_articles(since))
    for start in range(0, len(ids), CHUNK):
        some = ids[start : start + CHUNK]
        with one_writer():
            regroup(some, story_rules())
        on_progress(GROUPING, start + len(some), len(ids))
    return _result(before, 0, 0)


def n_waiting() -> int:
    """The number of articles waiting for a stage that the policy has, without those given up."""
    return work_queue.n_waiting(Stage.MATCH) + (work_queue.n_waiting(Stage.ENRICH) if policy().names_events else 0)


def find_examples(changes: Changes, *, n: int) -> list[Example]:
    """At most `n` examples, taking turns among the kinds, large stories first; evidence comes from the links now."""
    by_kind = [
        sorted((story for story in changes.stories if story.kind == kind), key=lambda story: -story.n_articles)
        for kind in Kind
    ]
    return [_example(story) for story in islice(filter(None, chain.from_iterable(zip_longest(*by_kind))), n)]


def _example(story: Change) -> Example:
    parts = [part[:MAX_TITLES] for part in story.parts[:MAX_PARTS]]
    part_of = {pk: number for number, part in enumerate(parts) for pk in part}
    titles = dict(Article.objects.filter(pk__in=part_of).values_list("pk", "title"))
    links = Link.objects.filter(one__in=part_of, other__in=part_of).order_by("-joins", "-closeness", "pk")
    strongest = next((link for link in links if part_of[link.one_id] != part_of[link.other_id]), None)
    return Example(
        story.kind,
        story.n_articles,
        tuple(tuple(titles[pk] for pk in part if pk in titles) for part in parts),
        strongest.layer if strongest else "",
        strongest.evidence if strongest else "",
    )


def _process_queue(enrich: Enrich | None, on_progress: Progress) -> tuple[int, int]:
    """Take all waiting articles through their stages; returns the numbers compared and enriched here."""
    compared = _Counter(COMPARING, work_queue.n_waiting(Stage.MATCH), on_progress)
    match(on_batch=compared)
    read = _Counter(READING, work_queue.n_waiting(Stage.ENRICH), on_progress)
    if enrich is not None:
        enrich(read)
    return compared.n_done, read.n_done


@dataclass(slots=True)
class _Counter:
    """Adds up batch sizes and reports progress."""

    step: str
    n_all: int
    on_progress: Progress
    n_done: int = 0

    def __call__(self, n: int) -> None:
        self.n_done += n
        self.on_progress(self.step, self.n_done, max(self.n_all, self.n_done))


@dataclass(frozen=True, slots=True)
class _Snapshot:
    story_of: dict[int, int]
    n_stories: int
    n_links: int


def _snapshot() -> _Snapshot:
    rows = Article.objects.exclude(story=None).values_list("pk", "story_id").iterator()
    stories = {pk: story for pk, story in rows if story is not None}
    return _Snapshot(stories, Story.objects.count(), Link.objects.count())


def _result(before: _Snapshot, n_matched: int, n_enriched: int) -> Rededuplication:
    after = _snapshot()
    return Rededuplication(
        diff_partitions(before.story_of, after.story_of),
        n_matched=n_matched,
        n_enriched=n_enriched,
        n_stories_before=before.n_stories,
        n_stories_after=after.n_stories,
        n_links_before=before.n_links,
        n_links_after=after.n_links,
        n_waiting=n_waiting(),
    )


def _linked_articles(since: datetime | None) -> set[int]:
    """The articles published `since` that have links or are in a story."""
    ids = set(_compared(since).exclude(story=None).values_list("pk", flat=True).iterator())
    for side in ("one", "other"):
        links = Link.objects.all() if since is None else Link.objects.filter(**{f"{side}__published_at__gte": since})
        ids |= set(links.values_list(f"{side}_id", flat=True).iterator())
    return ids


def _compared(since: datetime | None) -> QuerySet[Article]:
    articles = Article.objects.filter(is_unmatched=False)
    return articles if since is None else articles.filter(published_at__gte=since)


def _complete_index(since: datetime | None, on_progress: Progress) -> None:
    """Index all articles that any article published `since` may be compared with."""
    chosen = policy()
    articles = _compared(None if since is None else since - max(chosen.window, LONGEST_APART))
    n_all, n_done, last = articles.count(), 0, 0
    while ids := list(articles.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:CHUNK]):
        subjects = subjects_of(ids)
        keys = {pk: chosen.keys(subject) for pk, subject in subjects.items()}
        for pk, profile in (event_profiles_of(ids, with_meaning=False) if chosen.names_events else {}).items():
            keys[pk] += [BlockingKey(value, LONGEST_APART) for value in event_keys(profile)]
        with transaction.atomic():
            candidates.write_keys(keys, {pk: hour_of(subject.published_at) for pk, subject in subjects.items()})
        last, n_done = ids[-1], n_done + len(ids)
        on_progress(INDEXING, n_done, n_all)


def _enqueue(since: datetime | None) -> None:
    """Enqueue every article that is compared; waiting ones start from the beginning."""
    which, values = "NOT is_unmatched", list[int | str | None]([Stage.MATCH.value])
    if since is not None:
        which += " AND published_at >= %s"
        values.append(connection.ops.adapt_datetimefield_value(since))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_ENQUEUE.format(which=which), values)
