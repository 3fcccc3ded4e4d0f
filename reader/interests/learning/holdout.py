"""Trains a user's model and evaluates it on held-out articles (feedoscope-article.md).

A random fifth of the smaller class is held out, at most 100, and as many of the larger, so that metrics are of balanced
classes. They are of a model trained on the rest, with balanced weights (`reader.interests.learning.classifier`); the
model that is kept is then trained on all labels.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, precision_recall_fscore_support, roc_auc_score

from reader.interests.learning.classifier import SEED, Labels, relevance_of_many, train
from reader.interests.learning.feature_matrices import Floats, StoredFeatures
from reader.interests.learning.inference import LinearModel

MIN_PER_CLASS = 50  # SPEC §10
HELD_OUT_SHARE = 0.2  # SPEC §10
MAX_HELD_OUT = 100  # of a class; SPEC §10
RELEVANT_FROM = 50.0  # of a relevance, the threshold 0.5 of its sigmoid
ROUNDING = 1e-9  # of average precisions: sums of the same ranks may differ in their last digit

Rows = NDArray[np.intp]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Split:
    """Rows to learn from, and rows held out, as many of each class; both ascending."""

    learned: Rows
    held_out: Rows


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A model with its metrics, all in [0, 1]; `model` is None, and all metrics 0, with too few labels.

    `is_better`: its average precision is at least the profile's on the same held-out articles.
    """

    model: LinearModel | None
    n_positive: int
    n_negative: int
    n_held_out: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    auc: float = 0.0
    average_precision: float = 0.0
    profile_auc: float = 0.0
    profile_average_precision: float = 0.0
    is_better: bool = False
    seconds: float = 0.0


def train_and_evaluate(
    stored: StoredFeatures,
    labels: Sequence[bool] | Labels,
    *,
    idf: Floats,
    profile_scores: Callable[[Rows, Rows], Scores],
    seed: int = SEED,
) -> TrainedModel:
    """A model of all labels, and the metrics of one without the held-out labels.

    `profile_scores` returns the scores of the second rows by a profile learned from the first.
    """
    began = time.perf_counter()
    truth = np.asarray(labels, dtype=bool)
    n_positive, n_negative = int(truth.sum()), int((~truth).sum())
    if min(n_positive, n_negative) < MIN_PER_CLASS:
        return TrainedModel(None, n_positive, n_negative)
    split = balanced_split(truth, seed=seed)
    tried = train(stored.select(split.learned), truth[split.learned], idf=idf, seed=seed)
    held = truth[split.held_out]
    found = relevance_of_many(tried, stored.select(split.held_out), idf=idf)
    profile = profile_scores(split.learned, split.held_out)
    precision, recall, f1, _ = precision_recall_fscore_support(
        held, found >= RELEVANT_FROM, average="binary", zero_division=0.0
    )
    average_precision = float(average_precision_score(held, found))
    profile_average_precision = float(average_precision_score(held, profile))
    return TrainedModel(
        model=train(stored, truth, idf=idf, seed=seed),
        n_positive=n_positive,
        n_negative=n_negative,
        n_held_out=len(held),
        precision=float(precision),
        recall=float(recall),
        f1=float(f1),
        auc=float(roc_auc_score(held, found)),
        average_precision=average_precision,
        profile_auc=float(roc_auc_score(held, profile)),
        profile_average_precision=profile_average_precision,
        is_better=average_precision >= profile_average_precision - ROUNDING,
        seconds=time.perf_counter() - began,
    )


def balanced_split(labels: Labels, *, seed: int) -> Split:
    """A random fifth of the smaller class, at most 100, and as many of the larger are held out; the others are for
    learning.
    """
    chance = np.random.default_rng(seed)
    classes = [chance.permutation(np.flatnonzero(labels == which)) for which in (True, False)]
    n_held_out = min(MAX_HELD_OUT, round(HELD_OUT_SHARE * min(map(len, classes))))
    held_out = np.concatenate([rows[:n_held_out] for rows in classes])
    return Split(np.setdiff1d(np.arange(len(labels)), held_out), np.sort(held_out))
