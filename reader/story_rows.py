"""What a row in a list says about its story: who else among the user's own feeds tells it, and whether it was read."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from feeds.models import Article
from reader.models import Delivery, Separation

_URL = "subscription__feed__url"  # the name of a feed without a title
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


@dataclass(frozen=True, slots=True)
class _Brought:
    """One article of a story, with the user's feed that stands for it."""

    article_id: int
    feed_id: int
    source: str
    is_read: bool


def stories_of(user: User, articles: Mapping[int, Article]) -> dict[int, RowStory]:
    """The rest of the story of each article that has one; two queries, none where no article is in a story.

    What the user separated from its story is no part of it.
    """
    stories = {article.story_id for article in articles.values()} - {None}
    if not stories:
        return {}
    apart = set(Separation.objects.filter(user=user, article__story__in=stories).values_list("article_id", flat=True))
    brought = _brought(user, stories, apart)
    found = {}
    for pk, article in articles.items():
        if article.story_id is not None and pk not in apart:
            rest = _rest(article.story_id, pk, brought[article.story_id])
            if rest.n_more:
                found[pk] = rest
    return found


def _brought(user: User, stories: Collection[int | None], apart: Collection[int]) -> dict[int, list[_Brought]]:
    """The articles of each story that the user's feeds brought, earliest first."""
    deliveries = (
        Delivery.objects.filter(user=user, article__story__in=stories)
        .exclude(article__in=apart)
        .select_related("article", "subscription__feed")
        .only("is_read", "article__story", "article__feed", "subscription__title", "subscription__feed__title", _URL)
        .order_by("published_at", "article", "pk")
    )
    carriers: dict[int, dict[int, Delivery]] = defaultdict(dict)
    for delivery in deliveries:
        carriers[delivery.article_id][delivery.subscription.feed_id] = delivery
    brought: dict[int, list[_Brought]] = defaultdict(list)
    for pk, by_feed in carriers.items():
        article = next(iter(by_feed.values())).article
        feed_id = article.feed_id if article.feed_id in by_feed else next(iter(by_feed))
        chosen = by_feed[feed_id]
        if article.story_id is not None:
            brought[article.story_id].append(_Brought(pk, feed_id, chosen.subscription.shown_title, chosen.is_read))
    return brought


def _rest(story_id: int, article_id: int, brought: Sequence[_Brought]) -> RowStory:
    """The story as it stands beside one of its articles."""
    own_feed = {each.feed_id for each in brought if each.article_id == article_id}
    others = [each for each in brought if each.article_id != article_id]
    names = {each.feed_id: each.source for each in others if each.feed_id not in own_feed}
    return RowStory(
        story_id=story_id,
        n_more=len(others),
        n_sources=len(names),
        sources=tuple(names.values())[:NAMED],
        read_elsewhere=any(each.is_read for each in others),
    )
