"""Tables of patterns: a row each, where an indented line goes on with the one above it. Pure."""

import re
from collections.abc import Iterable


def rows(table: str) -> list[str]:
    """The rows of a table that is written over several lines; [] for an empty one."""
    return re.sub(r"\n +", "", table).strip("\n").splitlines()


def any_of(patterns: Iterable[str]) -> str:
    """One pattern for several; it matches nothing where there are none."""
    return "|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)"
