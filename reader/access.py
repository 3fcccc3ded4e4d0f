"""Every "may this user see this row". Views get rows from here and nowhere else; what is not theirs is a 404."""

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.shortcuts import get_object_or_404

from feeds.models import Article, Item, Story
from reader.models import ArticleState, Delivery, Engagement, Folder, Import, Notification, Subscription


def is_seen_by(user: User) -> Q:
    """To filter or annotate articles with: any item belongs to a feed that `user` follows, or the user starred it."""
    followed = Item.objects.filter(article=OuterRef("pk"), feed__subscriptions__user=user)
    starred = ArticleState.objects.filter(article=OuterRef("pk"), user=user, is_starred=True)
    return Q(Exists(followed)) | Q(Exists(starred))


def visible_articles(user: User) -> QuerySet[Article]:
    """The articles that `user` may see."""
    return Article.objects.filter(is_seen_by(user))


def article_of(user: User, pk: int) -> Article:
    """The article if `user` may see it. Raises Http404."""
    return get_object_or_404(visible_articles(user).select_related("source", "feed"), pk=pk)


def story_of(user: User, pk: int) -> Story:
    """The story if the user's own feeds brought any article of it. Raises Http404."""
    brought = Delivery.objects.filter(user=user, article__in=Article.objects.filter(story=pk).values("pk"))
    return get_object_or_404(Story.objects.filter(Exists(brought)), pk=pk)


def subscription_of(user: User, pk: int) -> Subscription:
    """The user's own subscription. Raises Http404."""
    return get_object_or_404(Subscription.objects.select_related("feed__source", "folder"), pk=pk, user=user)


def folder_of(user: User, pk: int) -> Folder:
    """The user's own folder. Raises Http404."""
    return get_object_or_404(Folder, pk=pk, user=user)


def import_of(user: User, pk: int) -> Import:
    """The user's own import. Raises Http404."""
    return get_object_or_404(Import.objects.defer("data"), pk=pk, user=user)


def notification_of(user: User, pk: int) -> Notification:
    """The user's own notification. Raises Http404."""
    return get_object_or_404(Notification, pk=pk, user=user)


def engagement_of(user: User, pk: int) -> Engagement:
    """What the user did themselves. Raises Http404."""
    return get_object_or_404(Engagement, pk=pk, user=user)
