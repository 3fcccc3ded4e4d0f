"""The filters of a query. Pure."""

from dataclasses import dataclass
from typing import Any

STATES = ("read", "unread", "starred", "liked", "disliked", "skipped", "opened", "updated")


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on an article.

    | kind | value |
    |---|---|
    | feed | part of the feed's name or domain |
    | folder | part of the folder's name |
    | is | one of `STATES` |
    | lang | ISO 639-1 code |
    | before, after | a date; `after` includes it |
    | score | ("gt", "gte", "lt" or "lte", points): importance now |
    """

    kind: str
    value: Any
