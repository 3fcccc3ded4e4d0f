"""Stage 8: rate articles for the users they were delivered to, except for recency. Workers only: numpy.

All unrated deliveries wait in one index. A batch takes articles with all their deliveries, so that an article's
features are read once for all users. An article is rated once it has been deduplicated, because its embedding is known
then; if it has no current assessment, it is assessed first.

All deliveries of an article to one user are rated together, or lists would show it in two places. They also copy the
article's date, since a revision may add a missing one.

A batch computes relevance without locks, then writes under locks (assessments by article, then deliveries by id) with
shared importance, corroboration, time sensitivity and rule boosts as they are at that time. If a user's profile changed
in the meantime, the delivery is updated but stays unrated. After an interruption, whatever wasn't written is still
unrated.

When a profile or model changed, its scale is fitted to the user's newest articles, and all unread ones are rated again.
Before, during and after that their typical article has a relevance of 50, so lists never mix two scales.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from feeds.models import Item
from reader.interests.backlog import changed_profiles, deduplicated, unrated, unscaled_profiles
from reader.interests.idf import idf_weights
from reader.interests.learning.classifier import logits_of_many
from reader.interests.learning.feature_matrices import Floats, StoredFeatures
from reader.interests.learning.inference import Scale
from reader.interests.learning.profile_arrays import cosines_of_many, idf_array
from reader.interests.predictor import Predictor, PredictorCache, load_predictor
from reader.models import (
    ArticleFeatures,
    Assessment,
    Delivery,
    InterestProfile,
    SensitivityLabel,
    TaggedArticle,
    lock_deliveries,
)
from reader.scoring.assess import assess
from reader.scoring.decay import decay_key
from reader.scoring.importance import NEUTRAL_RELEVANCE, corroboration, static_importance
from reader.scoring.ranked_order import slot_of
from reader.scoring.rating import decay_rates
from reader.scoring.rule_boosts import boost_points, boosted
from reader.scoring.source_signals import OUTDATED, coverage_of
from reader.scoring.story_places import deliveries_of, place_stories, stories_of

BATCH = 4000  # deliveries; their features take 5 MB
SCALED_BY = 2000  # newest deliveries that a scale is fitted to; scoring them takes a tenth of a second

_UPDATE = """
UPDATE reader_delivery
SET relevance = %s, n_publishers = %s, n_tiers = %s, static_importance = %s, slot = %s, sensitivity = %s,
    decay_key = %s, is_rated = %s, newest_at = NULL
WHERE id = %s
"""


class _Row(NamedTuple):
    """A delivery to rate, the date of its article, and the date it has stored."""

    pk: int
    user_id: int
    article_id: int
    published_at: datetime
    date_uncertain: bool
    stored_at: datetime
    is_stored_uncertain: bool

    @property
    def placed_at(self) -> datetime:
        """The date of its article; what it has stored while that is uncertain, so that it doesn't move."""
        return self.stored_at if self.date_uncertain and self.is_stored_uncertain else self.published_at


_COLUMNS = (
    "pk",
    "user_id",
    "article_id",
    "article__published_at",
    "article__date_uncertain",
    "published_at",
    "date_uncertain",
)


def rate_waiting(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> int:
    """Rate unrated deliveries, and all unread ones of users whose profile changed; returns the number rated.

    No batch starts after `until`.
    """
    total, cache = 0, PredictorCache()
    while until is None or timezone.now() < until:
        mark_changed_profiles()
        n_rated = _rate_batch(cache, timezone.now())
        if not n_rated:
            break
        on_batch(n_rated)
        total += n_rated
    return total


def mark_changed_profiles() -> int:
    """Fit the scales of users whose profile changed, and mark their unread articles for rating.

    Returns the number of users.
    """
    n_changed = 0
    for profile in (changed_profiles() | unscaled_profiles()).select_related("user").order_by("pk"):
        scale = _fit_scale(profile.user)
        if profile.rated_at == profile.changed_at and not scale.spread:
            continue  # still nothing tells the articles apart
        n_changed += 1
        unread = Delivery.objects.filter(user=profile.user_id, is_read=False, is_rated=True)
        with transaction.atomic():
            lock_deliveries(unread)
            unread.update(is_rated=False)
            InterestProfile.objects.filter(pk=profile.pk).update(
                rated_at=profile.changed_at, middle=scale.middle, spread=scale.spread
            )
    return n_changed


def _fit_scale(user: User) -> Scale:
    """The scale of the user's newest articles, read or not."""
    predictor = load_predictor(user)
    if predictor.is_empty:
        return Scale()
    newest = deduplicated().filter(user=user).order_by("-published_at", "-article")
    ids = list(dict.fromkeys(newest.values_list("article_id", flat=True)[:SCALED_BY]))
    _assess_missing(ids, timezone.now())
    return Scale.fit(_scores(predictor, _stored(ids, _load_features(ids)), idf_array(idf_weights())))


def mark_all(user: User | None = None) -> int:
    """Mark all deliveries for rating, or all of `user`; returns how many."""
    deliveries = Delivery.objects.all() if user is None else Delivery.objects.filter(user=user)
    with transaction.atomic():
        lock_deliveries(deliveries)
        return deliveries.update(is_rated=False)


def _rate_batch(cache: PredictorCache, now: datetime) -> int:
    rows = _next_batch()
    if not rows:
        return 0
    _assess_missing({row.article_id for row in rows}, now)
    predictors, relevances = _relevances(rows, cache)
    with transaction.atomic():
        _write(rows, relevances, predictors)
    return len(rows)


def _next_batch() -> list[_Row]:
    """The next unrated deliveries, with the users' other deliveries of the same articles."""
    waiting = unrated().order_by("-article", "pk").values_list(*_COLUMNS)[:BATCH]
    rows = {values[0]: _Row(*values) for values in waiting}
    wanted = {(row.user_id, row.article_id) for row in rows.values()}
    articles = {row.article_id for row in rows.values()}
    n_feeds = (
        Item.objects.filter(article__in=articles).order_by().values("article").annotate(n=Count("feed", distinct=True))
    )
    others = Delivery.objects.filter(article__in=n_feeds.filter(n__gt=1).values("article"))
    for values in others.filter(user__in={user for user, _ in wanted}).values_list(*_COLUMNS):
        row = _Row(*values)
        if (row.user_id, row.article_id) in wanted:
            rows[row.pk] = row
    return list(rows.values())


def _assess_missing(ids: Collection[int], now: datetime) -> None:
    current = Assessment.objects.filter(article__in=ids).exclude(OUTDATED)
    missing = set(ids) - set(current.values_list("article_id", flat=True))
    if missing:
        assess(missing, now=now)


def _relevances(rows: Sequence[_Row], cache: PredictorCache) -> tuple[dict[int, Predictor], dict[int, float]]:
    """The predictor of each user, and the relevance of each delivery."""
    idf = idf_array(idf_weights())
    features = _load_features({row.article_id for row in rows})
    by_user: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        by_user[row.user_id].append(row)
    predictors = cache.get_many(by_user)
    relevances: dict[int, float] = {}
    for user_id, own in by_user.items():
        predictor = predictors.get(user_id, Predictor())
        if predictor.is_empty:
            relevances.update((row.pk, NEUTRAL_RELEVANCE) for row in own)
            continue
        scores = _scores(predictor, _stored([row.article_id for row in own], features), idf)
        relevances.update((row.pk, predictor.relevance(score)) for row, score in zip(own, scores, strict=True))
    return predictors, relevances


def _load_features(article_ids: Collection[int]) -> dict[int, tuple[bytes, bytes, bytes]]:
    rows = ArticleFeatures.objects.filter(article__in=article_ids)
    columns = rows.values_list("article_id", "terms", "attributes", "vector").iterator()
    return {pk: (bytes(terms), bytes(attributes), bytes(vector)) for pk, terms, attributes, vector in columns}


def _stored(article_ids: Sequence[int], features: Mapping[int, tuple[bytes, bytes, bytes]]) -> StoredFeatures:
    rows = [features.get(pk, (b"", b"", b"")) for pk in article_ids]
    return StoredFeatures(*([row[column] for row in rows] for column in range(3)))


def _scores(predictor: Predictor, stored: StoredFeatures, idf: Floats) -> list[float]:
    """The logit of the model or the cosine of the profile, of each article."""
    if predictor.model is not None:
        return [float(score) for score in logits_of_many(predictor.model, stored, idf=idf)]
    return [float(score) for score in cosines_of_many(predictor.profile, stored, idf)]


def _write(rows: Sequence[_Row], relevances: Mapping[int, float], predictors: Mapping[int, Predictor]) -> None:
    ids = sorted({row.article_id for row in rows})
    assessments = Assessment.objects.filter(article__in=ids).select_for_update().order_by("article_id")
    assessed = {
        pk: (shared, sensitivity)
        for pk, shared, sensitivity in assessments.values_list("article_id", "shared_importance", "sensitivity")
    }
    stories = stories_of({(row.user_id, row.article_id) for row in rows})
    lock_deliveries(Delivery.objects.filter(Q(pk__in=[row.pk for row in rows]) | deliveries_of(stories)))
    labels = SensitivityLabel.objects.filter(article__in=ids, user__in=predictors)
    overrides = {(user, article): score for user, article, score in labels.values_list("user", "article", "score")}
    profiles = InterestProfile.objects.filter(user__in=predictors).values_list("pk", "changed_at", "rated_at")
    changed = {pk for pk, *times in profiles if times != [predictors[pk].changed_at, predictors[pk].rated_at]}
    rates = decay_rates()
    points = boost_points({row.user_id for row in rows}, ids)
    coverage = coverage_of({(row.user_id, row.article_id) for row in rows})
    values = []
    for row in rows:
        if row.article_id not in assessed:
            continue  # deleted in the meantime
        shared, sensitivity = assessed[row.article_id]
        sensitivity = overrides.get((row.user_id, row.article_id), sensitivity)
        relevance = boosted(relevances[row.pk], points.get((row.user_id, row.article_id), 0))
        key = decay_key(relevance, rate=rates[sensitivity], published_at=row.placed_at)
        n_publishers, n_tiers = coverage[row.user_id, row.article_id]
        static = static_importance(shared, corroboration(n_publishers, n_tiers), relevance)
        ranking = n_publishers, n_tiers, static, slot_of(row.placed_at), sensitivity, key
        values.append((relevance, *ranking, row.user_id not in changed, row.pk))
    _update_dates(rows)
    with connection.cursor() as cursor:
        cursor.executemany(_UPDATE, values)
    place_stories(stories)


def _update_dates(rows: Sequence[_Row]) -> None:
    redated = [
        Delivery(pk=row.pk, published_at=row.placed_at, date_uncertain=row.date_uncertain)
        for row in rows
        if (row.placed_at, row.date_uncertain) != (row.stored_at, row.is_stored_uncertain)
    ]
    if redated:
        Delivery.objects.bulk_update(redated, ["published_at", "date_uncertain"], batch_size=100)
        tagged = TaggedArticle.objects.filter(article__in={row.article_id for row in rows})
        for pk, published_at in tagged.exclude(published_at=F("article__published_at")).values_list(
            "pk", "article__published_at"
        ):
            TaggedArticle.objects.filter(pk=pk).update(published_at=published_at)
