"""Checks that columns, facts, pure functions, list rows and explanations all give the same scores."""

from datetime import datetime

import pytest
from django.contrib.auth.models import User

from reader.interests.idf import idf_weights
from reader.interests.learning.idf_table import idf_of
from reader.interests.learning.inference import Idf, contributions, term_values
from reader.interests.learning.profile import cosine
from reader.interests.predictor import Predictor, load_predictor
from reader.lists.queries import for_you_page, important_page
from reader.models import ArticleFeatures, Assessment, Delivery, SensitivityLabel
from reader.scoring.decay import time_adjusted
from reader.scoring.depth import DepthFeatures, depth
from reader.scoring.explain import Explanation, explain
from reader.scoring.importance import (
    NEUTRAL_RELEVANCE,
    WEIGHTS,
    authority,
    corroboration,
    hours_between,
    importance_at,
    recency,
)
from reader.scoring.ranked_order import slot_of
from reader.scoring.rating import Rating, rates_of
from reader.scoring.source_signals import SourceSignals, coverage_of, load_signals
from tests.reader.pulled import relevance_from_decay_key

EXACT = 1e-9
SINGLE = 1e-5  # points of 100: workers hold features in numbers of 4 bytes, pages compute in numbers of 8
ALL = 100_000  # rows on one page


def check_assessments() -> int:
    """Check that every stored assessment follows from current facts; return how many there are."""
    known = list(Assessment.objects.all())
    facts = load_signals([assessment.article_id for assessment in known])
    for assessment in known:
        assert SourceSignals(assessment.tier, assessment.health) == facts[assessment.article_id], assessment
        assert assessment.authority == authority(assessment.tier, assessment.health)
        assert assessment.depth == depth(DepthFeatures(**assessment.depth_features))
        parts = 0.25 * assessment.authority + 0.15 * assessment.depth
        assert assessment.shared_importance == pytest.approx(parts, abs=EXACT)
    return len(known)


def check_copies(user: User, *, now: datetime) -> int:
    """Check every delivery of `user` against its article, their interests and the time; return how many there are."""
    taste, idf, rates = load_predictor(user), idf_of(idf_weights()), rates_of(user)
    copies = list(Delivery.objects.filter(user=user).select_related("article__assessment"))
    features = {
        features.article_id: features for features in ArticleFeatures.objects.filter(article__deliveries__user=user)
    }
    coverage = coverage_of([(user.pk, copy.article_id) for copy in copies])
    override_scores = dict(SensitivityLabel.objects.filter(user=user).values_list("article_id", "score"))
    ratings = _shown(user, now)
    for copy in copies:
        assessment = copy.article.assessment
        assert copy.is_rated
        assert copy.relevance is not None
        assert copy.static_importance is not None
        assert copy.decay_key is not None
        assert copy.relevance == pytest.approx(_relevance(taste, features[copy.article_id], idf), abs=SINGLE)
        assert coverage[user.pk, copy.article_id] == (copy.n_publishers, copy.n_tiers)
        reported = corroboration(copy.n_publishers, copy.n_tiers)
        static = assessment.shared_importance + 0.20 * reported + 0.20 * copy.relevance
        if copy.newest_at is None:
            assert copy.static_importance == pytest.approx(static, abs=EXACT)
        else:  # that of its story, which no article exceeds
            assert copy.static_importance >= static - EXACT
            assert copy.newest_at >= copy.published_at
        assert (copy.published_at, copy.date_uncertain) == (copy.article.published_at, copy.article.date_uncertain)
        assert copy.slot == slot_of(copy.newest_at or copy.published_at)
        assert copy.sensitivity == override_scores.get(copy.article_id, assessment.sensitivity)
        age = hours_between(copy.published_at, now)
        left = time_adjusted(copy.relevance, rate=rates.decay[copy.sensitivity], age_days=age / 24)
        if age >= 0:
            by_pull = relevance_from_decay_key(copy.decay_key, rates.decay[copy.sensitivity], now)
            assert by_pull == pytest.approx(left, rel=EXACT, abs=2e-6)  # which relevance 0 counts as
        recent = recency(age, rate=rates.recency, is_uncertain=copy.date_uncertain)
        explanation = explain(user, copy.article, now=now)
        assert explanation is not None
        assert explanation.importance == pytest.approx(importance_at(static, recent), abs=EXACT)
        assert (explanation.relevance.value, explanation.adjusted) == (copy.relevance, left)
        assert "would be" not in explanation.relevance.sentence
        _check_parts(explanation)
        _check_row(explanation, ratings.get(copy.article_id))
        assert (copy.article_id in ratings) == (not copy.is_read and not copy.is_folded)
    return len(copies)


def _relevance(taste: Predictor, features: ArticleFeatures, idf: Idf) -> float:
    """The relevance by the user's model or profile, in pure Python."""
    terms, marks, vector = bytes(features.terms), bytes(features.attributes), bytes(features.vector)
    if taste.model is not None:
        return taste.relevance(contributions(taste.model, terms, marks, vector, idf).logit)
    if taste.is_empty:
        return NEUTRAL_RELEVANCE
    return taste.relevance(cosine(taste.profile, term_values(terms, idf), vector))


def _shown(user: User, now: datetime) -> dict[int, Rating | None]:
    """The ratings of each article in both ranked lists."""
    important = {row.article.pk: row.rating for row in important_page(user, None, now=now, size=ALL).rows}
    assert {row.article.pk: row.rating for row in for_you_page(user, None, now=now, size=ALL).rows} == important
    return important


def _check_parts(found: Explanation) -> None:
    """Check that the importance is the sum of weights times points, in the order of the weights."""
    assert [(part.name, part.weight) for part in found.parts] == list(WEIGHTS.items())
    for part in found.parts:
        assert part.contribution == pytest.approx(part.weight * part.points, abs=EXACT)
        assert part.sentence
    assert sum(part.contribution for part in found.parts) == pytest.approx(found.importance, abs=EXACT)
    assert found.points == round(found.importance)
    assert {part.name: part.points for part in found.parts}["relevance"] == found.relevance.value


def _check_row(found: Explanation, rating: Rating | None) -> None:
    """Check that a list row shows the same numbers as the explanation."""
    if rating is None:
        return
    assert {part.name: part.points for part in found.parts} == {name: getattr(rating.parts, name) for name in WEIGHTS}
    assert (rating.parts.importance, rating.points) == (found.importance, found.points)
    assert (rating.adjusted, rating.sensitivity) == (found.adjusted, found.sensitivity.score)
