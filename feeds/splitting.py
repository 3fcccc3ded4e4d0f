"""What a person says against a story, kept at once; a worker then groups the articles anew.

Grouping loads what comparing needs (numpy and more), which the web process never does. So a click only writes rows and
wakes a worker. A split that is not carried out yet shows: its two articles still share a story. Whoever matches new
articles looks for such each minute, so that a lost wake-up costs a minute and no more.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import partial
from itertools import product

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django_q.tasks import async_task

from feeds.models import Article, Split, Story

_MOST_IDS = 5000  # in one statement; SQLite may take no more than 32,766


def split_off(story: Story, article_ids: Collection[int], *, user: User, now: datetime) -> int:
    """Let these articles of the story be parted from the rest of it, for everybody and for good.

    They stay together, as far as links tie them. Returns how many leave: 0, and nothing changes, when none of them is
    in the story or nobody would be left.
    """
    with transaction.atomic():
        members = set(Article.objects.filter(story=story).values_list("pk", flat=True))
        leaving = members & set(article_ids)
        staying = members - leaving
        pairs = sorted((min(a, b), max(a, b)) for a, b in product(leaving, staying))
        rows = [Split(one_id=one, other_id=other, user=user, made_at=now) for one, other in pairs]
        Split.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
        if rows:
            transaction.on_commit(partial(async_task, "feeds.dedup_tasks.apply_splits"), robust=True)
    return len(leaving) if staying else 0


def not_applied() -> set[int]:
    """The articles that were split and still share a story."""
    pairs = Split.objects.filter(one__story=F("other__story")).values_list("one_id", "other_id")
    return {pk for pair in pairs for pk in pair}


def made_together(splits: Iterable[Split]) -> QuerySet[Split]:
    """These splits and all that were made by the same click."""
    same = Q(pk=None)
    for made_at, user in {(each.made_at, each.user_id) for each in splits}:
        same |= Q(made_at=made_at, user=user)
    return Split.objects.filter(same)


def forget(split_ids: Sequence[int]) -> None:
    """Remove the splits, as far as they are still there."""
    for start in range(0, len(split_ids), _MOST_IDS):
        Split.objects.filter(pk__in=split_ids[start : start + _MOST_IDS]).delete()


def undo(splits: QuerySet[Split]) -> None:
    """Forget the splits and let a worker tie again what links tie.

    The task is told in the same transaction: it is queued with the change or neither is, and if it comes first it does
    all of it.
    """
    with transaction.atomic():
        rows = list(splits.values_list("pk", "one_id", "other_id"))
        ids = [pk for pk, _, _ in rows]
        articles = sorted({pk for _, one, other in rows for pk in (one, other)})
        forget(ids)
        if rows:
            async_task("feeds.dedup_tasks.undo_splits", ids, articles)
