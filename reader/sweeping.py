"""Marking read what a list holds, or a part of it, and taking that back.

A sweep keeps the articles it changed, so that undoing restores exactly these: what had been read before stays read, and
so does what the person opened, skipped or starred since. Neither way teaches anything. The record is a few bytes an
article; a person has `MOST_KEPT` of them, for `KEPT_FOR`.
"""

import zlib
from array import array
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from feeds.models import Article
from reader.locking import lock
from reader.marking import mark_all_read, mark_unread_again
from reader.models import Delivery, Engagement, Sweep
from reader.queries import NO

KEPT_FOR = timedelta(days=1)
MOST_KEPT = 10  # sweeps a person; the oldest go
CHUNK = 5000  # articles marked unread in one statement; SQLite may take no more than 32,766 values


class Reach(StrEnum):
    """How much of a list: all of it, what is newer or older than one of its rows, or what is older than a while."""

    ALL = "all"
    ABOVE = "above"
    BELOW = "below"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


_SPANS = {Reach.DAY: timedelta(days=1), Reach.WEEK: timedelta(days=7), Reach.MONTH: timedelta(days=30)}


def within(reach: Reach, row: Article | None, *, now: datetime) -> Q:
    """To filter the deliveries of a list with. `row`, not itself included, is where above and below begin."""
    if span := _SPANS.get(reach):
        return Q(published_at__lt=now - span)
    if reach == Reach.ALL or row is None:
        return Q()
    at, pk = row.published_at, row.pk
    if reach == Reach.ABOVE:
        return Q(published_at__gt=at) | Q(published_at=at, article_id__gt=pk)
    return Q(published_at__lt=at) | Q(published_at=at, article_id__lt=pk)


def sweep(user: User, deliveries: QuerySet[Delivery], *, up_to: int, now: datetime) -> Sweep | None:
    """`mark_all_read`, with a record of what it changed; None if nothing was unread."""
    unread = deliveries.filter(user=user, is_read=NO, pk__lte=up_to).order_by()
    with transaction.atomic():
        lock(unread)  # what is recorded is what changes
        ids = sorted(set(unread.values_list("article_id", flat=True)))
        if not ids:
            return None
        mark_all_read(user, deliveries, up_to=up_to)
        made = Sweep.objects.create(user=user, made_at=now, n_articles=len(ids), article_ids=packed(ids))
        _forget_old(user, now)
    return made


def undo_sweep(user: User, made: Sweep, *, now: datetime) -> int | None:
    """Mark unread again what the user's sweep marked read; returns how many articles.

    None if it was undone already, or is too old. What the person did something with since stays as it is.
    """
    with transaction.atomic():
        free = Sweep.objects.filter(pk=made.pk, user=user, undone_at=None, made_at__gte=now - KEPT_FOR)
        if not free.update(undone_at=now):
            return None
        return sum(mark_unread_again(user, _untouched(user, ids, made.made_at)) for ids in _chunks(_ids_of(made)))


def _untouched(user: User, ids: Sequence[int], since: datetime) -> list[int]:
    acts = Engagement.objects.filter(user=user, article__in=ids, happened_at__gte=since)
    acted = set(acts.values_list("article_id", flat=True))
    return [pk for pk in ids if pk not in acted]


def _forget_old(user: User, now: datetime) -> None:
    mine = Sweep.objects.filter(user=user)
    kept = list(mine.order_by("-pk").values_list("pk", flat=True)[:MOST_KEPT])
    mine.filter(~Q(pk__in=kept) | Q(made_at__lt=now - KEPT_FOR)).delete()


def packed(ids: Sequence[int]) -> bytes:
    """Ascending ids as their differences, 8 bytes each, compressed."""
    return zlib.compress(array("q", [pk - before for before, pk in zip((0, *ids), ids, strict=False)]).tobytes())


def _ids_of(made: Sweep) -> list[int]:
    steps = array("q")
    steps.frombytes(zlib.decompress(bytes(made.article_ids)))
    ids: list[int] = []
    for step in steps:
        ids.append(step + (ids[-1] if ids else 0))
    return ids


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]
