"""Which topics come up, grow or go down against the window before. Pure.

The window before is gathered from its articles, the same way as this one, whether or not a digest was made of it; so
trends can be worked out again at any time, and are then the same.

How a topic is followed. What counts is articles, and each article of the window before counts for at most one topic
now, so that topics that split or merge gain and lose nothing by it:

1. An article whose story is told of now counts for the topic that holds the story.
2. The others of its topic follow: of several topics now that hold stories of it to the one each article is nearest, and
   where no story goes on, to the topic now that is most similar to theirs, from `SAME_TOPIC` on.
3. What then follows nobody has faded.

A topic now *was there* when articles before count for it, and also when it is similar to a topic before whose articles
all went elsewhere: it has split off and is not new, but there is nothing to compare its number with.

Trends by the letter of SPEC §12, where n articles before and m now: EMERGING was not there and m ≥ 3; TRENDING
m ≥ 1.5 n; FADING m ≤ 0.5 n. One article is a topic too, so that 1 → 2 is trending and 2 → 1 fading. A topic before that
nobody follows is fading too: it has no topic now that could say so and is told apart (`TopicTrends.faded`).

Similarities are those of centroids in one TF-IDF space of both windows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from digests.edition import Trend
from digests.topics.gathering import Document, Gathered, Group, units_of
from digests.topics.neighbours import near_pairs
from digests.topics.vectors import Numbers, means, stacked, weighted

EMERGING_FROM = 3  # articles; SPEC §12
GROWN_BY, SHRUNK_BY = 50, 50  # per cent; SPEC §12
SAME_TOPIC = 0.4  # cosine of centroids: of halves of labelled sets, topics are matched best from 0.3 to 0.45 on
DIGITS = 5  # of similarities that count, so that equal ones stay equal

_NOBODY = -1


@dataclass(frozen=True, slots=True)
class TopicTrend:
    """How a topic moved. `before` are the documents of the window before that count for it; `was_there` without any
    of them: it split off."""

    trend: Trend | None
    n_now: int
    before: Group = ()
    was_there: bool = False

    @property
    def n_before(self) -> int:
        return len(self.before)


@dataclass(frozen=True, slots=True)
class TopicTrends:
    """`topics` stand in the order of the groups now; `faded` are the groups of `before` that nobody follows, largest
    first. Two are equal when they say the same, whatever `before` weighs."""

    topics: tuple[TopicTrend, ...]
    faded: tuple[Group, ...]
    before: Gathered = field(compare=False)


def trend_of(n_now: int, n_before: int, *, was_there: bool) -> Trend | None:
    """The trend of a topic with so many articles now and before; None where it did not move enough to say so."""
    if not n_before:
        return Trend.EMERGING if not was_there and n_now >= EMERGING_FROM else None
    if 100 * n_now >= (100 + GROWN_BY) * n_before:
        return Trend.TRENDING
    return Trend.FADING if 100 * n_now <= (100 - SHRUNK_BY) * n_before else None


def topic_trends(
    now: Gathered,
    now_documents: Sequence[Document],
    before: Gathered,
    before_documents: Sequence[Document],
) -> TopicTrends:
    """How the topics now moved against those of the window before; stories have the same numbers in both windows."""
    space = _Space.of(now, now_documents, before, before_documents)
    followed = _by_stories(now, now_documents, before_documents)
    _with_their_topic(followed, before, space)
    _by_similarity(followed, before, space)
    counted: list[list[int]] = [[] for _ in now.groups]
    for document, topic in enumerate(followed.tolist()):
        if topic != _NOBODY:
            counted[topic].append(document)
    split_off = _split_off(now, counted, space)
    topics = tuple(
        _topic_trend(len(group), tuple(documents), was_there=bool(documents) or number in split_off)
        for number, (group, documents) in enumerate(zip(now.groups, counted, strict=True))
    )
    faded = [group for group in before.groups if followed[group[0]] == _NOBODY]
    return TopicTrends(topics, tuple(sorted(faded, key=lambda group: (-len(group), group))), before)


def _topic_trend(n_now: int, before: Group, *, was_there: bool) -> TopicTrend:
    return TopicTrend(trend_of(n_now, len(before), was_there=was_there), n_now, before, was_there)


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """Both windows in one space: `documents` before (n × n_terms), centroids of the topics `before` and `now`."""

    documents: csr_array
    before: csr_array
    now: csr_array

    @classmethod
    def of(
        cls, now: Gathered, now_documents: Sequence[Document], before: Gathered, before_documents: Sequence[Document]
    ) -> "_Space":
        stories = [each.story for each in (*before_documents, *now_documents)]
        vectors = weighted(stacked(before.counted, now.counted).counts, units_of(stories))
        n_before = len(before_documents)
        documents, rest = csr_array(vectors[:n_before]), csr_array(vectors[n_before:])
        return cls(documents, means(documents, _topic_of_each(before)), means(rest, _topic_of_each(now)))


def _topic_of_each(gathered: Gathered) -> Numbers:
    """The number of each document's topic."""
    topics = np.empty(sum(map(len, gathered.groups)), dtype=np.intp)
    for number, group in enumerate(gathered.groups):
        topics[list(group)] = number
    return topics


def _by_stories(now: Gathered, now_documents: Sequence[Document], before_documents: Sequence[Document]) -> Numbers:
    """The topic now that holds the story of each document before, `_NOBODY` where none does."""
    holds = {now_documents[member].story: number for number, group in enumerate(now.groups) for member in group}
    holds.pop(None, None)
    return np.asarray([holds.get(document.story, _NOBODY) for document in before_documents], dtype=np.intp)


def _with_their_topic(followed: Numbers, before: Gathered, space: _Space) -> None:
    """Let documents whose story has ended follow the others of their topic: of several ways the nearest."""
    for group in before.groups:
        members = np.asarray(group, dtype=np.intp)
        left = members[followed[members] == _NOBODY]
        if len(left) and len(left) < len(members):
            heirs = np.unique(followed[members])[1:]  # the first is nobody
            nearness = (csr_array(space.documents[left]) @ csr_array(space.now[heirs]).T).toarray().round(DIGITS)
            followed[left] = heirs[nearness.argmax(axis=1)]


def _by_similarity(followed: Numbers, before: Gathered, space: _Space) -> None:
    """Let topics before whose stories have all ended follow the most similar topic now."""
    ended = [number for number, group in enumerate(before.groups) if followed[group[0]] == _NOBODY]
    nearest = _nearest(csr_array(space.before[np.asarray(ended, dtype=np.intp)]), space.now)
    for number, topic in zip(ended, nearest.tolist(), strict=True):
        followed[list(before.groups[number])] = topic


def _split_off(now: Gathered, counted: Sequence[Sequence[int]], space: _Space) -> set[int]:
    """The topics now that look new and are not: they are similar to one before, whose articles went elsewhere."""
    numbers = [n for n, group in enumerate(now.groups) if len(group) >= EMERGING_FROM and not counted[n]]
    nearest = _nearest(csr_array(space.now[np.asarray(numbers, dtype=np.intp)]), space.before)
    return {number for number, topic in zip(numbers, nearest.tolist(), strict=True) if topic != _NOBODY}


def _nearest(rows: csr_array, others: csr_array) -> Numbers:
    """For each row the most similar of the others, the first of equals; `_NOBODY` where none is similar enough."""
    pairs = near_pairs(rows, others, least=SAME_TOPIC)
    found = np.full(rows.shape[0], _NOBODY, dtype=np.intp)
    order = np.lexsort((-pairs.columns, pairs.similarities.round(DIGITS)))
    found[pairs.rows[order]] = pairs.columns[order]
    return found
