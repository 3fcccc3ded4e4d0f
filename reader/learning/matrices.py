"""Stored features of many articles as matrices, for training and for scoring them all. Pure; numpy and scipy.

What a feature is worth is worked out here for many articles and in `reader.learning.linear` for one; both give the
same figures. Columns: terms by number (2^20), then marks by number (2^20); meaning (512) is a matrix of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from feeds.dedup.vectors import DIMENSIONS, matrix_from
from reader.learning.features import BUCKETS
from reader.learning.linear import COUNT_WORTH, KIND_WORTH

Floats = NDArray[np.float32]

_BYTES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """Stored features of n articles, one of each an article; b"" where there are none."""

    terms: Sequence[bytes]
    marks: Sequence[bytes]
    vectors: Sequence[bytes]

    def __len__(self) -> int:
        return len(self.terms)

    def chosen(self, rows: Sequence[int] | NDArray[np.intp]) -> "Stored":
        """Those of some articles, in the order of `rows`."""
        terms, marks, vectors = ([every[row] for row in rows] for every in (self.terms, self.marks, self.vectors))
        return Stored(terms, marks, vectors)

    def part(self, start: int, end: int) -> "Stored":
        """Those from one place to before another."""
        return Stored(self.terms[start:end], self.marks[start:end], self.vectors[start:end])


def feature_matrix(stored: Stored, idf: Floats) -> csr_array:
    """Values of terms and marks (n × 2^21); `idf` (2^20) holds the weight of each term."""
    sides = (terms_matrix(stored.terms, idf), marks_matrix(stored.marks))
    return csr_array(hstack(sides, format="csr", dtype=np.float32))


def terms_matrix(stored: Sequence[bytes], idf: Floats) -> csr_array:
    """Values of terms (n × 2^20): logarithmic count times `idf` (2^20), each row of unit length."""
    numbers, counts, starts = _numbers(stored)
    data = np.asarray(COUNT_WORTH)[counts] * idf[numbers]
    rows = np.repeat(np.arange(len(stored)), np.diff(starts))
    lengths = np.sqrt(np.bincount(rows, weights=data**2, minlength=len(stored)))
    lengths[lengths == 0] = 1
    return csr_array(((data / lengths[rows]).astype(np.float32), numbers, starts), shape=(len(stored), BUCKETS))


def marks_matrix(stored: Sequence[bytes]) -> csr_array:
    """Values of marks (n × 2^20): what the kind is worth, by the root of how many of the kind the article has."""
    numbers, kinds, starts = _numbers(stored)
    rows = np.repeat(np.arange(len(stored)), np.diff(starts))
    cells = rows * len(KIND_WORTH) + kinds
    alike = np.bincount(cells, minlength=len(stored) * len(KIND_WORTH))[cells]
    data = np.asarray(KIND_WORTH)[kinds] / np.sqrt(alike)
    return csr_array((data.astype(np.float32), numbers, starts), shape=(len(stored), BUCKETS))


def meaning_matrix(stored: Sequence[bytes]) -> Floats:
    """Vectors of meaning (n × 512), each of unit length, zeros where there is none."""
    matrix = np.zeros((len(stored), DIMENSIONS), dtype=np.float32)
    there = [row for row, vector in enumerate(stored) if len(vector) == DIMENSIONS]
    if there:
        matrix[there] = matrix_from([stored[row] for row in there])
    return matrix


def _numbers(stored: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The numbers and the counts or kinds of all features in a row, and where each article's begin (n + 1)."""
    starts = np.cumsum([0, *(len(each) // _BYTES for each in stored)], dtype=np.int32)
    read = np.frombuffer(b"".join(stored), dtype=np.uint8).reshape(-1, _BYTES).astype(np.int32)
    values = read[:, 0] | read[:, 1] << 8 | read[:, 2] << 16
    return values >> 4, values & 15, starts
