"""A story as one user sees it: the articles from their own feeds, copies apart from other reports, with reasons.

Articles from feeds that only other users follow are never shown. If one of them is what links an article, only its
publisher is named.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, QuerySet

from feeds.models import Article, Link, Story, Tier
from feeds.publishers.attribution import ARTICLE_COLUMNS, attribution_of
from feeds.storage.compiled import compiled
from feeds.stories.lead_positions import lead_positions
from reader.lists.queries import newest_delivery_id
from reader.models import ArticleState, Delivery, Separation
from reader.models.subscription import ICON_COLUMN, NAME_COLUMNS
from reader.stories.members import ArticleLink, Report, StoryArticle, reports_of
from reader.stories.timeline_chart import Moment, Timeline, timeline

MAX_DELIVERIES = 500  # of one story; the longest labelled story has 60 articles
UNFOLDED = 20  # articles under a row of a list; the story page shows all
BESIDE = 5  # articles named below an article
_OF_ARTICLE = ("url", "canonical_url", "title", "language", "published_at", "date_uncertain", "revised_at",
               "word_count", "summary", "story_id")  # fmt: skip
_SHOWN = (
    "is_read",
    *(f"article__{name}" for name in (*_OF_ARTICLE, *ARTICLE_COLUMNS)),
    *(f"subscription__{name}" for name in ("title", "feed_id", *NAME_COLUMNS)),
)


@dataclass(frozen=True, slots=True)
class StoryPage:
    """The story's page: `reports`, the lead first, then by time; `apart`: articles the user split off.

    `newest` is the latest delivery to any user when the page was loaded; `is_cut` if there are more articles.
    """

    story_id: int
    reports: tuple[Report, ...]
    apart: tuple[StoryArticle, ...]
    drawing: Timeline | None
    in_order: tuple[StoryArticle, ...]
    n_sources: int
    n_unread: int
    newest: int
    is_cut: bool

    @property
    def lead(self) -> Report | None:
        return self.reports[0] if self.reports else None

    @property
    def title(self) -> str:
        """The title of the lead, or of an article split off; "" if there is neither."""
        first = [report.head for report in self.reports[:1]] or list(self.apart[:1])
        return first[0].article.title if first else ""


@dataclass(frozen=True, slots=True)
class Beside:
    """The story of an article: up to `BESIDE` others from the user's feeds, and how many more."""

    story_id: int
    others: tuple[StoryArticle, ...]
    n_more: int
    is_separate: bool


@dataclass(frozen=True, slots=True)
class Unfolded:
    """The story of a row: the others from the user's feeds, earliest first, and how many more."""

    story_id: int | None
    others: tuple[StoryArticle, ...]
    n_more: int


def story_page(user: User, story: Story, *, now: datetime) -> StoryPage:
    """The story for a user; four queries. `now` is in the user's time zone."""
    newest = newest_delivery_id()  # before the articles, so that later ones aren't marked as read
    members, is_cut = _load_articles(user, story.pk)
    shown = [member for member in members if not member.is_separate]
    reports = reports_of(shown, _load_links(story), lead_positions([story.pk])) if shown else ()
    kinds = {copy.article.pk: "copy" for report in reports for copy in report.copies}
    if reports:
        kinds[reports[0].head.article.pk] = "lead"
    moments = [
        Moment(member.article.published_at, member.source, member.article.title, kinds.get(member.article.pk, "report"))
        for member in shown
    ]
    return StoryPage(
        story_id=story.pk,
        reports=reports,
        apart=tuple(member for member in members if member.is_separate),
        drawing=timeline(moments, now),
        in_order=tuple(shown),
        n_sources=len({attribution_of(member.article).publisher or member.source for member in shown}),
        n_unread=sum(not member.is_read for member in shown),
        newest=newest,
        is_cut=is_cut,
    )


def beside(user: User, article: Article) -> Beside | None:
    """The rest of an article's story; None if it has none, or none in the user's feeds.

    An article that the user split off still has the rest beside it, so that it can be put back.
    """
    if article.story_id is None:
        return None
    members, _ = _load_articles(user, article.story_id)
    is_separate = any(member.is_separate for member in members if member.article.pk == article.pk)
    others = [member for member in members if member.article.pk != article.pk and not member.is_separate]
    if not others and not is_separate:
        return None
    positions = lead_positions([article.story_id])
    best = sorted(others, key=lambda member: positions.get(member.article.pk, len(positions)))
    return Beside(article.story_id, tuple(best[:BESIDE]), max(0, len(others) - BESIDE), is_separate)


def unfolded(user: User, article: Article) -> Unfolded:
    """Up to `UNFOLDED` other articles of the row's story; one query."""
    members, _ = _load_articles(user, article.story_id) if article.story_id is not None else ([], False)
    if any(member.is_separate for member in members if member.article.pk == article.pk):
        members = []
    others = [member for member in members if member.article.pk != article.pk and not member.is_separate]
    return Unfolded(article.story_id, tuple(others[:UNFOLDED]), max(0, len(others) - UNFOLDED))


def _load_articles(user: User, story_id: int) -> tuple[list[StoryArticle], bool]:
    """The articles of the story in the user's feeds, earliest first, and whether there are more."""
    deliveries = _deliveries(user.pk, story_id)
    by_article: dict[int, list[Delivery]] = defaultdict(list)
    for delivery in deliveries[:MAX_DELIVERIES]:
        by_article[delivery.article_id].append(delivery)
    return [_combine(copies) for copies in by_article.values()], len(deliveries) > MAX_DELIVERIES


@compiled
def _deliveries(user: int, story_id: int) -> QuerySet[Delivery]:
    mine = {"user": user, "article": OuterRef("article")}
    return (
        Delivery.objects.filter(user=user, article__in=Article.objects.filter(story=story_id).values("pk"))
        .annotate(
            is_separate=Exists(Separation.objects.filter(**mine)),
            is_starred=Exists(ArticleState.objects.filter(**mine, is_starred=True)),
            icon=F(f"subscription__{ICON_COLUMN}"),
        )
        .select_related("article__source", "article__feed", "subscription__feed__publisher")
        .only(*_SHOWN)
        .order_by("published_at", "article", "pk")[: MAX_DELIVERIES + 1]
    )


def _combine(copies: Sequence[Delivery]) -> StoryArticle:
    """The article of these deliveries; its source is the feed whose version is stored."""
    article = copies[0].article
    chosen = next((copy for copy in copies if copy.subscription.feed_id == article.feed_id), copies[0])
    source, *others = dict.fromkeys(copy.subscription.source_name for copy in (chosen, *copies))
    return StoryArticle(
        article=article,
        source=source,
        also_in=tuple(others),
        tier=Tier(attribution_of(article).tier),
        is_read=chosen.is_read,
        is_starred=chosen.is_starred,  # type: ignore[attr-defined]  # annotated
        is_separate=chosen.is_separate,  # type: ignore[attr-defined]  # annotated
        icon=chosen.icon or "",  # type: ignore[attr-defined]  # annotated
    )


def _load_links(story: Story) -> dict[int, list[ArticleLink]]:
    links = Link.objects.filter(one__story=story, other__story=story).order_by("pk")
    publishers = [f"{side}__source__{name}" for side in ("one", "other") for name in ("name", "domain")]
    by_article: dict[int, list[ArticleLink]] = defaultdict(list)
    for one, other, *values, name, domain, other_name, other_domain in links.values_list(
        "one_id", "other_id", "disposition", "layer", "closeness", "evidence", "joins", *publishers
    ):
        by_article[one].append(ArticleLink(other, other_name or other_domain or "", *values))
        by_article[other].append(ArticleLink(one, name or domain or "", *values))
    return by_article
