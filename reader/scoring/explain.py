"""Why an article has its score, for one user: parts, weights and evidence in words.

The numbers come from the database, and the sentences from the inputs stored beside them, so that an explanation never
contradicts the list. What contributed to relevance is worked out from the profile or model and the article's features,
in pure Python, as workers do it in numpy for all articles. Read or old articles aren't rated after every change; the
explanation says what their relevance would be now.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from math import fsum, isfinite
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from feeds.models import Article, Disposition, Link
from feeds.publishers.attribution import attribution_of
from reader.interests.article_features import article_attributes, article_terms
from reader.interests.idf import idf_weights
from reader.interests.learning.features import hash_feature
from reader.interests.learning.idf_table import idf_of
from reader.interests.learning.inference import contributions as model_contributions
from reader.interests.learning.inference import term_values
from reader.interests.learning.profile import Part
from reader.interests.learning.profile import contributions as profile_contributions
from reader.interests.predictor import Predictor, load_predictor
from reader.models import ArticleFeatures, Assessment, Confidence, Delivery, Rule, SensitivityLabel, SensitivitySource
from reader.scoring.decay import NAMES, class_name, half_life_days, lifespan
from reader.scoring.depth import DepthFeatures
from reader.scoring.explanation_text import (
    authority_sentence,
    corroboration_sentence,
    depth_sentence,
    recency_sentence,
    relevance_sentence,
    summary_sentence,
)
from reader.scoring.importance import NEUTRAL_RELEVANCE, WEIGHTS, hours_between, part_name, strength_of
from reader.scoring.rating import Rates, Rating, rates_of, rating_of
from reader.scoring.reasons import Reason, reasons_of
from reader.scoring.rule_boosts import MAX_BOOST, boosted, boosting_rules
from reader.scoring.sensitivity_reasons import in_words
from reader.scoring.source_signals import Coverage, coverage_of

MEANING = gettext_lazy("overall meaning")
TERMS_SHOWN = 10
MIN_DIFFERENCE = 0.5  # points of relevance, between the stored and the current value
MIN_SHARE = 0.05  # hundredths of a cosine or logit, below which a term isn't shown


@dataclass(frozen=True, slots=True)
class PartExplained:
    """One of the five parts: `points` of 100, its weight, its contribution to the importance, and why."""

    name: str
    points: float
    weight: float
    contribution: float
    sentence: str

    @property
    def title(self) -> str:
        return part_name(self.name)


@dataclass(frozen=True, slots=True)
class TermShare:
    """The contribution of a term, an attribute or the embedding: hundredths of a cosine for the profile, of a logit for
    the model; negative if it lowers relevance.
    """

    term: str
    share: float

    @property
    def size(self) -> float:
        return abs(self.share)


@dataclass(frozen=True, slots=True)
class RelevanceExplained:
    """`judge` is `model`, `profile` or `nobody`; `terms` strongest first."""

    value: float
    judge: str
    sentence: str
    terms: tuple[TermShare, ...]


@dataclass(frozen=True, slots=True)
class SensitivityExplained:
    """How fast the article ages; `judge_words` says who rated it, `is_own` whether it was the user."""

    score: int
    name: str
    lasting: str
    confidence: str
    judge_words: str
    explanation: str
    is_own: bool
    half_life_days: float

    @property
    def title(self) -> str:
        return class_name(self.score)

    @property
    def confidence_words(self) -> str:
        return {
            Confidence.LOW: pgettext("confidence", "low"),
            Confidence.MEDIUM: pgettext("confidence", "medium"),
            Confidence.HIGH: pgettext("confidence", "high"),
        }[Confidence(self.confidence)]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why `importance` (0–100) at `as_of`: in a sentence (`summary`) and by part.

    `reason`: why it is in For you, in two or three words, "" if it is no more relevant than most. `stands_under`: title
    and id of the story's lead if this is a near-duplicate of it.
    """

    article_id: int
    title: str
    importance: float
    points: int
    summary: str
    reason: str
    parts: tuple[PartExplained, ...]
    relevance: RelevanceExplained
    adjusted: float
    sensitivity: SensitivityExplained
    stands_under: tuple[str, int] | None
    as_of: datetime


def explain(user: User, article: Article, *, now: datetime) -> Explanation | None:
    """Why `article` has its score for `user`; None if it hasn't been assessed. A fixed number of queries."""
    assessment = Assessment.objects.filter(article=article).first()
    if assessment is None:
        return None
    own = SensitivityLabel.objects.filter(user=user, article=article).first()
    delivery = Delivery.objects.filter(user=user, article=article).order_by("pk").first()
    rates = rates_of(user)
    coverage = (
        Coverage(delivery.n_publishers, delivery.n_tiers)
        if delivery
        else coverage_of([(user.pk, article.pk)])[user.pk, article.pk]
    )
    rating = rating_of(
        assessment,
        n_publishers=coverage.n_publishers,
        n_tiers=coverage.n_tiers,
        relevance=delivery.relevance if delivery else None,
        sensitivity=own.score if own else assessment.sensitivity,
        published_at=article.published_at,
        date_uncertain=article.date_uncertain,
        now=now,
        rates=rates,
    )
    relevance, reason = _relevance(user, article, rating.parts.relevance)
    return Explanation(
        article_id=article.pk,
        title=article.title,
        importance=rating.parts.importance,
        points=rating.points,
        summary=summary_sentence(
            strength_of(rating.points),
            {name: getattr(rating.parts, name) for name in WEIGHTS},
            coverage.n_publishers,
            reason.interests if reason else (),
        ),
        reason=reason.words if reason else "",
        parts=_parts(article, assessment, coverage, rating, relevance, rates, now),
        relevance=relevance,
        adjusted=rating.adjusted,
        sensitivity=_sensitivity(own, assessment, rates),
        stands_under=_lead_of(user, article),
        as_of=now,
    )


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain values, timestamps in ISO 8601."""
    data = asdict(explanation)
    data["time_adjusted_relevance"] = data.pop("adjusted")
    under = explanation.stands_under
    if not isfinite(explanation.sensitivity.half_life_days):
        data["sensitivity"]["half_life_days"] = None  # JSON has no infinity
    return data | {
        "as_of": explanation.as_of.isoformat(),
        "stands_under": {"title": under[0], "article_id": under[1]} if under else None,
        "weights": dict(WEIGHTS),
    }


def _parts(
    article: Article,
    assessment: Assessment,
    coverage: Coverage,
    rating: Rating,
    relevance: RelevanceExplained,
    rates: Rates,
    now: datetime,
) -> tuple[PartExplained, ...]:
    said_by = attribution_of(article)
    is_feed_tier = said_by.is_feed_tier and said_by.tier == assessment.tier
    age = hours_between(article.published_at, now)
    sentences = {
        "authority": authority_sentence(said_by.name or None, assessment.tier, assessment.health, is_feed_tier),
        "recency": recency_sentence(age, rates.recency, article.date_uncertain),
        "corroboration": corroboration_sentence(coverage.n_publishers, coverage.n_tiers),
        "relevance": relevance.sentence,
        "depth": depth_sentence(DepthFeatures(**assessment.depth_features)),
    }
    contributions = rating.parts.contributions()
    return tuple(
        PartExplained(name, getattr(rating.parts, name), weight, contributions[name], sentences[name])
        for name, weight in WEIGHTS.items()
    )


def _relevance(user: User, article: Article, value: float) -> tuple[RelevanceExplained, Reason | None]:
    """How relevance was predicted, and why the article is relevant; `value` is what lists show."""
    predictor = load_predictor(user)
    rules = boosting_rules(user, article)
    points = sum(rule.lift for rule in rules)
    if predictor.is_empty:
        differs = abs(value - boosted(NEUTRAL_RELEVANCE, points)) >= MIN_DIFFERENCE
        outdated = _("%(points)s of 100, from before you deleted your interests.")
        sentence = outdated % {"points": f"{value:.0f}"} if differs else relevance_sentence(None)
        return RelevanceExplained(
            value, "nobody", sentence + _rules_sentence(rules, None if differs else value), ()
        ), None
    is_learned = predictor.model is not None
    predicted, terms = _predict(predictor, article)
    current = value if predicted is None else boosted(predicted, points)
    reason = reasons_of(user, {article.pk: value}, predictor).get(article.pk)
    is_current = abs(value - current) < MIN_DIFFERENCE
    without_rules = predicted if rules and is_current and predicted is not None else value
    sentence = relevance_sentence(without_rules, reason.interests if reason else (), is_learned=is_learned)
    sentence += _rules_sentence(rules, value if is_current else None)
    if not is_current:
        since = _("With your current interests, it would be %(points)s.") % {"points": f"{current:.0f}"}
        sentence += f" {since}"
    return RelevanceExplained(value, "model" if is_learned else "profile", sentence, terms), reason


def _rules_sentence(rules: Sequence[Rule], value: float | None) -> str:
    """What the user's rules add, and the resulting value if it is known; "" without rules."""
    sentences = []
    for rule in rules:
        template = (
            _("Your rule “%(rule)s” raises it by %(n)d.")
            if rule.lift > 0
            else _("Your rule “%(rule)s” lowers it by %(n)d.")
        )
        sentences.append(template % {"rule": rule, "n": abs(rule.lift)})
    if len(rules) > 1 and abs(sum(rule.lift for rule in rules)) > MAX_BOOST:
        sentences.append(_("Together, rules change it by at most %(n)d.") % {"n": MAX_BOOST})
    if sentences and value is not None:
        sentences.append(_("Total: %(n)d.") % {"n": round(value)})
    return "".join(f" {sentence}" for sentence in sentences)


def _predict(predictor: Predictor, article: Article) -> tuple[float | None, tuple[TermShare, ...]]:
    """The relevance as predicted now and what contributed to it; None without stored features."""
    features = ArticleFeatures.objects.filter(article=article).first()
    if features is None:
        return None, ()
    idf = idf_of(idf_weights())
    if predictor.model is None:
        parts = profile_contributions(
            predictor.profile, term_values(bytes(features.terms), idf), bytes(features.vector)
        )
        return predictor.relevance(fsum(part.share for part in parts)), _strongest(
            (str(MEANING) if part.part is Part.EMBEDDING else part.term, 100 * part.share) for part in parts
        )
    contributions = model_contributions(
        predictor.model, bytes(features.terms), bytes(features.attributes), bytes(features.vector), idf
    )
    words = _by_hash(article_terms(article))
    attributes = _by_hash(article_attributes(article))
    shares = [
        *((words.get(index, ""), share) for index, share in contributions.terms.items()),
        *((_attribute_name(attributes.get(index, "")), share) for index, share in contributions.attributes.items()),
        (str(MEANING), contributions.embedding),
    ]
    return predictor.relevance(contributions.logit), _strongest((term, 100 * share) for term, share in shares if term)


def _attribute_name(attribute: str) -> str:
    """`source:paper.example` as `source paper.example`, and `pair:sea level` as `“sea level”`."""
    kind, __, value = attribute.partition(":")
    if not value:
        return kind
    names = {
        "pair": pgettext("words that stand together", "“%(value)s”"),
        "source": pgettext("what an article has", "source %(value)s"),
        "author": pgettext("what an article has", "author %(value)s"),
        "category": pgettext("what an article has", "category %(value)s"),
        "site": pgettext("what an article has", "site %(value)s"),
    }
    return names[kind] % {"value": value}


def _by_hash(names: Iterable[str]) -> Mapping[int, str]:
    return {hash_feature(name): name for name in names}


def _strongest(shares: Iterable[tuple[str, float]]) -> tuple[TermShare, ...]:
    large = [TermShare(term, share) for term, share in shares if abs(share) >= MIN_SHARE]
    return tuple(sorted(large, key=lambda term: -abs(term.share))[:TERMS_SHOWN])


def _sensitivity(own: SensitivityLabel | None, assessment: Assessment, rates: Rates) -> SensitivityExplained:
    source = SensitivitySource.USER if own else SensitivitySource(assessment.source)
    score = own.score if own else assessment.sensitivity
    explanation = own.explanation if own else assessment.explanation
    if source == SensitivitySource.LOCAL:
        explanation = in_words(score, explanation)
    return SensitivityExplained(
        score=score,
        name=NAMES[score],
        lasting=lifespan(score),
        confidence=own.confidence if own else assessment.confidence,
        judge_words=pgettext("who said so", "you") if own else str(source.label),
        explanation=explanation,
        is_own=own is not None,
        half_life_days=half_life_days(rates.decay[score]),
    )


def _lead_of(user: User, article: Article) -> tuple[str, int] | None:
    """The lead of the story, if the article is a near-duplicate of it and the user's feeds delivered it."""
    lead = article.story.lead if article.story else None
    if lead is None or lead.pk == article.pk or not Delivery.objects.filter(user=user, article=lead).exists():
        return None
    one, other = sorted((lead.pk, article.pk))
    copies = Link.objects.filter(one=one, other=other, disposition=Disposition.NEAR_DUPLICATE)
    return (lead.title, lead.pk) if copies.exists() else None
