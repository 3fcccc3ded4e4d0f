"""Mark a list, or a part of it, as read, with undo.

A `BulkRead` records the articles that changed, so that undo restores exactly these. Articles that the user opened,
skipped or starred in the meantime stay read. Neither teaches the interest profile anything.
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
from reader.articles.read_state import mark_all_read, mark_unread_again
from reader.lists.queries import NO
from reader.models import BulkRead, Delivery, Engagement, lock_deliveries

KEPT_FOR = timedelta(days=1)
MAX_KEPT = 10  # per user
CHUNK = 5000  # articles marked unread in one statement; SQLite allows 32,766 values


_ANY = Q()


class Reach(StrEnum):
    """How much of a list: all of it, above or below a row, or older than a while."""

    ALL = "all"
    ABOVE = "above"
    BELOW = "below"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


_SPANS = {Reach.DAY: timedelta(days=1), Reach.WEEK: timedelta(days=7), Reach.MONTH: timedelta(days=30)}


def within(
    reach: Reach, row: Article | None, *, now: datetime, at: datetime | None = None, oldest_first: bool = False
) -> Q:
    """A filter for the deliveries of a list. ABOVE and BELOW are relative to `row`, and exclude it; `at`: its place in
    the list (`place_of`), by default its date."""
    if span := _SPANS.get(reach):
        return Q(published_at__lt=now - span)
    if reach == Reach.ALL or row is None:
        return Q()
    at, pk = at or row.published_at, row.pk
    if (reach == Reach.ABOVE) != oldest_first:
        return Q(published_at__gt=at) | Q(published_at=at, article_id__gt=pk)
    return Q(published_at__lt=at) | Q(published_at=at, article_id__lt=pk)


def mark_list_read(
    user: User, deliveries: QuerySet[Delivery], *, up_to: int, now: datetime, shown: Q = _ANY
) -> BulkRead | None:
    """Mark these deliveries as read; returns a record for undo, None if none was unread.

    `shown`: those that the list shows. The record counts their articles, as the list did, not those folded under them.
    """
    unread = deliveries.filter(user=user, is_read=NO, pk__lte=up_to).order_by()
    with transaction.atomic():
        lock_deliveries(unread)
        ids = sorted(set(unread.values_list("article_id", flat=True)))
        if not ids:
            return None
        n_shown = unread.filter(shown).values("article").distinct().count()
        mark_all_read(user, deliveries, up_to=up_to)
        bulk_read = BulkRead.objects.create(
            user=user, made_at=now, n_articles=n_shown or len(ids), article_ids=packed(ids)
        )
        _delete_old(user, now)
    return bulk_read


def undo_bulk_read(user: User, bulk_read: BulkRead, *, now: datetime) -> int | None:
    """Mark the articles as unread again; returns how many, None if it was undone already or is too old."""
    with transaction.atomic():
        undoable = BulkRead.objects.filter(pk=bulk_read.pk, user=user, undone_at=None, made_at__gte=now - KEPT_FOR)
        if not undoable.update(undone_at=now):
            return None
        return sum(
            mark_unread_again(user, _untouched(user, ids, bulk_read.made_at)) for ids in _chunks(_unpacked(bulk_read))
        )


def _untouched(user: User, ids: Sequence[int], since: datetime) -> list[int]:
    acts = Engagement.objects.filter(user=user, article__in=ids, happened_at__gte=since)
    acted = set(acts.values_list("article_id", flat=True))
    return [pk for pk in ids if pk not in acted]


def _delete_old(user: User, now: datetime) -> None:
    mine = BulkRead.objects.filter(user=user)
    newest = list(mine.order_by("-pk").values_list("pk", flat=True)[:MAX_KEPT])
    mine.filter(~Q(pk__in=newest) | Q(made_at__lt=now - KEPT_FOR)).delete()


def packed(ids: Sequence[int]) -> bytes:
    """Ascending ids as compressed differences of 8 bytes each."""
    return zlib.compress(array("q", [pk - before for before, pk in zip((0, *ids), ids, strict=False)]).tobytes())


def _unpacked(bulk_read: BulkRead) -> list[int]:
    differences = array("q")
    differences.frombytes(zlib.decompress(bytes(bulk_read.article_ids)))
    ids: list[int] = []
    for difference in differences:
        ids.append(difference + (ids[-1] if ids else 0))
    return ids


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]
