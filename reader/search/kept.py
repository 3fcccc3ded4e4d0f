"""Searching what the person starred or tagged, of feeds that they follow no more: articles that no delivery stands for.

Nobody else's are among them. What stood in a folder stands in none now, and has no importance that is kept up.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from feeds.models import Article
from reader.models import ArticleState, Delivery, TaggedArticle
from reader.search.conditions import Ground, beginning, done
from reader.search.filters import After, Before, InFolder, InLanguage, InState, OfFeed, Scored

_NOTHING = Q(pk__in=())


def kept(user: User, now: datetime, *, since: int = 0) -> Ground:
    """The articles of `kept_articles`."""
    return Ground(user, now, "pk", _FILTERS, since)


def kept_articles(user: User) -> QuerySet[Article]:
    """What `user` starred or tagged and no feed of theirs brings."""
    brought = Exists(Delivery.objects.filter(user=user, article=OuterRef("article")))
    starred = ArticleState.objects.filter(~brought, user=user, is_starred=True).order_by().values("article")
    tagged = TaggedArticle.objects.filter(~brought, user=user).order_by().values("article")
    return Article.objects.filter(pk__in=starred.union(tagged))


def _of_feed(ground: Ground, asked: OfFeed) -> Q:
    return Q(feed__title__icontains=asked.name) | Q(source__domain__icontains=asked.name)


def _in_folder(ground: Ground, asked: InFolder) -> Q:
    return _NOTHING


def _in_state(ground: Ground, asked: InState) -> Q:
    states = ArticleState.objects.filter(user=ground.user)
    match asked.state:
        case "read":
            return ground.among(states.filter(is_read=True).values("article"))
        case "unread":
            return ~ground.among(states.filter(is_read=True).values("article"))
        case "starred":
            return ground.among(states.filter(is_starred=True).values("article"))
        case "updated":
            return Q(revised_at__isnull=False)
    return done(ground, asked.state)


def _in_language(ground: Ground, asked: InLanguage) -> Q:
    return Q(language=asked.code)


def _before(ground: Ground, asked: Before) -> Q:
    return Q(published_at__lt=beginning(asked.day))


def _after(ground: Ground, asked: After) -> Q:
    return Q(published_at__gte=beginning(asked.day))


def _scored(ground: Ground, asked: Scored) -> Q:
    return _NOTHING


_FILTERS: Mapping[type, Callable[[Ground, Any], Q]] = {
    OfFeed: _of_feed,
    InFolder: _in_folder,
    InState: _in_state,
    InLanguage: _in_language,
    Before: _before,
    After: _after,
    Scored: _scored,
}
