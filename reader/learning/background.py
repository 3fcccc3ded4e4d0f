"""How rare each term is: inverse document frequencies of 2^20 hashed terms, a byte each. Pure.

Theory. A term in n of N documents weighs ln((N + 1) / (n + 1)): from 0 (in every document) to about 14 (in none of a
million). Documents are those of the fixed table of public feed entries (`feeds.dedup.background`, some 8,000) and the
articles of this installation: the table gives a new installation a sensible weight for every word, and counts for less
the more articles there are. One megabyte in all, whatever the number of articles, and a sixteenth is close enough: it
moves a weight by less than 0.5 % of the largest.

What people's profiles hold is words, not weights of this table, so they outlive its rebuilding.
"""

import math
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from feeds.dedup import background as public_entries
from reader.learning.features import BUCKETS, index_of

STEPS = 16  # a weight of 1 is 16 in a byte, so that 255 is 15.94
_HIGHEST = 255
_TABLE = Path(public_entries.__file__).with_name("background.tsv")


@cache
def prior_counts() -> tuple[int, dict[int, int]]:
    """The number of documents of the fixed table, and in how many of them each hashed term occurs."""
    first, *lines = _TABLE.read_text(encoding="utf-8").splitlines()
    n_documents = int(first)
    counts: dict[int, int] = {}
    for line in lines:
        term, _, n = line.rpartition("\t")
        index = index_of(term)
        counts[index] = min(n_documents, counts.get(index, 0) + int(n))
    return n_documents, counts


@cache
def prior_weights() -> bytes:
    """The weights by the fixed table alone: what counts before the articles were first counted."""
    n_documents, counts = prior_counts()
    return weights_from(n_documents, ((index, n) for index, n in counts.items()))


def weights_from(n_documents: int, counts: Iterable[tuple[int, int]]) -> bytes:
    """The stored weights of 2^20 terms, by the number of documents with each; terms not named are in none."""
    stored = bytearray([_stored(n_documents, 0)]) * BUCKETS
    for index, n in counts:
        stored[index] = _stored(n_documents, n)
    return bytes(stored)


def weight_of(weights: bytes, index: int) -> float:
    """The weight of a hashed term, from 0 to 15.94."""
    return weights[index] / STEPS


def idf_of(weights: bytes) -> Callable[[int], float]:
    """The weight by the number of a term, as a function."""
    return lambda index: weights[index] / STEPS


def _stored(n_documents: int, n: int) -> int:
    return max(0, min(_HIGHEST, round(STEPS * math.log((n_documents + 1) / (n + 1)))))
