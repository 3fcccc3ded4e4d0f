"""What comes before and after an article in the list a person came from. Each costs a fixed number of queries."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from feeds.models import Article
from reader.models import ArticleState, Delivery
from reader.queries import NO
from reader.ranking import Ranked, by_importance, by_time_adjusted_relevance
from reader.rates import rates_of


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An article to go on to."""

    pk: int
    title: str
    language: str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The unread article before this one in its list, and the one after; None at an end, and outside of lists."""

    previous: Neighbour | None = None
    next: Neighbour | None = None


def by_date(deliveries: QuerySet[Delivery], article: Article) -> Neighbours:
    """The unread ones next to the article in a list that is newest first; two queries."""
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
    """The starred ones next to the article, last starred first, read or not; three queries at most."""
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
    """The unread article that stands first in a ranked list now, but for this one. What was read has left the list."""
    rates = rates_of(user)
    if by_relevance:
        ranked: Ranked = by_time_adjusted_relevance(user, None, now=now, rates=rates.decay, size=2)
    else:
        ranked = by_importance(user, None, now=now, rate=rates.recency, size=2)
    first = next((pk for pk in ranked.article_ids if pk != article.pk), None)
    found = Article.objects.filter(pk=first).values_list("pk", "title", "language").first() if first else None
    return Neighbours(next=Neighbour(*found) if found else None)


def _first(rows: "QuerySet[Delivery] | QuerySet[ArticleState]") -> Neighbour | None:
    found = rows.values_list("article_id", "article__title", "article__language").first()
    return Neighbour(*found) if found else None
