"""Predicts how fast an article loses relevance from its wording, dates, genre and embedding, and says why. Pure.

Theory. News reveals its own lifespan: live coverage gives updates, alerts give orders, reports name the day of one
event, previews look ahead, essays speak of years, explainers of no time at all. These cues (`cues`, `dates`, style)
work across topics and languages; words less so. The embedding recognizes genres that no word list covers, such as
recipes. Weights are learned from examples (`reader.scoring.sensitivity.training`).

The score is the median of the five probabilities: the most probable score is further off when it is wrong, and the
rounded mean avoids the ends of the scale.

The examples have no feed and no length, so the kind of feed and the length shift the logits by small fixed amounts:
enough to decide between neighboring scores, too little to turn live coverage on a blog into an essay.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from reader.scoring.sensitivity.features import Features, extract_features
from reader.scoring.sensitivity.weights import SCORES, ClassifierWeights, PerScore, load_shipped, median_score
from reader.scoring.sensitivity_reasons import IN_TEXT, IN_TITLE, MEANING, UNQUOTED, Reason

SHIPPED = load_shipped()
KIND_SHIFTS = {"breaking": 0.3, "major": 0.1, "blog": -0.25, "newsletter": -0.1, "dormant": -0.25}  # logit per score
LONG_CHARACTERS = 8000  # about 1,300 words
LONG_SHIFT = -0.2  # logit per score
HIGH, MEDIUM, LOW = "high", "medium", "low"
HIGH_FROM, MEDIUM_FROM = 0.8, 0.55  # probability of the score
NAMED_CUES = 3  # in an explanation, at most
MIN_EFFECT = 0.08  # logit; a cue with less isn't named as a reason


@dataclass(frozen=True, slots=True)
class Prediction:
    """A score from 1 (evergreen) to 5 (critical), the confidence, the reasons, and the probability of each score."""

    score: int
    confidence: str
    reasons: tuple[Reason, ...]
    probabilities: tuple[float, float, float, float, float]

    @property
    def expected(self) -> float:
        """The mean score, in [1, 5]: finer than the score, for ranking."""
        return sum(score * p for score, p in zip(SCORES, self.probabilities, strict=True))


def classify(
    title: str,
    text: str,
    *,
    language: str = "",
    kind: str = "",
    published_at: datetime | None = None,
    vector: bytes = b"",
    weights: ClassifierWeights = SHIPPED,
) -> Prediction:
    """How fast an article loses relevance.

    `kind` is the feed's (`feeds.models.FeedKind`), `vector` the stored embedding (512 signed bytes); both are optional.
    Only the first 600 characters of the text are used.
    """
    features = extract_features(title, text, language=language, published_at=published_at)
    lexical, embedding = weights.lexical_logits(features.values), weights.embedding_logits(vector)
    sharpness = weights.sharpness_with_embedding if any(embedding) else weights.sharpness
    shift = KIND_SHIFTS.get(kind, 0.0) + (LONG_SHIFT if len(text) >= LONG_CHARACTERS else 0.0)
    logits = tuple(
        sharpness * (one + two) + shift * score for one, two, score in zip(lexical, embedding, SCORES, strict=True)
    )
    probabilities = _softmax(logits)
    score = median_score(probabilities)
    return Prediction(
        score,
        _confidence(probabilities[score - 1]),
        _reasons(score, features, weights.features, embedding),
        probabilities,
    )


def _softmax(logits: PerScore) -> tuple[float, float, float, float, float]:
    largest = max(logits)
    one, two, three, four, five = (math.exp(value - largest) for value in logits)
    total = one + two + three + four + five
    return one / total, two / total, three / total, four / total, five / total


def _confidence(probability: float) -> str:
    return HIGH if probability >= HIGH_FROM else MEDIUM if probability >= MEDIUM_FROM else LOW


def _reasons(
    score: int, features: Features, weights: Mapping[str, PerScore], embedding: PerScore
) -> tuple[Reason, ...]:
    """The cues with the largest effect on the score, and the embedding if its effect is large."""
    effects = sorted(
        (-_effect(score, weights[name]) * value, name)
        for name, value in features.values.items()
        if name in weights and (name in features.phrases or name in UNQUOTED)
    )
    named = [name for negative_effect, name in effects if -negative_effect >= MIN_EFFECT][:NAMED_CUES]
    reasons = [Reason(name) if name in UNQUOTED else Reason(_place(name), features.phrases[name]) for name in named]
    if _effect(score, embedding) > max(2 * MIN_EFFECT, -effects[0][0] if effects else 0.0):
        reasons.append(Reason(MEANING))
    return tuple(reasons)


def _place(name: str) -> str:
    return IN_TITLE if name.startswith("title:") else IN_TEXT


def _effect(score: int, weights: PerScore) -> float:
    """How much weights favor this score over the average score."""
    return weights[score - 1] - sum(weights) / len(weights)
