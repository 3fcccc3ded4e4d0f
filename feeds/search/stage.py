"""Articles that wait to be indexed, and the stage that indexes them. May be stopped anywhere and run by many.

An article is noted in the transaction that changes it. A worker reads and indexes a batch, and takes off the list what
was not noted again meanwhile; what was is left for the next round, and what somebody else was faster with is left
alone.
"""

from collections.abc import Callable, Collection
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from feeds.models import Article, Unindexed
from feeds.search import index

BATCH = 200  # articles
MOST_TRIES = 5

_READ = ("pk", "title", "author", "text", "language")
_NOTE = """
INSERT INTO feeds_unindexed (article_id, n_asked, n_tries) VALUES (%s, 1, 0)
ON CONFLICT (article_id) DO UPDATE SET n_asked = feeds_unindexed.n_asked + 1, n_tries = 0
"""


def note(article_ids: Collection[int]) -> None:
    """Let these articles be indexed. Inside the transaction that changed them."""
    with connection.cursor() as cursor:
        cursor.executemany(_NOTE, [(pk,) for pk in sorted(article_ids)])


def index_waiting(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> int:
    """Index what waits, the newest first, taking nothing new after `until`; returns how many articles."""
    total = 0
    while until is None or timezone.now() < until:
        waiting = _begin()
        if not waiting:
            break
        _index(waiting)
        total += len(waiting)
        on_batch(len(waiting))
    return total


def _begin() -> dict[int, int]:
    """The next articles with how often each was asked for: new ones, or one of those that were not finished."""
    with transaction.atomic():
        free = Unindexed.objects.select_for_update(skip_locked=True)
        waiting = _of(free.filter(n_tries=0).order_by("-article")[:BATCH]) or _of(
            free.filter(n_tries__gt=0, n_tries__lt=MOST_TRIES).order_by("n_tries", "-article")[:1]
        )
        Unindexed.objects.filter(article__in=waiting).update(n_tries=F("n_tries") + 1)
    return waiting


def _of(several: QuerySet[Unindexed]) -> dict[int, int]:
    return dict(several.values_list("article_id", "n_asked"))


def _index(waiting: dict[int, int]) -> None:
    rows = list(Article.objects.filter(pk__in=waiting).order_by("pk").values_list(*_READ))
    with transaction.atomic():
        held = Unindexed.objects.filter(article__in=waiting).select_for_update().order_by("article")
        ours = {pk for pk, n_asked in held.values_list("article", "n_asked") if waiting[pk] == n_asked}
        index.write(row for row in rows if row[0] in ours)
        Unindexed.objects.filter(article__in=ours).delete()


def n_waiting() -> int:
    """How many articles are not found yet, or by what they said before."""
    return Unindexed.objects.filter(n_tries__lt=MOST_TRIES).count()


def n_given_up() -> int:
    """How many articles could not be indexed, however often it was tried."""
    return Unindexed.objects.filter(n_tries__gte=MOST_TRIES).count()


def try_again() -> None:
    """Let what was given up be tried once more, as it may be after an upgrade."""
    Unindexed.objects.filter(n_tries__gte=MOST_TRIES).update(n_tries=MOST_TRIES - 1)
