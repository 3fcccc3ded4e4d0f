"""Two simple baselines. Pure.

`exact_title` groups equal titles. `tfidf_best_threshold` groups by the cosine of TF-IDF vectors of title and text, with
the best threshold for that file. It is an upper bound for methods that only compare words.

Documents above a threshold are clustered by single linkage. For every threshold, the clusters are the components of one
maximum spanning forest, so only its n - 1 edges are kept while similarities are computed in strips.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from sklearn.feature_extraction.text import TfidfVectorizer

from feeds.dedup.in_memory import Document
from feeds.normalizing.text import words
from rssmanager.evaluation.metrics import Counts, Scores, Truth, answer_scores, bcubed_scores, pair_scores

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(19, 0, -1))  # 0.95 … 0.05
STRIP_CELLS = 4_000_000  # similarities in memory, about 100 MB

_WORD = re.compile(r"[^\W_]+")

Similarities = NDArray[np.float32]


def exact_title_groups(documents: Sequence[Document]) -> list[int]:
    """A group number per document, equal for titles that differ only in case and punctuation."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(plain_title(document.title), len(numbers)) for document in documents]


def plain_title(title: str) -> str:
    """The words of a title in lower case; the title itself if it has none."""
    return " ".join(_WORD.findall(title.lower())) or title


def tfidf_vectors(documents: Sequence[Document]) -> csr_array:
    """Unit vectors (n_documents × n_words) of title and text: logarithmic counts times the inverse document frequency.

    In scripts without spaces, words are pairs of characters.
    """
    word_lists = [words(f"{document.title}\n{document.text}", document.language) for document in documents]
    if not any(word_lists):
        return csr_array((len(documents), 1), dtype=np.float32)
    vectorizer = TfidfVectorizer(analyzer=list, sublinear_tf=True, dtype=np.float32)
    return csr_array(vectorizer.fit_transform(word_lists))


def tfidf_groups(documents: Sequence[Document]) -> Iterator[tuple[float, Counts]]:
    """The group numbers (n_documents) at each threshold, from high to low."""
    forest = spanning_forest(tfidf_vectors(documents), least=THRESHOLDS[-1])
    for threshold in THRESHOLDS:
        kept = forest.data >= threshold
        edges = coo_array((forest.data[kept], (forest.row[kept], forest.col[kept])), shape=forest.shape)
        yield threshold, connected_components(edges, directed=False)[1].astype(np.int64)


def best_group_scores(truth: Truth, documents: Sequence[Document]) -> tuple[Scores, Scores, Counts]:
    """TF-IDF's best scores over pairs and in B-cubed, each at its own threshold, and the groups of the former."""
    tried = [
        (pair_scores(truth, groups), bcubed_scores(truth, groups), threshold, groups)
        for threshold, groups in tfidf_groups(documents)
    ]
    pairs, _, pairs_threshold, groups = max(tried, key=lambda attempt: attempt[0].f1)  # the highest of equal ones
    _, bcubed, bcubed_threshold, _ = max(tried, key=lambda attempt: attempt[1].f1)
    return _at(pairs, pairs_threshold), _at(bcubed, bcubed_threshold), groups


def tfidf_similarities(first: Sequence[Document], second: Sequence[Document]) -> Similarities:
    """The cosine of each pair (n_pairs) in [0, 1], with document frequencies over all documents of both sides."""
    vectors = tfidf_vectors([*first, *second])
    return np.asarray(vectors[: len(first)].multiply(vectors[len(first) :]).sum(axis=1), dtype=np.float32)


def best_answers(truth: Sequence[bool], similarities: Similarities) -> tuple[Scores, list[bool]]:
    """The best scores of a similarity threshold, with that threshold, and its answers."""
    answers_at = {threshold: [bool(found) for found in similarities >= threshold] for threshold in THRESHOLDS}
    tried = [_at(answer_scores(truth, answers), threshold) for threshold, answers in answers_at.items()]
    best = max(tried, key=lambda scores: scores.f1)
    return best, answers_at[best.threshold or THRESHOLDS[0]]


def spanning_forest(vectors: csr_array, *, least: float, strip_cells: int = STRIP_CELLS) -> coo_array:
    """The edges (n × n, at most n - 1) of a maximum spanning forest over similarities of at least `least`."""
    n = vectors.shape[0]
    forest = coo_array((n, n), dtype=np.float32)
    strip = max(1, strip_cells // max(1, n))
    for start in range(0, n, strip):
        similarities, rows, columns = _alike(vectors, start, min(n, start + strip), least)
        distances = 2 - np.concatenate((forest.data, similarities))  # never 0, which means no edge
        places = np.concatenate((forest.row, rows)), np.concatenate((forest.col, columns))
        tree = minimum_spanning_tree(csr_array((distances, places), shape=(n, n))).tocoo()
        forest = coo_array(((2 - tree.data).astype(np.float32), (tree.row, tree.col)), shape=(n, n))
    return forest


def _alike(vectors: csr_array, start: int, end: int, least: float) -> tuple[Similarities, Counts, Counts]:
    """Similarities of documents `start` to `end` with later ones, with the numbers of both."""
    strip = (vectors[start:end] @ vectors[start:].T).tocoo()
    kept = (strip.data >= least) & (strip.col > strip.row)
    return strip.data[kept], strip.row[kept] + start, strip.col[kept] + start


def _at(scores: Scores, threshold: float) -> Scores:
    return replace(scores, threshold=threshold)
