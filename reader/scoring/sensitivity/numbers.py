"""The classifier behind the judge, as numbers: what training writes, the database stores and the judge reads. Pure.

Two linear parts, each with a weight for every feature and score: one over cues and words, which is always there, and
one over the vector of meaning, which needs one. Their sums add up; `sharpness` makes probabilities of them that hold on
authors the training did not see.
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
DIMENSIONS = 512  # of a vector of meaning, one signed byte each
UNIT = 127  # the length of a stored vector
FORMAT = 1
DIGITS = 3  # kept of a weight

_SHIPPED = Path(__file__).with_name("numbers.json")

Weights = tuple[float, ...]  # one for each score


class UnreadableNumbers(ValueError):
    """Stored numbers that this version cannot read."""


@dataclass(frozen=True)
class Numbers:
    """Weights: `features` by name, `meaning` five rows of 512, or none; probabilities from `sharpness` · their sums."""

    bias: Weights
    features: Mapping[str, Weights]
    meaning_bias: Weights = (0.0,) * len(SCORES)
    meaning: tuple[Weights, ...] = ()
    sharpness: float = 1.0
    sharpness_with_meaning: float = 1.0

    def sums(self, features: Mapping[str, float]) -> Weights:
        """The sum of weights for each score that cues and words give."""
        known = [(self.features[name], value) for name, value in features.items() if name in self.features]
        return tuple(
            bias + math.fsum(weights[i] * value for weights, value in known) for i, bias in enumerate(self.bias)
        )

    def meaning_sums(self, vector: bytes) -> Weights:
        """The same of a stored vector; all 0 without one."""
        if len(vector) != DIMENSIONS or not self.meaning:
            return (0.0,) * len(SCORES)
        signed = memoryview(vector).cast("b")
        pairs = zip(self.meaning, self.meaning_bias, strict=True)
        return tuple(bias + sum(map(mul, weights, signed)) / UNIT for weights, bias in pairs)

    def as_bytes(self) -> bytes:
        """The stored form: JSON, compressed."""
        return zlib.compress(self.as_json().encode(), 9)

    def as_json(self) -> str:
        """One feature a line, sorted, so that two trainings can be compared."""
        lines = [
            f"{json.dumps(name, ensure_ascii=False)}:{_row(self.features[name])}" for name in sorted(self.features)
        ]
        meaning = ",\n".join(_row(weights) for weights in self.meaning)
        return (
            f'{{"format":{FORMAT},"sharpness":{self.sharpness},'
            f'"sharpness_with_meaning":{self.sharpness_with_meaning},\n'
            f'"bias":{_row(self.bias)},"meaning_bias":{_row(self.meaning_bias)},\n'
            f'"features":{{\n{_JOINED.join(lines)}}},\n"meaning":[\n{meaning}]}}\n'
        )

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Numbers":
        """Numbers from their stored form.

        Raises:
            UnreadableNumbers: they were written by another version, or damaged.
        """
        try:
            return cls.from_json(zlib.decompress(stored).decode())
        except (zlib.error, UnicodeDecodeError) as error:
            raise UnreadableNumbers(str(error)) from error

    @classmethod
    def from_json(cls, written: str) -> "Numbers":
        """The same of the uncompressed form."""
        try:
            read = json.loads(written)
            if read["format"] != FORMAT:
                raise UnreadableNumbers(f"format {read['format']}, where {FORMAT} is known")
            found = cls(
                bias=tuple(read["bias"]),
                features={name: tuple(weights) for name, weights in read["features"].items()},
                meaning_bias=tuple(read["meaning_bias"]),
                meaning=tuple(tuple(weights) for weights in read["meaning"]),
                sharpness=float(read["sharpness"]),
                sharpness_with_meaning=float(read["sharpness_with_meaning"]),
            )
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            raise UnreadableNumbers(str(error)) from error
        if not found.has_shape:
            raise UnreadableNumbers("numbers of another shape")
        return found

    @cached_property
    def has_shape(self) -> bool:
        """Every row has as many numbers as it must."""
        fives = [self.bias, self.meaning_bias, *self.features.values()]
        rows_of_meaning = {len(weights) for weights in self.meaning}
        return {len(row) for row in fives} == {len(SCORES)} and (
            not self.meaning or (len(self.meaning) == len(SCORES) and rows_of_meaning == {DIMENSIONS})
        )


_JOINED = ",\n"


def shipped() -> Numbers:
    """The numbers that come with the program."""
    return Numbers.from_json(_SHIPPED.read_text(encoding="utf-8"))


def median_score(probabilities: Weights) -> int:
    """The first score with at least half of the probability at or below it."""
    below = 0.0
    for score, probability in zip(SCORES, probabilities, strict=True):
        below += probability
        if below >= 0.5:
            return score
    return SCORES[-1]


def _row(weights: Weights) -> str:
    return "[" + ",".join(f"{round(weight, DIGITS):g}" for weight in weights) + "]"
