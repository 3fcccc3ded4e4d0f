"""Articles of one window gathered into topics. Pure.

Theory. What is near is one topic: DBSCAN over TF-IDF, cosine distance, eps 0.4, 2 articles at least (strategy.md step
5, SPEC §12). With 2 at least, every point with a neighbour is a core point, so its clusters are the connected parts of
the neighbourhood graph and its noise the points without neighbours; that is how they are found here, in a tenth of the
memory (`digests.topics.neighbours`; a test holds it against scikit-learn's DBSCAN).

Stories are kept whole because they *are* the points: a story is the mean of its articles. The other way, articles as
points and a story's tied at distance 0, chains: each story is as wide as its oddest articles, and one near pair joins
two stories whole. On 6,366 headlines of three days its largest topic held 1,013 articles (V-measure 0.80, B-cubed
precision 0.72); with means it holds 253 (0.83, 0.91).

Measured on labelled sets of several origins, windows of 20 to 6,366 articles:

- Counting terms by story rather than by article: B-cubed F1 0.61 rather than 0.59 on headlines, 0.82 rather than 0.815
  on ECB+ events, no different in small windows.
- Dropping terms that one story has alone: better in large windows (0.64), and far too eager in small ones (precision of
  20 articles 0.80 rather than 0.99), where whoever shares one word is left with that word. Not done.
- Logarithmic counts: no better, and boilerplate of one blog chains its articles. Limits on rare terms' weights, words
  in pairs, gathering again over the topics found: a point or less. Not done.

The result does not depend on the order of the documents: they are sorted by what they say before anything is counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from digests.topics.fixed_number import into_topics
from digests.topics.neighbours import components
from digests.topics.texts import document_terms
from digests.topics.vectors import Counted, Numbers, counted, means, weighted

EPS = 0.4  # cosine distance to a neighbour; SPEC §12
LEAST_SIMILARITY = 1 - EPS

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """What topics are gathered by. `text` is plain; `language` ISO 639-1, "" unknown; `story` None for no story."""

    title: str
    text: str = ""
    language: str = ""
    story: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Documents in topics.

    `groups` hold the numbers of documents: each stands in one group, noise alone; groups are in the order of their
    first members. `vectors` (n_documents × n_terms) are of length 1, or zeros where a document has no terms;
    `vocabulary` holds the stems; `counted` how often each occurs.
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
        """The `n` heaviest stems of the centroid with their weights, heaviest first, equal ones by alphabet."""
        mean = self.centroid(group)
        found = sorted(zip((-mean.data).round(9).tolist(), mean.indices.tolist(), strict=True))[:n]
        return [(self.vocabulary[column], -weight) for weight, column in found if weight < 0]


def gather(documents: Sequence[Document], *, n_topics: int | None = None) -> Gathered:
    """The documents in topics: as many as there are, or `n_topics` (fewer where there are fewer stories).

    Raises:
        ValueError: `n_topics` is below 1.
    """
    order = sorted(range(len(documents)), key=lambda n: _content(documents[n]))
    ordered = [documents[n] for n in order]
    terms = counted(document_terms(each.title, each.text, each.language) for each in ordered)
    units = units_of([each.story for each in ordered])
    vectors = weighted(terms.counts, units)
    points = means(vectors, units)
    found = components(points, least=LEAST_SIMILARITY) if n_topics is None else into_topics(points, n_topics)
    back = np.empty(len(order), dtype=np.intp)
    back[order] = np.arange(len(order))
    return Gathered(_groups(found[units][back].tolist()), csr_array(vectors[back]), terms.chosen(back))


def units_of(stories: Sequence[int | None]) -> Numbers:
    """The number of each document's unit, from 0 by first appearance: its story, or itself where it has none."""
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
