"""What deduplication decided each time one of a user's feeds delivered an article."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from feeds.models import Article, Disposition, FeedStatus, Item
from feeds.storage.compiled import compiled
from feeds.stored_text import evidence_text, layer_name
from reader.lists.queries import feed_names
from reader.models import Subscription
from reader.stories.link_reasons import OtherArticle, Reason, reason


@dataclass(frozen=True, slots=True)
class Evidence:
    """The decision on one delivery; `reason` if it was compared with another article."""

    feed: str
    item: Item
    reason: Reason | None = None

    @property
    def sentence(self) -> str:
        """The disposition in words, with the layer that decided and its evidence."""
        layer, evidence = layer_name(self.item.layer), evidence_text(self.item.evidence)
        if layer and evidence:
            sentence = _("%(decision)s (layer %(layer)s, %(evidence)s)")
        elif layer:
            sentence = _("%(decision)s (layer %(layer)s)")
        elif evidence:
            sentence = _("%(decision)s (%(evidence)s)")
        else:
            sentence = _("%(decision)s (no earlier match)")
        label = Disposition(self.item.disposition).label
        return sentence % {"decision": label, "layer": layer, "evidence": evidence}


def decisions_of(user: User, article: Article) -> list[Evidence]:
    """The decision on each delivery by a feed that the user follows, earliest first; four queries at most."""
    names = {subscription.feed_id: subscription.shown_title for subscription in _subscriptions(user.pk, article.pk)}
    items = _items(article.pk, list(names))
    rivals = _rivals(user, {item.rival_id for item in items if item.rival_id is not None})
    return [Evidence(names[item.feed_id], item, _reason(item, article, rivals)) for item in items]


@compiled
def _subscriptions(user: int, article: int) -> QuerySet[Subscription]:
    mine = Subscription.objects.filter(user=user, feed__items__article=article)
    decided = mine.exclude(feed__status=FeedStatus.SAVED).distinct()
    return decided.select_related("feed").only("title", "feed__title", "feed__url")


@compiled
def _items(article: int, feeds: Collection[int]) -> QuerySet[Item]:
    return Item.objects.filter(article=article, feed__in=feeds).order_by("first_seen_at", "pk")


def _rivals(user: User, ids: Collection[int]) -> dict[int, tuple[Article, str]]:
    """The articles that still exist, each with the user's name for its feed, "" if they don't follow it."""
    if not ids:
        return {}
    names = feed_names(user, list(ids))
    articles = Article.objects.filter(pk__in=ids).select_related("source")
    articles = articles.only("title", "language", "published_at", "source__name", "source__domain")
    return {article.pk: (article, next(iter(names.get(article.pk, {}).values()), "")) for article in articles}


def _reason(item: Item, article: Article, rivals: dict[int, tuple[Article, str]]) -> Reason | None:
    if item.rival_id is None:
        return None
    rival, is_later = OtherArticle(), True
    if item.rival_id in rivals:
        other, feed = rivals[item.rival_id]
        rival = (
            OtherArticle(feed, other.pk, other.title, other.language) if feed else OtherArticle(str(other.source or ""))
        )
        is_later = other.published_at <= article.published_at
    return reason(item.disposition, rival, layer=item.layer, evidence=item.evidence, is_later=is_later)
