"""Learns what a person finds relevant from articles they opened and skipped: one linear model, in numpy arrays.

Two logistic regressions are learned, one of words and marks and one of meaning, and added up. Each is brought to the
scale of what it says of articles that it was not shown (five folds): a side with many columns is surer of itself than
it should be, and would outvote the other. By the same unseen answers the sum is moved, so that 50 lies halfway between
both classes (without it the relevant stay below: F1 0.52, with it 0.60), and stretched: the better it tells them, the
nearer to 0 and 100. A sum of linear models is one, and is stored as one.

Classes are balanced by weight: either counts as much in all as the other. That is what dropping from the larger by
chance (SPEC §10) does on average over all ways to drop, without losing an article that was labelled. With four times as
many skipped as opened, mean AUC 0.668; dropping 0.654; an average of five models that each drop others 0.667.

The direction that all articles have in common is left out of meaning, so that an article without a vector counts as an
average one.

Measured over 46 simulated readers of 11 kinds, 100 to 1,000 labels each (who wrote a blog post, by title or text;
categories and publishers of headlines, whole stories held out; topics and categories of news, English and Russian; all
with noise), mean AUC: one regression on scikit-learn's TF-IDF 0.648, on that and vectors side by side 0.689, the
interest profile 0.693, this 0.705; without vectors 0.666. Tried in the same way and dropped, with what each changed:
the share of meaning or the regularization chosen by unseen answers (-0.01), sides weighed by them (-0.016), an average
over many shares (-0.007), one regression at the best share (-0.002), linear discriminants of meaning (-0.004), whitened
vectors (-0.003), parts of words (-0.001), the form of titles: length, signs, figures (-0.002), words that every text
has (-0.002), titles apart from texts (-0.001), Platt's slope and shift fitted freely (-0.005). Everything was chosen on
these same readers, so 0.705 flatters a little, and differences of 0.002 are within chance; what real readers bring is
measured by `evaluate relevance` on files that were not looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from reader.learning.linear import LinearModel
from reader.learning.matrices import Floats, Stored, feature_matrix, meaning_matrix

SEED = 20250831
WORDS_C = 1.0  # inverse strength of regularization; 0.3 to 3 differ by less than 0.001 of AUC
MEANING_C = 0.1  # 0.03 to 0.3 differ by less than 0.002
FOLDS = 5
USUAL_SLOPE = 0.5  # of labels against unseen answers: what is fitted lies from 0.3 (much noise) to 1.5
SURE_LABELS = 1000  # that bring the slope halfway from the usual to the fitted one
LEAST_SLOPE = 0.05  # where nothing can be learned, all is near 50, in the order found
THIN_LABELS = 20  # labels, twice those of the rarer class, at which answers are half as far from 50 as they will be
LEAST_SPREAD = 0.25  # of unseen logits, in that of shown ones: of five articles, unseen ones may all be alike by chance
CHUNK = 4096  # articles held as matrices at a time, some 20 MB

Labels = NDArray[np.bool_]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """What one regression sees (n × n_columns), and the C of its regularization."""

    matrix: csr_array | Numbers
    c: float


@dataclass(frozen=True, slots=True, eq=False)
class _Learned:
    """What one regression learned, by columns, and its logits (n) of these articles, shown and not shown."""

    weights: Numbers
    intercept: float
    shown: Numbers
    unseen: Numbers

    @property
    def spread(self) -> float:
        """The standard deviation of the unseen logits; 1 where it learned nothing."""
        return float(max(self.unseen.std(), LEAST_SPREAD * self.shown.std())) or 1.0


def train(
    stored: Stored,
    labels: Sequence[bool] | Labels,
    *,
    idf: Floats,
    weights: Sequence[float] | None = None,
    seed: int = SEED,
) -> LinearModel:
    """A model of n articles by their labels (True: relevant), each counting by its weight, 1 where there are none.

    Raises:
        ValueError: the labels are all the same.
    """
    truth = np.asarray(labels, dtype=bool)
    counted = _balanced(truth, np.ones(len(truth)) if weights is None else np.asarray(weights, dtype=np.float64))
    with threadpool_limits(
        limits=1, user_api="blas"
    ):  # threads of several workers spin for the same cores: 10 × slower
        return _trained(stored, truth, counted, idf, seed)


def _trained(stored: Stored, truth: Labels, weights: Numbers, idf: Floats, seed: int) -> LinearModel:
    features = feature_matrix(stored, idf)
    columns = np.unique(np.append(features.indices, 0))  # one at least, for articles without any feature
    sides = [_learned(_Side(features[:, columns], WORDS_C), truth, weights, seed)]
    vectors = meaning_matrix(stored.vectors).astype(np.float64)
    shared = _direction(vectors)
    if vectors.any():
        vectors -= np.outer(vectors @ shared, shared)
        sides.append(_learned(_Side(vectors, MEANING_C), truth, weights, seed))
    unseen = np.asarray(sum(side.unseen / side.spread for side in sides))
    middle = _middle(unseen, truth, weights)
    slope = _slope(unseen - middle, truth, weights)
    of_words, *of_meaning = (slope / side.spread * side.weights for side in sides)
    return LinearModel(
        intercept=slope * (sum(side.intercept / side.spread for side in sides) - middle),
        indices=columns.astype("<u4").tobytes(),
        weights=of_words.astype("<f4").tobytes(),
        meaning=b"".join((each - (each @ shared) * shared).astype("<f4").tobytes() for each in of_meaning),
    )


def relevance_of_many(model: LinearModel, stored: Stored, *, idf: Floats) -> Numbers:
    """The relevance of each of n articles, 100 · sigmoid(logit), from 0 to 100."""
    chunks = (stored.part(start, start + CHUNK) for start in range(0, len(stored), CHUNK))
    found = [logits(model, feature_matrix(each, idf), meaning_matrix(each.vectors)) for each in chunks]
    return percentages(np.concatenate([np.zeros(0), *found]))


def logits(model: LinearModel, features: csr_array, meaning: Floats) -> Numbers:
    """The logit of each of n articles by their features (n × 2^21) and meaning (n × 512)."""
    weights = np.zeros(features.shape[1])
    weights[np.frombuffer(model.indices, dtype="<u4")] = np.frombuffer(model.weights, dtype="<f4")
    found = model.intercept + features @ weights
    if model.meaning:
        found += meaning.astype(np.float64) @ np.frombuffer(model.meaning, dtype="<f4").astype(np.float64)
    return np.asarray(found, dtype=np.float64)


def percentages(logits_found: Numbers) -> Numbers:
    """100 · sigmoid(logit)."""
    return np.asarray(100 / (1 + np.exp(-np.clip(logits_found, -700, 700))))


def _balanced(truth: Labels, weights: Numbers) -> Numbers:
    """Weights that add up to n/2 in each class."""
    if truth.all() or not truth.any():
        raise ValueError("relevance is learned from both relevant and irrelevant articles")
    totals = np.where(truth, weights[truth].sum(), weights[~truth].sum())
    return np.asarray(weights * len(truth) / (2 * totals))


def _direction(vectors: Numbers) -> Numbers:
    """The unit vector of the average, zeros where there is none."""
    average = np.asarray(vectors.mean(axis=0))
    return np.asarray(average / (np.linalg.norm(average) or 1.0))


def _learned(side: _Side, truth: Labels, weights: Numbers, seed: int) -> _Learned:
    learner = _regression(side, truth, weights)
    seen = np.asarray(learner.decision_function(side.matrix), dtype=np.float64)
    unseen = seen.copy()
    n_folds = min(FOLDS, int(truth.sum()), int((~truth).sum()))
    if n_folds > 1:  # one article of a class cannot be held out: its own answer has to do
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for shown, hidden in folds.split(truth, truth):
            part = _regression(_Side(side.matrix[shown], side.c), truth[shown], weights[shown])
            unseen[hidden] = part.decision_function(side.matrix[hidden])
    return _Learned(learner.coef_[0].astype(np.float64), float(learner.intercept_[0]), seen, unseen)


def _regression(side: _Side, truth: Labels, weights: Numbers) -> LogisticRegression:
    return LogisticRegression(C=side.c, max_iter=300).fit(side.matrix, truth, sample_weight=weights)


def _middle(unseen: Numbers, truth: Labels, weights: Numbers) -> float:
    """Halfway between the average answers of both classes."""
    averages = [np.average(unseen[which], weights=weights[which]) for which in (truth, ~truth)]
    return float(sum(averages) / 2)


def _slope(unseen: Numbers, truth: Labels, weights: Numbers) -> float:
    """What turns unseen answers into logits of the labels (Platt, 1999), drawn to the usual; smaller for few labels."""
    fit = LogisticRegression(fit_intercept=False).fit(unseen[:, np.newaxis], truth, sample_weight=weights)
    share = len(truth) / (len(truth) + SURE_LABELS)
    n_even = 2 * min(truth.sum(), (~truth).sum())
    certainty = float(n_even / (n_even + THIN_LABELS))
    return certainty * max(LEAST_SLOPE, share * float(fit.coef_[0, 0]) + (1 - share) * USUAL_SLOPE)
