"""The weights of the classifier: written by training, stored in the database, read by the classifier. Pure.

Two linear models, each with a weight per feature and score: one over cues and words, and one over the embedding, if
there is one. Their logits add up; `sharpness` scales them to probabilities that hold for authors outside the training
set.
"""

import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from pathlib import Path

SCORES = (1, 2, 3, 4, 5)
DIMENSIONS = 512  # of an embedding, one signed byte each
VECTOR_LENGTH = 127  # norm of a stored vector
FORMAT = 2  # of the features that the weights are for
DIGITS = 3  # stored digits of a weight

_SHIPPED = Path(__file__).with_name("weights.json")

PerScore = tuple[float, ...]  # one value for each score


class InvalidWeights(ValueError):
    """Stored weights that this version can't read."""


@dataclass(frozen=True)
class ClassifierWeights:
    """`features` by name; `embedding`: five rows of 512, or none; probabilities are softmax(sharpness · logits)."""

    bias: PerScore
    features: Mapping[str, PerScore]
    embedding_bias: PerScore = (0.0,) * len(SCORES)
    embedding: tuple[PerScore, ...] = ()
    sharpness: float = 1.0
    sharpness_with_embedding: float = 1.0

    def lexical_logits(self, features: Mapping[str, float]) -> PerScore:
        """The logit of each score from cues and words."""
        known = [(self.features[name], value) for name, value in features.items() if name in self.features]
        return tuple(
            bias + math.fsum(weights[i] * value for weights, value in known) for i, bias in enumerate(self.bias)
        )

    def embedding_logits(self, vector: bytes) -> PerScore:
        """The logit of each score from a stored vector; all 0 without one."""
        if len(vector) != DIMENSIONS or not self.embedding:
            return (0.0,) * len(SCORES)
        signed = memoryview(vector).cast("b")
        pairs = zip(self.embedding, self.embedding_bias, strict=True)
        return tuple(bias + sum(map(mul, weights, signed)) / VECTOR_LENGTH for weights, bias in pairs)

    def as_bytes(self) -> bytes:
        """The stored form: compressed JSON."""
        return zlib.compress(self.as_json().encode(), 9)

    def as_json(self) -> str:
        """One feature per line, sorted, so that two trainings can be compared."""
        features = ",\n".join(
            f"{json.dumps(name, ensure_ascii=False)}:{_row(self.features[name])}" for name in sorted(self.features)
        )
        embedding = ",\n".join(_row(weights) for weights in self.embedding)
        return (
            f'{{"format":{FORMAT},"sharpness":{self.sharpness},'
            f'"sharpness_with_meaning":{self.sharpness_with_embedding},\n'
            f'"bias":{_row(self.bias)},"meaning_bias":{_row(self.embedding_bias)},\n'
            f'"features":{{\n{features}}},\n"meaning":[\n{embedding}]}}\n'
        )

    @classmethod
    def from_bytes(cls, stored: bytes) -> "ClassifierWeights":
        """The inverse of `as_bytes`. Raises InvalidWeights."""
        try:
            return cls.from_json(zlib.decompress(stored).decode())
        except (zlib.error, UnicodeDecodeError) as error:
            raise InvalidWeights(str(error)) from error

    @classmethod
    def from_json(cls, text: str) -> "ClassifierWeights":
        """The inverse of `as_json`. Raises InvalidWeights."""
        try:
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise InvalidWeights(f"format {data['format']}, expected {FORMAT}")
            weights = cls(
                bias=tuple(data["bias"]),
                features={name: tuple(row) for name, row in data["features"].items()},
                embedding_bias=tuple(data["meaning_bias"]),
                embedding=tuple(tuple(row) for row in data["meaning"]),
                sharpness=float(data["sharpness"]),
                sharpness_with_embedding=float(data["sharpness_with_meaning"]),
            )
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            raise InvalidWeights(str(error)) from error
        if not weights.has_shape:
            raise InvalidWeights("unexpected shape")
        return weights

    @cached_property
    def has_shape(self) -> bool:
        """Whether every row has the right length."""
        rows = [self.bias, self.embedding_bias, *self.features.values()]
        embedding_lengths = {len(weights) for weights in self.embedding}
        return {len(row) for row in rows} == {len(SCORES)} and (
            not self.embedding or (len(self.embedding) == len(SCORES) and embedding_lengths == {DIMENSIONS})
        )


def load_shipped() -> ClassifierWeights:
    """The weights that come with the app."""
    return ClassifierWeights.from_json(_SHIPPED.read_text(encoding="utf-8"))


def median_score(probabilities: PerScore) -> int:
    """The first score with at least half of the probability at or below it."""
    below = 0.0
    for score, probability in zip(SCORES, probabilities, strict=True):
        below += probability
        if below >= 0.5:
            return score
    return SCORES[-1]


def _row(weights: PerScore) -> str:
    return "[" + ",".join(f"{round(weight, DIGITS):g}" for weight in weights) + "]"
