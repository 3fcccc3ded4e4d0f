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
    | before, after | a date or a time; `after` includes it |
    | score | ("gt", "gte", "lt" or "lte", points): importance now |

    Those of the JSON API, which can't be typed:

    | feed_id, folder_id, tag_id, story_id | an id; that of the subscription for a feed |
    | ids | those of articles |
    """

    kind: str
    value: Any
