"""Finds vectors near each other without a table of all pairs. Pure; numpy and scipy.

A similarity is a sum over shared terms. For the few common terms the rows are a dense table, whose part of a
similarity is at most the product of two lengths; the many rare ones are multiplied as sparse matrices, which visits
only pairs that share one. Where the rare part and that product together are too small, a pair can't be near, so the
common part is only summed for the few pairs that remain. Rows that could be near others by common terms alone are
multiplied whole. Exact, with one block of rows in memory.

Tried and dropped: multiplying all pairs of the dense table (twice as long for 10,000 news items); prefix filtering with
L2 bounds (Anastasiu and Karypis, "L2AP", 2014), because news has large topics with millions of pairs just below the
threshold.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from digests.topics.tfidf import Floats, Numbers

COMMON_TERMS = 512  # real news is fastest with 256, texts of few rare words with 1,024
BLOCK = 256  # rows at a time: with 20,000 others 20 MB
ROUNDING = 1e-5  # tolerance of single precision sums


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """The common terms of rows as a table (n × 512), the lengths of its rows, and the other terms."""

    common: Floats
    lengths: Floats
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
    for near in _blocks(split, split, least - ROUNDING, is_upper=True):
        labels = _merged(labels, near.rows, near.columns)
    return labels


def near_pairs(rows: csr_array, others: csr_array, *, least: float) -> Pairs:
    """All pairs of a row and one of `others` (same terms) with a similarity of `least` or more, in order."""
    left, right = _split(rows, others)
    blocks = [
        (near.rows, near.columns, near.similarities) for near in _blocks(left, right, least - ROUNDING, is_upper=False)
    ]
    if not blocks:
        return Pairs(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.float32))
    near_rows, columns, similarities = (np.concatenate(side) for side in zip(*blocks, strict=True))
    order = np.lexsort((columns, near_rows))
    return Pairs(near_rows[order], columns[order], similarities[order])


def _split(rows: csr_array, others: csr_array) -> tuple[_Split, _Split]:
    """Both matrices split by the same terms, without terms of only one row or one side."""
    in_rows = np.bincount(rows.indices, minlength=rows.shape[1])
    in_others = in_rows if others is rows else np.bincount(others.indices, minlength=rows.shape[1])
    shared = np.flatnonzero(in_rows > 1) if others is rows else np.flatnonzero((in_rows > 0) & (in_others > 0))
    by_frequency = shared[np.argsort(-(in_rows + in_others)[shared], kind="stable")]
    common, rest = by_frequency[:COMMON_TERMS], by_frequency[COMMON_TERMS:]
    left = _half(rows, common, rest)
    return left, left if others is rows else _half(others, common, rest)


def _half(rows: csr_array, common: Numbers, rest: Numbers) -> _Split:
    table = np.ascontiguousarray(rows[:, common].toarray(), dtype=np.float32)
    return _Split(table, np.sqrt(np.einsum("ij,ij->i", table, table)), csr_array(rows[:, rest]))


def _blocks(left: _Split, right: _Split, least: float, *, is_upper: bool) -> Iterator[Pairs]:
    """The near pairs of each block of rows with all others, or with `is_upper` with those from there on."""
    transposed = csr_array(right.others.T)
    long_columns = np.flatnonzero(right.lengths >= least)
    long_others = csr_array(transposed[:, long_columns])
    for start in range(0, len(left.common), BLOCK):
        block = slice(start, start + BLOCK)
        others, first = csr_array(left.others[block]), start if is_upper else 0
        rare = coo_array(others @ (transposed[:, first:] if first else transposed))
        yield _by_rare_terms(left, right, Pairs(rare.row + start, rare.col + first, rare.data), least)
        long_rows = np.flatnonzero(left.lengths[block] >= least)
        if len(long_rows) and len(long_columns):
            with np.errstate(invalid="ignore"):  # BLAS may flag lanes of its own padding; all rows are finite
                similarities = left.common[long_rows + start] @ right.common[long_columns].T
            similarities += (csr_array(others[long_rows]) @ long_others).toarray()
            rows, columns = np.nonzero(similarities >= least)
            yield Pairs(long_rows[rows] + start, long_columns[columns], similarities[rows, columns])


def _by_rare_terms(left: _Split, right: _Split, rare: Pairs, least: float) -> Pairs:
    """The near ones of pairs with the similarity of their rare terms, except pairs of rows that are long."""
    lengths, others = left.lengths[rare.rows], right.lengths[rare.columns]
    possible = (rare.similarities + lengths * others >= least) & ((lengths < least) | (others < least))
    rows, columns, similarities = rare.rows[possible], rare.columns[possible], rare.similarities[possible]
    for start in range(0, len(rows), BLOCK):
        part = slice(start, start + BLOCK)
        similarities[part] += np.einsum("ij,ij->i", left.common[rows[part]], right.common[columns[part]])
    near = similarities >= least
    return Pairs(rows[near], columns[near], similarities[near])


def _merged(labels: Numbers, rows: Numbers, columns: Numbers) -> Numbers:
    """The labels after merging the components of `rows` and `columns`."""
    n = len(labels)
    links = coo_array((np.ones(len(rows), dtype=np.int8), (labels[rows], labels[columns])), shape=(n, n))
    joined: Numbers = connected_components(links, directed=False)[1][labels]
    return joined
