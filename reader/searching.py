"""A person's search: what was delivered to them, or is kept by a star or tag, every article once, the words marked.

Two orders. *Newest first* is a stretch of the lists. *Best match* scores the newest `CANDIDATES` that match, whatever
the archive holds: a word of every second article costs no more than a rarer one, and what is older than that many
matches is seldom meant. The page says so where it happens.

Only the index of words looks beyond what they follow; it gives bare ids, some millions a second, so that what others
follow costs next to nothing.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from math import isfinite
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Left

from feeds.models import Article
from feeds.search.forms import in_all_forms
from feeds.search.index import scores
from feeds.search.match import wanted_phrases
from reader.models import Delivery
from reader.queries import COUNTED_UP_TO, PAGE_SIZE, Cursor, Page, Row, rows_of
from reader.search.conditions import asked
from reader.search.delivered import delivered
from reader.search.kept import kept, kept_articles
from reader.search.language import phrases_of
from reader.search.marking import READ_CHARACTERS, marked, snippet

CANDIDATES = 1000  # articles that are scored
WINDOW = 8000  # articles that came last, which are looked through first
WIDER = 8  # times as many next

Dated = tuple[datetime, int]  # the date and the id of an article


class Order(StrEnum):
    BEST = "best"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class MatchCursor:
    """Where a page of the best matches begins: after this article with this score."""

    score: float
    article_id: int

    def encode(self) -> str:
        """For a query string: without `+`, which would be read as a space there."""
        return f"{self.score.hex().replace('+', '')}_{self.article_id}"

    @classmethod
    def decode(cls, text: str) -> "MatchCursor | None":
        """The cursor in a query string; None when it is missing or was tampered with."""
        score, _, pk = text.partition("_")
        if not (pk.isascii() and pk.isdigit()) or len(pk) > 18 or len(score) > 30:
            return None
        try:
            number = float.fromhex(score)
        except (ValueError, OverflowError):
            return None
        return cls(number, int(pk)) if isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Found:
    """A page of what was found, in this order, and how many articles there are, counted no further than
    `COUNTED_UP_TO`; `is_cut`: only the newest `CANDIDATES` of them were ordered by how well they match."""

    page: Page
    n_found: int
    order: Order
    is_cut: bool = False


def can_be_best(tree: Any) -> bool:
    """Whether there are words that an article can match better or worse."""
    return any(True for _ in wanted_phrases(tree))


def search(
    user: User, tree: Any, after: str = "", *, order: Order = Order.NEWEST, now: datetime, size: int = PAGE_SIZE
) -> Found:
    """A page of the articles that the tree of a query asks for; `after`: the cursor in a query string."""
    tree = in_all_forms(tree)
    dated = _newest(user, tree, None, CANDIDATES + 1, now)
    if order == Order.BEST and can_be_best(tree):
        page = _best_page(user, tree, dated[:CANDIDATES], MatchCursor.decode(after), now, size)
        found = Found(page, min(len(dated), COUNTED_UP_TO), Order.BEST, is_cut=len(dated) > CANDIDATES)
    else:
        page = _newest_page(user, tree, dated, Cursor.decode(after), now, size)
        found = Found(page, min(len(dated), COUNTED_UP_TO), Order.NEWEST)
    return replace(found, page=replace(page, rows=_marked(page.rows, tree)))


def n_found(user: User, tree: Any, *, now: datetime) -> int:
    """How many articles there are, counted no further than `COUNTED_UP_TO`."""
    return len(newest(user, tree, COUNTED_UP_TO, now=now))


def newest(user: User, tree: Any, limit: int, *, now: datetime) -> list[Dated]:
    """The dates and ids of the newest `limit` articles that the tree of a query asks for."""
    return _newest(user, in_all_forms(tree), None, limit, now)


def _newest_page(
    user: User, tree: Any, first: Sequence[Dated], cursor: Cursor | None, now: datetime, size: int
) -> Page:
    """`first` are the newest of all, which hold the first page."""
    dated = first[: size + 1] if cursor is None else _newest(user, tree, cursor, size + 1, now)
    rows = rows_of(user, [(pk, at) for at, pk in dated[:size]], now=now)
    following = Cursor(False, *dated[size - 1]).encode() if len(dated) > size else ""
    return Page(rows, following)


def _best_page(
    user: User, tree: Any, dated: Sequence[Dated], cursor: MatchCursor | None, now: datetime, size: int
) -> Page:
    """Of equal matches the newer comes first, by its id."""
    dates = {pk: at for at, pk in dated}
    known = scores(dates, list(wanted_phrases(tree)))
    ranked = [(known.get(pk, 0.0), pk) for pk in dates]
    if cursor is not None:
        ranked = [each for each in ranked if each < (cursor.score, cursor.article_id)]
    best = heapq.nlargest(size + 1, ranked)
    rows = rows_of(user, [(pk, dates[pk]) for _, pk in best[:size]], now=now)
    following = MatchCursor(*best[size - 1]).encode() if len(best) > size else ""
    return Page(rows, following)


def _newest(user: User, tree: Any, cursor: Cursor | None, limit: int, now: datetime) -> list[Dated]:
    """The newest `limit` articles after the cursor, each once, of what was brought and of what is kept.

    Those that came last are looked through first, then more and more of the archive, until there are enough and nothing
    that came before is dated later: what most articles say is found among few of them.
    """
    latest = Article.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    window = WINDOW
    while (since := latest - window) > 0:
        found = _newest_since(user, tree, cursor, limit, now, since)
        if len(found) == limit and not _is_dated_later(user, since, found[-1][0]):
            return found
        window *= WIDER
    return _newest_since(user, tree, cursor, limit, now, 0)


def _is_dated_later(user: User, since: int, moment: datetime) -> bool:
    """Whether the user has articles of lower ids than `since` that were published after the moment."""
    # Both values of both columns, for an index that knows them before the date
    everything = Delivery.objects.filter(user=user, is_folded__in=(False, True), is_read__in=(False, True))
    return (
        everything.filter(published_at__gt=moment, article_id__lt=since).exists()
        or kept_articles(user).filter(published_at__gt=moment, pk__lt=since).exists()
    )


def _newest_since(user: User, tree: Any, cursor: Cursor | None, limit: int, now: datetime, since: int) -> list[Dated]:
    brought = Delivery.objects.filter(asked(delivered(user, now, since=since), tree), user=user)
    alone = kept_articles(user).filter(asked(kept(user, now, since=since), tree))
    if cursor is not None:
        brought, alone = brought.filter(_after(cursor, "article_id")), alone.filter(_after(cursor, "pk"))
    several = brought.order_by("-published_at", "-article_id").values_list("published_at", "article_id").distinct()
    others = alone.order_by("-published_at", "-pk").values_list("published_at", "pk")
    return sorted({*several[:limit], *others[:limit]}, reverse=True)[:limit]


def _after(cursor: Cursor, article: str) -> Q:
    older = Q(published_at__lt=cursor.published_at) | Q(**{f"{article}__lt": cursor.article_id})
    return Q(published_at__lte=cursor.published_at) & older


def _marked(rows: Sequence[Row], tree: Any) -> tuple[Row, ...]:
    phrases = list(phrases_of(tree))
    if not phrases or not rows:
        return tuple(rows)
    found = Article.objects.filter(pk__in=[row.article.pk for row in rows])
    texts = dict(found.values_list("pk", Left("text", READ_CHARACTERS)))
    return tuple(
        replace(
            row,
            marked_title=marked(row.article.title, phrases, "title"),
            snippet=snippet(texts.get(row.article.pk, ""), phrases),
        )
        for row in rows
    )
