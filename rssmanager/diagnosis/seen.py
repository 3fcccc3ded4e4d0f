"""What a check saw."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """`level` ("ok", "note", "problem"), what was seen, and what to do ("" when well)."""

    level: str
    seen: str
    to_do: str = ""


def well(seen: str) -> Seen:
    return Seen("ok", seen)


def note(seen: str, to_do: str) -> Seen:
    """Worth knowing; it works all the same."""
    return Seen("note", seen, to_do)


def problem(seen: str, to_do: str) -> Seen:
    """Something does not work, or is open to others."""
    return Seen("problem", seen, to_do)
