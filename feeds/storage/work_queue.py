"""The queue of articles for the stages of deduplication, with claims that expire.

A stage can be interrupted anywhere: unfinished articles are claimed again, one at a time, so that a faulty one doesn't
block others; after `MAX_TRIES` they are given up (`doctor` counts them). An article that changes while a stage
processes it is enqueued again, and the stage leaves it in the queue.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from feeds.models import Pending, Stage

LEASE = timedelta(minutes=5)
MAX_TRIES = 5

_ENQUEUE = """
INSERT INTO feeds_pending (article_id, stage, claimed_until, n_tries) VALUES (%s, %s, NULL, 0)
ON CONFLICT (article_id) DO UPDATE SET stage = excluded.stage, claimed_until = NULL, n_tries = 0
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Articles claimed for a stage until `until`, which identifies the claim."""

    stage: Stage
    article_ids: tuple[int, ...]
    until: datetime


@dataclass(slots=True)
class StageReport:
    """Counts of a stage: articles, candidates compared, matches, changed stories; and seconds by part."""

    n_articles: int = 0
    n_candidates: int = 0
    n_matches: int = 0
    n_stories: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def enqueue(article_ids: Collection[int], stage: Stage = Stage.MATCH) -> None:
    """Enqueue articles for a stage, restarting waiting ones. Call it in the transaction that changes them."""
    with connection.cursor() as cursor:  # every poll does this; five times as fast as models
        cursor.executemany(_ENQUEUE, [(pk, stage.value) for pk in sorted(article_ids)])


def claim(stage: Stage, *, now: datetime, limit: int) -> Batch:
    """Claim at most `limit` articles, oldest first; a single one if only failed ones are left."""
    until = now + LEASE
    free = Pending.objects.filter(Q(claimed_until=None) | Q(claimed_until__lte=now), stage=stage)
    with transaction.atomic():
        ids = _lock(free.filter(n_tries=0), limit) or _lock(free.filter(n_tries__gt=0, n_tries__lt=MAX_TRIES), 1)
        Pending.objects.filter(pk__in=ids).update(claimed_until=until, n_tries=F("n_tries") + 1)
    return Batch(stage, tuple(ids), until)


def _lock(free: QuerySet[Pending], limit: int) -> list[int]:
    chosen = free.select_for_update(skip_locked=True).order_by("article_id")
    return list(chosen.values_list("article_id", flat=True)[:limit])


def pass_on(batch: Batch, stage: Stage, article_ids: Collection[int]) -> None:
    """Move these articles of the batch to a stage; those enqueued again in the meantime stay."""
    _unchanged(batch).filter(article__in=article_ids).update(stage=stage, claimed_until=None, n_tries=0)


def finish(batch: Batch) -> None:
    """Remove the batch, without what was passed on; articles enqueued again in the meantime stay."""
    _unchanged(batch).delete()


def _unchanged(batch: Batch) -> QuerySet[Pending]:
    return Pending.objects.filter(article__in=batch.article_ids, stage=batch.stage, claimed_until=batch.until)


def n_waiting(stage: Stage) -> int:
    """The number of articles waiting for the stage, without those given up."""
    return Pending.objects.filter(stage=stage, n_tries__lt=MAX_TRIES).count()


def n_given_up() -> int:
    """The number of articles given up."""
    return Pending.objects.filter(n_tries__gte=MAX_TRIES).count()
