"""The queue of articles to index, and the stage that indexes them; it can be interrupted and run in several workers.

An article is queued in the transaction that changes it. A worker reads and indexes a batch, then removes it from the
queue, except articles queued again in the meantime.
"""

import logging
from collections.abc import Callable, Collection
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from feeds.errors import TimeLimitExceeded
from feeds.models import Article, Unindexed
from feeds.search import index
from feeds.storage.work_limit import work_limit
from feeds.time_limit import MAX_TRIES, batch_seconds, batch_size

logger = logging.getLogger(__name__)

BATCH = 200  # articles

_COLUMNS = ("pk", "title", "author", "text", "language")
# An article that was set aside is tried alone when it changes.
_QUEUE = f"""
INSERT INTO feeds_unindexed (article_id, n_requests, n_tries) VALUES (%s, 1, 0)
ON CONFLICT (article_id) DO UPDATE SET n_requests = feeds_unindexed.n_requests + 1,
    n_tries = CASE WHEN feeds_unindexed.n_tries < {MAX_TRIES} THEN 0 ELSE {MAX_TRIES - 1} END
"""  # noqa: S608 - our own number


def queue_articles(article_ids: Collection[int]) -> None:
    """Queue these articles; call it inside the transaction that changes them."""
    with connection.cursor() as cursor:
        cursor.executemany(_QUEUE, [(pk,) for pk in sorted(article_ids)])


def index_waiting(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> int:
    """Index queued articles, newest first, starting no batch after `until`; returns their number."""
    total = 0
    while until is None or timezone.now() < until:
        waiting = _claim()
        if not waiting:
            break
        try:
            with work_limit(batch_seconds(len(waiting), full=BATCH)):
                _index(waiting)
        except TimeLimitExceeded as error:
            logger.warning(
                "Indexing %s articles, article %s first, took longer than %g s",
                len(waiting), min(waiting), error.seconds,
            )  # fmt: skip
            continue
        total += len(waiting)
        on_batch(len(waiting))
    return total


def _claim() -> dict[int, int]:
    """The next articles and how often each was queued: new ones, or fewer that failed before."""
    with transaction.atomic():
        free = Unindexed.objects.select_for_update(skip_locked=True).order_by("-article")
        for n_tries in range(MAX_TRIES):
            if waiting := _counts(free.filter(n_tries=n_tries)[: batch_size(n_tries, full=BATCH)]):
                break
        Unindexed.objects.filter(article__in=waiting).update(n_tries=F("n_tries") + 1)
    return waiting


def _counts(queued: QuerySet[Unindexed]) -> dict[int, int]:
    return dict(queued.values_list("article_id", "n_requests"))


def _index(waiting: dict[int, int]) -> None:
    rows = list(Article.objects.filter(pk__in=waiting).order_by("pk").values_list(*_COLUMNS))
    with transaction.atomic():
        locked = Unindexed.objects.filter(article__in=waiting).select_for_update().order_by("article")
        ours = {pk for pk, n_requests in locked.values_list("article", "n_requests") if waiting[pk] == n_requests}
        index.write(row for row in rows if row[0] in ours)
        Unindexed.objects.filter(article__in=ours).delete()


def n_waiting() -> int:
    """The number of articles that can't be found yet, or only by their previous text."""
    return Unindexed.objects.filter(n_tries__lt=MAX_TRIES).count()


def n_given_up() -> int:
    """The number of articles that failed too often to be tried again."""
    return Unindexed.objects.filter(n_tries__gte=MAX_TRIES).count()


def retry_given_up() -> None:
    """Let the articles that were given up be tried once more, for example after an upgrade."""
    Unindexed.objects.filter(n_tries__gte=MAX_TRIES).update(n_tries=MAX_TRIES - 1)
