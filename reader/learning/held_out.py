"""Trains a person's model and says how well it does on articles it was not shown (feedoscope-article.md).

A fifth of the smaller class is held out by chance, at most 100, and as many of the larger, so that figures are of
balanced classes. They are of a model of all the rest, in which either class counts as much as the other
(`reader.learning.classifier`); the model that is kept then learns from all labels.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, precision_recall_fscore_support, roc_auc_score

from reader.learning.classifier import SEED, Labels, relevance_of_many, train
from reader.learning.linear import LinearModel
from reader.learning.matrices import Floats, Stored

LEAST_OF_A_CLASS = 50  # SPEC §10
HELD_OUT_SHARE = 0.2  # SPEC §10
MOST_HELD_OUT = 100  # of a class; SPEC §10
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
class Training:
    """A model with its figures, all in [0, 1]; `model` is None, and all figures 0, while there are too few labels.

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


def trained_and_held_out(
    stored: Stored,
    labels: Sequence[bool] | Labels,
    *,
    idf: Floats,
    profile_scores: Callable[[Rows, Rows], Scores],
    seed: int = SEED,
) -> Training:
    """A model of all labels, and how one without those held out does on these.

    `profile_scores` gives what a profile of the first rows says of the second.
    """
    began = time.perf_counter()
    truth = np.asarray(labels, dtype=bool)
    n_positive, n_negative = int(truth.sum()), int((~truth).sum())
    if min(n_positive, n_negative) < LEAST_OF_A_CLASS:
        return Training(None, n_positive, n_negative)
    split = balanced_split(truth, seed=seed)
    tried = train(stored.chosen(split.learned), truth[split.learned], idf=idf, seed=seed)
    held = truth[split.held_out]
    found = relevance_of_many(tried, stored.chosen(split.held_out), idf=idf)
    profile = profile_scores(split.learned, split.held_out)
    precision, recall, f1, _ = precision_recall_fscore_support(
        held, found >= RELEVANT_FROM, average="binary", zero_division=0.0
    )
    average_precision = float(average_precision_score(held, found))
    profile_average_precision = float(average_precision_score(held, profile))
    return Training(
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
    """A fifth of the smaller class, at most 100, and as many of the larger held out by chance; all others learned."""
    chance = np.random.default_rng(seed)
    classes = [chance.permutation(np.flatnonzero(labels == which)) for which in (True, False)]
    n_held_out = min(MOST_HELD_OUT, round(HELD_OUT_SHARE * min(map(len, classes))))
    held_out = np.concatenate([rows[:n_held_out] for rows in classes])
    return Split(np.setdiff1d(np.arange(len(labels)), held_out), np.sort(held_out))
