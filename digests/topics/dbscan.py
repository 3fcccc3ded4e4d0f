"""Clusters the articles of one window into topics. Pure.

Theory. DBSCAN over TF-IDF, cosine distance, eps 0.4, at least 2 articles (strategy.md step 5, SPEC §12). With a minimum
of 2, every point with a neighbor is a core point, so clusters are the connected components of the neighborhood graph
and noise the points without neighbors; found that way it takes a tenth of the memory (`digests.topics.neighbours`; a
test compares it with scikit-learn's DBSCAN).

Stories stay whole because they *are* the points: a story is the mean of its articles. The alternative, articles as
points with distance 0 within a story, chains: one near pair joins two whole stories. On 6,366 headlines of three days
its largest topic had 1,013 articles (V-measure 0.80, B-cubed precision 0.72); with means it has 253 (0.83, 0.91).

Tried and dropped:

- counting terms by article instead of by story: B-cubed F1 0.59 instead of 0.61 on headlines;
- dropping terms that only one story has: far too eager in small windows (precision 0.80 instead of 0.99);
- logarithmic counts, limits on rare terms, word pairs, a second pass over the topics: at most one point.

The result doesn't depend on the order of the documents: they are sorted by content first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from digests.topics.neighbours import components
from digests.topics.tfidf import Counted, Numbers, counted, means, weighted
from digests.topics.tokens import document_terms
from digests.topics.ward import into_topics

EPS = 0.4  # cosine distance to a neighbour; SPEC §12
MIN_SIMILARITY = 1 - EPS

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """An article. `text` is plain; `language` is ISO 639-1, "" if unknown; `story` is None for no story."""

    title: str
    text: str = ""
    language: str = ""
    story: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """Documents in topics.

    `groups` contain document numbers: each is in one group, noise alone; groups are in the order of their first
    members. `vectors` (n_documents × n_terms) have length 1, or are zeros for a document without terms; `vocabulary`
    are the stems; `counted` is how often each occurs.
    """

    groups: tuple[Group, ...]
    vectors: csr_array
    counted: Counted

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self.counted.vocabulary

    def centroid(self, group: Sequence[int]) -> csr_array:
        """The mean vector of some documents (1 × n_terms)."""
        rows = csr_array(self.vectors[np.asarray(group, dtype=np.intp)])
        total = csr_array(np.full((1, rows.shape[0]), 1 / max(1, rows.shape[0]))) @ rows
        return csr_array(total)

    def top_terms(self, group: Sequence[int], n: int) -> list[tuple[str, float]]:
        """The `n` heaviest stems of the centroid with their weights, heaviest first, equal ones alphabetically."""
        mean = self.centroid(group)
        ranked = sorted(zip((-mean.data).round(9).tolist(), mean.indices.tolist(), strict=True))[:n]
        return [(self.vocabulary[column], -weight) for weight, column in ranked if weight < 0]


def cluster_documents(documents: Sequence[Document], *, n_topics: int | None = None) -> Clustering:
    """Cluster documents into topics: as many as there are, or `n_topics` (fewer if there are fewer stories).

    Raises:
        ValueError: `n_topics` is below 1.
    """
    order = sorted(range(len(documents)), key=lambda n: _content(documents[n]))
    ordered = [documents[n] for n in order]
    terms = counted(document_terms(document.title, document.text, document.language) for document in ordered)
    units = units_of([document.story for document in ordered])
    vectors = weighted(terms.counts, units)
    points = means(vectors, units)
    labels = components(points, least=MIN_SIMILARITY) if n_topics is None else into_topics(points, n_topics)
    back = np.empty(len(order), dtype=np.intp)
    back[order] = np.arange(len(order))
    return Clustering(_groups(labels[units][back].tolist()), csr_array(vectors[back]), terms.chosen(back))


def units_of(stories: Sequence[int | None]) -> Numbers:
    """The number of each document's unit, from 0 by first appearance: its story, or itself without one."""
    numbers: dict[object, int] = {}
    keys = (("alone", n) if story is None else ("story", story) for n, story in enumerate(stories))
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def _content(document: Document) -> tuple[str, str, str, bool, int]:
    story = document.story
    return document.title, document.text, document.language, story is None, 0 if story is None else story


def _groups(labels: Sequence[int]) -> tuple[Group, ...]:
    members: dict[int, list[int]] = {}
    for n, label in enumerate(labels):
        members.setdefault(label, []).append(n)
    return tuple(map(tuple, members.values()))
