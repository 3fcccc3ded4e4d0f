"""Measures of ranking and classifying relevant documents. Pure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, ndcg_score, precision_recall_fscore_support, roc_auc_score

TOP = 10  # documents of NDCG: a first screen

Labels = NDArray[np.bool_]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measures:
    """All in [0, 1]; precision, recall and F1 count scores at or above the threshold as relevant."""

    auc: float
    average_precision: float
    ndcg_at_10: float
    precision: float
    recall: float
    f1: float


def measures_of(truth: Labels, scores: Scores, *, threshold: float) -> Measures:
    """The measures of n scores against n labels; both labels must occur."""
    precision, recall, f1, _ = precision_recall_fscore_support(
        truth, scores >= threshold, average="binary", zero_division=0.0
    )
    return Measures(
        auc=float(roc_auc_score(truth, scores)),
        average_precision=float(average_precision_score(truth, scores)),
        ndcg_at_10=float(ndcg_score(truth[np.newaxis].astype(int), scores[np.newaxis], k=TOP)),
        precision=float(precision),
        recall=float(recall),
        f1=float(f1),
    )
