"""Inverse document frequencies: how common terms are in public feeds. Pure.

Theory. A term in n of N documents weighs ln((N + 1) / (n + 1)): about 9 for a term in none of them, almost nothing for
"the". The counts are shipped, not taken from the archive: otherwise the order of arrival would decide which articles
become one story. (With counts of the archive, a story of a hundred articles made its own terms common and fell apart.)

`background.tsv` has the number of documents with each term that occurs in three or more, out of some 8,000 public feed
entries and news texts (mostly English, some Russian and Chinese); its first line is the number of documents. Terms are
those of `feeds.normalizing.text.words`: words, or pairs of characters.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

_FILE = Path(__file__).with_name("background.tsv")

Term = TypeVar("Term", bound=Hashable)


@cache
def counts() -> tuple[int, dict[str, int]]:
    """The number of documents, and the number with each term."""
    first, *rest = _FILE.read_text(encoding="utf-8").splitlines()
    with_term = {}
    for line in rest:
        term, _, n = line.rpartition("\t")
        with_term[term] = int(n)
    return int(first), with_term


def commonness(term: str) -> float:
    """The number of background documents with a term, 0 if it isn't in the table."""
    return counts()[1].get(term, 0)


def idf(n_with: float, n_documents: int) -> float:
    """The inverse document frequency of a term in `n_with` of `n_documents`; 0 if all have it."""
    return math.log((n_documents + 1) / (n_with + 1))


def weight(term: str) -> float:
    """The inverse document frequency of a term, from 0 (in every document) to about 9 (in none)."""
    n_documents, with_term = counts()
    return idf(with_term.get(term, 0), n_documents)


def tf_idf(counts: Mapping[Term, int], weight_of: Callable[[Term], float]) -> dict[Term, float]:
    """The weights of a text's terms: logarithmic counts (from 1) times inverse document frequency, as a unit vector."""
    weights = {term: (1 + math.log(n)) * weight_of(term) for term, n in counts.items()}
    length = math.sqrt(math.fsum(value * value for value in weights.values())) or 1.0
    return {term: value / length for term, value in weights.items()}
