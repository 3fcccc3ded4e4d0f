"""Weekly rebuild of the IDF table: counts in how many articles each term occurs. For workers: numpy."""

from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from reader.interests.backlog import REBUILD_IDF_EVERY
from reader.interests.learning.features import BUCKETS
from reader.interests.learning.idf_table import build_weights, prior_counts
from reader.models import ArticleFeatures, IdfTable

CHUNK = 2000  # articles counted at a time: about a megabyte
_BYTES = 3  # a stored term
_COUNT_BITS = 4

Counts = NDArray[np.int64]


def rebuild_if_due(*, now: datetime) -> bool:
    """Rebuild the table unless that was done within the last week; returns whether it was."""
    built_at = IdfTable.objects.values_list("built_at", flat=True).first()
    if built_at is not None and now - built_at < REBUILD_IDF_EVERY:
        return False
    rebuild(now=now)
    return True


def rebuild(*, now: datetime) -> int:
    """Rebuild the table from all articles and the prior counts; returns the number of articles.

    Reads in chunks and writes once, at the end.
    """
    n_prior, prior = prior_counts()
    counts = np.zeros(BUCKETS, dtype=np.int64)
    n_articles = _count(counts)
    counts[list(prior)] += np.fromiter(prior.values(), dtype=np.int64, count=len(prior))
    occurring = np.flatnonzero(counts)
    weights = build_weights(n_prior + n_articles, zip(occurring.tolist(), counts[occurring].tolist(), strict=True))
    IdfTable.objects.update_or_create(pk=1, defaults={"built_at": now, "n_articles": n_articles, "weights": weights})
    return n_articles


def _count(counts: Counts) -> int:
    """Add to `counts` (2^20) the number of articles with each term; returns the number of articles."""
    n_articles = 0
    last = 0
    while chunk := list(ArticleFeatures.objects.filter(pk__gt=last).order_by("pk").values_list("pk", "terms")[:CHUNK]):
        last = chunk[-1][0]
        n_articles += len(chunk)
        read = np.frombuffer(b"".join(bytes(terms) for _, terms in chunk), dtype=np.uint8).reshape(-1, _BYTES)
        numbers = (
            read[:, 0].astype(np.int64) | read[:, 1].astype(np.int64) << 8 | read[:, 2].astype(np.int64) << 16
        ) >> _COUNT_BITS
        counts += np.bincount(numbers, minlength=BUCKETS)
    return n_articles
