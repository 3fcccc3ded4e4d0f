"""Which words are the name of a source: a label never names one. Pure."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from digests.labels.topic_input import Member

_WORD = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"\s[-–—]\s|[|:·•/»>()]")  # "BBC News - World"


class Sources:
    """The names of the members' sources: feed titles, their parts, domains.

    Labels don't contain them, unless at least half of the members are of other sources and have the name in their
    titles ("Apple", which has a feed too). A word of a name ("daily" of "Science Daily") is only excluded if no other
    source uses it.
    """

    def __init__(self, members: Sequence[Member]) -> None:
        self._n_members = len(members)
        self._words: list[set[str]] = []
        self._owners: defaultdict[str, set[int]] = defaultdict(set)
        for at, member in enumerate(members):
            domain, _, _ = member.publisher.rpartition(".")
            self._words.append(set(_WORD.findall(f"{member.source} {domain}".lower())))
            for name in (member.source, *_PARTS.split(member.source), member.publisher, domain, domain.split(".")[0]):
                self._owners[_joined(name)].add(at)
                self._owners[_joined(name).removeprefix("the")].add(at)
        self._owners.pop("", None)

    def bar(self, text: str, holders: Collection[int], in_titles: Collection[int]) -> bool:
        """Whether to exclude words that the members `holders` use, `in_titles` in their titles."""
        words = _WORD.findall(text.lower())
        if holders and all(not self._words[at].isdisjoint(words) for at in holders):
            return True
        ends = range(1, len(words) + 1)
        stretches = {"".join(words[start:end]) for end in ends for start in range(end)} & self._owners.keys()
        return any(2 * len(set(in_titles) - self._owners[stretch]) < self._n_members for stretch in stretches)


def _joined(name: str) -> str:
    return "".join(_WORD.findall(name.lower()))
