"""A story as one person sees it: what their own feeds brought of it, copies apart from other reports, and why.

Feeds that only other users follow are theirs: their articles are not shown, and where one of them is what ties an
article, its publisher alone is named.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from feeds.models import Article, Link, Story
from reader.models import ArticleState, Delivery, Separation
from reader.queries import newest_delivery_id
from reader.telling import Report, Tie, Told, rank, reports_of, tier_of
from reader.timeline import Moment, Timeline, timeline

MOST_DELIVERIES = 500  # of one story on its page; the longest labelled story has 60 articles
UNFOLDED = 20  # articles of the story under its row in a list; its page shows the others
BESIDE = 5  # articles of the story named under one of them
_HEAVY = ("article__markup", "article__text", "article__safe_html")


@dataclass(frozen=True, slots=True)
class StoryPage:
    """The story's page: `reports` with the lead's first, then in the order of time. `apart`: what the person took out.

    `newest` is the latest delivery to anybody when the page was made; `is_cut` if there is more than it shows.
    """

    story_id: int
    reports: tuple[Report, ...]
    apart: tuple[Told, ...]
    drawing: Timeline | None
    in_order: tuple[Told, ...]
    n_sources: int
    n_unread: int
    newest: int
    is_cut: bool

    @property
    def lead(self) -> Report | None:
        return self.reports[0] if self.reports else None

    @property
    def title(self) -> str:
        """The lead's title, or that of what was taken out; "" where nothing is to be seen."""
        told = [report.head for report in self.reports[:1]] or list(self.apart[:1])
        return told[0].article.title if told else ""


@dataclass(frozen=True, slots=True)
class Beside:
    """The story under one of its articles: others that the person's feeds brought, at most `BESIDE`, and `n_more`."""

    story_id: int
    others: tuple[Told, ...]
    n_more: int
    is_separate: bool


@dataclass(frozen=True, slots=True)
class Unfolded:
    """The story under one of its rows: the others that the person's feeds brought, the earliest first, and `n_more`."""

    story_id: int | None
    others: tuple[Told, ...]
    n_more: int


def story_page(user: User, story: Story, *, now: datetime) -> StoryPage:
    """What `user` sees of the story; three queries, however many articles it has. `now` is in the person's zone."""
    newest = newest_delivery_id()  # before the articles: what arrives meanwhile is not marked read unseen
    told, is_cut = _told(user, story.pk)
    shown = [each for each in told if not each.is_separate]
    reports = reports_of(shown, _ties(story) if shown else {}, story.lead_id)
    kinds = {each.article.pk: "copy" for report in reports for each in report.copies}
    if reports:
        kinds[reports[0].head.article.pk] = "lead"
    moments = [
        Moment(each.article.published_at, each.source, each.article.title, kinds.get(each.article.pk, "report"))
        for each in shown
    ]
    return StoryPage(
        story_id=story.pk,
        reports=reports,
        apart=tuple(each for each in told if each.is_separate),
        drawing=timeline(moments, now),
        in_order=tuple(shown),
        n_sources=len({each.source for each in shown}),
        n_unread=sum(not each.is_read for each in shown),
        newest=newest,
        is_cut=is_cut,
    )


def beside(user: User, article: Article) -> Beside | None:
    """What stands beside an article in its story; None if it is in none, or alone in it for this person.

    What the person took out of it stands beside the rest all the same, so that it can be put back.
    """
    if article.story_id is None:
        return None
    told, _ = _told(user, article.story_id)
    is_separate = any(each.is_separate for each in told if each.article.pk == article.pk)
    others = [each for each in told if each.article.pk != article.pk and not each.is_separate]
    if not others and not is_separate:
        return None
    lead = Story.objects.filter(pk=article.story_id).values_list("lead_id", flat=True).first()
    best = sorted(others, key=lambda each: rank(each, lead))
    return Beside(article.story_id, tuple(best[:BESIDE]), max(0, len(others) - BESIDE), is_separate)


def unfolded(user: User, article: Article) -> Unfolded:
    """What opens under the article's row, at most `UNFOLDED` articles; one query. Nothing where it stands alone."""
    told, _ = _told(user, article.story_id) if article.story_id is not None else ([], False)
    if any(each.is_separate for each in told if each.article.pk == article.pk):
        told = []
    others = [each for each in told if each.article.pk != article.pk and not each.is_separate]
    return Unfolded(article.story_id, tuple(others[:UNFOLDED]), max(0, len(others) - UNFOLDED))


def _told(user: User, story_id: int) -> tuple[list[Told], bool]:
    """What the user's feeds brought of the story, earliest first, and whether there is more."""
    mine = {"user": user, "article": OuterRef("article")}
    deliveries = list(
        Delivery.objects.filter(user=user, article__in=Article.objects.filter(story=story_id).values("pk"))
        .annotate(
            is_separate=Exists(Separation.objects.filter(**mine)),
            is_starred=Exists(ArticleState.objects.filter(**mine, is_starred=True)),
        )
        .select_related("article__source", "article__feed", "subscription__feed")
        .defer(*_HEAVY)
        .order_by("published_at", "article", "pk")[: MOST_DELIVERIES + 1]
    )
    brought: dict[int, list[Delivery]] = defaultdict(list)
    for delivery in deliveries[:MOST_DELIVERIES]:
        brought[delivery.article_id].append(delivery)
    return [_one(several) for several in brought.values()], len(deliveries) > MOST_DELIVERIES


def _one(brought: Sequence[Delivery]) -> Told:
    """One article that all of these brought; the feed whose version of it is kept stands for it."""
    article = brought[0].article
    chosen = next((each for each in brought if each.subscription.feed_id == article.feed_id), brought[0])
    return Told(
        article=article,
        source=chosen.subscription.shown_title,
        also_in=tuple(each.subscription.shown_title for each in brought if each is not chosen),
        tier=tier_of(article),
        is_read=chosen.is_read,
        is_starred=chosen.is_starred,  # type: ignore[attr-defined]  # annotated
        is_separate=chosen.is_separate,  # type: ignore[attr-defined]  # annotated
    )


def _ties(story: Story) -> dict[int, list[Tie]]:
    """What ties each article of the story to others of it."""
    links = Link.objects.filter(one__story=story, other__story=story).order_by("pk")
    publishers = [f"{side}__source__{name}" for side in ("one", "other") for name in ("name", "domain")]
    ties: dict[int, list[Tie]] = defaultdict(list)
    for one, other, *said, name, domain, other_name, other_domain in links.values_list(
        "one_id", "other_id", "disposition", "layer", "closeness", "evidence", "joins", *publishers
    ):
        ties[one].append(Tie(other, other_name or other_domain or "", *said))
        ties[other].append(Tie(one, name or domain or "", *said))
    return ties
