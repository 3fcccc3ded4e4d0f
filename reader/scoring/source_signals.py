"""Signals about an article's source that change after publication: its tier, the feed's health, and for each user who
else covers its story in the feeds they follow.

`refresh` compares the current signals with the stored ones and updates what differs; it can be repeated. It runs for
new deliveries and changed stories, and half-hourly for the last `KEPT_FRESH` to catch up after interruptions. Affected
deliveries are marked for rating, not rated here.

Rows are locked in one order everywhere in this package: assessments by article, then deliveries by id.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q

from feeds.models import Article
from feeds.publishers.attribution import ARTICLE_COLUMNS, Attribution, attribute
from reader.models import Assessment, Delivery, Separation, lock_deliveries
from reader.scoring.importance import authority, shared_importance

KEPT_FRESH = timedelta(days=30)  # SPEC §11: articles of the last 30 days are kept scored
CHUNK = 500  # articles
# Assessments that are outdated because the text changed, or the publisher's own feed replaced another's version.
OUTDATED = ~Q(content_hash=F("article__content_hash")) | Q(
    article__reclaimed_at__isnull=False, article__reclaimed_at__gt=F("assessed_at")
)

Pair = tuple[int, int]  # of a user and an article


@dataclass(frozen=True, slots=True)
class SourceSignals:
    """Inputs of authority: tier of the article, health of its feed."""

    tier: int
    health: float

    def scores(self, depth: float) -> dict[str, float]:
        """Authority and, with this depth, shared importance: fields of an assessment."""
        points = authority(self.tier, self.health)
        return {"authority": points, "shared_importance": shared_importance(points, depth)}


class Coverage(NamedTuple):
    """How many publishers report an article's story in a user's feeds, of how many tiers."""

    n_publishers: int
    n_tiers: int


def load_signals(article_ids: Collection[int]) -> dict[int, SourceSignals]:
    """The current signals of these articles; one query."""
    rows = Article.objects.filter(pk__in=article_ids).values_list("pk", "feed__health_score", *ARTICLE_COLUMNS)
    return {
        pk: SourceSignals(attribute(*columns).tier, 1.0 if health is None else health) for pk, health, *columns in rows
    }


def coverage_of(pairs: Collection[Pair]) -> dict[Pair, Coverage]:
    """For these users and articles: who reports the article's story in the feeds that the user follows, and the
    article's own publisher; without articles that the user separated. A few queries. What other users follow never
    counts. Source: SPEC §8.
    """
    ids = {article for _, article in pairs}
    story_of = dict(Article.objects.filter(pk__in=ids, story__isnull=False).values_list("pk", "story_id"))
    said_by, members = _attributions(ids, set(story_of.values()))
    seen: defaultdict[Pair, set[Attribution]] = defaultdict(set)
    separated: set[Pair] = set()
    if members:
        users = {user for user, article in pairs if article in story_of}
        delivered = Delivery.objects.filter(user__in=users, article__in=members)
        apart = Separation.objects.filter(user__in=users, article__in=members)
        separated = set(apart.values_list("user_id", "article_id"))
        for user, article in delivered.order_by().values_list("user_id", "article_id").iterator():
            if (user, article) not in separated:
                seen[user, members[article]].add(said_by[article])
    return {
        (user, article): _coverage({said_by[article], *seen[user, story_of[article]]})
        if article in story_of and (user, article) not in separated
        else _coverage({said_by[article]})
        for user, article in pairs
        if article in said_by
    }


def _attributions(
    article_ids: Collection[int], stories: Collection[int]
) -> tuple[dict[int, Attribution], dict[int, int]]:
    """Who says it, of these articles and all members of the stories; and the story of each member."""
    said_by, members = {}, {}
    for chosen in (Q(pk__in=article_ids), Q(story__in=stories)) if stories else (Q(pk__in=article_ids),):
        rows = Article.objects.filter(chosen).order_by()
        for pk, story, *columns in rows.values_list("pk", "story_id", *ARTICLE_COLUMNS).iterator():
            said_by[pk] = attribute(*columns)
            if story is not None:
                members[pk] = story
    return said_by, members


def _coverage(reported_by: Iterable[Attribution]) -> Coverage:
    known = {one for one in reported_by if one.publisher}
    return Coverage(len({one.publisher for one in known}), len({one.tier for one in known}))


def refresh(article_ids: Collection[int]) -> int:
    """Update the existing assessments of these articles, and mark the deliveries whose coverage changed for rating;
    returns how many articles are affected."""
    ids = sorted(set(article_ids))
    return sum(len(_refresh(some) | _refresh_coverage(some)) for some in _chunks(ids))


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


def _refresh(ids: Sequence[int]) -> set[int]:
    assessments = list(Assessment.objects.filter(article__in=ids).defer("depth_features"))
    signals = load_signals([assessment.article_id for assessment in assessments]) if assessments else {}
    outdated = {assessment.article_id for assessment in assessments if _differs(assessment, signals)}
    if not outdated:
        return outdated
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
    return outdated


def _differs(assessment: Assessment, signals: Mapping[int, SourceSignals]) -> bool:
    stored = SourceSignals(assessment.tier, assessment.health)
    return assessment.article_id in signals and stored != signals[assessment.article_id]


def _refresh_coverage(ids: Sequence[int]) -> set[int]:
    rated = Delivery.objects.filter(article__in=ids, is_rated=True).order_by()
    stored = list(rated.values_list("pk", "user_id", "article_id", "n_publishers", "n_tiers"))
    current = coverage_of({(user, article) for _, user, article, *_ in stored})
    outdated = {
        pk: article for pk, user, article, *counts in stored if current.get((user, article), counts) != tuple(counts)
    }
    if outdated:
        with transaction.atomic():
            deliveries = Delivery.objects.filter(pk__in=outdated)
            lock_deliveries(deliveries)
            deliveries.update(is_rated=False)
    return set(outdated.values())


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]
