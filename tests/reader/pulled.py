"""The inverse of `decay_key`, to check what is stored against what is shown."""

import math
from datetime import UTC, datetime, timedelta


def relevance_from_decay_key(decay_key: float, rate: float, now: datetime) -> float:
    """The time-adjusted relevance at `now`, in [0, 100], of an article with this `decay_key`."""
    days = (now - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(days=1)
    return 100 / (1 + math.exp(rate * days - decay_key))
