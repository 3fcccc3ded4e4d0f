"""The result of a check."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """`level` ("ok", "note" or "problem"), what the check found, and what to do ("" if ok)."""

    level: str
    message: str
    to_do: str = ""


def ok(message: str) -> Result:
    return Result("ok", message)


def note(message: str, to_do: str) -> Result:
    """Worth knowing, but it works."""
    return Result("note", message, to_do)


def problem(message: str, to_do: str) -> Result:
    """Something doesn't work, or isn't secure."""
    return Result("problem", message, to_do)
