"""Documents as vectors of terms. Pure; numpy and scipy.

TF-IDF as in its textbook: the count of a term, times ln((1 + N) / (1 + n)) + 1 where n of N *stories* tell of it, each
document then brought to length 1. Stories and not documents are counted, for what twenty papers say of one event is
one thing that happened: else the more a window is full of an event, the less its words would tell it from others
(measured, `digests.topics.gathering`). A document without a story counts as one.

A document without terms is a row of zeros.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """How often each term (`vocabulary`, sorted) occurs in each document: n_documents × n_terms."""

    counts: csr_array
    vocabulary: tuple[str, ...]

    def chosen(self, rows: Numbers) -> "Counted":
        """Those of some documents, in the order of `rows`; all terms stay."""
        return Counted(csr_array(self.counts[rows]), self.vocabulary)


def counted(documents: Iterable[Counter[str]]) -> Counted:
    """The terms of documents, one `Counter` after the other, so that not all need be there at once."""
    numbers: dict[str, int] = {}
    columns: list[int] = []
    values: list[int] = []
    ends = [0]
    for terms in documents:
        for term in terms:
            columns.append(numbers.setdefault(term, len(numbers)))
        values.extend(terms.values())
        ends.append(len(columns))
    vocabulary = sorted(numbers)
    places = np.empty(len(numbers), dtype=np.int32)
    places[[numbers[term] for term in vocabulary]] = np.arange(len(numbers), dtype=np.int32)
    sorted_columns = places[np.asarray(columns, dtype=np.intp)]
    data = np.asarray(values, dtype=np.float32)
    counts = csr_array((data, sorted_columns, np.asarray(ends, dtype=np.int32)), shape=(len(ends) - 1, len(numbers)))
    counts.sort_indices()
    return Counted(counts, tuple(vocabulary))


def stacked(first: Counted, second: Counted) -> Counted:
    """Both in one space: the documents of the first, then those of the second."""
    vocabulary = sorted({*first.vocabulary, *second.vocabulary})
    places = {term: place for place, term in enumerate(vocabulary)}
    sides = []
    for side in (first, second):
        moved = np.asarray([places[term] for term in side.vocabulary], dtype=np.int32)
        sides.append((side.counts.data, moved[side.counts.indices], side.counts.indptr))
    (data, columns, ends), (more_data, more_columns, more_ends) = sides
    counts = csr_array(
        (
            np.concatenate([data, more_data]),
            np.concatenate([columns, more_columns]),
            np.concatenate([ends, ends[-1] + more_ends[1:]]),
        ),
        shape=(first.counts.shape[0] + second.counts.shape[0], len(vocabulary)),
    )
    return Counted(counts, tuple(vocabulary))


def weighted(counts: csr_array, units: Numbers) -> csr_array:
    """TF-IDF (n_documents × n_terms), rows of length 1; `units` is the number of each document's story, from 0."""
    n_units = int(units.max(initial=-1)) + 1
    occurs = _summed(csr_array((np.ones_like(counts.data), counts.indices, counts.indptr), counts.shape), units)
    n_with = np.bincount(occurs.indices, minlength=counts.shape[1])
    idf = (np.log((1 + n_units) / (1 + n_with)) + 1).astype(np.float32)
    data = counts.data * idf[counts.indices]
    return of_length_one(csr_array((data, counts.indices, counts.indptr), counts.shape))


def means(vectors: csr_array, units: Numbers) -> csr_array:
    """The direction of each unit's mean vector (n_units × n_terms), rows of length 1."""
    return of_length_one(_summed(vectors, units))


def of_length_one(rows: csr_array) -> csr_array:
    """The same directions, rows of length 1; rows of zeros stay."""
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    squares = np.bincount(row_of, weights=rows.data.astype(np.float64) ** 2, minlength=rows.shape[0])
    lengths = np.sqrt(squares)
    lengths[lengths == 0] = 1
    data = (rows.data / lengths[row_of]).astype(rows.dtype)
    return csr_array((data, rows.indices, rows.indptr), rows.shape)


def _summed(rows: csr_array, units: Numbers) -> csr_array:
    """The sum of the rows of each unit."""
    n_rows, n_units = rows.shape[0], int(units.max(initial=-1)) + 1
    belongs = csr_array((np.ones(n_rows, dtype=rows.dtype), (units, np.arange(n_rows))), shape=(n_units, n_rows))
    total = csr_array(belongs @ rows)
    total.sort_indices()
    return total
