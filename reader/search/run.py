"""Runs a search over a user's delivered, starred and tagged articles, each article once, and highlights the matches.

Two orders. *Newest first* pages by date. *Best match* scores the newest `CANDIDATES` that match, whatever the size of
the archive: a word of every second article costs no more than a rare one, and older matches are seldom meant. The page
says when it left some out.

The full-text index also returns the ids of other users' articles, which is cheap: millions a second.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.db.models.functions import Left
from django.utils import timezone

from feeds.models import Article
from feeds.search.index import scores
from feeds.search.inflections import expand_forms
from feeds.search.query_tree import wanted_phrases
from reader.lists.highlight import READ_CHARACTERS, highlight, snippet
from reader.lists.queries import COUNTED_UP_TO, PAGE_SIZE, Cursor, Page, Row, rows_of
from reader.models import Delivery
from reader.search.orm_filters import DeliveredRows, SavedRows, saved_articles
from reader.search.parser import parse

CANDIDATES = 1000  # articles that are scored
WINDOW = 8000  # of the latest articles, which are searched first
WIDER = 8  # times as many next
MAX_TRIES = 4  # parts of a query left out, one at a time, the last first; each costs a search

Dated = tuple[datetime, int]  # the date and the id of an article


class Order(StrEnum):
    BEST = "best"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class MatchCursor:
    """A page of best matches begins after this article with this score."""

    score: float
    article_id: int

    def encode(self) -> str:
        """For a query string."""
        return f"{self.score!r}_{self.article_id}"

    @classmethod
    def decode(cls, text: str) -> "MatchCursor | None":
        """The cursor in a query string; None if it is missing or was tampered with."""
        try:
            score, article_id = text.split("_")
            return cls(float(score), int(article_id))
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Found:
    """A page of results, and how many there are, counted up to `COUNTED_UP_TO`.

    `is_cut`: only the newest `CANDIDATES` of them are in the order of best match.
    """

    page: Page
    n_found: int
    order: Order
    is_cut: bool = False


def can_be_best(tree: Any) -> bool:
    """Whether the query has words, so that results can match better or worse."""
    return any(True for _ in wanted_phrases(tree))


def search(
    user: User, tree: Any, after: str = "", *, order: Order = Order.NEWEST, now: datetime, size: int = PAGE_SIZE
) -> Found:
    """A page of the articles that match the tree; `after`: the cursor in a query string."""
    tree = expand_forms(tree)
    dated = _newest(user, tree, None, CANDIDATES + 1, now)
    if order == Order.BEST and can_be_best(tree):
        page = _best_page(user, tree, dated[:CANDIDATES], MatchCursor.decode(after), now, size)
        found = Found(page, min(len(dated), COUNTED_UP_TO), Order.BEST, is_cut=len(dated) > CANDIDATES)
    else:
        page = _newest_page(user, tree, dated, Cursor.decode(after), now, size)
        found = Found(page, min(len(dated), COUNTED_UP_TO), Order.NEWEST)
    return replace(found, page=replace(page, rows=_highlighted(page.rows, tree)))


def n_found(user: User, tree: Any, *, now: datetime) -> int:
    """How many articles match, counted up to `COUNTED_UP_TO`."""
    return len(newest(user, tree, COUNTED_UP_TO, now=now))


@dataclass(frozen=True, slots=True)
class Wider:
    """The query `words`, without `left_out`, finds this many articles."""

    left_out: str
    words: str
    n_found: int


def widened(user: User, parts: Sequence[str], *, now: datetime) -> list[Wider]:
    """The queries without one of the `parts` that find something."""
    found = []
    for place in range(len(parts) - 1, -1, -1)[:MAX_TRIES] if len(parts) > 1 else ():
        words = " ".join((*parts[:place], *parts[place + 1 :]))
        tree = parse(words, today=timezone.localdate()).tree
        if tree is not None and (n := n_found(user, tree, now=now)):
            found.append(Wider(parts[place], words, n))
    return found


def newest(user: User, tree: Any, limit: int, *, now: datetime) -> list[Dated]:
    """The dates and ids of the newest `limit` articles that match the tree."""
    return _newest(user, expand_forms(tree), None, limit, now)


def _newest_page(
    user: User, tree: Any, first: Sequence[Dated], cursor: Cursor | None, now: datetime, size: int
) -> Page:
    """`first`: the newest matches of all, enough for the first page."""
    dated = first[: size + 1] if cursor is None else _newest(user, tree, cursor, size + 1, now)
    rows = rows_of(user, [(pk, at) for at, pk in dated[:size]], now=now)
    following = Cursor(False, *dated[size - 1]).encode() if len(dated) > size else ""
    return Page(rows, following)


def _best_page(
    user: User, tree: Any, dated: Sequence[Dated], cursor: MatchCursor | None, now: datetime, size: int
) -> Page:
    """Equal matches are ordered by id, the newest first."""
    dates = {pk: at for at, pk in dated}
    known = scores(dates, list(wanted_phrases(tree)))
    ranked = [(known.get(pk, 0.0), pk) for pk in dates]
    if cursor is not None:
        ranked = [pair for pair in ranked if pair < (cursor.score, cursor.article_id)]
    best = heapq.nlargest(size + 1, ranked)
    rows = rows_of(user, [(pk, dates[pk]) for _, pk in best[:size]], now=now)
    following = MatchCursor(*best[size - 1]).encode() if len(best) > size else ""
    return Page(rows, following)


def _newest(user: User, tree: Any, cursor: Cursor | None, limit: int, now: datetime) -> list[Dated]:
    """The newest `limit` articles after the cursor, each once, delivered or saved.

    The latest articles are searched first, then more and more of the archive, until there are enough and no earlier
    one has a later date: a common word is found among few articles.
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

    everything = Delivery.objects.filter(user=user, is_folded__in=(False, True), is_read__in=(False, True))
    return (
        everything.filter(published_at__gt=moment, article_id__lt=since).exists()
        or saved_articles(user).filter(published_at__gt=moment, pk__lt=since).exists()
    )


def _newest_since(user: User, tree: Any, cursor: Cursor | None, limit: int, now: datetime, since: int) -> list[Dated]:
    delivered = Delivery.objects.filter(DeliveredRows(user, now, since).matching(tree), user=user)
    saved = saved_articles(user).filter(SavedRows(user, now, since).matching(tree))
    if cursor is not None:
        delivered, saved = delivered.filter(_after(cursor, "article_id")), saved.filter(_after(cursor, "pk"))
    first = delivered.order_by("-published_at", "-article_id").values_list("published_at", "article_id").distinct()
    second = saved.order_by("-published_at", "-pk").values_list("published_at", "pk")
    return sorted({*first[:limit], *second[:limit]}, reverse=True)[:limit]


def _after(cursor: Cursor, article: str) -> Q:
    older = Q(published_at__lt=cursor.published_at) | Q(**{f"{article}__lt": cursor.article_id})
    return Q(published_at__lte=cursor.published_at) & older


def _highlighted(rows: Sequence[Row], tree: Any) -> tuple[Row, ...]:
    phrases = list(wanted_phrases(tree))
    if not phrases or not rows:
        return tuple(rows)
    found = Article.objects.filter(pk__in=[row.article.pk for row in rows])
    texts = dict(found.values_list("pk", Left("text", READ_CHARACTERS)))
    return tuple(
        replace(
            row,
            marked_title=highlight(row.article.title, phrases, "title"),
            snippet=snippet(texts.get(row.article.pk, ""), phrases),
        )
        for row in rows
    )
