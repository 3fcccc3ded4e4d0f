"""What sentence vectors say about an article: which others are similar, and whether it reports news. Pure.

Cells. Comparing an article's vector with those of all articles of two days would cost more the more arrive. So the
space is divided into 256 cells (k-means: Lloyd 1982), and articles are candidates if they share one of the three cells
nearest to each; such an index is called an inverted file (Sivic and Zisserman 2003). Of the pairs on labelled days with
a cosine of at least 0.5, 95 % share a cell, of those on one event 96 % and more, while an article shares one with 9 %
of the others.

News. A logistic regression of labelled items on their vectors says whether an item is one of several reports on an
event, or rather an essay, a manual, a question. Two posts on one programming language are as close as two reports on
one event, but no news.

`meaning_cells.bin` has the centers of the cells, stored as vectors are; `news_weights.tsv` the intercept and the 512
weights. Both come from `rssmanager.evaluation.train_events`.
"""

import math
from functools import cache
from pathlib import Path

import numpy as np

from feeds.dedup.vectors import DIMENSIONS, Matrix, Vector, matrix_from

CELLS_FILE = Path(__file__).with_name("meaning_cells.bin")
NEWS_FILE = Path(__file__).with_name("news_weights.tsv")
CELLS_OF_ONE = 3


def nearest_cells(vector: Vector, n: int) -> list[int]:
    """The numbers of the cells whose centers are nearest to a unit vector, sorted."""
    return sorted(int(cell) for cell in np.argpartition(-(_centers() @ vector), n)[:n])


def news_share(vector: Vector) -> float:
    """How much an article reads like one of several reports on an event, in [0, 1]."""
    intercept, weights = _news_weights()
    return 1 / (1 + math.exp(-(intercept + float(weights @ vector))))


@cache
def _centers() -> Matrix:
    stored = CELLS_FILE.read_bytes()
    return matrix_from([stored[start : start + DIMENSIONS] for start in range(0, len(stored), DIMENSIONS)])


@cache
def _news_weights() -> tuple[float, Vector]:
    intercept, *weights = map(float, NEWS_FILE.read_text(encoding="utf-8").split())
    return intercept, np.array(weights, dtype=np.float32)


def forget() -> None:
    """Read the files again on next use, after training."""
    _centers.cache_clear()
    _news_weights.cache_clear()
