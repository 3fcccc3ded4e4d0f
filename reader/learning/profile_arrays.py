"""The relevance of many articles by one profile at once. Pure; numpy and scipy, for workers.

The same figures as `reader.learning.profile.relevance` gives for one, to a millionth of their range. Also a
profile learned from stored features, where the words are not known any more: for measuring how well profiles do.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reader.learning.background import STEPS
from reader.learning.features import BUCKETS
from reader.learning.gains import GAINS, OPENED, SKIPPED
from reader.learning.matrices import Stored, meaning_matrix, terms_matrix
from reader.learning.meaning import SMOOTHING, Meaning
from reader.learning.profile import MEANING_SHARE, NEUTRAL, STRONGEST, Profile

Floats = NDArray[np.float32]
Scores = NDArray[np.float64]


def relevance_of_many(profile: Profile, stored: Stored, idf: Floats) -> Scores:
    """How relevant each of n articles is, 0 to 100; `idf` (2^20) as of `idf_array`."""
    certainty = profile.certainty
    if not certainty:
        return np.full(len(stored), NEUTRAL)
    terms = _weights(profile)
    of_terms = terms_matrix(stored.terms, idf).astype(np.float64) @ terms
    square = float(terms @ terms)
    cosines = of_terms / np.sqrt(square) if square else np.zeros(len(stored))
    if len(profile.vector):
        direction = np.asarray(profile.vector, dtype=np.float64)
        meaning = meaning_matrix(stored.vectors).astype(np.float64)
        length = np.sqrt((1 - MEANING_SHARE) * square + MEANING_SHARE * float(direction @ direction))
        joint = (1 - MEANING_SHARE) * of_terms + MEANING_SHARE * (meaning @ direction)
        has_meaning = meaning.any(axis=1)
        cosines = np.where(has_meaning, joint / (length or 1.0), cosines)
    scores: Scores = np.maximum(0.0, NEUTRAL * (1 - certainty) + 100 * certainty * cosines)
    return scores


def idf_array(weights: bytes) -> Floats:
    """The background (`reader.learning.background`) as an array of 2^20."""
    return np.frombuffer(weights, dtype=np.uint8).astype(np.float32) / np.float32(STEPS)


def learned(stored: Stored, is_positive: Sequence[bool] | NDArray[np.bool_], idf: Floats) -> Profile:
    """The profile of a person who opened some of n articles and skipped the others, all at once.

    As `reader.engaging` learns it, but for the names of terms.
    """
    gains = np.where(np.asarray(is_positive, dtype=bool), GAINS[OPENED], GAINS[SKIPPED])
    liked, disliked = float(gains[gains > 0].sum()), float(-gains[gains < 0].sum())
    weights = np.zeros(BUCKETS)
    values = terms_matrix(stored.terms, idf)
    for start, end, gain in zip(values.indptr, values.indptr[1:], gains, strict=False):
        best = start + np.argsort(-values.data[start:end], kind="stable")[:STRONGEST]
        weights[values.indices[best]] += gain * values.data[best]
    vectors = meaning_matrix(stored.vectors).astype(np.float64)
    has_meaning = vectors.any()
    meaning = Meaning(
        liked,
        disliked,
        (vectors.T @ np.maximum(gains, 0)).tolist() if has_meaning else (),
        (vectors.T @ np.maximum(-gains, 0)).tolist() if has_meaning else (),
    )
    weights[weights < 0] *= meaning.balance
    occurring = np.flatnonzero(weights)
    scaled = weights[occurring] / (liked + SMOOTHING)
    numbers = dict(zip(occurring.tolist(), scaled.tolist(), strict=True))
    return Profile(numbers, meaning.direction, liked + disliked)


def _weights(profile: Profile) -> Scores:
    weights = np.zeros(BUCKETS)
    weights[list(profile.numbers)] = list(profile.numbers.values())
    return weights
