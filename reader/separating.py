"""A person's own word on a story: this article is not part of it, or is after all; and what is left of it.

Nobody else's stories change: a split for everybody is an administrator's (`feeds.splitting`).
"""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from feeds.models import Article, Story
from reader.folding import fold
from reader.models import Delivery, Separation


def separate(user: User, article: Article, *, now: datetime) -> bool:
    """Let the article stand alone for `user`, whatever ties it; False, and nothing changes, if it does already."""
    if article.story_id is None:
        return False
    with transaction.atomic():
        _, is_new = Separation.objects.get_or_create(user=user, article=article, defaults={"made_at": now})
        if is_new:
            fold([article.pk], user=user)
    return is_new


def put_back(user: User, article: Article) -> bool:
    """Let the article stand in its story again; False if it was never taken out."""
    with transaction.atomic():
        n_deleted, _ = Separation.objects.filter(user=user, article=article).delete()
        if n_deleted:
            fold([article.pk], user=user)
    return bool(n_deleted)


def unseparated(user: User, story: Story) -> QuerySet[Delivery]:
    """What the user's feeds brought of the story, but for what they took out of it; to mark it read with.

    What is folded stays so: the list of what was read shows the story once.
    """
    apart = Separation.objects.filter(user=user).values("article")
    brought = Delivery.objects.filter(user=user, article__in=story.articles.values("pk")).exclude(article__in=apart)
    ids = list(brought.values_list("article_id", flat=True).distinct())  # or SQLite looks through all the user ever got
    return Delivery.objects.filter(user=user, article__in=ids)
