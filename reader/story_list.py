"""The list of stories: what several of a person's own feeds tell, newest first.

Stories are everybody's, so a page looks through the newest of them, a stretch at a time, for those that at least two of
the person's feeds brought. Where most stories are other people's it stops after `MOST_STRETCHES` and goes on from there
on its next page: a page costs a bounded number of queries, whatever the archive holds.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from feeds.models import Article, Story, Tier
from reader.models import Delivery, Quiet, Separation
from reader.queries import Cursor
from reader.timeline import Strip, strip

PAGE_SIZE = 20  # stories
STRETCH = 60  # stories looked at in one query
MOST_STRETCHES = 5  # a page
NAMED = 4  # sources named; the story's page names all


@dataclass(frozen=True, slots=True)
class StoryRow:
    """One story as far as the person's feeds brought it: `article` leads it, `sources` the earliest first.

    `latest_at` is when the last of its `n_articles` came; `drawing` when each did.
    """

    story_id: int
    article: Article
    sources: tuple[str, ...]
    n_articles: int
    n_unread: int
    latest_at: datetime
    drawing: Strip

    @property
    def n_unnamed(self) -> int:
        return max(0, len(self.sources) - NAMED)


@dataclass(frozen=True, slots=True)
class StoryList:
    rows: tuple[StoryRow, ...]
    next_cursor: str = ""


def stories_page(user: User, cursor: Cursor | None, *, size: int = PAGE_SIZE) -> StoryList:
    """A page of the person's stories, the one that went on last first."""
    rows: list[StoryRow] = []
    more = True
    for _ in range(MOST_STRETCHES):
        stories = list(_after(cursor)[:STRETCH])
        brought = _brought(user, [story.pk for story in stories])
        for story in stories:
            if len(rows) == size:
                break
            cursor = Cursor(is_read=False, published_at=_latest(story), article_id=story.pk)
            if row := _row(story, brought.get(story.pk, ())):
                rows.append(row)
        else:
            more = len(stories) == STRETCH
            if more and len(rows) < size:
                continue
        break
    return StoryList(tuple(rows), cursor.encode() if more and cursor else "")


def _after(cursor: Cursor | None) -> QuerySet[Story]:
    """Those that can have several sources, the newest first. The cursor's article is the number of a story here."""
    stories = Story.objects.filter(n_articles__gt=1, last_at__isnull=False).order_by("-last_at", "-pk")
    if cursor is None:
        return stories
    at, pk = cursor.published_at, cursor.article_id
    return stories.filter(Q(last_at__lte=at) & (Q(last_at__lt=at) | Q(pk__lt=pk)))


def _latest(story: Story) -> datetime:
    if story.last_at is None:
        raise ValueError("a story without a date is in no list")
    return story.last_at


def _brought(user: User, stories: Sequence[int]) -> dict[int, list[Delivery]]:
    """By story what the person's feeds brought of it and they left in it, earliest first."""
    articles = Article.objects.filter(story__in=stories)  # first, or SQLite looks through all the user ever got
    apart = Separation.objects.filter(user=user, article=OuterRef("article"))
    deliveries = (
        Delivery.objects.filter(~Exists(apart), user=user, quiet=Quiet.NOT, article__in=articles.values("pk"))
        .select_related("article__feed", "article__source", "subscription__feed")
        .only(
            "is_read", "article__story_id", "article__title", "article__language", "article__word_count",
            "article__published_at", "article__feed__tier", "article__source__tier",
            "subscription__title", "subscription__feed__title", "subscription__feed__url",
        )
        .order_by("published_at", "article", "pk")
    )  # fmt: skip
    brought: dict[int, list[Delivery]] = defaultdict(list)
    for each in deliveries:
        if each.article.story_id is not None:
            brought[each.article.story_id].append(each)
    return brought


def _row(story: Story, brought: Sequence[Delivery]) -> StoryRow | None:
    """None where fewer than two of the person's feeds tell it, or all bring the same article."""
    articles = {each.article_id: each.article for each in brought}
    names = dict.fromkeys(each.subscription.shown_title for each in brought)
    if len(articles) < 2 or len(names) < 2:
        return None
    times = [each.published_at for each in articles.values()]
    return StoryRow(
        story_id=story.pk,
        article=min(articles.values(), key=lambda each: _rank(each, story.lead_id)),
        sources=tuple(names),
        n_articles=len(articles),
        n_unread=len({each.article_id for each in brought if not each.is_read}),
        latest_at=max(times),
        drawing=strip(times),
    )


def _rank(article: Article, lead_id: int | None) -> tuple[bool, int, int, datetime, int]:
    """As lists choose who stands for a story (`reader.folding`): the smallest leads."""
    own = article.feed.tier if article.feed else None
    tier = own or (article.source.tier if article.source else None) or Tier.T5
    return article.pk != lead_id, -article.word_count, tier, article.published_at, article.pk
