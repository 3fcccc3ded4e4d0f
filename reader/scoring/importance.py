"""Importance: the five parts weighed. Source: SPEC §8, strategy.md step 4.

Three of the parts are the same for everybody and do not age (authority, corroboration, depth): their weighted sum is
an article's *worth*. With a person's relevance it becomes its *standing* with that person, which can be stored and
indexed; only recency is added when somebody asks. `importance_at` of these is `Parts.importance`.
"""

from dataclasses import dataclass

from feeds.wording import pgettext

WEIGHTS: dict[str, float] = {
    "authority": 0.25,
    "recency": 0.20,
    "corroboration": 0.20,
    "relevance": 0.20,
    "depth": 0.15,
}
NEUTRAL_RELEVANCE = 50.0  # for a person without a profile; strategy.md step 4


def part_name(part: str) -> str:
    """One of the five for people, as `WEIGHTS` calls it."""
    return {
        "authority": pgettext("a part of importance", "authority"),
        "recency": pgettext("a part of importance", "recency"),
        "corroboration": pgettext("a part of importance", "corroboration"),
        "relevance": pgettext("a part of importance", "relevance"),
        "depth": pgettext("a part of importance", "depth"),
    }[part]


@dataclass(frozen=True, slots=True)
class Parts:
    """The five parts of one article's importance to one person at one moment, each in [0, 100]."""

    authority: float
    recency: float
    corroboration: float
    relevance: float
    depth: float

    @property
    def importance(self) -> float:
        """The weighted sum, in [0, 100]."""
        return sum(self.contributions().values())

    def contributions(self) -> dict[str, float]:
        """What each part adds to the importance, in the order of `WEIGHTS`."""
        return {name: weight * float(getattr(self, name)) for name, weight in WEIGHTS.items()}


def worth(authority: float, corroboration: float, depth: float) -> float:
    """What is the same for everybody and does not age, weighted: in [0, 60]."""
    return WEIGHTS["authority"] * authority + WEIGHTS["corroboration"] * corroboration + WEIGHTS["depth"] * depth


def standing(worth: float, relevance: float) -> float:
    """`worth` with one person's relevance (0–100), weighted: in [0, 80]; all of the importance but recency."""
    return worth + WEIGHTS["relevance"] * relevance


def importance_at(standing: float, recency: float) -> float:
    """The importance, in [0, 100], of what has this standing and is this recent (0–100)."""
    return standing + WEIGHTS["recency"] * recency
