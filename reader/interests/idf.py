"""The IDF table in use: the shipped one until the first rebuild."""

from datetime import datetime
from threading import Lock

from reader.interests.learning.idf_table import prior_weights
from reader.models import IdfTable

_lock = Lock()
_cached: tuple[datetime, bytes] | None = None


def idf_weights() -> bytes:
    """The weights of 2^20 hashed terms, a byte each (`reader.interests.learning.idf_table`).

    Cached by the process (1 MB); each call checks for a rebuild with one small query.
    """
    global _cached
    built_at = IdfTable.objects.values_list("built_at", flat=True).first()
    if built_at is None:
        return prior_weights()
    with _lock:
        if _cached is None or _cached[0] != built_at:
            row = IdfTable.objects.get()
            _cached = (row.built_at, bytes(row.weights))
        return _cached[1]
