"""The inverse document frequencies in use: the shipped ones until the articles were first counted."""

from datetime import datetime
from threading import Lock

from reader.learning.background import prior_weights
from reader.models import TermBackground

_lock = Lock()
_known: tuple[datetime, bytes] | None = None


def background() -> bytes:
    """The weights of 2^20 hashed terms, a byte each (`reader.learning.background`).

    Held by the process, a megabyte; each call asks with one small query whether they were rebuilt since.
    """
    global _known
    built_at = TermBackground.objects.values_list("built_at", flat=True).first()
    if built_at is None:
        return prior_weights()
    with _lock:
        if _known is None or _known[0] != built_at:
            row = TermBackground.objects.get()
            _known = (row.built_at, bytes(row.weights))
        return _known[1]
