"""What a person does with an article out of a mail: as in the reader, and written down as coming from there."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from digests.links import ArticleAct, MailAct
from feeds.models import Article
from reader.access import visible_articles
from reader.acting import Done
from reader.engaging import engage, undo
from reader.marking import mark_read
from reader.models import ArticleState, Engagement, EngagementKind, EngagementSource

KINDS = {
    MailAct.READ: EngagementKind.OPENED,
    MailAct.SKIP: EngagementKind.SKIPPED,
    MailAct.LIKE: EngagementKind.LIKED,
}
MARK_READ = frozenset((MailAct.READ, MailAct.SKIP))


def person(user_id: int) -> User | None:
    """Whom a link is for; None once the account is gone or switched off."""
    return User.objects.filter(pk=user_id, is_active=True).first()


def article_for(user: User, asked: ArticleAct) -> Article | None:
    """The article that a link is about, if the person may still see it."""
    return visible_articles(user).filter(pk=asked.article_id).first()


def do(user: User, article: Article, act: MailAct, *, now: datetime) -> Done:
    """Read, skip or like it; done again, nothing more happens."""
    with transaction.atomic():
        was_unread = not ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
        if act in MARK_READ:
            mark_read(user, [article.pk])
        made = engage(user, article, KINDS[act], now=now, source=EngagementSource.EMAIL)
    return Done(made.pk, was_unread and act in MARK_READ)


def take_back(
    user: User, article: Article, act: MailAct, engagement_id: int, *, make_unread: bool, now: datetime
) -> bool:
    """Undo that the person did this act with this article, as `engagement_id` has it. False if there is none."""
    done = Engagement.objects.filter(pk=engagement_id, user=user, article=article, kind=KINDS[act])
    with transaction.atomic():
        if not done.exists() or not undo(user, engagement_id, now=now):
            return False
        if make_unread and act in MARK_READ:
            mark_read(user, [article.pk], is_read=False)
    return True
