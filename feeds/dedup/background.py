"""How common terms are in the world's feeds, so that a shared rare term says more than a shared common one. Pure.

Theory. Inverse document frequency: a term in n of N documents weighs ln((N + 1) / (n + 1)), so a term that none of them
had weighs most, about 9, and "the" next to nothing. The counts are fixed and shipped, not the archive's own: what two
articles say to each other must not depend on what else was stored before them, or the order of arrival would decide
which articles become one story. (Counts of the archive were tried: a story of a hundred articles made its own terms
common, and fell apart.)

`background.tsv` holds the number of documents, of some 8,000 public feed entries and news texts (mostly English, some
Russian and Chinese), in which each term occurs, for terms in three and more; its first line the number of documents.
Terms are what `feeds.normalizing.text.words` gives: words, or pairs of characters.
"""

import math
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("background.tsv")


@cache
def _counts() -> tuple[int, dict[str, int]]:
    first, *rest = _FILE.read_text(encoding="utf-8").splitlines()
    counts = {}
    for line in rest:
        term, _, n = line.rpartition("\t")
        counts[term] = int(n)
    return int(first), counts


def commonness(term: str) -> float:
    """In how many documents of the background a term occurs; 0 for one that is not in the table."""
    return _counts()[1].get(term, 0)


def weight(term: str) -> float:
    """The inverse document frequency of a term, from 0 (in every document) to about 9 (in none that was counted)."""
    n_documents, counts = _counts()
    return math.log((n_documents + 1) / (counts.get(term, 0) + 1))
