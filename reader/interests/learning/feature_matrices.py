"""Stored features of many articles as matrices, for training and scoring. Pure; numpy and scipy.

Computes the same values as `reader.interests.learning.inference` does for one article. Columns: terms by hash (2^20),
then attributes by hash (2^20); embeddings (512) are a separate matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from feeds.dedup.vectors import DIMENSIONS, matrix_from
from reader.interests.learning.features import BUCKETS
from reader.interests.learning.inference import KIND_VALUES

Floats = NDArray[np.float32]

_BYTES = 3


@dataclass(frozen=True, slots=True, eq=False)
class StoredFeatures:
    """Stored features of n articles; b"" if there are none."""

    terms: Sequence[bytes]
    attributes: Sequence[bytes]
    vectors: Sequence[bytes]

    def __len__(self) -> int:
        return len(self.terms)

    def select(self, rows: Sequence[int] | NDArray[np.intp]) -> "StoredFeatures":
        """Those of some articles, in the order of `rows`."""
        columns = (self.terms, self.attributes, self.vectors)
        return StoredFeatures(*([column[row] for row in rows] for column in columns))

    def slice(self, start: int, end: int) -> "StoredFeatures":
        return StoredFeatures(self.terms[start:end], self.attributes[start:end], self.vectors[start:end])


def feature_matrix(stored: StoredFeatures, idf: Floats) -> csr_array:
    """Values of terms and attributes (n × 2^21); `idf` (2^20) holds the weight of each term."""
    parts = (terms_matrix(stored.terms, idf), attributes_matrix(stored.attributes))
    return csr_array(hstack(parts, format="csr", dtype=np.float32))


def terms_matrix(stored: Sequence[bytes], idf: Floats) -> csr_array:
    """Values of terms (n × 2^20): logarithmic count times `idf` (2^20), each row of unit length."""
    indices, counts, starts = _unpack(stored)
    data = (1 + np.log(counts)) * idf[indices]
    rows = np.repeat(np.arange(len(stored)), np.diff(starts))
    lengths = np.sqrt(np.bincount(rows, weights=data**2, minlength=len(stored)))
    lengths[lengths == 0] = 1
    return csr_array(((data / lengths[rows]).astype(np.float32), indices, starts), shape=(len(stored), BUCKETS))


def attributes_matrix(stored: Sequence[bytes]) -> csr_array:
    """Values of attributes (n × 2^20): the value of the kind, divided by the root of the article's attributes of that
    kind.
    """
    indices, kinds, starts = _unpack(stored)
    rows = np.repeat(np.arange(len(stored)), np.diff(starts))
    cells = rows * len(KIND_VALUES) + kinds
    counts = np.bincount(cells, minlength=len(stored) * len(KIND_VALUES))[cells]
    data = np.asarray(KIND_VALUES)[kinds] / np.sqrt(counts)
    return csr_array((data.astype(np.float32), indices, starts), shape=(len(stored), BUCKETS))


def embedding_matrix(stored: Sequence[bytes]) -> Floats:
    """Embeddings (n × 512), each of unit length, or zeros."""
    matrix = np.zeros((len(stored), DIMENSIONS), dtype=np.float32)
    present = [row for row, vector in enumerate(stored) if len(vector) == DIMENSIONS]
    if present:
        matrix[present] = matrix_from([stored[row] for row in present])
    return matrix


def _unpack(stored: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The hashes and the counts or kinds of all features in a row, and where each article's begin (n + 1)."""
    starts = np.cumsum([0, *(len(packed) // _BYTES for packed in stored)], dtype=np.int32)
    data = np.frombuffer(b"".join(stored), dtype=np.uint8).reshape(-1, _BYTES).astype(np.int32)
    values = data[:, 0] | data[:, 1] << 8 | data[:, 2] << 16
    return values >> 4, values & 15, starts
