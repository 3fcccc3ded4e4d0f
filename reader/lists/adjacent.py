"""The articles before and after an article in a list, in a fixed number of queries."""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.contrib.auth.models import User
from django.db.models import QuerySet

from feeds.models import Article
from reader.lists.queries import NO, Cursor, most_important, newer_than, older_than, place_of
from reader.models import ArticleState, Delivery, ListOrder, Tag, TaggedArticle
from reader.scoring.ranked_order import (
    RankedPage,
    page_by_adjusted_relevance,
    page_by_importance,
    place_by_adjusted_relevance,
    place_by_importance,
)
from reader.scoring.rating import rates_of

_Dated = TypeVar("_Dated", Delivery, ArticleState, TaggedArticle)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An article to go to."""

    pk: int
    title: str
    language: str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The articles before and after one in its list; None at the ends, and outside lists."""

    previous: Neighbour | None = None
    next: Neighbour | None = None


def by_date(deliveries: QuerySet[Delivery], article: Article, *, oldest_first: bool = False) -> Neighbours:
    """The adjacent unread articles in a list sorted by date; two queries, three if its date is uncertain."""
    at = place_of(deliveries, article)
    return _around(deliveries.filter(is_read=NO), at, article.pk, oldest_first=oldest_first)


def by_star(user: User, article: Article, *, order: str) -> Neighbours:
    """The adjacent starred articles, read or not; three queries at most."""
    starred = ArticleState.objects.filter(user=user, is_starred=True)
    if order != ListOrder.STARRED:
        oldest_first = order == ListOrder.OLDEST
        at, field = article.published_at, "article__published_at"
        return _around(starred, at, article.pk, field=field, oldest_first=oldest_first)
    starred_at = starred.filter(article=article).values_list("starred_at", flat=True).first()
    return _around(starred, starred_at, article.pk, field="starred_at") if starred_at else Neighbours()


def by_tag(tag: Tag, article: Article, *, oldest_first: bool = False) -> Neighbours:
    """The adjacent articles with a tag, read or not; two queries."""
    return _around(tag.tagged.all(), article.published_at, article.pk, oldest_first=oldest_first)


def _around(
    rows: QuerySet[_Dated], at: datetime, pk: int, *, field: str = "published_at", oldest_first: bool = False
) -> Neighbours:
    place, newest_first = Cursor(False, at, pk), (f"-{field}", "-article_id")
    newer, older = rows.filter(newer_than(place, field)), rows.filter(older_than(place, field))
    before, after = (_first(newer.order_by(field, "article_id")), _first(older.order_by(*newest_first)))
    return Neighbours(after, before) if oldest_first else Neighbours(before, after)


def by_rank(user: User, article: Article, *, by_relevance: bool, now: datetime) -> Neighbours:
    """The next unread article of a ranked list. Those above it were read or passed over."""
    rates = rates_of(user)
    own = Delivery.objects.filter(user=user, article=article, static_importance__isnull=False).first()
    if by_relevance:
        place = place_by_adjusted_relevance(own, now=now, rates=rates.decay) if own else None
        ranked: RankedPage = page_by_adjusted_relevance(user, place, now=now, rates=rates.decay, size=1)
    else:
        place = place_by_importance(own, now=now, rate=rates.recency) if own else None
        ranked = page_by_importance(user, place, now=now, rate=rates.recency, size=1)
    return Neighbours(next=_neighbour(next(iter(ranked.article_ids), None)))


def by_importance(user: User, deliveries: QuerySet[Delivery], article: Article, *, now: datetime) -> Neighbours:
    """The adjacent unread articles among the newest of a folder or a feed, most important first; five queries."""
    own = deliveries.filter(article=article).first()
    if own is None:
        return Neighbours()
    place = place_by_importance(own, now=now, rate=rates_of(user).recency)
    best, _older = most_important(user, deliveries.filter(is_read=NO), as_of=now)
    above = [pk for score, pk in best if (score, pk) > (place.score, article.pk)]
    below = [pk for score, pk in best if (score, pk) < (place.score, article.pk)]
    return Neighbours(_neighbour(above[-1] if above else None), _neighbour(below[0] if below else None))


def _neighbour(pk: int | None) -> Neighbour | None:
    row = Article.objects.filter(pk=pk).values_list("pk", "title", "language").first() if pk else None
    return Neighbour(*row) if row else None


def _first(*parts: QuerySet[_Dated]) -> Neighbour | None:
    """The first article of the first part that has one."""
    columns = ("article_id", "article__title", "article__language")
    row = next((row for part in parts if (row := part.values_list(*columns).first())), None)
    return Neighbour(*row) if row else None
