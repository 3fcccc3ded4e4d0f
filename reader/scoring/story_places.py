"""One place for all of a story in ranked lists (`reader.scoring.importance.place_of`): whichever of its articles a list
shows is ranked by the story's best, newest and fullest.

Written whenever one of its articles is rated, for all deliveries of the story to the user, in the rating's transaction
and under its locks.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from feeds.models import Article
from reader.models import Delivery, Separation
from reader.scoring.importance import NEUTRAL_RELEVANCE, Parts, corroboration
from reader.scoring.ranked_order import slot_of

Pair = tuple[int, int]  # of a user and an article, or of a user and a story

_UPDATE = "UPDATE reader_delivery SET static_importance = %s, slot = %s, newest_at = %s WHERE id = %s"


class _Member(NamedTuple):
    """A delivery of an article of a story."""

    pk: int
    user_id: int
    story_id: int
    authority: float
    depth: float
    relevance: float | None
    n_publishers: int
    n_tiers: int
    published_at: datetime


def stories_of(pairs: Collection[Pair]) -> set[Pair]:
    """The users and stories of these users and articles."""
    ids = {article for _, article in pairs}
    story_of = dict(Article.objects.filter(pk__in=ids, story__isnull=False).values_list("pk", "story_id"))
    return {(user, story_of[article]) for user, article in pairs if article in story_of}


def deliveries_of(stories: Collection[Pair]) -> Q:
    """A filter for all deliveries of these stories to these users, and some of the same users and stories."""
    ids = {story for _, story in stories}
    members = Article.objects.filter(story__in=ids).values("pk")
    return Q(user__in={user for user, _ in stories}, article__in=members)


def place_stories(stories: Collection[Pair]) -> None:
    """Rank all articles of these stories alike, except for those that the user separated from them."""
    if not stories:
        return
    apart = Separation.objects.filter(user=OuterRef("user"), article=OuterRef("article"))
    rated = Delivery.objects.filter(
        deliveries_of(stories), ~Exists(apart), static_importance__isnull=False, article__assessment__isnull=False
    )
    of_article = ("story", "assessment__authority", "assessment__depth")
    own = ("relevance", "n_publishers", "n_tiers", "published_at")
    by_story: dict[Pair, list[_Member]] = defaultdict(list)
    for values in rated.order_by("pk").values_list("pk", "user", *(f"article__{name}" for name in of_article), *own):
        member = _Member(*values)
        by_story[member.user_id, member.story_id].append(member)
    rows = []
    for pair in stories:
        if members := by_story[pair]:
            newest_at = max(member.published_at for member in members)
            static = _static_importance(members)
            rows += [(static, slot_of(newest_at), newest_at, member.pk) for member in members]
    with connection.cursor() as cursor:
        cursor.executemany(_UPDATE, rows)


def _static_importance(members: Iterable[_Member]) -> float:
    """The importance of the story without recency, 0 to 80."""
    reports = [
        Parts(
            authority=member.authority,
            recency=0.0,
            corroboration=corroboration(member.n_publishers, member.n_tiers),
            relevance=NEUTRAL_RELEVANCE if member.relevance is None else member.relevance,
            depth=member.depth,
        )
        for member in members
    ]
    return Parts.of_story(reports).importance
