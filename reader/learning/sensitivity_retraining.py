"""The judge of time sensitivity trained anew with what an installation's people and language model said. Pure.

The shipped examples stay in: a few dozen labels alone would forget every kind of article that they do not hold. What
is kept has to be better on labels it was not shown, in macro F1 and no worse in mean absolute error.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reader.learning.sensitivity_training import (
    Example,
    Sums,
    cross_validated,
    folds_of,
    quality,
    reading_of,
    scores_of,
    train,
)
from reader.scoring.sensitivity.judge import SHIPPED
from reader.scoring.sensitivity.numbers import SCORES, Numbers

LEAST_LABELS = 50  # of an installation, before they change anything
LABEL_WEIGHT = 3.0  # of a label, against 1 of a shipped example: it is of the articles that will be judged

Labelled = Example


@dataclass(frozen=True, slots=True)
class Retrained:
    """A training with labels, and the shipped judge, on labels neither was shown.

    `numbers` is None unless it is better.
    """

    numbers: Numbers | None
    macro_f1: float
    mean_absolute_error: float
    shipped_macro_f1: float
    shipped_mean_absolute_error: float
    n_labels: int


def retrain(labels: Sequence[Labelled], *, shipped_examples: Sequence[Example], seed: int) -> Retrained:
    """The judge trained on the shipped examples and these labels, kept only where it is better on held-out labels."""
    truth = [label.score for label in labels]
    shipped = _shipped_sums(labels)
    shipped_f1, shipped_error = quality(truth, scores_of(shipped, SHIPPED)) if labels else (0.0, 0.0)
    if len(labels) < LEAST_LABELS:
        return Retrained(None, shipped_f1, shipped_error, shipped_f1, shipped_error, len(labels))
    weighted = [replace(label, weight=LABEL_WEIGHT * label.weight) for label in labels]
    held_out = cross_validated(weighted, folds_of(weighted, seed=seed), always=shipped_examples)
    macro_f1, error = quality(truth, scores_of(held_out, SHIPPED))
    is_better = macro_f1 > shipped_f1 and error <= shipped_error
    numbers = train([*shipped_examples, *weighted], like=SHIPPED) if is_better else None
    return Retrained(numbers, macro_f1, error, shipped_f1, shipped_error, len(labels))


def _shipped_sums(labels: Sequence[Labelled]) -> Sums:
    words = [SHIPPED.sums(reading_of(label).features) for label in labels]
    meaning = [SHIPPED.meaning_sums(label.vector) for label in labels]
    return Sums(np.array(words).reshape(-1, len(SCORES)), np.array(meaning).reshape(-1, len(SCORES)))
