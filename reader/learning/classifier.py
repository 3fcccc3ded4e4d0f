"""Learns what a person finds relevant from articles they opened and skipped: logistic regression, in numpy arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from sklearn.linear_model import LogisticRegression

from reader.learning.linear import LinearModel
from reader.learning.matrices import Floats, Stored, feature_matrix, meaning_matrix

SEED = 20250831
MEANING_WORTH = 2.0
REGULARIZATION = 3.0
CHUNK = 4096  # articles held as matrices at a time, some 20 MB

Labels = NDArray[np.bool_]


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
    features = feature_matrix(stored, idf)
    columns = np.unique(features.indices)
    meaning = meaning_matrix(stored.vectors) * np.float32(MEANING_WORTH)
    has_meaning = bool(meaning.any())
    sides = [features[:, columns], csr_array(meaning)] if has_meaning else [features[:, columns]]
    learner = LogisticRegression(C=REGULARIZATION, class_weight="balanced", max_iter=300, random_state=seed)
    learner.fit(csr_array(hstack(sides, format="csr")), np.asarray(labels, dtype=bool), sample_weight=weights)
    learned = learner.coef_[0]
    of_meaning = learned[len(columns) :] * MEANING_WORTH
    return LinearModel(
        intercept=float(learner.intercept_[0]),
        indices=columns.astype("<u4").tobytes(),
        weights=learned[: len(columns)].astype("<f4").tobytes(),
        meaning=of_meaning.astype("<f4").tobytes() if has_meaning else b"",
    )


def relevance_of_many(model: LinearModel, stored: Stored, *, idf: Floats) -> NDArray[np.float64]:
    """The relevance of each of n articles, 100 · sigmoid(logit), from 0 to 100."""
    chunks = (stored.part(start, start + CHUNK) for start in range(0, len(stored), CHUNK))
    found = [logits(model, feature_matrix(each, idf), meaning_matrix(each.vectors)) for each in chunks]
    return percentages(np.concatenate([np.zeros(0), *found]))


def logits(model: LinearModel, features: csr_array, meaning: Floats) -> NDArray[np.float64]:
    """The logit of each of n articles by their features (n × 2^21) and meaning (n × 512)."""
    weights = np.zeros(features.shape[1])
    weights[np.frombuffer(model.indices, dtype="<u4")] = np.frombuffer(model.weights, dtype="<f4")
    found = model.intercept + features @ weights
    if model.meaning:
        found += meaning.astype(np.float64) @ np.frombuffer(model.meaning, dtype="<f4").astype(np.float64)
    return np.asarray(found, dtype=np.float64)


def percentages(logits_found: NDArray[np.float64]) -> NDArray[np.float64]:
    """100 · sigmoid(logit)."""
    return np.asarray(100 / (1 + np.exp(-np.clip(logits_found, -700, 700))))
