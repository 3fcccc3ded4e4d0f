"""Clusters stories into a given number of topics by Ward's method. Pure; scikit-learn.

Stories are merged two at a time so that the spread grows least, until k are left (Ward, "Hierarchical Grouping to
Optimize an Objective Function", 1963). Before, vectors are reduced to as many dimensions as topics and scaled to length
1, as in spectral clustering (Ng, Jordan and Weiss, 2001): on plain TF-IDF, Ward splits off small groups and leaves one
with most of the window. Terms of only one story are dropped. On labelled sets with k from 4 to 100, V-measure is 0.65
instead of 0.58; of a news day in 4 topics the largest has 52 % instead of 86 %.

From `ALL_PAIRS_TO` stories on, only near ones are merged (the 10 nearest of each, and links between what remains
separate): 20,000 stories take about 5 s instead of 1.6 GB of distances.
"""

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import AgglomerativeClustering
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.extmath import randomized_svd

from digests.topics.tfidf import Floats, Numbers, of_length_one

MIN_DIMENSIONS, MAX_DIMENSIONS = 8, 100
ALL_PAIRS_TO = 2000  # stories, whose distances take 16 MB
NEAREST = 10


def into_topics(rows: csr_array, n_topics: int) -> Numbers:
    """The number of each row's topic: `n_topics` of them, or one per row if there are fewer.

    `rows` (n × n_terms) have length 1 or are zeros.

    Raises:
        ValueError: `n_topics` is below 1.
    """
    if n_topics < 1:
        raise ValueError(f"n_topics is {n_topics}, must be at least 1")
    if rows.shape[0] <= n_topics:
        return np.arange(rows.shape[0])
    if n_topics == 1:
        return np.zeros(rows.shape[0], dtype=np.intp)
    points = _reduced(rows, max(MIN_DIMENSIONS, min(n_topics, MAX_DIMENSIONS)))
    links = _links(points) if len(points) > ALL_PAIRS_TO else None
    labels: Numbers = AgglomerativeClustering(n_topics, linkage="ward", connectivity=links).fit_predict(points)
    return labels


def _reduced(rows: csr_array, n_dimensions: int) -> Floats:
    """The rows in few dimensions (n × at most `n_dimensions`), of length 1 or zeros."""
    shared = rows[:, np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) > 1)]
    rows = of_length_one(csr_array(shared))
    n_used = min(n_dimensions, *rows.shape)
    if n_used < 2:
        return rows.toarray() if rows.shape[1] else np.zeros((rows.shape[0], 1), dtype=np.float32)
    sides, strengths, _ = randomized_svd(rows, n_used, random_state=0)
    points = sides * strengths
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0), dtype=np.float32)


def _links(points: Floats) -> csr_array:
    """Links from each point to its nearest ones (n × n), plus links that connect all components."""
    n = len(points)
    links = csr_array(kneighbors_graph(points, NEAREST))
    n_parts, part_of = connected_components(links, directed=False)
    while n_parts > 1:
        firsts = np.unique(part_of, return_index=True)[1]
        between = kneighbors_graph(points[firsts], min(NEAREST, n_parts - 1)).tocoo()
        added = coo_array((between.data, (firsts[between.row], firsts[between.col])), shape=(n, n))
        links = csr_array(links + added)
        n_parts, part_of = connected_components(links, directed=False)
    return csr_array(links.maximum(links.T))
