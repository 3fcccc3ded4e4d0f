"""The list of stories covered by at least two of a user's feeds, newest first.

Stories are shared by all users, so a page goes through the newest in batches and keeps the user's. After `MAX_BATCHES`
it ends, and the next page continues from there, so the number of queries per page is bounded.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from feeds.models import Article, Story
from feeds.publishers.attribution import ARTICLE_COLUMNS, attribution_of
from reader.lists.queries import Cursor
from reader.models import Delivery, Quiet, Separation
from reader.models.subscription import NAME_COLUMNS
from reader.stories.members import LeadRank, lead_rank

PAGE_SIZE = 20  # stories
BATCH = 60  # stories
MAX_BATCHES = 5  # per page
NAMED = 4  # sources; the story page names all


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A story in the user's feeds: its lead `article`, and `sources`, earliest first.

    `latest_at` is the time of its last article.
    """

    story_id: int
    article: Article
    sources: tuple[str, ...]
    n_articles: int
    n_unread: int
    latest_at: datetime

    @property
    def n_unnamed(self) -> int:
        return max(0, len(self.sources) - NAMED)


@dataclass(frozen=True, slots=True)
class StoryList:
    rows: tuple[StoryRow, ...]
    next_cursor: str = ""


def stories_page(user: User, cursor: Cursor | None, *, size: int = PAGE_SIZE) -> StoryList:
    """A page of the user's stories, latest first."""
    rows: list[StoryRow] = []
    more = True
    for _ in range(MAX_BATCHES):
        stories = list(_after(cursor)[:BATCH])
        deliveries = _load_deliveries(user, [story.pk for story in stories])
        for story in stories:
            if len(rows) == size:
                break
            cursor = Cursor(is_read=False, published_at=_latest(story), article_id=story.pk)
            if row := _row(story, deliveries.get(story.pk, ())):
                rows.append(row)
        else:
            more = len(stories) == BATCH
            if more and len(rows) < size:
                continue
        break
    return StoryList(tuple(rows), cursor.encode() if more and cursor else "")


def _after(cursor: Cursor | None) -> QuerySet[Story]:
    """Stories of several articles, newest first. The cursor holds a story's id."""
    stories = Story.objects.filter(n_articles__gt=1, last_at__isnull=False).order_by("-last_at", "-pk")
    if cursor is None:
        return stories
    at, pk = cursor.published_at, cursor.article_id
    return stories.filter(Q(last_at__lte=at) & (Q(last_at__lt=at) | Q(pk__lt=pk)))


def _latest(story: Story) -> datetime:
    if story.last_at is None:
        raise ValueError("stories without a date are not listed")
    return story.last_at


def _load_deliveries(user: User, stories: Sequence[int]) -> dict[int, list[Delivery]]:
    """The user's deliveries by story, without articles they split off, earliest first."""
    articles = Article.objects.filter(story__in=stories)  # as a subquery, or SQLite scans all deliveries of the user
    apart = Separation.objects.filter(user=user, article=OuterRef("article"))
    deliveries = (
        Delivery.objects.filter(~Exists(apart), user=user, quiet=Quiet.NOT, article__in=articles.values("pk"))
        .select_related("article__feed", "article__source", "subscription__feed__publisher")
        .only(
            "is_read", "article__story_id", "article__title", "article__language", "article__word_count",
            "article__published_at", *(f"article__{column}" for column in ARTICLE_COLUMNS),
            "subscription__title", *(f"subscription__{column}" for column in NAME_COLUMNS),
        )
        .order_by("published_at", "article", "pk")
    )  # fmt: skip
    by_story: dict[int, list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        if delivery.article.story_id is not None:
            by_story[delivery.article.story_id].append(delivery)
    return by_story


def _row(story: Story, deliveries: Sequence[Delivery]) -> StoryRow | None:
    """None unless at least two of the user's feeds have different articles of it."""
    articles = {delivery.article_id: delivery.article for delivery in deliveries}
    names = dict.fromkeys(delivery.subscription.source_name for delivery in deliveries)
    if len(articles) < 2 or len(names) < 2:
        return None
    times = [article.published_at for article in articles.values()]
    return StoryRow(
        story_id=story.pk,
        article=min(articles.values(), key=lambda article: _rank(article, story.lead_id)),
        sources=tuple(names),
        n_articles=len(articles),
        n_unread=len({delivery.article_id for delivery in deliveries if not delivery.is_read}),
        latest_at=max(times),
    )


def _rank(article: Article, lead_id: int | None) -> LeadRank:
    return lead_rank(
        article.pk,
        lead_id=lead_id,
        tier=attribution_of(article).tier,
        word_count=article.word_count,
        published_at=article.published_at,
    )
