"""Compares two partitions of articles into stories: which stories are new, joined, grown, split or dissolved. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What happened: the first three to a story of the new partition, the last two to one of the old partition."""

    MADE = "made"  # none of its articles was in a story
    JOINED = "joined"  # its articles come from two or more stories
    GROWN = "grown"  # one old story, or a part of it, and articles that were in none
    SPLIT = "split"  # its articles are in several places now
    DISSOLVED = "dissolved"  # none of its articles is in a story now


@dataclass(frozen=True, slots=True)
class Change:
    """A changed story: a new one by the old stories of its articles, an old one by their new stories.

    An article without a story is a part by itself. Parts are sorted by article id.
    """

    kind: Kind
    parts: tuple[tuple[int, ...], ...]

    @property
    def n_articles(self) -> int:
        return sum(map(len, self.parts))


@dataclass(frozen=True, slots=True)
class Changes:
    """`moved`: articles that joined, left or changed a story."""

    moved: tuple[int, ...]
    stories: tuple[Change, ...]

    def count(self, kind: Kind) -> int:
        """The number of stories that changed this way; a split story can also have a part joined to others."""
        return sum(story.kind == kind for story in self.stories)


def diff_partitions(before: Mapping[int, int], after: Mapping[int, int]) -> Changes:
    """The changes between two partitions, each a map of articles to story ids without articles that are in no story."""
    stories = [
        Change(kind, _parts(story, before)) for story in _stories(after) if (kind := _kind_of_new(story, before))
    ]
    stories += [
        Change(kind, _parts(story, after)) for story in _stories(before) if (kind := _kind_of_old(story, after))
    ]
    moved = sorted(pk for pk in before.keys() | after.keys() if before.get(pk) != after.get(pk))
    return Changes(tuple(moved), tuple(sorted(stories, key=lambda story: (story.kind, story.parts))))


def _stories(partition: Mapping[int, int]) -> list[tuple[int, ...]]:
    stories: dict[int, list[int]] = defaultdict(list)
    for pk, story in partition.items():
        stories[story].append(pk)
    return sorted(tuple(sorted(members)) for members in stories.values())


def _parts(story: tuple[int, ...], elsewhere: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
    return tuple(_stories({pk: elsewhere.get(pk, -pk) for pk in story}))  # story ids are never negative


def _kind_of_new(story: tuple[int, ...], before: Mapping[int, int]) -> Kind | None:
    origins = Counter(before[pk] for pk in story if pk in before)
    if not origins:
        return Kind.MADE
    if len(origins) > 1:
        return Kind.JOINED
    return Kind.GROWN if origins.total() < len(story) else None


def _kind_of_old(story: tuple[int, ...], after: Mapping[int, int]) -> Kind | None:
    destinations = {after.get(pk) for pk in story}
    if destinations == {None}:
        return Kind.DISSOLVED
    return Kind.SPLIT if len(destinations) > 1 else None
