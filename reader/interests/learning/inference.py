"""The score of one article by a user's model, what contributed to it, and the scale of relevance. Pure Python, for the
web process.

The model is linear in the stored features, so a score is the sum of contributions by words, attributes and the
embedding. `reader.interests.learning.feature_matrices` computes the same values for many articles.

Values. A term: its logarithmic count times its IDF, all terms of an article normalized to unit length. An attribute:
the value of its kind, divided by the root of how many of the kind there are. Embedding: the unit vector.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from feeds.dedup.idf import tf_idf
from reader.interests.learning.features import BUCKETS, unpack

KIND_VALUES = (0.0, 1.0, 0.7, 0.7, 0.55, 0.5, *[0.0] * 10)  # of marks, by the code of their kind; see `classifier`
STEEPNESS = 1 / 3  # of a scale; 1/2 moved 4 of 29 top stories of a day, 1/4 is slower to lift what a user likes

Idf = Callable[[int], float]


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A logit is the intercept plus the sum of values times weights.

    `indices` (uint32, ascending) and `weights` (float32) go together: terms by hash, then attributes by 2^20 + hash.
    `embedding`: 512 float32, b"" for a model without it. All little-endian.
    """

    intercept: float
    indices: bytes
    weights: bytes
    embedding: bytes = b""


@dataclass(frozen=True, slots=True)
class Contributions:
    """Contributions to the logit: `terms` and `attributes` by hash, `embedding` as a whole."""

    intercept: float
    terms: dict[int, float]
    attributes: dict[int, float]
    embedding: float

    @property
    def logit(self) -> float:
        return self.intercept + math.fsum(self.terms.values()) + math.fsum(self.attributes.values()) + self.embedding


def contributions(model: LinearModel, terms: bytes, attributes: bytes, vector: bytes, idf: Idf) -> Contributions:
    """The contribution of each feature; features unknown to the model are left out."""
    weights = _Weights(model)
    by_term = ((index, value * weights.get(index)) for index, value in term_values(terms, idf))
    by_attribute = ((index, value * weights.get(BUCKETS + index)) for index, value in attribute_values(attributes))
    return Contributions(
        model.intercept,
        {index: share for index, share in by_term if share},
        {index: share for index, share in by_attribute if share},
        _embedding_share(model.embedding, vector),
    )


def percentage(logit: float) -> float:
    """100 · sigmoid(logit) (feedoscope-article.md), from 0 to 100."""
    if logit < 0:
        odds = math.exp(max(logit, -700.0))
        return 100 * odds / (1 + odds)
    return 100 / (1 + math.exp(-logit))


@dataclass(frozen=True, slots=True)
class Scale:
    """Puts the scores of a profile or model on one scale, 0 to 100, on which the user's typical article is 50.

    `middle` is the median score of the user's articles, `spread` their root mean square distance from it, 0 before
    there are any. Most articles stay near 50, so learning hardly changes how many are important; those that stand out
    move far.
    """

    middle: float = 0.0
    spread: float = 0.0

    @classmethod
    def fit(cls, scores: Sequence[float]) -> "Scale":
        """The scale of these articles."""
        if not scores:
            return cls()
        middle = median(scores)
        return cls(middle, math.sqrt(math.fsum((score - middle) ** 2 for score in scores) / len(scores)))

    def relevance(self, score: float, certainty: float = 1.0) -> float:
        """The relevance of an article with this score; with a low `certainty` (0 to 1) it stays nearer to 50."""
        distance = (score - self.middle) / self.spread if self.spread else 0.0
        return percentage(certainty * STEEPNESS * distance * abs(distance))


NO_SCALE = Scale()  # before any article was scored: all have 50


def term_values(terms: bytes, idf: Idf) -> list[tuple[int, float]]:
    """The value of each term, normalized to unit length."""
    return list(tf_idf(dict(unpack(terms)), idf).items())


def attribute_values(attributes: bytes) -> Iterator[tuple[int, float]]:
    """The value of each attribute."""
    kinds = list(unpack(attributes))
    counts = Counter(kind for _, kind in kinds)
    return ((index, KIND_VALUES[kind] / math.sqrt(counts[kind])) for index, kind in kinds)


def _embedding_share(weights: bytes, vector: bytes) -> float:
    """Weights times the unit vector of the stored bytes; 0 if either is missing."""
    if not weights or not vector:
        return 0.0
    stored = memoryview(vector).cast("b")
    length = math.sqrt(sum(value * value for value in stored)) or 1.0
    return (
        math.fsum(weight * value for weight, value in zip(memoryview(weights).cast("f"), stored, strict=True)) / length
    )


class _Weights:
    """A model's weights, looked up by index without copying them."""

    def __init__(self, model: LinearModel) -> None:
        self._indices = memoryview(model.indices).cast("I")
        self._weights = memoryview(model.weights).cast("f")

    def get(self, index: int) -> float:
        place = bisect_left(self._indices, index)
        return self._weights[place] if place < len(self._indices) and self._indices[place] == index else 0.0
