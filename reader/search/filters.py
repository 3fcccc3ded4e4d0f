"""What a query can ask of an article besides its words. Pure; `reader.searching` finds what they say."""

from dataclasses import dataclass
from datetime import date

STATES = ("read", "unread", "starred", "liked", "disliked", "skipped", "opened", "updated")


@dataclass(frozen=True, slots=True)
class OfFeed:
    """A feed whose name or domain holds this."""

    name: str


@dataclass(frozen=True, slots=True)
class InFolder:
    """A folder whose name holds this."""

    name: str


@dataclass(frozen=True, slots=True)
class InState:
    """One of `STATES`."""

    state: str


@dataclass(frozen=True, slots=True)
class InLanguage:
    """ISO 639-1."""

    code: str


@dataclass(frozen=True, slots=True)
class Before:
    """Published before this day began."""

    day: date


@dataclass(frozen=True, slots=True)
class After:
    """Published on this day or later."""

    day: date


@dataclass(frozen=True, slots=True)
class Scored:
    """Importance now, by `comparison`: `gt`, `gte`, `lt` or `lte`."""

    comparison: str
    points: float
