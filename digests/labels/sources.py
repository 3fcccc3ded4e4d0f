"""Which words are the name of a source: a label never says who tells. Pure.

Names are that of the feed as the person calls it, each part of it that a dash or a pipe parts ("BBC News - World"), and
the domain with and without its suffix. What contains one is not in a label, but for one case: when at least half of
the members are of other sources and have it in their titles, it is whom they tell of ("Apple", which has a feed too).

A single word of a name ("daily" of "Science Daily") is left out only where nobody else uses it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from digests.labels.topic_text import Member
from digests.labels.units import words_of
from feeds.dedup.title_words import MEDIA_WORDS

_PARTS = re.compile(r"\s[-–—]\s|[|:·•/»>()]")


class Sources:
    """The names of the sources of a topic's members, who are known by their places."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._n_members = len(members)
        self._words = [_words_of_source(member) for member in members]
        self._owners: defaultdict[str, set[int]] = defaultdict(set)
        for at, member in enumerate(members):
            for name in _whole_names(member):
                self._owners[name].add(at)

    def bar(self, words: Sequence[str], holders: Collection[int], in_titles: Collection[int]) -> bool:
        """Whether these words in lower case stay out of the label; `holders` use them, `in_titles` in their titles."""
        if holders and all(not self._words[at].isdisjoint(words) for at in holders):
            return True
        return any(2 * len(set(in_titles) - owners) < self._n_members for owners in self._named(words))

    def _named(self, words: Sequence[str]) -> list[set[int]]:
        """The owners of each name that the words contain."""
        ends = range(1, len(words) + 1)
        stretches = ("".join(words[start:end]).replace("-", "") for end in ends for start in range(end))
        return [self._owners[stretch] for stretch in stretches if stretch in self._owners]


def is_media(words: Sequence[str]) -> bool:
    """Whether a name is that of a newspaper or an agency by its last word."""
    return bool(words) and words[-1] in MEDIA_WORDS


def _words_of_source(member: Member) -> frozenset[str]:
    return frozenset(words_of(member.source)) | frozenset(words_of(member.publisher)[:-1])


def _whole_names(member: Member) -> set[str]:
    """Without spaces and hyphens, as `words_of` gives their words."""
    names = [
        words_of(part) or ["".join(part.lower().split())] for part in (member.source, *_PARTS.split(member.source))
    ]
    domain = words_of(member.publisher)
    names += [domain, domain[:1], domain[:-1]]
    without_article = [name[1:] for name in names if len(name) > 1 and name[0] == "the"]
    return {"".join(name).replace("-", "") for name in names + without_article} - {""}
