"""All access checks. Views load rows only from here; a row the user may not see is a 404."""

from functools import reduce
from operator import or_

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from feeds.models import Article, Icon, Item, Story
from feeds.storage.compiled import compiled
from reader.models import (
    ArticleState,
    BulkRead,
    Delivery,
    Duplicate,
    Engagement,
    Folder,
    Highlight,
    Import,
    Muted,
    Notification,
    Rule,
    SavedSearch,
    SendTarget,
    Subscription,
    Tag,
    TaggedArticle,
)


def is_seen_by(user: User) -> Q:
    """A filter for articles: a feed that `user` follows has it, or it was delivered, muted, starred, tagged or has
    highlights."""
    followed = Item.objects.filter(
        article=OuterRef("pk"), feed__subscriptions__user=user, feed__subscriptions__unfollowed_at=None
    )
    starred = ArticleState.objects.filter(article=OuterRef("pk"), user=user, is_starred=True)
    tagged = TaggedArticle.objects.filter(article=OuterRef("pk"), user=user)
    delivered = Delivery.objects.filter(article=OuterRef("pk"), user=user)
    muted = Muted.objects.filter(article=OuterRef("pk"), user=user)
    highlighted = Highlight.objects.filter(article=OuterRef("pk"), user=user)
    reasons = (followed, starred, tagged, delivered, muted, highlighted)
    return reduce(or_, (Q(Exists(rows)) for rows in reasons))


def visible_articles(user: User) -> QuerySet[Article]:
    """The articles that `user` may see."""
    return Article.objects.filter(is_seen_by(user))


def article_of(user: User, pk: int) -> Article:
    """The article if `user` may see it. Raises Http404."""
    for found in _delivered(user.pk, pk):
        return found
    articles = Article.objects.filter(pk=pk).select_related("source", "feed")
    return get_object_or_404(articles.filter(is_seen_by(user)))  # all reasons take longer


@compiled
def _delivered(user: int, pk: int) -> QuerySet[Article]:
    delivered = Delivery.objects.filter(user=user, article=pk).values("article")
    return Article.objects.filter(pk=pk, pk__in=delivered).select_related("source", "feed")


def story_of(user: User, pk: int) -> Story:
    """The story if the user's own feeds delivered any article of it. Raises Http404."""
    delivered = Delivery.objects.filter(user=user, article__in=Article.objects.filter(story=pk).values("pk"))
    return get_object_or_404(Story.objects.filter(Exists(delivered)), pk=pk)


def subscription_of(user: User, pk: int) -> Subscription:
    """The user's own subscription. Raises Http404."""
    for found in _subscription(user.pk, pk):
        return found
    raise Http404


@compiled
def _subscription(user: int, pk: int) -> QuerySet[Subscription]:
    own = Subscription.objects.filter(user=user, pk=pk)
    return own.select_related("feed__source", "feed__publisher", "folder")


def folder_of(user: User, pk: int) -> Folder:
    """The user's own folder. Raises Http404."""
    for found in _folder(user.pk, pk):
        return found
    raise Http404


@compiled
def _folder(user: int, pk: int) -> QuerySet[Folder]:
    return Folder.objects.filter(user=user, pk=pk)


def tag_of(user: User, pk: int) -> Tag:
    """The user's own tag. Raises Http404."""
    return get_object_or_404(Tag, pk=pk, user=user)


def rule_of(user: User, pk: int) -> Rule:
    """The user's own rule. Raises Http404."""
    return get_object_or_404(Rule.objects.select_related("tag"), pk=pk, user=user)


def highlight_of(user: User, pk: int) -> Highlight:
    """The user's own highlight. Raises Http404."""
    return get_object_or_404(Highlight, pk=pk, user=user)


def send_target_of(user: User, service: str) -> SendTarget:
    """The user's own settings for a service. Raises Http404."""
    return get_object_or_404(SendTarget, user=user, service=service)


def import_of(user: User, pk: int) -> Import:
    """The user's own import. Raises Http404."""
    return get_object_or_404(Import.objects.defer("data"), pk=pk, user=user)


def notification_of(user: User, pk: int) -> Notification:
    """The user's own notification. Raises Http404."""
    return get_object_or_404(Notification, pk=pk, user=user)


def bulk_read_of(user: User, pk: int) -> BulkRead:
    """A bulk "mark as read" of the user. Raises Http404."""
    return get_object_or_404(BulkRead, pk=pk, user=user)


def engagement_of(user: User, pk: int) -> Engagement:
    """The user's own engagement. Raises Http404."""
    return get_object_or_404(Engagement, pk=pk, user=user)


def saved_search_of(user: User, pk: int) -> SavedSearch:
    """The user's own saved search. Raises Http404."""
    return get_object_or_404(SavedSearch, pk=pk, user=user)


def unfollowed_of(user: User, pk: int) -> Subscription:
    """The user's own subscription, even if unfollowed. Raises Http404."""
    return get_object_or_404(Subscription.everything, pk=pk, user=user)


def icon_of(user: User, digest: str) -> Icon:
    """The icon with this digest if a feed that the user follows has it. Raises Http404."""
    followed = Subscription.objects.filter(user=user, feed__icon=OuterRef("pk"))
    icon = Icon.objects.filter(Exists(followed), digest=digest).only("mime_type", "content").first()
    if not digest or icon is None:
        raise Http404
    return icon


def duplicate_of(user: User, pk: int) -> Duplicate:
    """Two feeds the user follows that seem to be duplicates. Raises Http404."""
    related = Duplicate.objects.select_related(
        "one__feed__source", "one__folder", "other__feed__source", "other__folder"
    )
    return get_object_or_404(related, pk=pk, user=user, one__unfollowed_at=None, other__unfollowed_at=None)
