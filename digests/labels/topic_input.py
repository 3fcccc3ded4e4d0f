"""The input for labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a topic. `text` is its beginning, `language` is ISO 639-1 or "", `source` is the feed's title for
    the user, `publisher` is its domain or "", `names` are names by kind (`people`, `organizations`, `places`),
    normalized as in `feeds.dedup.entities`; empty if they weren't extracted.
    """

    title: str
    text: str
    language: str
    source: str
    publisher: str
    names: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TopicText:
    """The articles of a topic, lead first, and the stems of its centroid with weights, heaviest first."""

    members: Sequence[Member]
    terms: Sequence[tuple[str, float]]
