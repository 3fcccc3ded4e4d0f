"""What a row shows of its story: which other feeds of the user cover it, and whether it was read there."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet

from feeds.models import Article
from feeds.storage.compiled import compiled
from reader.models import Delivery, Separation, Subscription
from reader.models.subscription import NAME_COLUMNS

NAMED = 4  # sources; the story page names all


@dataclass(frozen=True, slots=True)
class RowStory:
    """The rest of a story in the user's own feeds.

    `n_more` other articles from `n_sources` other sources; `sources` names the earliest of these. `read_elsewhere`: the
    user read another article of the story.
    """

    story_id: int
    n_more: int
    n_sources: int
    sources: tuple[str, ...]
    read_elsewhere: bool

    @property
    def n_unnamed(self) -> int:
        return self.n_sources - len(self.sources)


class _Member(NamedTuple):
    """An article of a story, delivered by one of the user's subscriptions."""

    story_id: int
    article_id: int
    version_of: int | None  # the feed whose version of the article is stored
    feed_id: int
    publisher_id: int | None
    subscription_id: int
    is_read: bool
    is_separate: bool

    @property
    def source(self) -> tuple[bool, int]:
        """Equal for the feeds of one publisher."""
        return (True, self.publisher_id) if self.publisher_id is not None else (False, self.feed_id)


class _Rest(NamedTuple):
    """A `RowStory` before its names are loaded; `subscriptions`: one of each source, by their earliest article."""

    story_id: int
    n_more: int
    subscriptions: tuple[int, ...]
    is_read: bool

    def named(self, names: Mapping[int, Subscription]) -> RowStory:
        return RowStory(
            story_id=self.story_id,
            n_more=self.n_more,
            n_sources=len(self.subscriptions),
            sources=tuple(names[pk].source_name for pk in self.subscriptions[:NAMED] if pk in names),
            read_elsewhere=self.is_read,
        )


def stories_of(user: User, articles: Mapping[int, Article]) -> dict[int, RowStory]:
    """The rest of the story of each article that has one; two queries, or none without stories.

    Articles that the user split from a story don't count. Rows are tuples, and names are loaded only for the sources
    shown: a page of stories can have thousands of deliveries.
    """
    stories = {article.story_id for article in articles.values() if article.story_id is not None}
    if not stories:
        return {}
    members: dict[int, dict[int, _Member]] = defaultdict(dict)
    separate: set[int] = set()
    for member in map(_Member._make, _members(user.pk, stories)):
        if member.is_separate:
            separate.add(member.article_id)
        elif member.article_id not in members[member.story_id] or member.feed_id == member.version_of:
            members[member.story_id][member.article_id] = member
    rests = {
        pk: _rest_of(article.story_id, pk, members[article.story_id])
        for pk, article in articles.items()
        if article.story_id is not None and pk not in separate
    }
    named = {pk for rest in rests.values() for pk in rest.subscriptions[:NAMED]}
    names = {subscription.pk: subscription for subscription in _with_names(named)}
    return {pk: rest.named(names) for pk, rest in rests.items() if rest.n_more}


@compiled
def _with_names(subscriptions: Collection[int]) -> QuerySet[Subscription]:
    chosen = Subscription.objects.filter(pk__in=subscriptions)
    return chosen.select_related("feed__publisher").only("title", *NAME_COLUMNS)


@compiled
def _members(user: int, stories: Collection[int]) -> QuerySet[Delivery, tuple[Any, ...]]:
    """Every delivery of an article of these stories to this user, earliest article first."""
    separated = Separation.objects.filter(user=user, article=OuterRef("article"))
    articles = Article.objects.filter(story__in=stories)  # as a subquery, or SQLite scans all deliveries of the user
    deliveries = Delivery.objects.filter(user=user, article__in=articles.values("pk")).order_by(
        "published_at", "article", "pk"
    )
    return deliveries.values_list(
        "article__story",
        "article",
        "article__feed",
        "subscription__feed",
        "subscription__feed__publisher",
        "subscription",
        "is_read",
        Exists(separated),
    )


def _rest_of(story_id: int, article_id: int, members: Mapping[int, _Member]) -> _Rest:
    """The story without one of its articles, which may not be delivered any more: a starred one stays."""
    own = members[article_id].source if article_id in members else None
    others = [member for pk, member in members.items() if pk != article_id]
    of_source: dict[tuple[bool, int], int] = {}
    for other in others:
        if other.source != own:
            of_source.setdefault(other.source, other.subscription_id)
    return _Rest(
        story_id=story_id,
        n_more=len(others),
        subscriptions=tuple(
            of_source[source] for source in dict.fromkeys(other.source for other in others if other.source != own)
        ),
        is_read=any(other.is_read for other in others),
    )
