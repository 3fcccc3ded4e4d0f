"""Deduplicating the archive again, as the settings now say: for another policy, another closeness, better code.

First the candidate index is completed (old keys are dropped as time goes by), so that every batch finds all it is to
be compared with and no story comes apart only to be put together again. Then every article is put into the queue, by
one statement, and the queue is worked off here as a worker would; any worker that runs helps. What was interrupted
before the queue was filled has changed nothing; afterwards the queue is in the database, and whoever goes on, with
`resume` or a worker, ends where this would have ended. Done twice, nothing changes.

Keys of an earlier policy stay in the index until they are dropped for their age. They are hints: at worst they lead to
a pair that is compared in vain.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from feeds import blocking, pending
from feeds.archive import CHUNK, Chunk, published, walk
from feeds.blocking import hour_of
from feeds.dedup.changes import Changes, changes
from feeds.dedup.events import LONGEST_APART, event_keys
from feeds.dedup.subject import BlockingKey
from feeds.deduplication import match, policy, story_rules
from feeds.models import Link, Pending, Stage, Story
from feeds.rehearsing import linked_articles, stories_today
from feeds.stories import one_writer, regroup

INDEXING, COMPARING, READING, GROUPING = "Indexed", "Compared", "Read", "Grouped"  # what progress is told of

_ENQUEUE = """
INSERT INTO feeds_pending (article_id, stage, n_tries) SELECT id, %s, 0 FROM feeds_article WHERE {which}
ON CONFLICT (article_id) DO UPDATE SET stage = excluded.stage, claimed_until = NULL, n_tries = 0
"""

Progress = Callable[[str, int, int], None]  # what is done, to how many, of how many
Enrich = Callable[[Callable[[int], None]], object]  # `feeds.enrichment.enrich`, which tells how many each batch had


@dataclass(frozen=True, slots=True)
class Rededuplication:
    """What changed while this ran. `n_waiting`: articles that others hold or that are left to the worker."""

    changes: Changes
    n_matched: int
    n_enriched: int
    n_stories_before: int
    n_stories_after: int
    n_links_before: int
    n_links_after: int
    n_waiting: int


def rededuplicate(*, since: datetime | None, enrich: Enrich | None, on_progress: Progress) -> Rededuplication:
    """Compare all articles published `since` (None: all there are) anew. `enrich` None leaves events to the worker."""
    _complete_index(since, on_progress)
    before = _before()
    _enqueue(since)
    return _told(before, *_work_off(enrich, on_progress))


def resume(*, enrich: Enrich | None, on_progress: Progress) -> Rededuplication:
    """Go on with what an earlier run left in the queue; what it held when it ended is tried one by one, last."""
    before = _before()
    _release()
    return _told(before, *_work_off(enrich, on_progress))


def regroup_linked(*, since: datetime | None, on_progress: Progress) -> Rededuplication:
    """Work out the stories of all linked articles anew, from the links there are: for another closeness."""

    before = _before()
    ids = sorted(linked_articles(since))
    for start in range(0, len(ids), CHUNK):
        some = ids[start : start + CHUNK]
        with one_writer():
            regroup(some, story_rules())
        on_progress(GROUPING, start + len(some), len(ids))
    return _told(before, 0, 0)


def n_waiting() -> int:
    """How many articles wait for a stage that the policy has, and are going to be taken."""
    return pending.n_waiting(Stage.MATCH) + (pending.n_waiting(Stage.ENRICH) if policy().names_events else 0)


def _work_off(enrich: Enrich | None, on_progress: Progress) -> tuple[int, int]:
    """Take what waits through its stages; returns how many were compared and how many enriched here."""
    compared = _Count(COMPARING, pending.n_waiting(Stage.MATCH), on_progress)
    match(on_batch=compared)
    read = _Count(READING, pending.n_waiting(Stage.ENRICH), on_progress)
    if enrich is not None:
        enrich(read)
    return compared.n_done, read.n_done


@dataclass(slots=True)
class _Count:
    """Adds up what batches had, and tells."""

    what: str
    n_all: int
    on_progress: Progress
    n_done: int = 0

    def __call__(self, n: int) -> None:
        self.n_done += n
        self.on_progress(self.what, self.n_done, max(self.n_all, self.n_done))


@dataclass(frozen=True, slots=True)
class _Before:
    stories: dict[int, int]
    n_stories: int
    n_links: int


def _before() -> _Before:
    return _Before(stories_today(), Story.objects.count(), Link.objects.count())


def _told(before: _Before, n_matched: int, n_enriched: int) -> Rededuplication:
    return Rededuplication(
        changes(before.stories, stories_today()),
        n_matched=n_matched,
        n_enriched=n_enriched,
        n_stories_before=before.n_stories,
        n_stories_after=Story.objects.count(),
        n_links_before=before.n_links,
        n_links_after=Link.objects.count(),
        n_waiting=n_waiting(),
    )


def _complete_index(since: datetime | None, on_progress: Progress) -> None:
    """Let all articles be found that any of those published `since` may be compared with."""
    chosen = policy()
    reach = max(chosen.window, LONGEST_APART)
    articles = published(since=None if since is None else since - reach)
    n_all, n_done = articles.count(), 0
    for chunk in walk(articles, with_events=chosen.names_events, with_meaning=False):
        keys = {pk: chosen.keys(subject) + _event_keys(chunk, pk) for pk, subject in chunk.subjects.items()}
        hours = {pk: hour_of(subject.published_at) for pk, subject in chunk.subjects.items()}
        with transaction.atomic():
            blocking.write_keys(keys, hours)
        n_done += len(keys)
        on_progress(INDEXING, n_done, n_all)


def _event_keys(chunk: Chunk, pk: int) -> list[BlockingKey]:
    account = chunk.accounts.get(pk)
    return [] if account is None else [BlockingKey(value, LONGEST_APART) for value in event_keys(account)]


def _enqueue(since: datetime | None) -> None:
    """Put every article into the queue, by one statement; who waits already begins again."""
    which, values = "true", list[int | str | None]([Stage.MATCH.value])
    if since is not None:
        which, values = "published_at >= %s", [*values, connection.ops.adapt_datetimefield_value(since)]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_ENQUEUE.format(which=which), values)


def _release() -> None:
    """Let go of what an interrupted run held, and give what was given up one more try. A worker that holds some as well
    does it over, which changes nothing."""
    with transaction.atomic():
        Pending.objects.exclude(claimed_until=None).update(claimed_until=None)
        Pending.objects.filter(n_tries__gte=pending.MOST_TRIES).update(n_tries=pending.MOST_TRIES - 1)
