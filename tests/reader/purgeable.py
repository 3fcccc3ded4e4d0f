"""Purgeable articles and unread counts, for tests of purging."""

from datetime import timedelta

from django.contrib.auth.models import User

from feeds.models import Article, Item
from reader.articles.read_state import star
from reader.models import Quiet, Subscription
from tests import make
from tests.make import NOW

LONG_AGO = NOW - timedelta(days=40)


def old_article(subscription: Subscription, *, is_read: bool = False) -> Article:
    """An article delivered too long ago to be kept."""
    article = make.article()
    make.delivery(subscription, article, is_read=is_read)
    Item.objects.filter(article=article).update(first_seen_at=LONG_AGO)
    return article


def unread_counts() -> dict[int, tuple[int, int]]:
    """The stored and the actual unread count of each subscription."""
    return {
        subscription.pk: (
            subscription.unread_count,
            subscription.deliveries.filter(is_read=False, quiet=Quiet.NOT).count(),
        )
        for subscription in Subscription.everything.all()
    }


def starred(user: User, article: Article) -> None:
    star(user, article.pk, is_starred=True, now=LONG_AGO)
