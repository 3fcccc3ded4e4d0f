"""The articles before and after an article in a list, in a fixed number of queries."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from feeds.models import Article
from reader.lists.queries import NO
from reader.models import ArticleState, Delivery
from reader.scoring.ranked_order import RankedPage, page_by_adjusted_relevance, page_by_importance
from reader.scoring.rating import rates_of


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An article to go to."""

    pk: int
    title: str
    language: str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The unread articles before and after one in its list; None at the ends, and outside lists."""

    previous: Neighbour | None = None
    next: Neighbour | None = None


def by_date(deliveries: QuerySet[Delivery], article: Article) -> Neighbours:
    """The adjacent unread articles in a list sorted newest first; two queries."""
    unread = deliveries.filter(is_read=NO)
    newer = unread.filter(published_at__gte=article.published_at).filter(
        Q(published_at__gt=article.published_at) | Q(article_id__gt=article.pk)
    )
    older = unread.filter(published_at__lte=article.published_at).filter(
        Q(published_at__lt=article.published_at) | Q(article_id__lt=article.pk)
    )
    return Neighbours(
        _first(newer.order_by("published_at", "article_id")), _first(older.order_by("-published_at", "-article_id"))
    )


def by_star(user: User, article: Article) -> Neighbours:
    """The adjacent starred articles, last starred first, read or not; three queries at most."""
    starred = ArticleState.objects.filter(user=user, is_starred=True)
    starred_at = starred.filter(article=article).values_list("starred_at", flat=True).first()
    if starred_at is None:
        return Neighbours()
    later = starred.filter(Q(starred_at__gt=starred_at) | Q(starred_at=starred_at, article_id__gt=article.pk))
    earlier = starred.filter(Q(starred_at__lt=starred_at) | Q(starred_at=starred_at, article_id__lt=article.pk))
    return Neighbours(
        _first(later.order_by("starred_at", "article_id")), _first(earlier.order_by("-starred_at", "-article_id"))
    )


def by_rank(user: User, article: Article, *, by_relevance: bool, now: datetime) -> Neighbours:
    """The first other unread article of a ranked list. Read articles are no longer in it."""
    rates = rates_of(user)
    if by_relevance:
        ranked: RankedPage = page_by_adjusted_relevance(user, None, now=now, rates=rates.decay, size=2)
    else:
        ranked = page_by_importance(user, None, now=now, rate=rates.recency, size=2)
    first = next((pk for pk in ranked.article_ids if pk != article.pk), None)
    row = Article.objects.filter(pk=first).values_list("pk", "title", "language").first() if first else None
    return Neighbours(next=Neighbour(*row) if row else None)


def _first(rows: "QuerySet[Delivery] | QuerySet[ArticleState]") -> Neighbour | None:
    row = rows.values_list("article_id", "article__title", "article__language").first()
    return Neighbour(*row) if row else None
