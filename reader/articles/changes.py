"""Which articles of a user changed since a cursor, for a client that keeps a copy. It misses none, and needs no clock.

A user's articles are those that a feed they follow delivered, and those that they starred or tagged. Triggers write a
`Change` for each that comes, goes or changes its state. An answer says what is true of it now, so a change may come
twice, and it doesn't matter how often an article changed.

Theory. A transaction gets its number before it commits, so a lower one can become visible after a higher one has been
read. A cursor therefore isn't the last number read but the lowest one that may still appear: on PostgreSQL the id of
the oldest transaction under way when its round began, on SQLite, where writers take turns, the next number. Once
everything from one cursor on has been sent, in pages, the next round begins there, and repeats what was committed in
between. Without a cursor, a round sends all articles first.

One row belongs to nobody: up to its number, changes have been deleted. It also holds a random number that all cursors
carry, so that they end with it: after a restore (`forget_all`), which may take back what they have seen, and in another
PostgreSQL cluster, which counts transactions anew.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from secrets import randbits
from zlib import crc32

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Greatest

from reader.models import ArticleState, Change, Delivery, TaggedArticle

KEPT_FOR = timedelta(days=30)
CHUNK = 5000  # rows deleted in one transaction
_NOBODY = 0  # no user has this id
_ALL = 0  # no change has this number: the client is still getting all articles
_HORIZON = {
    "postgresql": "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint,"
    " (SELECT system_identifier FROM pg_control_system())",
    "sqlite": "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'reader_change'), 0) + 1, 0",
}


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a client is: everything below the number `since` was sent. `epoch`: it is no longer valid in another one.

    While its round has more pages, the next round begins at `until`, and the last row sent was `article` of `number`.
    """

    epoch: int
    since: int
    until: int = 0
    number: int = 0
    article: int = 0

    def encode(self) -> str:
        parts = (self.epoch, self.since, self.until, self.number, self.article)
        return ".".join(map(str, parts if self.until else parts[:2]))

    @classmethod
    def decode(cls, text: str) -> "Cursor | None":
        """None if it is invalid."""
        parts = text.split(".")
        if len(parts) not in (2, 5) or not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts):
            return None
        return cls(*map(int, parts))


class CursorExpired(Exception):
    """The changes since this cursor are no longer known, so the client has to get all articles again."""


@dataclass(frozen=True, slots=True)
class State:
    """What is true of an article of the user: the subscriptions that deliver it and its tags are ids.

    `is_folded`: it isn't in the list of all articles, because another one of its story is, or its feed is limited.
    """

    id: int
    is_read: bool
    is_starred: bool
    is_folded: bool
    feed_ids: Sequence[int]
    tag_ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class Changes:
    """A page of changes: what is true of articles that came or changed, and the ids of those that went."""

    states: Sequence[State]
    removed: Sequence[int]
    cursor: Cursor
    has_more: bool


def changes_since(user: User, cursor: Cursor | None, *, size: int) -> Changes:
    """What changed since the cursor; without one, all articles. Raises CursorExpired."""
    horizon, cluster = _horizon()
    if cursor is None:
        started = Cursor(0, horizon, until=horizon)
    else:
        started = cursor if cursor.until else replace(cursor, until=horizon, number=cursor.since)
    rows = _all_after if started.number == _ALL else _changes_after
    found = rows(user, started, size + 1)
    epoch, oldest = _epoch(horizon, cluster)  # after the changes, which `delete_old` may delete
    if cursor is not None and (cursor.epoch != epoch or not oldest <= cursor.since <= horizon):
        raise CursorExpired
    ids = list(dict.fromkeys(pk for _, pk in found[:size]))
    states = states_of(user, ids)
    following = Cursor(epoch, started.until)
    if has_more := len(found) > size:
        number, article = found[size - 1]
        following = replace(started, epoch=epoch, number=number, article=article)
    return Changes(list(states.values()), [pk for pk in ids if pk not in states], following, has_more)


def _horizon() -> tuple[int, int]:
    """The lowest number that may still appear, and the database cluster."""
    with connection.cursor() as cursor:
        cursor.execute(_HORIZON[connection.vendor])
        horizon, cluster = cursor.fetchone()
    return horizon, cluster


def _epoch(horizon: int, cluster: int) -> tuple[int, int]:
    """The epoch, and the number from which on all changes are known."""
    marks = Change.objects.filter(user_id=_NOBODY).order_by("pk")
    mark = marks.first()
    if mark is None or mark.number > horizon:  # as another cluster counted
        forget_all()
        Change.objects.create(user_id=_NOBODY, article_id=randbits(32), number=0, day=0)
        mark = marks[0]  # of another request, perhaps
    return crc32(f"{mark.article_id} {cluster}".encode()), mark.number


def _changes_after(user: User, cursor: Cursor, n: int) -> list[tuple[int, int]]:
    later = Q(number__gt=cursor.number) | Q(article_id__gt=cursor.article)
    rows = Change.objects.filter(later, user=user, number__gte=cursor.number).order_by("number", "article_id")
    return list(rows.values_list("number", "article_id").distinct()[:n])


def _all_after(user: User, cursor: Cursor, n: int) -> list[tuple[int, int]]:
    starred = ArticleState.objects.filter(is_starred=True)
    ids: set[int] = set()
    for reason in (Delivery.objects.all(), starred, TaggedArticle.objects.all()):
        rows = reason.filter(user=user, article_id__gt=cursor.article).order_by("article_id").distinct()
        ids.update(rows.values_list("article_id", flat=True)[:n])
    return [(_ALL, pk) for pk in sorted(ids)[:n]]


def states_of(user: User, article_ids: Collection[int]) -> dict[int, State]:
    """The states of those of these articles that are the user's, in this order; three queries."""
    mine = {"user": user, "article__in": article_ids}
    copies: dict[int, list[tuple[int, bool, bool]]] = defaultdict(list)
    deliveries = Delivery.objects.filter(**mine).order_by("pk")
    for pk, feed, is_read, is_folded in deliveries.values_list("article_id", "subscription_id", "is_read", "is_folded"):
        copies[pk].append((feed, is_read, is_folded))
    tags: dict[int, list[int]] = defaultdict(list)
    for pk, tag in TaggedArticle.objects.filter(**mine).order_by("tag_id").values_list("article_id", "tag_id"):
        tags[pk].append(tag)
    acted = ArticleState.objects.filter(**mine).values_list("article_id", "is_read", "is_starred")
    own = {pk: (is_read, is_starred) for pk, is_read, is_starred in acted}
    found = {}
    for pk in article_ids:
        is_read, is_starred = own.get(pk, (False, False))
        delivered = copies.get(pk, [])
        if delivered or pk in tags or is_starred:
            found[pk] = State(
                pk,
                is_read=any(read for _, read, _ in delivered) if delivered else is_read,
                is_starred=is_starred,
                is_folded=bool(delivered) and all(folded for *_, folded in delivered),
                feed_ids=[feed for feed, *_ in delivered],
                tag_ids=tags.get(pk, []),
            )
    return found


def delete_old(*, now: datetime) -> bool:
    """Delete some of what is older than `KEPT_FOR`; False when nothing is left."""
    first_day = (now - KEPT_FOR).timestamp() // 86400
    oldest = Change.objects.exclude(user_id=_NOBODY).order_by("pk").values_list("pk", "number", "day")[:CHUNK]
    expired = list(takewhile(lambda row: row[2] < first_day, oldest))
    if expired:
        with transaction.atomic():
            mark = Change.objects.filter(user_id=_NOBODY)
            mark.update(number=Greatest("number", max(number for _, number, _ in expired) + 1))
            Change.objects.filter(pk__in=[pk for pk, *_ in expired]).delete()
    return len(expired) == CHUNK


def forget_all() -> None:
    """Delete all changes, so that all cursors end."""
    Change.objects.all().delete()
