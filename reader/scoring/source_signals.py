"""Signals about an article's source that change after publication: its tier, the feed's health, who else covers the
story.

`refresh` compares the current signals with the assessments and updates what differs; it can be repeated. It runs for
new deliveries and changed stories, and half-hourly for the last `KEPT_FRESH` to catch up after interruptions. Affected
deliveries are marked for rating, not rated here.

Rows are locked in one order everywhere in this package: assessments by article, then deliveries by id.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from feeds.models import Article
from feeds.publishers.attribution import ARTICLE_COLUMNS, Attribution, attribute
from reader.models import Assessment, Delivery, lock_deliveries
from reader.scoring.importance import authority, corroboration, shared_importance

KEPT_FRESH = timedelta(days=30)  # SPEC §11: articles of the last 30 days are kept scored
CHUNK = 500  # articles
# Assessments that are outdated because the text changed, or the publisher's own feed replaced another's version.
OUTDATED = ~Q(content_hash=F("article__content_hash")) | Q(
    article__reclaimed_at__isnull=False, article__reclaimed_at__gt=F("assessed_at")
)


@dataclass(frozen=True, slots=True)
class SourceSignals:
    """Inputs of authority and corroboration: tier of the article, health of its feed, and who covers the story."""

    tier: int
    health: float
    n_publishers: int
    n_tiers: int

    def scores(self, depth: float) -> dict[str, float]:
        """Authority, corroboration and, with this depth, shared importance: fields of an assessment."""
        points = authority(self.tier, self.health), corroboration(self.n_publishers, self.n_tiers)
        return {
            "authority": points[0],
            "corroboration": points[1],
            "shared_importance": shared_importance(*points, depth),
        }


def load_signals(article_ids: Collection[int]) -> dict[int, SourceSignals]:
    """The current signals of these articles; two queries."""
    rows = Article.objects.filter(pk__in=article_ids).values_list(
        "pk", "story_id", "feed__health_score", *ARTICLE_COLUMNS
    )
    articles = {pk: (story, health, attribute(*columns)) for pk, story, health, *columns in rows}
    by_story = _attributions({story for story, _, _ in articles.values() if story is not None})
    signals = {}
    for pk, (story, health, said_by) in articles.items():
        coverage = {other for other in ({said_by} if story is None else by_story[story]) if other.publisher}
        signals[pk] = SourceSignals(
            tier=said_by.tier,
            health=1.0 if health is None else health,
            n_publishers=len({other.publisher for other in coverage}),
            n_tiers=len({other.tier for other in coverage}),
        )
    return signals


def refresh(article_ids: Collection[int]) -> int:
    """Update the existing assessments of these articles; returns how many changed."""
    return sum(_refresh(ids) for ids in _chunks(sorted(set(article_ids))))


def refresh_stories(article_ids: Iterable[int]) -> int:
    """`refresh` these articles and all others of their stories."""
    ids = set(article_ids)
    related: set[int] = set()
    for chunk in _chunks(sorted(ids)):
        stories = Article.objects.filter(pk__in=chunk, story__isnull=False).order_by().values("story")
        related.update(Article.objects.filter(story__in=stories).values_list("pk", flat=True))
    return refresh(ids | related)


def refresh_recent(*, now: datetime) -> int:
    """`refresh` recent articles, and mark those revised since their assessment for rating; half-hourly."""
    recent = Assessment.objects.filter(article__published_at__gte=now - KEPT_FRESH)
    revised = recent.filter(OUTDATED).values_list("article_id", flat=True)
    for ids in _chunks(sorted(revised)):
        mark_for_rating(ids)
    return refresh(list(recent.values_list("article_id", flat=True)))


def mark_for_rating(article_ids: Collection[int]) -> None:
    """Have these articles rated again for everyone they were delivered to."""
    with transaction.atomic():
        deliveries = Delivery.objects.filter(article__in=article_ids)
        lock_deliveries(deliveries)
        deliveries.update(is_rated=False)


def _refresh(ids: Sequence[int]) -> int:
    assessments = list(Assessment.objects.filter(article__in=ids).defer("depth_features"))
    signals = load_signals([assessment.article_id for assessment in assessments]) if assessments else {}
    outdated = [assessment.article_id for assessment in assessments if _differs(assessment, signals)]
    if not outdated:
        return 0
    with transaction.atomic():
        locked = list(Assessment.objects.filter(article__in=outdated).select_for_update().order_by("article_id"))
        signals = load_signals(outdated)  # again, now that the rows are locked
        fields: dict[str, float] = {}
        for assessment in locked:
            current = signals[assessment.article_id]
            fields = {**asdict(current), **current.scores(assessment.depth)}
            for name, value in fields.items():
                setattr(assessment, name, value)
        Assessment.objects.bulk_update(locked, fields, batch_size=100)
        mark_for_rating(outdated)
    return len(locked)


def _differs(assessment: Assessment, signals: dict[int, SourceSignals]) -> bool:
    stored = SourceSignals(assessment.tier, assessment.health, assessment.n_publishers, assessment.n_tiers)
    return assessment.article_id in signals and stored != signals[assessment.article_id]


def _attributions(stories: Collection[int]) -> defaultdict[int, set[Attribution]]:
    """Who reports each story: the publishers of its articles, not the feeds that link to them."""
    rows = Article.objects.filter(story__in=stories).order_by().values_list("story", *ARTICLE_COLUMNS)
    by_story: defaultdict[int, set[Attribution]] = defaultdict(set)
    for story, *columns in rows.iterator():
        by_story[story].add(attribute(*columns))
    return by_story


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]
