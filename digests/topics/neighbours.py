"""Which vectors are near each other, without a table of all pairs. Pure; numpy and scipy.

A similarity is a sum over shared terms. Of few terms nearly everybody has one (a table of them is dense, and dense
products are fast); most terms are rare, and few pairs share one (a sparse product visits only these). So the common
terms and the others are multiplied apart, a block of rows with all rows at a time, and added: exact, and never more
than a block in memory. 20,000 texts of 200 words take about 5 s and 100 MB (scikit-learn's radius search: 18 s and
2.7 GB).

Tried and dropped: candidates by prefix filtering with L2 bounds (Anastasiu and Karypis, "L2AP", 2014) need less
multiplying, but news has large topics with millions of pairs just below the threshold, whose verifying took longer
(15 s) than all of this.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from digests.topics.vectors import Floats, Numbers

COMMON_TERMS = 512  # multiplied as a dense table; 256 to 1024 differ little
BLOCK = 256  # rows at a time: with 20,000 others 20 MB
ROUNDING = 1e-5  # what sums of single precision may be off; a threshold is met from so much below it


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """The rows, their common terms as a table (n × 512) and their other terms."""

    common: Floats
    others: csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Rows of one matrix and of another that are near, and how near."""

    rows: Numbers
    columns: Numbers
    similarities: Floats


def components(rows: csr_array, *, least: float) -> Numbers:
    """The number of each row's component, from 0: rows with a similarity of `least` and more are connected.

    `rows` (n × n_terms) have length 1 or are zeros; those are alone.
    """
    labels = np.arange(rows.shape[0])
    split = _split(rows, rows)[0]
    for start, similarities in _blocks(split, split, is_upper=True):
        near = similarities >= least - ROUNDING
        near &= labels[start : start + len(near), None] != labels[None, start:]
        found, with_ = np.nonzero(near)
        if len(found):
            labels = _merged(labels, found + start, with_ + start)
    return labels


def near_pairs(rows: csr_array, others: csr_array, *, least: float) -> Pairs:
    """All pairs of a row and one of `others` (same terms) with a similarity of `least` and more."""
    left, right = _split(rows, others)
    found: list[tuple[Numbers, Numbers, Floats]] = []
    for start, similarities in _blocks(left, right, is_upper=False):
        places = np.nonzero(similarities >= least - ROUNDING)
        found.append((places[0] + start, places[1], similarities[places]))
    if not found:
        return Pairs(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))
    sides = zip(*found, strict=True)
    return Pairs(*(np.concatenate(side) for side in sides))


def _split(rows: csr_array, others: csr_array) -> tuple[_Split, _Split]:
    """Both by the same terms; without terms that only one row has, or only one side."""
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
    """Where a block of rows begins, and its similarities with all others; `is_upper`: with those from there on."""
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
    """The labels after the components of `rows` and of `columns` became one."""
    n = len(labels)
    links = coo_array((np.ones(len(rows), dtype=np.int8), (labels[rows], labels[columns])), shape=(n, n))
    joined: Numbers = connected_components(links, directed=False)[1][labels]
    return joined
