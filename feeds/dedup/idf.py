"""Inverse document frequencies: how common terms are in public feeds. Pure.

Theory. A term in n of N documents weighs ln((N + 1) / (n + 1)): about 9 for a term in none of them, almost nothing for
"the". The counts are shipped, not taken from the archive: otherwise the order of arrival would decide which articles
become one story. (With counts of the archive, a story of a hundred articles made its own terms common and fell apart.)

A term is compared with the documents in its own kind of script: a pair of Chinese characters in 100 of 1,000 documents
that have any is as common as a word in 1,000 of 10,000.

`background.tsv` has the number of documents with each term that occurs in three or more of them, out of public feed
entries and news texts (mostly English and Chinese); its first two lines are the numbers of documents with words, and
with character pairs. Terms are those of `feeds.normalizing.text.words`.
`rssmanager.evaluation.count_terms` counts them.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from feeds.normalizing.text import is_spaceless

_FILE = Path(__file__).with_name("background.tsv")

Term = TypeVar("Term", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Background:
    """The numbers of documents with words, with character pairs, and with each term."""

    n_with_words: int
    n_with_pairs: int
    with_term: Mapping[str, int]


@cache
def background() -> Background:
    """The shipped counts."""
    lines = (line.rpartition("\t") for line in _FILE.read_text(encoding="utf-8").splitlines())
    (_, _, n_words), (_, _, n_pairs), *rest = lines
    return Background(int(n_words), int(n_pairs), {term: int(n) for term, _, n in rest})


def commonness(term: str) -> int:
    """The number of background documents with a term, 0 if it isn't in the table."""
    return background().with_term.get(term, 0)


def idf(n_with: float, n_documents: int) -> float:
    """The inverse document frequency of a term in `n_with` of `n_documents`; 0 if all have it."""
    return math.log((n_documents + 1) / (n_with + 1))


def weight(term: str) -> float:
    """The inverse document frequency of a term, from 0 (in every document) to about 9 (in none)."""
    known = background()
    return idf(known.with_term.get(term, 0), known.n_with_pairs if is_spaceless(term) else known.n_with_words)


def tf_idf(counts: Mapping[Term, int], weight_of: Callable[[Term], float]) -> dict[Term, float]:
    """The weights of a text's terms: logarithmic counts (from 1) times inverse document frequency, as a unit vector."""
    weights = {term: (1 + math.log(n)) * weight_of(term) for term, n in counts.items()}
    length = math.sqrt(math.fsum(value * value for value in weights.values())) or 1.0
    return {term: value / length for term, value in weights.items()}
