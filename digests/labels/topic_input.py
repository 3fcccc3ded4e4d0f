"""The input for labels, and the names of its sources."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"\s[-–—]\s|[|:·•/»>()]")  # "BBC News - World"


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


class SourceNames:
    """The names of the members' sources: feed titles, their parts, domains.

    A label has none, unless at least half of the members are of other sources and have it in their titles ("Apple",
    which has a feed too).
    """

    def __init__(self, members: Sequence[Member]) -> None:
        self._n_members = len(members)
        self._owners: defaultdict[str, set[int]] = defaultdict(set)
        for at, member in enumerate(members):
            domain = member.publisher.rpartition(".")[0]
            for name in (member.source, *_PARTS.split(member.source), member.publisher, domain, domain.split(".")[0]):
                joined = "".join(_WORD.findall(name.lower()))
                self._owners[joined].add(at)
                self._owners[joined.removeprefix("the")].add(at)

    def bar(self, text: str, in_titles: Collection[int]) -> bool:
        """Whether to exclude words that the members `in_titles` have in their titles."""
        words = _WORD.findall(text.lower())
        ends = range(1, len(words) + 1)
        stretches = {"".join(words[start:end]) for end in ends for start in range(end)} & self._owners.keys()
        return any(2 * len(set(in_titles) - self._owners[stretch]) < self._n_members for stretch in stretches)
