"""The list of stories covered by at least two of a user's feeds, newest first.

Stories are shared by all users, so a page goes through the newest in batches and keeps the user's. After `MAX_BATCHES`
it ends, and the next page continues from there, so the number of queries per page is bounded.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from feeds.fetching.credentials import without_credentials
from feeds.models import Article, Story
from feeds.models.article import link_of
from feeds.publishers.attribution import source_name
from feeds.storage.compiled import compiled
from feeds.stories.lead_positions import lead_positions
from reader.lists.queries import Cursor
from reader.models import Delivery, Quiet, Separation
from reader.models.subscription import NAME_COLUMNS

PAGE_SIZE = 20  # stories
BATCH = 60  # stories
MAX_BATCHES = 5  # per page
NAMED = 4  # sources; the story page names all


class Delivered(NamedTuple):
    """An article of a story and the feed that delivered it, as plain values: a page has hundreds."""

    story_id: int
    pk: int
    url: str
    canonical_url: str
    title: str
    language: str
    published_at: datetime
    is_read: bool
    own_title: str
    has_own_title: bool
    feed_title: str
    feed_url: str
    publisher: str | None
    via: str

    @property
    def link(self) -> str:
        """See `Article.link`."""
        return link_of(self.url, self.canonical_url)

    @property
    def source(self) -> str:
        """See `Subscription.source_name`."""
        named = source_name(self.own_title, self.publisher, self.feed_title, self.via, is_own=self.has_own_title)
        return named or without_credentials(self.feed_url)


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A story in the user's feeds: its lead `article`, and `sources`, earliest first.

    `latest_at` is the time of its last article.
    """

    story_id: int
    article: Delivered
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
        positions = lead_positions(deliveries.keys())
        for story in stories:
            if len(rows) == size:
                break
            cursor = Cursor(is_read=False, published_at=_latest(story), article_id=story.pk)
            if row := _row(story, deliveries.get(story.pk, ()), positions):
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


def _load_deliveries(user: User, stories: Sequence[int]) -> dict[int, list[Delivered]]:
    """The user's deliveries by story, without articles they split off, earliest first."""
    by_story: dict[int, list[Delivered]] = defaultdict(list)
    for delivered in map(Delivered._make, _deliveries(user.pk, stories)):
        by_story[delivered.story_id].append(delivered)
    return by_story


@compiled
def _deliveries(user: int, stories: Collection[int]) -> QuerySet[Delivery, tuple[Any, ...]]:
    articles = Article.objects.filter(story__in=stories)  # as a subquery, or SQLite scans all deliveries of the user
    apart = Separation.objects.filter(user=user, article=OuterRef("article"))
    mine = Delivery.objects.filter(~Exists(apart), user=user, quiet=Quiet.NOT, article__in=articles.values("pk"))
    return mine.order_by("published_at", "article", "pk").values_list(
        "article__story_id", "article", "article__url", "article__canonical_url", "article__title",
        "article__language", "article__published_at", "is_read", "subscription__title",
        *(f"subscription__{column}" for column in NAME_COLUMNS),
    )  # fmt: skip


def _row(story: Story, deliveries: Sequence[Delivered], positions: Mapping[int, int]) -> StoryRow | None:
    """None unless at least two of the user's feeds have different articles of it."""
    articles = {delivered.pk: delivered for delivered in deliveries}
    names = dict.fromkeys(delivered.source for delivered in deliveries)
    if len(articles) < 2 or len(names) < 2:
        return None
    times = [article.published_at for article in articles.values()]
    return StoryRow(
        story_id=story.pk,
        article=min(articles.values(), key=lambda article: positions.get(article.pk, len(positions))),
        sources=tuple(names),
        n_articles=len(articles),
        n_unread=len({delivered.pk for delivered in deliveries if not delivered.is_read}),
        latest_at=max(times),
    )
