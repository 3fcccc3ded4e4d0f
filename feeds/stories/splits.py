"""Splits articles off stories: a click saves the split, and a worker regroups the articles.

Grouping needs libraries that the web process never loads. A pending split is one whose two articles still share a
story; the matching task looks for them every minute, so a lost task costs at most a minute.
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

_MAX_IDS = 5000  # in one statement; SQLite may take no more than 32,766


def split_off(story: Story, article_ids: Collection[int], *, user: User, now: datetime) -> int:
    """Split these articles off the story, permanently and for all users; they stay together as far as links join them.

    Returns how many leave: 0, changing nothing, if none of them is in the story or no article would remain.
    """
    with transaction.atomic():
        members = set(Article.objects.filter(story=story).values_list("pk", flat=True))
        leaving = members & set(article_ids)
        staying = members - leaving
        pairs = sorted((min(a, b), max(a, b)) for a, b in product(leaving, staying))
        rows = [Split(one_id=one, other_id=other, user=user, made_at=now) for one, other in pairs]
        Split.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
        if rows:
            transaction.on_commit(partial(async_task, "feeds.tasks.stories.apply_splits"), robust=True)
    return len(leaving) if staying else 0


def pending_splits() -> set[int]:
    """The articles of splits that are not applied yet."""
    pairs = Split.objects.filter(one__story=F("other__story")).values_list("one_id", "other_id")
    return {pk for pair in pairs for pk in pair}


def of_same_clicks(splits: Iterable[Split]) -> QuerySet[Split]:
    """These splits and all others created by the same clicks."""
    same = Q(pk=None)
    for made_at, user in {(split.made_at, split.user_id) for split in splits}:
        same |= Q(made_at=made_at, user=user)
    return Split.objects.filter(same)


def delete_splits(split_ids: Sequence[int]) -> None:
    """Delete the splits that still exist."""
    for start in range(0, len(split_ids), _MAX_IDS):
        Split.objects.filter(pk__in=split_ids[start : start + _MAX_IDS]).delete()


def undo(splits: QuerySet[Split]) -> None:
    """Delete the splits and have a worker regroup their articles.

    The task is queued in the same transaction, so either both happen or neither. It repeats the deletion in case it
    runs first.
    """
    with transaction.atomic():
        rows = list(splits.values_list("pk", "one_id", "other_id"))
        ids = [pk for pk, _, _ in rows]
        articles = sorted({pk for _, one, other in rows for pk in (one, other)})
        delete_splits(ids)
        if rows:
            async_task("feeds.tasks.stories.undo_splits", ids, articles)
