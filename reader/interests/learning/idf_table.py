"""How rare each term is: inverse document frequencies of 2^20 hashed terms, a byte each. Pure.

Theory. A term in n of N documents weighs ln((N + 1) / (n + 1)): from 0 (in every document) to about 14 (in none of a
million). Documents are those of a fixed table of public feed entries (`feeds.dedup.idf`) plus this
installation's articles: the table gives a new installation sensible weights, and counts for less as articles arrive.
The result is one megabyte; rounding to a sixteenth changes a weight by less than 0.5 % of the largest.

Profiles store words, not hashes or weights, so they outlive rebuilding.
"""

from collections.abc import Callable, Iterable
from functools import cache

from feeds.dedup import idf as public_entries
from feeds.normalizing.text import is_spaceless
from reader.interests.learning.features import BUCKETS, hash_feature

STEPS = 16  # a weight of 1 is 16 in a byte, so that 255 is 15.94
_HIGHEST = 255


@cache
def prior_counts() -> tuple[int, dict[int, int]]:
    """The number of documents of the fixed table, and in how many of them each hashed term occurs.

    Counts of character pairs are scaled up, as if all documents had some.
    """
    known = public_entries.background()
    n_documents = known.n_with_words
    counts: dict[int, int] = {}
    for term, n in known.with_term.items():
        index = hash_feature(term)
        scaled = round(n * n_documents / known.n_with_pairs) if is_spaceless(term) else n
        counts[index] = min(n_documents, counts.get(index, 0) + scaled)
    return n_documents, counts


@cache
def prior_weights() -> bytes:
    """The weights from the fixed table alone, until the first rebuild."""
    n_documents, counts = prior_counts()
    return build_weights(n_documents, ((index, n) for index, n in counts.items()))


def build_weights(n_documents: int, counts: Iterable[tuple[int, int]]) -> bytes:
    """The stored weights of 2^20 terms from the number of documents with each; missing terms are in none."""
    stored = bytearray([_stored(n_documents, 0)]) * BUCKETS
    for index, n in counts:
        stored[index] = _stored(n_documents, n)
    return bytes(stored)


def idf_of(weights: bytes) -> Callable[[int], float]:
    """A function from the hash of a term to its weight, from 0 to 15.94."""
    return lambda index: weights[index] / STEPS


def _stored(n_documents: int, n: int) -> int:
    return max(0, min(_HIGHEST, round(STEPS * public_entries.idf(n, n_documents))))
