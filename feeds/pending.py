"""Who waits for a stage of deduplication, and who works on it: claims that expire, so that nothing is lost.

A stage may be interrupted anywhere: what it claimed and did not finish is claimed again, one article at a time, so that
a faulty one holds up nobody else; after `MOST_TRIES` it is left alone (`doctor` counts such). An article whose content
changes while a stage works on it is enqueued anew, and the stage, finding its claim gone, leaves it so.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from feeds.models import Pending, Stage

LEASE = timedelta(minutes=5)
MOST_TRIES = 5

_ENQUEUE = """
INSERT INTO feeds_pending (article_id, stage, claimed_until, n_tries) VALUES (%s, %s, NULL, 0)
ON CONFLICT (article_id) DO UPDATE SET stage = excluded.stage, claimed_until = NULL, n_tries = 0
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Articles held for a stage until `until`, which marks the claim as ours."""

    stage: Stage
    article_ids: tuple[int, ...]
    until: datetime


@dataclass(slots=True)
class StageReport:
    """What a stage did: articles, candidates compared, ties found, stories changed, seconds by part."""

    n_articles: int = 0
    n_candidates: int = 0
    n_ties: int = 0
    n_stories: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def enqueue(article_ids: Collection[int], stage: Stage = Stage.MATCH) -> None:
    """Let the articles pass the stage, again where they wait already. Inside the transaction that changed them."""
    with connection.cursor() as cursor:  # on the way of every poll, and five times as fast as through the models
        cursor.executemany(_ENQUEUE, [(pk, stage.value) for pk in sorted(article_ids)])


def claim(stage: Stage, *, now: datetime, limit: int) -> Batch:
    """Hold at most `limit` articles, first come first; a single one when only unfinished ones are left."""
    until = now + LEASE
    free = Pending.objects.filter(Q(claimed_until=None) | Q(claimed_until__lte=now), stage=stage)
    with transaction.atomic():
        ids = _hold(free.filter(n_tries=0), limit) or _hold(free.filter(n_tries__gt=0, n_tries__lt=MOST_TRIES), 1)
        Pending.objects.filter(pk__in=ids).update(claimed_until=until, n_tries=F("n_tries") + 1)
    return Batch(stage, tuple(ids), until)


def _hold(free: QuerySet[Pending], limit: int) -> list[int]:
    chosen = free.select_for_update(skip_locked=True).order_by("article_id")
    return list(chosen.values_list("article_id", flat=True)[:limit])


def finish(batch: Batch, *, following: Stage | None = None) -> None:
    """Let the batch go on to the `following` stage, or be done; what was enqueued anew meanwhile stays."""
    ours = Pending.objects.filter(article__in=batch.article_ids, stage=batch.stage, claimed_until=batch.until)
    if following is None:
        ours.delete()
    else:
        ours.update(stage=following, claimed_until=None, n_tries=0)


def n_waiting(stage: Stage) -> int:
    """How many articles wait for the stage and are going to be taken."""
    return Pending.objects.filter(stage=stage, n_tries__lt=MOST_TRIES).count()


def n_given_up() -> int:
    """How many articles no stage could finish."""
    return Pending.objects.filter(n_tries__gte=MOST_TRIES).count()
