"""How an article came to a person: what deduplication decided when one of their feeds delivered it."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from feeds.models import Article, Disposition, Item
from reader.models import Subscription
from reader.queries import own_names
from reader.reasons import Reason, Rival, reason


@dataclass(frozen=True, slots=True)
class Evidence:
    """The decision on one delivery; `reason` where it was held against another article."""

    feed: str
    item: Item
    reason: Reason | None = None

    @property
    def sentence(self) -> str:
        """The disposition in words, with the layer and its evidence where one decided."""
        layer, evidence = self.item.layer, self.item.evidence
        if layer and evidence:
            sentence = _("%(decision)s (layer %(layer)s, %(evidence)s)")
        elif layer:
            sentence = _("%(decision)s (layer %(layer)s)")
        elif evidence:
            sentence = _("%(decision)s (%(evidence)s)")
        else:
            sentence = _("%(decision)s (nothing before it was the same)")
        label = Disposition(self.item.disposition).label
        return sentence % {"decision": label, "layer": layer, "evidence": evidence}


def evidence_of(user: User, article: Article) -> list[Evidence]:
    """The decision on each delivery by a feed that the user follows, earliest first; four queries at most."""
    mine = Subscription.objects.filter(user=user, feed__items__article=article).select_related("feed").distinct()
    names = {each.feed_id: each.shown_title for each in mine}
    items = list(article.items.filter(feed__in=list(names)).order_by("first_seen_at", "pk"))
    rivals = _rivals(user, {each.rival_id for each in items if each.rival_id is not None})
    return [Evidence(names[each.feed_id], each, _reason(each, article, rivals)) for each in items]


def _rivals(user: User, ids: Collection[int]) -> dict[int, tuple[Article, str]]:
    """The articles as far as they are still there, each with what the user calls the feed that brought it, "" for
    none."""
    if not ids:
        return {}
    names = own_names(user, list(ids))
    found = Article.objects.filter(pk__in=ids).select_related("source")
    columns = found.only("title", "language", "published_at", "source__name", "source__domain")
    return {each.pk: (each, next(iter(names.get(each.pk, {}).values()), "")) for each in columns}


def _reason(item: Item, article: Article, rivals: dict[int, tuple[Article, str]]) -> Reason | None:
    if item.rival_id is None:
        return None
    rival, is_later = Rival(), True
    if item.rival_id in rivals:
        other, feed = rivals[item.rival_id]
        rival = Rival(feed, other.pk, other.title, other.language) if feed else Rival(str(other.source or ""))
        is_later = other.published_at <= article.published_at
    return reason(item.disposition, rival, layer=item.layer, evidence=item.evidence, is_later=is_later)
