"""What becomes of stories when articles are grouped anew: two partitions held against each other. Pure.

Stories are compared by their articles and never by their numbers, so that it is of no account which number a story
got. A story of before lives on in the new one that has most of its articles; an article has moved when it is not in
the story in which its old one lives on.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What happened: the first three to a new story, the last two to one of before."""

    MADE = "made"  # of articles none of which was in a story
    JOINED = "joined"  # of articles of two stories and more
    GROWN = "grown"  # a story of before, or a part of one, with articles that were in none
    SPLIT = "split"  # its articles are in several places now
    DISSOLVED = "dissolved"  # each of its articles stands alone now


@dataclass(frozen=True, slots=True)
class Change:
    """One story that changed: a new one by where its articles were before, an old one by where they are now.

    An article that is in no story there is a part by itself. Parts are in order of their first articles.
    """

    kind: Kind
    parts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """`n_more`: stories there are more than before; `moved`: articles that changed story, joined or left one."""

    n_more: int
    moved: tuple[int, ...]
    stories: tuple[Change, ...]

    def count(self, kind: Kind) -> int:
        """How many stories changed in this way; one may be split while a part of it is joined to others."""
        return sum(each.kind == kind for each in self.stories)


def changes(before: Mapping[int, int], after: Mapping[int, int]) -> Changes:
    """What changed from one partition to the other; each maps articles to stories, and leaves out who is in none."""
    old, new = _members(before), _members(after)
    found = [Change(kind, _parts(story, before)) for story in new.values() if (kind := _of_new(story, before))]
    found += [Change(kind, _parts(story, after)) for story in old.values() if (kind := _of_old(story, after))]
    heirs = _heirs(old, new, before)
    moved = [pk for pk in before.keys() | after.keys() if _place(pk, after, heirs) != before.get(pk)]
    return Changes(
        len(new) - len(old), tuple(sorted(moved)), tuple(sorted(found, key=lambda each: (each.kind, each.parts)))
    )


def _members(partition: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    stories: dict[int, list[int]] = defaultdict(list)
    for pk, story in partition.items():
        stories[story].append(pk)
    return {story: tuple(sorted(members)) for story, members in stories.items()}


def _parts(story: tuple[int, ...], elsewhere: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
    together = _members({pk: elsewhere.get(pk, -pk) for pk in story})  # numbers of stories are not negative
    return tuple(sorted(together.values()))


def _of_new(story: tuple[int, ...], before: Mapping[int, int]) -> Kind | None:
    origins = Counter(before[pk] for pk in story if pk in before)
    if not origins:
        return Kind.MADE
    if len(origins) > 1:
        return Kind.JOINED
    return Kind.GROWN if origins.total() < len(story) else None


def _of_old(story: tuple[int, ...], after: Mapping[int, int]) -> Kind | None:
    places = {after.get(pk) for pk in story}
    if places == {None}:
        return Kind.DISSOLVED
    return Kind.SPLIT if len(places) > 1 else None


def _heirs(
    old: Mapping[int, tuple[int, ...]], new: Mapping[int, tuple[int, ...]], before: Mapping[int, int]
) -> dict[int, int]:
    """The new stories that old ones live on in, with those: largest overlap first, each once."""
    claims = sorted(
        (-n, old[origin][0], members[0], origin, story)
        for story, members in new.items()
        for origin, n in Counter(before[pk] for pk in members if pk in before).items()
    )
    heirs: dict[int, int] = {}
    taken: set[int] = set()
    for *_, origin, story in claims:
        if story not in heirs and origin not in taken:
            heirs[story] = origin
            taken.add(origin)
    return heirs


def _place(pk: int, after: Mapping[int, int], heirs: Mapping[int, int]) -> int | None:
    """The old story that the article's new one continues, -1 for a new one, None where it is in none."""
    return None if pk not in after else heirs.get(after[pk], -1)
