"""The rating of an article for one user at one time, from what is stored, and the decay rates that apply."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from feeds.storage.compiled import compiled
from reader.models import Assessment, InterestProfile
from reader.scoring.decay import time_adjusted
from reader.scoring.importance import (
    DEFAULT_RECENCY_RATE,
    NEUTRAL_RELEVANCE,
    Parts,
    corroboration,
    hours_between,
    recency,
)


@dataclass(frozen=True, slots=True)
class Rates:
    """Decay rates: `recency` per hour, `decay` per day for each time sensitivity."""

    recency: float
    decay: dict[int, float]


@dataclass(frozen=True, slots=True)
class Rating:
    """The five parts of importance, time-adjusted relevance (0–100), and time sensitivity (1–5).

    `is_own_sensitivity`: the user overrode the time sensitivity.
    """

    parts: Parts
    adjusted: float
    sensitivity: int
    is_own_sensitivity: bool

    @property
    def points(self) -> int:
        """Importance as displayed, 0–100."""
        return round(self.parts.importance)

    @property
    def adjusted_points(self) -> int:
        """Time-adjusted relevance as displayed, 0–100."""
        return round(self.adjusted)


def decay_rates() -> dict[int, float]:
    """Relevance lost per day for each time sensitivity, 1 to 5."""
    return dict(enumerate(settings.ENV.DECAY_RATES, start=1))


def rates_of(user: User) -> Rates:
    """The rates for `user`; one query."""
    chosen = next(iter(_recency_rate(user.pk)), None)
    return Rates(DEFAULT_RECENCY_RATE if chosen is None else chosen, decay_rates())


@compiled
def _recency_rate(user: int) -> QuerySet[InterestProfile, float | None]:
    return InterestProfile.objects.filter(user=user).values_list("recency_rate", flat=True)


def rating_of(
    assessment: Assessment,
    *,
    n_publishers: int,
    n_tiers: int,
    relevance: float | None,
    sensitivity: int | None,
    published_at: datetime,
    date_uncertain: bool,
    now: datetime,
    rates: Rates,
) -> Rating:
    """The rating. `n_publishers` of `n_tiers` tiers report the story to the user. `relevance` None means neutral;
    `sensitivity` is the user's own, None for the assessment's."""
    age = hours_between(published_at, now)
    parts = parts_of(
        authority=assessment.authority,
        corroboration=corroboration(n_publishers, n_tiers),
        depth=assessment.depth,
        relevance=relevance,
        age_hours=age,
        date_uncertain=date_uncertain,
        rates=rates,
    )
    score = sensitivity or assessment.sensitivity
    adjusted = time_adjusted(parts.relevance, rate=rates.decay[score], age_days=age / 24)
    return Rating(parts, adjusted, score, score != assessment.sensitivity)


def parts_of(
    *,
    authority: float,
    corroboration: float,
    depth: float,
    relevance: float | None,
    age_hours: float,
    date_uncertain: bool,
    rates: Rates,
) -> Parts:
    """The parts of importance from stored columns; `relevance` None means neutral."""
    return Parts(
        authority=authority,
        recency=recency(age_hours, rate=rates.recency, is_uncertain=date_uncertain),
        corroboration=corroboration,
        relevance=NEUTRAL_RELEVANCE if relevance is None else relevance,
        depth=depth,
    )
