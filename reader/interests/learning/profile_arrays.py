"""How much many articles are like one profile. Pure; numpy and scipy, for workers.

The same as `reader.interests.learning.profile.cosine` for one article, to a millionth. Also builds a profile from
stored features without words, for evaluation.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reader.interests.learning.embedding_profile import SMOOTHING, EmbeddingProfile
from reader.interests.learning.engagement_weights import GAINS, OPENED, SKIPPED
from reader.interests.learning.feature_matrices import StoredFeatures, embedding_matrix, terms_matrix
from reader.interests.learning.features import BUCKETS
from reader.interests.learning.idf_table import STEPS
from reader.interests.learning.profile import EMBEDDING_SHARE, STRONGEST, Profile

Floats = NDArray[np.float32]
Scores = NDArray[np.float64]


def cosines_of_many(profile: Profile, stored: StoredFeatures, idf: Floats) -> Scores:
    """The cosine of each of n articles, from -1 to 1; `idf` (2^20) as from `idf_array`."""
    terms = _weight_array(profile)
    by_terms = terms_matrix(stored.terms, idf).astype(np.float64) @ terms
    square = float(terms @ terms)
    cosines = by_terms / np.sqrt(square) if square else np.zeros(len(stored))
    if len(profile.vector):
        direction = np.asarray(profile.vector, dtype=np.float64)
        embedding = embedding_matrix(stored.vectors).astype(np.float64)
        length = np.sqrt((1 - EMBEDDING_SHARE) * square + EMBEDDING_SHARE * float(direction @ direction))
        joint = (1 - EMBEDDING_SHARE) * by_terms + EMBEDDING_SHARE * (embedding @ direction)
        has_embedding = embedding.any(axis=1)
        cosines = np.where(has_embedding, joint / (length or 1.0), cosines)
    return np.asarray(cosines, dtype=np.float64)


def idf_array(weights: bytes) -> Floats:
    """The IDF table (`reader.interests.learning.idf_table`) as an array of 2^20."""
    return np.frombuffer(weights, dtype=np.uint8).astype(np.float32) / np.float32(STEPS)


def profile_from_labels(
    stored: StoredFeatures, is_positive: Sequence[bool] | NDArray[np.bool_], idf: Floats
) -> Profile:
    """The profile of a user who opened some of n articles and skipped the others, all at once.

    The same as `reader.interests.engagement` learns, without the names of terms.
    """
    gains = np.where(np.asarray(is_positive, dtype=bool), GAINS[OPENED], GAINS[SKIPPED])
    liked, disliked = float(gains[gains > 0].sum()), float(-gains[gains < 0].sum())
    weights = np.zeros(BUCKETS)
    values = terms_matrix(stored.terms, idf)
    for start, end, gain in zip(values.indptr, values.indptr[1:], gains, strict=False):
        best = start + np.argsort(-values.data[start:end], kind="stable")[:STRONGEST]
        weights[values.indices[best]] += gain * values.data[best]
    vectors = embedding_matrix(stored.vectors).astype(np.float64)
    has_embedding = vectors.any()
    embedding = EmbeddingProfile(
        liked,
        disliked,
        (vectors.T @ np.maximum(gains, 0)).tolist() if has_embedding else (),
        (vectors.T @ np.maximum(-gains, 0)).tolist() if has_embedding else (),
    )
    weights[weights < 0] *= embedding.balance
    occurring = np.flatnonzero(weights)
    scaled = weights[occurring] / (liked + SMOOTHING)
    weights_by_hash = dict(zip(occurring.tolist(), scaled.tolist(), strict=True))
    return Profile(weights_by_hash, embedding.direction, liked + disliked)


def _weight_array(profile: Profile) -> Scores:
    weights = np.zeros(BUCKETS)
    weights[list(profile.weights)] = list(profile.weights.values())
    return weights
