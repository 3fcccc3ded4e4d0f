"""Importance: five parts, weighted. Source: SPEC §8, strategy.md step 4.

Authority and depth are the same for everyone and don't change with time; their weighted sum is the *shared importance*.
With a user's corroboration and relevance it becomes the *static importance*, which can be stored and indexed.
Recency is added when a list is shown. `importance_at` gives the same as `Parts.importance`.

Lists and digests order stories by `place_of`, which is all of the ordering that SPEC §8 describes: a story has the
authority and relevance of its best article, the depth of its fullest and the recency of its newest (`Parts.of_story`),
and within a band the one with more publishers comes first, then the newer one. What is shown beside an article is its
own importance.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from feeds.wording import pgettext

WEIGHTS: dict[str, float] = {
    "authority": 0.25,
    "recency": 0.20,
    "corroboration": 0.20,
    "relevance": 0.20,
    "depth": 0.15,
}
TOP_FROM, NOTEWORTHY_FROM = 70.0, 40.0  # importance of a topic's best article in a digest, SPEC §13
BAND = 5.0  # points of importance within which other things decide; sections end where bands do. SPEC §8
NEUTRAL_RELEVANCE = 50.0  # for a user without a profile; strategy.md step 4

TIER_POINTS: dict[int, int] = {1: 95, 2: 80, 3: 65, 4: 50, 5: 30}  # of 100; strategy.md step 4

POINTS_PER_PUBLISHER = 25
MAX_CORROBORATION = 100
TIERS_FOR_BONUS = 3
DIVERSITY_BONUS = 10
PUBLISHERS_FOR_MAX = MAX_CORROBORATION // POINTS_PER_PUBLISHER

LIFTED_FROM = 2 * PUBLISHERS_FOR_MAX
_MOST_PUBLISHERS = 98

DEFAULT_RECENCY_RATE = 0.03  # share lost per hour; half is left after 23.1 hours. Best-practices.md
UNCERTAIN_FACTOR = 0.8  # 20 % less if the date is uncertain; strategy.md step 4


def band_of(importance: float) -> int:
    """The band of an importance."""
    return int(importance // BAND)


def place_of(importance: float, *, n_publishers: int, recency: float) -> float:
    """A sort key, the highest first: the band of the importance, then publishers, then recency (0–100).

    Parts of importance are capped, and bands have edges: a story of fifteen publishers may have a point less than one
    of four. So from `LIFTED_FROM` publishers on a story is one band higher. From `_MOST_PUBLISHERS` on, more make no
    difference.
    """
    within = min(n_publishers, _MOST_PUBLISHERS) + recency / (100 + 1)
    return BAND * (band_of(importance) + (n_publishers >= LIFTED_FROM) + within / (_MOST_PUBLISHERS + 2))


def strength_of(points: int) -> int:
    """How many dots show an importance: 3 for a digest's top stories, 2 for noteworthy ones, 1 for less."""
    return 1 + (points >= NOTEWORTHY_FROM) + (points >= TOP_FROM)


def part_name(part: str) -> str:
    """The translated name of a key of `WEIGHTS`."""
    return {
        "authority": pgettext("a part of importance", "authority"),
        "recency": pgettext("a part of importance", "recency"),
        "corroboration": pgettext("a part of importance", "corroboration"),
        "relevance": pgettext("a part of importance", "relevance"),
        "depth": pgettext("a part of importance", "depth"),
    }[part]


def authority(tier: int, health: float) -> float:
    """Points in [0, 95]: how trusted a source of `tier` (1–5, 1 the best) is, times the health of its feed.

    `health` is successful polls / polls over 30 days, clamped to [0, 1]. Raises ValueError for an unknown tier.
    """
    if tier not in TIER_POINTS:
        raise ValueError(f"no such tier: {tier!r}")
    return TIER_POINTS[tier] * min(1.0, max(0.0, health))


def corroboration(n_publishers: int, n_tiers: int) -> float:
    """Points in [0, 100] for a story that `n_publishers` publishers of `n_tiers` different tiers report to the user."""
    bonus = DIVERSITY_BONUS if n_tiers >= TIERS_FOR_BONUS else 0
    return float(max(0, min(MAX_CORROBORATION, n_publishers * POINTS_PER_PUBLISHER + bonus)))


def recency(age_hours: float, *, rate: float = DEFAULT_RECENCY_RATE, is_uncertain: bool = False) -> float:
    """100 · e^(−`rate` · `age_hours`), in [0, 100], a fifth less if the date is uncertain.

    Future dates count as now. Raises ValueError for a rate below 0.
    """
    if rate < 0:
        raise ValueError(f"a rate per hour is not below 0: {rate!r}")
    return 100 * math.exp(-rate * max(0.0, age_hours)) * (UNCERTAIN_FACTOR if is_uncertain else 1.0)


def hours_between(published_at: datetime, now: datetime) -> float:
    """Hours from publication to `now`, both aware; negative for a future date."""
    return (now - published_at).total_seconds() / 3600


@dataclass(frozen=True, slots=True)
class Parts:
    """The five parts of one article's importance to one user at one time, each in [0, 100]."""

    authority: float
    recency: float
    corroboration: float
    relevance: float
    depth: float

    @property
    def importance(self) -> float:
        """The weighted sum, in [0, 100]."""
        return (
            WEIGHTS["authority"] * self.authority
            + WEIGHTS["recency"] * self.recency
            + WEIGHTS["corroboration"] * self.corroboration
            + WEIGHTS["relevance"] * self.relevance
            + WEIGHTS["depth"] * self.depth
        )

    @classmethod
    def of_story(cls, reports: Iterable["Parts"]) -> "Parts":
        """The parts of the best report, with the recency of the newest and the depth of the fullest."""
        known = list(reports)
        best = max(
            known, key=lambda parts: WEIGHTS["authority"] * parts.authority + WEIGHTS["relevance"] * parts.relevance
        )
        return replace(
            best,
            recency=max(parts.recency for parts in known),
            corroboration=max(parts.corroboration for parts in known),
            depth=max(parts.depth for parts in known),
        )

    def contributions(self) -> dict[str, float]:
        """What each part adds to the importance, in the order of `WEIGHTS`."""
        return {name: weight * float(getattr(self, name)) for name, weight in WEIGHTS.items()}


def shared_importance(authority: float, depth: float) -> float:
    """The weighted sum of the parts that are the same for everyone and don't change with time, in [0, 40]."""
    return WEIGHTS["authority"] * authority + WEIGHTS["depth"] * depth


def static_importance(shared: float, corroboration: float, relevance: float) -> float:
    """Importance without recency, in [0, 80]: shared importance plus a user's weighted corroboration and relevance
    (both 0–100)."""
    return shared + WEIGHTS["corroboration"] * corroboration + WEIGHTS["relevance"] * relevance


def importance_at(static: float, recency: float) -> float:
    """The importance, in [0, 100], for a static importance and a recency (0–100)."""
    return static + WEIGHTS["recency"] * recency
