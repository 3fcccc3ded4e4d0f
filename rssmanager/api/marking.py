"""What apps change about articles. Apps mark what was opened, one at a time, and what was scrolled past, many at once.

So up to `FEW` articles in one call teach as opening, starring or keeping unread does in the interface, and more than
that teach nothing, like "Mark all as read". Fever's apps mark many articles one by one, so an
article marked read within `PAUSE` of the last one teaches nothing either: no one reads that fast.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from feeds.models import Article
from reader.access import visible_articles
from reader.articles.actions import open_article, set_read, star_article
from reader.articles.read_state import mark_read, star_all
from reader.articles.tags import read_names, tag_articles, tags_named
from reader.lists.mark_all_read import mark_list_read
from reader.lists.queries import newest_delivery_id
from reader.models import (
    ArticleState,
    BulkRead,
    Delivery,
    Engagement,
    EngagementKind,
    EngagementSource,
    Tag,
    TaggedArticle,
)

FEW = 3  # articles in one call
PAUSE = timedelta(seconds=2)
_API = EngagementSource.API
_ANY = Q()


def set_articles_read(user: User, ids: Sequence[int], *, is_read: bool, now: datetime) -> None:
    """Mark those of these articles that the user may see read or unread."""
    articles = _visible(user, ids)
    if len(articles) > FEW or (is_read and _has_just_opened(user, now)):
        mark_read(user, [article.pk for article in articles], is_read=is_read)
        return
    read = set(
        ArticleState.objects.filter(user=user, article__in=articles, is_read=True).values_list("article_id", flat=True)
    )
    for article in articles:
        if not is_read:
            set_read(user, article, is_read=False, now=now, source=_API)
        elif article.pk not in read:
            open_article(user, article, is_read=False, now=now, source=_API)


def set_articles_starred(user: User, ids: Sequence[int], *, is_starred: bool, now: datetime) -> None:
    """Star or unstar those of these articles that the user may see."""
    articles = _visible(user, ids)
    if is_starred and len(articles) > FEW:
        star_all(user, [article.pk for article in articles], now=now)
        return
    starred = set(
        ArticleState.objects.filter(user=user, article__in=articles, is_starred=True).values_list(
            "article_id", flat=True
        )
    )
    for article in articles:
        if is_starred != (article.pk in starred):
            star_article(user, article, is_starred=is_starred, now=now, source=_API)


def tag_all(user: User, ids: Sequence[int], name: str, *, now: datetime) -> None:
    """Tag those of these articles that the user may see. Raises TagRefused."""
    if articles := _visible(user, ids):
        for tag in tags_named(user, read_names(name)):
            tag_articles(tag, [article.pk for article in articles], now=now)


def untag_all(user: User, ids: Sequence[int], name: str) -> None:
    """Remove a tag from these articles."""
    tags = Tag.objects.filter(user=user, key=Tag.key_of(name))
    TaggedArticle.objects.filter(user=user, tag__in=tags, article__in=ids).delete()


def mark_delivered_read(
    user: User, deliveries: QuerySet[Delivery], *, until: int | None, now: datetime, shown: Q = _ANY
) -> BulkRead | None:
    """Mark these deliveries read if they arrived until then; see `mark_list_read`, also for how to undo it."""
    if until is not None:
        deliveries = deliveries.filter(arrival__lte=until)
    return mark_list_read(user, deliveries, up_to=newest_delivery_id(), now=now, shown=shown)


def _has_just_opened(user: User, now: datetime) -> bool:
    opened = Engagement.objects.filter(user=user, kind=EngagementKind.OPENED, source=_API)
    return opened.filter(happened_at__gt=now - PAUSE).exists()


def _visible(user: User, ids: Sequence[int]) -> list[Article]:
    return list(visible_articles(user).filter(pk__in=ids).only("pk", "title", "language"))
