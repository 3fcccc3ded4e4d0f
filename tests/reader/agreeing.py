"""Whether everything that says a score says the same: columns, facts, pure functions, rows of lists, explanations."""

from datetime import datetime

import pytest
from django.contrib.auth.models import User

from reader.backgrounds import background
from reader.explaining import Explanation, explain
from reader.learning.background import idf_of
from reader.learning.linear import Idf, relevance_of, term_values
from reader.learning.profile import relevance
from reader.models import Assessment, Delivery, Features, SensitivityLabel
from reader.queries import for_you_page, important_page
from reader.ranking import slot_of
from reader.rates import rates_of
from reader.ratings import Rating
from reader.scoring.authority import authority
from reader.scoring.corroboration import corroboration
from reader.scoring.decay import time_adjusted, time_adjusted_from_pull
from reader.scoring.depth import DepthFacts, depth
from reader.scoring.importance import NEUTRAL_RELEVANCE, WEIGHTS, importance_at
from reader.scoring.recency import hours_between, recency
from reader.standings import Facts, facts_of
from reader.tastes import Taste, taste_of

EXACT = 1e-9
SINGLE = 1e-6  # workers hold features in numbers of 4 bytes, pages work in numbers of 8
ALL = 100_000  # rows on one page


def check_assessments() -> int:
    """What is stored of every article follows from its facts, and these are as they are now; returns how many."""
    known = list(Assessment.objects.all())
    facts = facts_of([each.article_id for each in known])
    for each in known:
        assert Facts(each.tier, each.health, each.n_feeds, each.n_tiers) == facts[each.article_id], each
        assert each.authority == authority(each.tier, each.health)
        assert each.corroboration == corroboration(each.n_feeds, each.n_tiers)
        assert each.depth == depth(DepthFacts(**each.depth_facts))
        parts = 0.25 * each.authority + 0.20 * each.corroboration + 0.15 * each.depth
        assert each.worth == pytest.approx(parts, abs=EXACT)
    return len(known)


def check_copies(user: User, *, now: datetime) -> int:
    """Every copy of `user` is as its article, the person's taste and the clock say; returns how many."""
    taste, idf, rates = taste_of(user), idf_of(background()), rates_of(user)
    copies = list(Delivery.objects.filter(user=user).select_related("article__assessment"))
    features = {each.article_id: each for each in Features.objects.filter(article__deliveries__user=user)}
    said = dict(SensitivityLabel.objects.filter(user=user).values_list("article_id", "score"))
    shown = _shown(user, now)
    for each in copies:
        assessment = each.article.assessment
        assert each.is_rated
        assert each.relevance is not None
        assert each.standing is not None
        assert each.pull is not None
        assert each.relevance == pytest.approx(_relevance(taste, features[each.article_id], idf), abs=SINGLE)
        assert each.standing == pytest.approx(assessment.worth + 0.20 * each.relevance, abs=EXACT)
        assert (each.published_at, each.date_uncertain) == (each.article.published_at, each.article.date_uncertain)
        assert each.slot == slot_of(each.published_at)
        assert each.sensitivity == said.get(each.article_id, assessment.sensitivity)
        age = hours_between(each.published_at, now)
        left = time_adjusted(each.relevance, rate=rates.decay[each.sensitivity], age_days=age / 24)
        if age >= 0:
            by_pull = time_adjusted_from_pull(each.pull, rates.decay[each.sensitivity], now)
            assert by_pull == pytest.approx(left, rel=EXACT, abs=2e-6)  # which relevance 0 counts as
        recent = recency(age, rate=rates.recency, is_uncertain=each.date_uncertain)
        found = explain(user, each.article, now=now)
        assert found is not None
        assert found.importance == pytest.approx(importance_at(each.standing, recent), abs=EXACT)
        assert (found.relevance.value, found.adjusted) == (each.relevance, left)
        assert "would be" not in found.relevance.sentence
        _check_parts(found)
        _check_row(found, shown.get(each.article_id))
        assert (each.article_id in shown) == (not each.is_read and not each.is_folded)
    return len(copies)


def _relevance(taste: Taste, features: Features, idf: Idf) -> float:
    """What the person's model or profile says, in pure Python."""
    terms, marks, vector = bytes(features.terms), bytes(features.marks), bytes(features.vector)
    if taste.model is not None:
        return relevance_of(taste.model, terms, marks, vector, idf)
    if not taste.profile.certainty:
        return NEUTRAL_RELEVANCE
    return relevance(taste.profile, term_values(terms, idf), vector)


def _shown(user: User, now: datetime) -> dict[int, Rating | None]:
    """What both ranked lists show of each article."""
    important = {row.article.pk: row.rating for row in important_page(user, None, now=now, size=ALL).rows}
    assert {row.article.pk: row.rating for row in for_you_page(user, None, now=now, size=ALL).rows} == important
    return important


def _check_parts(found: Explanation) -> None:
    """Weights times points, in the order of the weights, make the importance."""
    assert [(each.name, each.weight) for each in found.parts] == list(WEIGHTS.items())
    for each in found.parts:
        assert each.contribution == pytest.approx(each.weight * each.points, abs=EXACT)
        assert each.sentence
    assert sum(each.contribution for each in found.parts) == pytest.approx(found.importance, abs=EXACT)
    assert found.points == round(found.importance)
    assert {each.name: each.points for each in found.parts}["relevance"] == found.relevance.value


def _check_row(found: Explanation, rating: Rating | None) -> None:
    """The row of a list shows what the explanation explains."""
    if rating is None:
        return
    assert {each.name: each.points for each in found.parts} == {name: getattr(rating.parts, name) for name in WEIGHTS}
    assert (rating.parts.importance, rating.points) == (found.importance, found.points)
    assert (rating.adjusted, rating.sensitivity) == (found.adjusted, found.sensitivity.score)
