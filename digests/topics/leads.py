"""Which article leads a topic. Pure."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from digests.topics.gathering import Gathered
from digests.topics.vectors import of_length_one

EQUAL = 1e-9  # similarities so near each other are equal


def lead_of(gathered: Gathered, group: Sequence[int], *, importances: Sequence[float], tiers: Sequence[int]) -> int:
    """The document of the group that is nearest its centroid; of equals the more important, then of the better tier
    (the smaller number), then the one that comes first.

    `importances` and `tiers` are of all documents. Two articles are always equally near their mean, so of two the more
    important leads. Source: strategy.md step 5; SPEC §12.

    Raises:
        ValueError: the group is empty.
    """
    if not group:
        raise ValueError("nobody leads an empty topic")
    if len(group) == 1:
        return group[0]
    members = sorted(group)
    rows = of_length_one(csr_array(gathered.vectors[np.asarray(members, dtype=np.intp)], dtype=np.float64))
    nearness = rows @ np.asarray(rows.sum(axis=0)).ravel() / len(members)
    near = [member for member, value in zip(members, nearness, strict=True) if value >= nearness.max() - EQUAL]
    return min(near, key=lambda member: (-importances[member], tiers[member], member))
