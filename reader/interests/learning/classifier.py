"""A user's relevance model: a linear classifier trained on articles they opened and skipped, in numpy arrays.

Two logistic regressions, one on words and attributes and one on embeddings, are added up. Each is scaled by the spread
of its held-out logits (five folds): a regression with many columns is more confident than it should be, and would
outvote the other. The held-out logits also set the center of the sum, so that 50 is halfway between the classes, and
its slope: the better it separates them, the nearer to 0 and 100. The sum of linear models is stored as one.

Classes are balanced by weight, which equals random undersampling of the larger class (SPEC §10) on average, without
losing labels. The average direction of all embeddings is removed, so that an article without one counts as average.

Tried and dropped, by mean AUC over 46 simulated readers (0.705 for this): one regression on TF-IDF (0.648), TF-IDF and
embeddings side by side (0.689), the interest profile (0.693), choosing the share of embeddings or the regularization by
held-out logits (-0.01), weighing the parts by them (-0.016), linear discriminants of embeddings (-0.004), fitting
slope and center freely (-0.005).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from reader.interests.learning.feature_matrices import Floats, StoredFeatures, embedding_matrix, feature_matrix
from reader.interests.learning.inference import LinearModel

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

SEED = 20250831
WORDS_C = 1.0  # inverse strength of regularization; 0.3 to 3 differ by less than 0.001 of AUC
EMBEDDING_C = 1.0  # 0.1: -0.003 of mean AUC over four readers with 850 labels each
FOLDS = 5
PRIOR_SLOPE = 0.5  # fitted slopes are between 0.3 (noisy labels) and 1.5
PRIOR_LABELS = 1000  # labels at which the slope is halfway between the prior and the fitted one
MIN_SLOPE = 0.05  # if nothing can be learned, all scores are near 50
HALF_LABELS = 20  # twice the labels of the rarer class, at which scores are half as far from 50 as with many
MIN_SPREAD = 0.25  # of held-out logits relative to training logits: five held-out articles may be alike by chance
CHUNK = 4096  # articles per matrix, about 20 MB

Labels = NDArray[np.bool_]
Floats64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A fitted regression: its weights by column, and its logits (n) in training and held out."""

    weights: Floats64
    intercept: float
    training: Floats64
    held_out: Floats64

    @property
    def spread(self) -> float:
        """The standard deviation of the held-out logits; 1 if nothing was learned."""
        return float(max(self.held_out.std(), MIN_SPREAD * self.training.std())) or 1.0


def train(
    stored: StoredFeatures,
    labels: Sequence[bool] | Labels,
    *,
    idf: Floats,
    weights: Sequence[float] | None = None,
    seed: int = SEED,
) -> LinearModel:
    """A model of n articles from their labels (True: relevant) and weights, 1 by default.

    Raises ValueError if all labels are the same.
    """
    truth = np.asarray(labels, dtype=bool)
    balanced = _balance(truth, np.ones(len(truth)) if weights is None else np.asarray(weights, dtype=np.float64))
    # One thread: those of several workers would compete for the same cores, which takes ten times as long.
    with threadpool_limits(limits=1, user_api="blas"):
        return _train(stored, truth, balanced, idf, seed)


def _train(stored: StoredFeatures, truth: Labels, weights: Floats64, idf: Floats, seed: int) -> LinearModel:
    features = feature_matrix(stored, idf)
    columns = np.unique(np.append(features.indices, 0))  # at least one, for articles without features
    fits = [_fit(features[:, columns], WORDS_C, truth, weights, seed)]
    vectors = embedding_matrix(stored.vectors).astype(np.float64)
    average = _average_direction(vectors)
    if vectors.any():
        vectors -= np.outer(vectors @ average, average)
        fits.append(_fit(vectors, EMBEDDING_C, truth, weights, seed))
    held_out = np.asarray(sum(fit.held_out / fit.spread for fit in fits))
    center = _center(held_out, truth, weights)
    slope = _slope(held_out - center, truth, weights)
    word_weights, *vector_weights = (slope / fit.spread * fit.weights for fit in fits)
    return LinearModel(
        intercept=slope * (sum(fit.intercept / fit.spread for fit in fits) - center),
        indices=columns.astype("<u4").tobytes(),
        weights=word_weights.astype("<f4").tobytes(),
        embedding=b"".join((row - (row @ average) * average).astype("<f4").tobytes() for row in vector_weights),
    )


def relevance_of_many(model: LinearModel, stored: StoredFeatures, *, idf: Floats) -> Floats64:
    """100 · sigmoid(logit) of each of n articles."""
    return percentages(logits_of_many(model, stored, idf=idf))


def logits_of_many(model: LinearModel, stored: StoredFeatures, *, idf: Floats) -> Floats64:
    """The logit of each of n articles."""
    chunks = (stored.slice(start, start + CHUNK) for start in range(0, len(stored), CHUNK))
    parts = [logits(model, feature_matrix(chunk, idf), embedding_matrix(chunk.vectors)) for chunk in chunks]
    return np.concatenate([np.zeros(0), *parts])


def logits(model: LinearModel, features: csr_array, vectors: Floats) -> Floats64:
    """The logit of each of n articles from features (n × 2^21) and embeddings (n × 512)."""
    weights = np.zeros(features.shape[1])
    weights[np.frombuffer(model.indices, dtype="<u4")] = np.frombuffer(model.weights, dtype="<f4")
    result = model.intercept + features @ weights
    if model.embedding:
        result += vectors.astype(np.float64) @ np.frombuffer(model.embedding, dtype="<f4").astype(np.float64)
    return np.asarray(result, dtype=np.float64)


def percentages(values: Floats64) -> Floats64:
    """100 · sigmoid(logit)."""
    return np.asarray(100 / (1 + np.exp(-np.clip(values, -700, 700))))


def _balance(truth: Labels, weights: Floats64) -> Floats64:
    """Weights that add up to n/2 in each class."""
    if truth.all() or not truth.any():
        raise ValueError("training needs both relevant and irrelevant articles")
    totals = np.where(truth, weights[truth].sum(), weights[~truth].sum())
    return np.asarray(weights * len(truth) / (2 * totals))


def _average_direction(vectors: Floats64) -> Floats64:
    """The unit vector of the average, or zeros."""
    average = np.asarray(vectors.mean(axis=0))
    return np.asarray(average / (np.linalg.norm(average) or 1.0))


def _fit(matrix: csr_array | Floats64, c: float, truth: Labels, weights: Floats64, seed: int) -> _Fit:
    # Loading scikit-learn takes a second and 60 MB, which rating doesn't need.
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    def regression(rows: NDArray[np.intp]) -> "LogisticRegression":
        return LogisticRegression(C=c, max_iter=300).fit(matrix[rows], truth[rows], sample_weight=weights[rows])

    full = regression(np.arange(len(truth)))
    training = np.asarray(full.decision_function(matrix), dtype=np.float64)
    held_out = training.copy()
    n_folds = min(FOLDS, int(truth.sum()), int((~truth).sum()))
    if n_folds > 1:  # a single article of a class can't be held out
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for learned, tested in folds.split(truth, truth):
            held_out[tested] = regression(learned).decision_function(matrix[tested])
    return _Fit(full.coef_[0].astype(np.float64), float(full.intercept_[0]), training, held_out)


def _center(held_out: Floats64, truth: Labels, weights: Floats64) -> float:
    """Halfway between the average logits of both classes."""
    averages = [np.average(held_out[rows], weights=weights[rows]) for rows in (truth, ~truth)]
    return float(sum(averages) / 2)


def _slope(held_out: Floats64, truth: Labels, weights: Floats64) -> float:
    """Calibrates held-out logits (Platt, 1999), shrunk toward the prior slope; smaller for few labels."""
    from sklearn.linear_model import LogisticRegression  # see `_fit`

    fit = LogisticRegression(fit_intercept=False).fit(held_out[:, np.newaxis], truth, sample_weight=weights)
    share = len(truth) / (len(truth) + PRIOR_LABELS)
    n_balanced = 2 * min(truth.sum(), (~truth).sum())
    certainty = float(n_balanced / (n_balanced + HALF_LABELS))
    return certainty * max(MIN_SLOPE, share * float(fit.coef_[0, 0]) + (1 - share) * PRIOR_SLOPE)
