"""What is read of a topic to label it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a topic. `text` is its beginning, `language` ISO 639-1 or "", `source` the feed as the person
    calls it, `publisher` its domain or "", `names` who and what it says by kind (`people`, `organizations`, `places`),
    normalized as `feeds.dedup.names` does; empty where nobody looked.
    """

    title: str
    text: str
    language: str
    source: str
    publisher: str
    names: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TopicText:
    """The articles of a topic, the lead first, and the stems of its centroid with their weights, the heaviest first."""

    members: Sequence[Member]
    terms: Sequence[tuple[str, float]]
