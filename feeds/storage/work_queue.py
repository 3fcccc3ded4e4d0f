"""The queue of articles for the stages of deduplication, with claims that expire.

A stage can be interrupted anywhere. Articles of a batch that failed, hung or died with its worker are claimed again
after all others, in smaller batches, so that a faulty one is soon alone. Then it is set aside: it stays in the queue,
where Operations, `doctor` and its feed's page count it, and waits for a change of its content or for `rededuplicate
--resume`. An article that changes while a stage processes it is enqueued again, and the stage leaves it in the queue.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from feeds.errors import TimeLimitExceeded
from feeds.models import Article, Pending, Stage
from feeds.storage.work_limit import work_limit
from feeds.time_limit import MAX_TRIES, batch_seconds, batch_size

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=75)  # a worker that takes longer has been ended: see `feeds.time_limit`

# An article that was set aside stays so until its content changes, and is then tried alone.
_ENQUEUE = f"""
INSERT INTO feeds_pending (article_id, stage, claimed_until, n_tries) VALUES (%s, %s, NULL, 0)
ON CONFLICT (article_id) DO UPDATE SET stage = excluded.stage, claimed_until = NULL, n_tries = CASE
    WHEN feeds_pending.n_tries < {MAX_TRIES} THEN 0
    WHEN feeds_pending.tried_hash = (SELECT content_hash FROM feeds_article WHERE id = excluded.article_id)
    THEN feeds_pending.n_tries ELSE {MAX_TRIES - 1} END
"""  # noqa: S608 - our own number


@dataclass(frozen=True, slots=True)
class Batch:
    """Articles claimed for a stage until `until`, which identifies the claim; `full` is the size of a full batch."""

    stage: Stage
    article_ids: tuple[int, ...]
    until: datetime
    full: int


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
    """Claim at most `limit` articles, oldest first; fewer, if only failed ones are left."""
    until = now + LEASE
    free = Pending.objects.filter(Q(claimed_until=None) | Q(claimed_until__lte=now), stage=stage)
    with transaction.atomic():
        for n_tries in range(MAX_TRIES):
            if ids := _lock(free.filter(n_tries=n_tries), batch_size(n_tries, full=limit)):
                break
        hashes = Article.objects.filter(pk=OuterRef("pk")).values("content_hash")
        Pending.objects.filter(pk__in=ids).update(
            claimed_until=until, n_tries=F("n_tries") + 1, tried_hash=Subquery(hashes)
        )
    return Batch(stage, tuple(ids), until, limit)


@contextmanager
def processing(batch: Batch) -> Iterator[None]:
    """Process the batch in the block, in the time that its size allows. If it fails, its articles are released, to be
    claimed again in smaller batches. That it took too long is only logged; other errors are raised."""
    try:
        with work_limit(batch_seconds(len(batch.article_ids), full=batch.full)):
            yield
    except TimeLimitExceeded as error:
        logger.warning(
            "Stage %s of %s articles, article %s first, took longer than %g s", batch.stage.name,
            len(batch.article_ids), batch.article_ids[0], error.seconds, exc_info=True,
        )  # fmt: skip
        _release(batch)
    except Exception:
        _release(batch)
        raise


def _release(batch: Batch) -> None:
    try:
        _unchanged(batch).update(claimed_until=None)
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Articles stay claimed until %s: %s", batch.until, error)


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


def given_up() -> QuerySet[Pending]:
    """Articles that were set aside: tried alone, and not being tried now."""
    return Pending.objects.filter(Q(claimed_until=None) | Q(claimed_until__lte=Now()), n_tries__gte=MAX_TRIES)


def n_given_up() -> int:
    """The number of articles given up."""
    return given_up().count()
