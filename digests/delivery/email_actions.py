"""Actions on an article from an email: the same as in the reader, recorded with their source."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from digests.delivery.links import ArticleAction, EmailAction
from feeds.models import Article
from reader.access import visible_articles
from reader.articles.actions import Done
from reader.articles.read_state import mark_read
from reader.interests.engagement import record_action, undo
from reader.models import ArticleState, Engagement, EngagementKind, EngagementSource

KINDS = {
    EmailAction.READ: EngagementKind.OPENED,
    EmailAction.SKIP: EngagementKind.SKIPPED,
    EmailAction.LIKE: EngagementKind.LIKED,
}
MARK_READ = frozenset((EmailAction.READ, EmailAction.SKIP))


def active_user(user_id: int) -> User | None:
    """The user a link is for; None if the account was deleted or deactivated."""
    return User.objects.filter(pk=user_id, is_active=True).first()


def article_for(user: User, action: ArticleAction) -> Article | None:
    """The article a link is about, if the user can still see it."""
    return visible_articles(user).filter(pk=action.article_id).first()


def perform(user: User, article: Article, act: EmailAction, *, now: datetime) -> Done:
    """Mark an article as read, skipped or liked. Safe to repeat."""
    with transaction.atomic():
        was_unread = not ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
        if act in MARK_READ:
            mark_read(user, [article.pk])
        engagement = record_action(user, article, KINDS[act], now=now, source=EngagementSource.EMAIL)
    return Done(engagement.pk, was_unread and act in MARK_READ)


def undo_action(
    user: User, article: Article, act: EmailAction, engagement_id: int, *, make_unread: bool, now: datetime
) -> bool:
    """Undo an action recorded as `engagement_id`. False if it doesn't exist."""
    done = Engagement.objects.filter(pk=engagement_id, user=user, article=article, kind=KINDS[act])
    with transaction.atomic():
        if not done.exists() or not undo(user, engagement_id, now=now):
            return False
        if make_unread and act in MARK_READ:
            mark_read(user, [article.pk], is_read=False)
    return True
