"""Splits an article from its story for one user, and undoes it.

Administrators split stories for all users (`feeds.stories.splits`).
"""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from feeds.models import Article, Story
from reader.models import Delivery, Separation
from reader.stories.collapse import fold


def separate(user: User, article: Article, *, now: datetime) -> bool:
    """Split the article from its story for `user`; False if it already was, or has none."""
    if article.story_id is None:
        return False
    with transaction.atomic():
        _, is_new = Separation.objects.get_or_create(user=user, article=article, defaults={"made_at": now})
        if is_new:
            fold([article.pk], user=user)
    return is_new


def put_back(user: User, article: Article) -> bool:
    """Put the article back into its story; False if it wasn't split."""
    with transaction.atomic():
        n_deleted, _ = Separation.objects.filter(user=user, article=article).delete()
        if n_deleted:
            fold([article.pk], user=user)
    return bool(n_deleted)


def story_deliveries(user: User, story: Story) -> QuerySet[Delivery]:
    """The user's deliveries of the story, without articles they split off; folded ones included."""
    apart = Separation.objects.filter(user=user).values("article")
    deliveries = Delivery.objects.filter(user=user, article__in=story.articles.values("pk")).exclude(article__in=apart)
    ids = list(deliveries.values_list("article_id", flat=True).distinct())  # a list, or SQLite scans all deliveries
    return Delivery.objects.filter(user=user, article__in=ids)
