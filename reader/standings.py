"""What holds of an article for everybody and changes while it stands there: its feed's health, who else carries it.

`refresh` compares what is known now with the assessments and writes what differs; it can be repeated. It is called
for what was just delivered and for stories that changed, and half-hourly for the last `KEPT_FRESH`, so that what an
interruption left undone is made up for. Whoever's copy of an article is to be rated anew is marked, not rated here.

Rows are locked in one order wherever this room writes: assessments by article, then deliveries by id.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from feeds.models import Article, Item, Tier
from reader.locking import lock
from reader.models import Assessment, Delivery
from reader.scoring.authority import authority
from reader.scoring.corroboration import corroboration
from reader.scoring.importance import worth

KEPT_FRESH = timedelta(days=30)  # SPEC §11: articles of the last 30 days are kept scored
CHUNK = 500  # articles
_WRITTEN = ("tier", "health", "n_feeds", "n_tiers", "authority", "corroboration", "worth")


@dataclass(frozen=True, slots=True)
class Facts:
    """What authority and corroboration follow from: tier and health of the feed, feeds that carry the story, and how
    many tiers these have."""

    tier: int
    health: float
    n_feeds: int
    n_tiers: int


@dataclass(slots=True)
class _Carriers:
    """Feeds and their tiers."""

    feeds: set[int] = field(default_factory=set)
    tiers: set[int] = field(default_factory=set)


def facts_of(article_ids: Collection[int]) -> dict[int, Facts]:
    """The facts of these articles as of now; three queries."""
    rows = list(
        Article.objects.filter(pk__in=article_ids).values_list(
            "pk", "story_id", "feed__tier", "feed__source__tier", "source__tier", "feed__health_score"
        )
    )
    alone = _carriers(Q(article__in=[pk for pk, story, *_ in rows if story is None]), "article_id")
    told = _carriers(Q(article__story__in={story for _, story, *_ in rows if story is not None}), "article__story_id")
    facts = {}
    for pk, story, own_tier, feeds_tier, tier, health in rows:
        carriers = alone[pk] if story is None else told[story]
        facts[pk] = Facts(
            tier=own_tier or feeds_tier or tier or Tier.T5,
            health=1.0 if health is None else health,
            n_feeds=len(carriers.feeds),
            n_tiers=len(carriers.tiers),
        )
    return facts


def refresh(article_ids: Collection[int]) -> int:
    """Bring the assessments of these articles up to date, as far as they have one; returns how many changed."""
    return sum(_refresh(ids) for ids in _chunks(sorted(set(article_ids))))


def refresh_told_with(article_ids: Iterable[int]) -> int:
    """`refresh` these articles and all others of their stories."""
    ids = set(article_ids)
    mates: set[int] = set()
    for some in _chunks(sorted(ids)):
        stories = Article.objects.filter(pk__in=some, story__isnull=False).order_by().values("story")
        mates.update(Article.objects.filter(story__in=stories).values_list("pk", flat=True))
    return refresh(ids | mates)


def refresh_recent(*, now: datetime) -> int:
    """`refresh` what was published lately, and mark what was revised since it was assessed; half-hourly."""
    recent = Assessment.objects.filter(article__published_at__gte=now - KEPT_FRESH)
    revised = recent.exclude(content_hash=F("article__content_hash")).values_list("article_id", flat=True)
    for ids in _chunks(sorted(revised)):
        mark_for_rating(ids)
    return refresh(list(recent.values_list("article_id", flat=True)))


def mark_for_rating(article_ids: Collection[int]) -> None:
    """Have these articles rated anew for everybody they were brought to. Locks in the order of ids."""
    with transaction.atomic():
        deliveries = Delivery.objects.filter(article__in=article_ids)
        lock(deliveries)
        deliveries.update(is_rated=False)


def _refresh(ids: Sequence[int]) -> int:
    known = list(Assessment.objects.filter(article__in=ids).defer("depth_facts"))
    facts = facts_of([each.article_id for each in known]) if known else {}
    outdated = [each.article_id for each in known if _differs(each, facts)]
    if not outdated:
        return 0
    with transaction.atomic():
        changing = list(Assessment.objects.filter(article__in=outdated).select_for_update().order_by("article_id"))
        facts = facts_of(outdated)  # as they are now that nobody else writes them
        for each in changing:
            found = facts[each.article_id]
            each.tier, each.health = found.tier, found.health
            each.n_feeds, each.n_tiers = found.n_feeds, found.n_tiers
            each.authority = authority(found.tier, found.health)
            each.corroboration = corroboration(found.n_feeds, found.n_tiers)
            each.worth = worth(each.authority, each.corroboration, each.depth)
        Assessment.objects.bulk_update(changing, _WRITTEN, batch_size=100)
        mark_for_rating(outdated)
    return len(changing)


def _differs(assessment: Assessment, facts: dict[int, Facts]) -> bool:
    known = Facts(assessment.tier, assessment.health, assessment.n_feeds, assessment.n_tiers)
    return assessment.article_id in facts and known != facts[assessment.article_id]


def _carriers(chosen: Q, group: str) -> defaultdict[int, _Carriers]:
    """The feeds that delivered the chosen articles, by `group`."""
    items = Item.objects.filter(chosen).order_by().values_list(group, "feed", "feed__tier", "feed__source__tier")
    found: defaultdict[int, _Carriers] = defaultdict(_Carriers)
    for key, feed, own_tier, tier in items.distinct():
        found[key].feeds.add(feed)
        found[key].tiers.add(own_tier or tier)
    return found


def _chunks(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]
