"""The lead of a topic. Pure."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from digests.topics.dbscan import Clustering
from digests.topics.tfidf import of_length_one

EQUAL = 1e-9  # difference below which similarities are equal


def lead_of(clustered: Clustering, group: Sequence[int], *, importances: Sequence[float], tiers: Sequence[int]) -> int:
    """The document nearest to the group's centroid; of equals the more important, then the better (smaller) tier, then
    the first.

    `importances` and `tiers` are of all documents. Two articles are equally near to their mean, so the more important
    one leads. Source: strategy.md step 5; SPEC §12.

    Raises:
        ValueError: the group is empty.
    """
    if not group:
        raise ValueError("an empty topic has no lead")
    if len(group) == 1:
        return group[0]
    members = sorted(group)
    rows = of_length_one(csr_array(clustered.vectors[np.asarray(members, dtype=np.intp)], dtype=np.float64))
    nearness = rows @ np.asarray(rows.sum(axis=0)).ravel() / len(members)
    near = [member for member, value in zip(members, nearness, strict=True) if value >= nearness.max() - EQUAL]
    return min(near, key=lambda member: (-importances[member], tiers[member], member))
