"""The relevance of one article by a person's model, and what made it: pure Python, for the web process.

The model is linear in what is stored of an article, so that a score falls apart into what each word, mark and the
meaning brought. `reader.learning.matrices` works out the same values for many articles at once.

Values. A term: its logarithmic count times its inverse document frequency, all terms of an article of unit length
together. A mark: what its kind is worth, by the root of how many of the kind there are. Meaning: the unit vector.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reader.learning.features import BUCKETS, unpack

COUNT_WORTH = tuple(1 + math.log(count) if count else 0.0 for count in range(16))  # of a term, by its count
KIND_WORTH = (0.0, 1.0, 0.7, 0.7, 0.55, 0.5, *[0.0] * 10)  # of marks, by the code of their kind; see `classifier`

Idf = Callable[[int], float]


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """What a person's choices taught: a logit is the intercept and the sum of values times weights.

    `indices` (uint32, ascending) and `weights` (float32) go together: terms by their number, marks by theirs behind
    the terms'. `meaning`: 512 float32, b"" for a model without it. All little-endian.
    """

    intercept: float
    indices: bytes
    weights: bytes
    meaning: bytes = b""


@dataclass(frozen=True, slots=True)
class Contributions:
    """What parts of an article bring to its logit: `terms` and `marks` by number, `meaning` as one figure."""

    intercept: float
    terms: dict[int, float]
    marks: dict[int, float]
    meaning: float

    @property
    def logit(self) -> float:
        return self.intercept + math.fsum(self.terms.values()) + math.fsum(self.marks.values()) + self.meaning


def relevance_of(model: LinearModel, terms: bytes, marks: bytes, vector: bytes, idf: Idf) -> float:
    """The relevance of an article in 0–100, by its stored features; `idf` gives the weight of a term's number."""
    return percentage(contributions(model, terms, marks, vector, idf).logit)


def contributions(model: LinearModel, terms: bytes, marks: bytes, vector: bytes, idf: Idf) -> Contributions:
    """What each feature of an article brings; features that the model does not know are left out."""
    known = _Weights(model)
    of_terms = ((number, value * known.of(number)) for number, value in term_values(terms, idf))
    of_marks = ((number, value * known.of(BUCKETS + number)) for number, value in mark_values(marks))
    return Contributions(
        model.intercept,
        {number: brought for number, brought in of_terms if brought},
        {number: brought for number, brought in of_marks if brought},
        _meaning(model.meaning, vector),
    )


def percentage(logit: float) -> float:
    """100 · sigmoid(logit) (feedoscope-article.md), from 0 to 100."""
    if logit < 0:
        odds = math.exp(max(logit, -700.0))
        return 100 * odds / (1 + odds)
    return 100 / (1 + math.exp(-logit))


def term_values(terms: bytes, idf: Idf) -> list[tuple[int, float]]:
    """The value of each term; together of unit length."""
    weighed = [(number, COUNT_WORTH[count] * idf(number)) for number, count in unpack(terms)]
    length = math.sqrt(math.fsum(value * value for _, value in weighed)) or 1.0
    return [(number, value / length) for number, value in weighed]


def mark_values(marks: bytes) -> Iterator[tuple[int, float]]:
    """The value of each mark."""
    found = list(unpack(marks))
    alike = Counter(kind for _, kind in found)
    return ((number, KIND_WORTH[kind] / math.sqrt(alike[kind])) for number, kind in found)


def _meaning(weights: bytes, vector: bytes) -> float:
    """The weights times the unit vector that is stored as signed bytes; 0 where there is either none."""
    if not weights or not vector:
        return 0.0
    stored = memoryview(vector).cast("b")
    length = math.sqrt(sum(value * value for value in stored)) or 1.0
    return (
        math.fsum(weight * value for weight, value in zip(memoryview(weights).cast("f"), stored, strict=True)) / length
    )


class _Weights:
    """The weights of a model, found by number without copying them."""

    def __init__(self, model: LinearModel) -> None:
        self._indices = memoryview(model.indices).cast("I")
        self._weights = memoryview(model.weights).cast("f")

    def of(self, index: int) -> float:
        place = bisect_left(self._indices, index)
        return self._weights[place] if place < len(self._indices) and self._indices[place] == index else 0.0
