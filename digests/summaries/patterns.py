"""Access to `patterns.tsv`: regular expressions and word lists by name and language. Pure."""

import re
from functools import cache

from feeds.word_lists import read_rows


@cache
def rows(name: str, language: str = "") -> tuple[str, ...]:
    """The rows with this name and language, in file order."""
    return tuple(value for *key, value in _table() if key == [name, language])


@cache
def _table() -> list[list[str]]:
    return read_rows("digests.summaries", "patterns.tsv")


@cache
def word_list(name: str, language: str) -> frozenset[str]:
    """The words of all rows, or of the rows for any language if this language has none."""
    return frozenset(" ".join(rows(name, language) or rows(name)).split())


@cache
def pattern(name: str, language: str = "") -> re.Pattern[str]:
    """All rows as alternatives of one case-insensitive pattern; it matches nothing if there are none."""
    return any_of(*rows(name, language), flags=re.IGNORECASE)


def any_of(*patterns: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)", flags)
