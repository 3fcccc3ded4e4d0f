"""What an article is worth to one person at one moment, out of what is stored of it. Pure, apart from the row."""

from dataclasses import dataclass
from datetime import datetime

from reader.models import Assessment
from reader.scoring.decay import time_adjusted
from reader.scoring.importance import NEUTRAL_RELEVANCE, Parts
from reader.scoring.recency import hours_between, recency


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast things age: `recency` per hour, `decay` per day of each time sensitivity."""

    recency: float
    decay: dict[int, float]


@dataclass(frozen=True, slots=True)
class Rating:
    """The five parts of importance, relevance as time has left it (0–100), and how fast it goes (1–5).

    `is_own_sensitivity`: the person said how fast, whatever others think.
    """

    parts: Parts
    adjusted: float
    sensitivity: int
    is_own_sensitivity: bool

    @property
    def points(self) -> int:
        """Importance as it is shown, 0–100."""
        return round(self.parts.importance)

    @property
    def adjusted_points(self) -> int:
        """Time-adjusted relevance as it is shown, 0–100."""
        return round(self.adjusted)


def rating_of(
    assessment: Assessment,
    *,
    relevance: float | None,
    sensitivity: int | None,
    published_at: datetime,
    date_uncertain: bool,
    now: datetime,
    rates: Rates,
) -> Rating:
    """The rating; `relevance` is neutral where None, `sensitivity` the assessment's unless the person's differs."""
    age = hours_between(published_at, now)
    known = NEUTRAL_RELEVANCE if relevance is None else relevance
    parts = Parts(
        authority=assessment.authority,
        recency=recency(age, rate=rates.recency, is_uncertain=date_uncertain),
        corroboration=assessment.corroboration,
        relevance=known,
        depth=assessment.depth,
    )
    fast = sensitivity or assessment.sensitivity
    adjusted = time_adjusted(known, rate=rates.decay[fast], age_days=age / 24)
    return Rating(parts, adjusted, fast, fast != assessment.sensitivity)
