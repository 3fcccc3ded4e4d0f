"""What a row in a list says about its story: who else among the user's own feeds tells it, and whether it was read."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from feeds.models import Article
from reader.models import Delivery, Separation, Subscription

NAMED = 4  # sources named in a row; the story's page names all


@dataclass(frozen=True, slots=True)
class RowStory:
    """The rest of a story, as far as the user's own feeds brought it.

    `n_more` other articles, from `n_sources` feeds other than the row's; `sources` names the first of these, earliest
    first, as the user calls them. `read_elsewhere`: the user read another article of the story.
    """

    story_id: int
    n_more: int
    n_sources: int
    sources: tuple[str, ...]
    read_elsewhere: bool

    @property
    def n_unnamed(self) -> int:
        return self.n_sources - len(self.sources)


class _Brought(NamedTuple):
    """An article of a story, brought by one of the user's subscriptions."""

    story_id: int
    article_id: int
    version_of: int | None  # the feed whose version of the article is kept
    feed_id: int
    subscription_id: int
    is_read: bool
    is_separate: bool


class _Rest(NamedTuple):
    """What becomes a `RowStory` once the names are known; `subscriptions` in the order of what they brought."""

    story_id: int
    n_more: int
    subscriptions: tuple[int, ...]
    is_read: bool

    def named(self, names: Mapping[int, Subscription]) -> RowStory:
        return RowStory(
            story_id=self.story_id,
            n_more=self.n_more,
            n_sources=len(self.subscriptions),
            sources=tuple(names[pk].shown_title for pk in self.subscriptions[:NAMED] if pk in names),
            read_elsewhere=self.is_read,
        )


def stories_of(user: User, articles: Mapping[int, Article]) -> dict[int, RowStory]:
    """The rest of the story of each article that has one; two queries, none where no article is in a story.

    What the user separated from its story is no part of it. Figures come as tuples and names only for those shown: a
    page of fifty stories may stand for thousands of deliveries.
    """
    stories = {article.story_id for article in articles.values()} - {None}
    if not stories:
        return {}
    brought: dict[int, dict[int, _Brought]] = defaultdict(dict)
    separate: set[int] = set()
    for each in _brought(user, stories):
        if each.is_separate:
            separate.add(each.article_id)
        elif each.article_id not in brought[each.story_id] or each.feed_id == each.version_of:
            brought[each.story_id][each.article_id] = each
    rests = {
        pk: _rest_of(article.story_id, pk, brought[article.story_id])
        for pk, article in articles.items()
        if article.story_id is not None and pk not in separate
    }
    named = {pk for rest in rests.values() for pk in rest.subscriptions[:NAMED]}
    names = Subscription.objects.select_related("feed").only("title", "feed__title", "feed__url").in_bulk(named)
    return {pk: rest.named(names) for pk, rest in rests.items() if rest.n_more}


def _brought(user: User, stories: Collection[int | None]) -> list[_Brought]:
    """Every delivery of an article of these stories to this user, earliest article first."""
    separated = Separation.objects.filter(user=user, article=OuterRef("article"))
    articles = Article.objects.filter(story__in=stories)  # first, or SQLite looks through all that the user ever got
    deliveries = Delivery.objects.filter(user=user, article__in=articles.values("pk")).order_by(
        "published_at", "article", "pk"
    )
    values = deliveries.values_list(
        "article__story", "article", "article__feed", "subscription__feed", "subscription", "is_read", Exists(separated)
    )
    return [_Brought(*each) for each in values]


def _rest_of(story_id: int, article_id: int, brought: Mapping[int, _Brought]) -> _Rest:
    """The story as it stands beside one of its articles, which need not have been brought: a starred one stays."""
    own = brought[article_id].subscription_id if article_id in brought else None
    others = [each for pk, each in brought.items() if pk != article_id]
    return _Rest(
        story_id=story_id,
        n_more=len(others),
        subscriptions=tuple(dict.fromkeys(each.subscription_id for each in others if each.subscription_id != own)),
        is_read=any(each.is_read for each in others),
    )
