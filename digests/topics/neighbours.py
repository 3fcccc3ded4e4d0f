"""Finds vectors near each other without a table of all pairs. Pure; numpy and scipy.

A similarity is a sum over shared terms. The few common terms are multiplied as a dense table, which is fast; the many
rare ones as a sparse product, which visits only pairs that share one. Both are added for a block of rows at a time:
exact, with one block in memory. 20,000 texts of 200 words take about 5 s and 100 MB (scikit-learn's radius search: 18 s
and 2.7 GB).

Tried and dropped: prefix filtering with L2 bounds (Anastasiu and Karypis, "L2AP", 2014) took longer (15 s), because
news has large topics with millions of pairs just below the threshold.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from digests.topics.tfidf import Floats, Numbers

COMMON_TERMS = 512  # multiplied as a dense table; 256 to 1024 differ little
BLOCK = 256  # rows at a time: with 20,000 others 20 MB
ROUNDING = 1e-5  # tolerance of single precision sums


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """The common terms of rows as a table (n × 512), and their other terms."""

    common: Floats
    others: csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of near rows of two matrices, with their similarities."""

    rows: Numbers
    columns: Numbers
    similarities: Floats


def components(rows: csr_array, *, least: float) -> Numbers:
    """The number of each row's component from 0: rows with a similarity of `least` or more are connected.

    `rows` (n × n_terms) have length 1, or are zeros and then alone.
    """
    labels = np.arange(rows.shape[0])
    split = _split(rows, rows)[0]
    for start, similarities in _blocks(split, split, is_upper=True):
        near = similarities >= least - ROUNDING
        near &= labels[start : start + len(near), None] != labels[None, start:]
        near_rows, columns = np.nonzero(near)
        if len(near_rows):
            labels = _merged(labels, near_rows + start, columns + start)
    return labels


def near_pairs(rows: csr_array, others: csr_array, *, least: float) -> Pairs:
    """All pairs of a row and one of `others` (same terms) with a similarity of `least` or more."""
    left, right = _split(rows, others)
    blocks: list[tuple[Numbers, Numbers, Floats]] = []
    for start, similarities in _blocks(left, right, is_upper=False):
        places = np.nonzero(similarities >= least - ROUNDING)
        blocks.append((places[0] + start, places[1], similarities[places]))
    if not blocks:
        return Pairs(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))
    sides = zip(*blocks, strict=True)
    return Pairs(*(np.concatenate(side) for side in sides))


def _split(rows: csr_array, others: csr_array) -> tuple[_Split, _Split]:
    """Both matrices split by the same terms, without terms of only one row or one side."""
    in_rows = np.bincount(rows.indices, minlength=rows.shape[1])
    in_others = in_rows if others is rows else np.bincount(others.indices, minlength=rows.shape[1])
    shared = np.flatnonzero(in_rows > 1) if others is rows else np.flatnonzero((in_rows > 0) & (in_others > 0))
    by_frequency = shared[np.argsort(-(in_rows + in_others)[shared], kind="stable")]
    common, rest = by_frequency[:COMMON_TERMS], by_frequency[COMMON_TERMS:]
    left = _Split(_table(rows, common), csr_array(rows[:, rest]))
    return left, left if others is rows else _Split(_table(others, common), csr_array(others[:, rest]))


def _table(rows: csr_array, columns: Numbers) -> Floats:
    return np.ascontiguousarray(rows[:, columns].toarray(), dtype=np.float32)


def _blocks(left: _Split, right: _Split, *, is_upper: bool) -> Iterator[tuple[int, Floats]]:
    """The start of each block of rows and its similarities with all others, or with `is_upper` those from there on."""
    transposed = csr_array(right.others.T)
    for start in range(0, len(left.common), BLOCK):
        first = start if is_upper else 0
        with np.errstate(invalid="ignore"):  # BLAS may flag lanes of its own padding; all rows are finite
            similarities = left.common[start : start + BLOCK] @ right.common[first:].T
        rest = csr_array(left.others[start : start + BLOCK] @ (transposed[:, first:] if first else transposed))
        rows = np.repeat(np.arange(rest.shape[0]), np.diff(rest.indptr))
        similarities[rows, rest.indices] += rest.data
        yield start, similarities


def _merged(labels: Numbers, rows: Numbers, columns: Numbers) -> Numbers:
    """The labels after merging the components of `rows` and `columns`."""
    n = len(labels)
    links = coo_array((np.ones(len(rows), dtype=np.int8), (labels[rows], labels[columns])), shape=(n, n))
    joined: Numbers = connected_components(links, directed=False)[1][labels]
    return joined
