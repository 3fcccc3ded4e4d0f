"""Recency: how new an article is, losing half every 23 hours by default. Computed when asked, never stored.

Source: SPEC §8; best-practices.md, Recency Decay Function.
"""

import math
from datetime import datetime

LAMBDA = 0.03  # of what is left, lost each hour; half after 23.1 hours
LAMBDAS: dict[str, float] = {"weekly": 0.01, "default": LAMBDA, "real-time": 0.05}  # per hour, for a person to choose
UNCERTAIN_FACTOR = 0.8  # 20 % less where the date is uncertain; strategy.md step 4


def recency(age_hours: float, *, rate: float = LAMBDA, is_uncertain: bool = False) -> float:
    """100 · e^(−`rate` · `age_hours`), in [0, 100], a fifth less when the date is uncertain.

    What is dated ahead counts as new. Raises ValueError for a rate below 0.
    """
    if rate < 0:
        raise ValueError(f"a rate per hour is not below 0: {rate!r}")
    return 100 * math.exp(-rate * max(0.0, age_hours)) * (UNCERTAIN_FACTOR if is_uncertain else 1.0)


def hours_between(published_at: datetime, now: datetime) -> float:
    """Hours from publication to `now`, both aware; below 0 for what is dated ahead."""
    return (now - published_at).total_seconds() / 3600
