"""Which topics emerge, grow or shrink compared with the window before. Pure.

The window before is clustered from its articles like this one, whether or not it had a digest, so trends can be
computed again.

Each article of the window before counts for at most one topic now:

1. An article whose story continues counts for the topic with that story.
2. The others of its topic follow: if several topics continue its stories, each article goes to the nearest; if none
   does, they go to the most similar topic now, from `SAME_TOPIC` on.
3. The rest has faded.

A topic *was there* if articles before count for it, or if it is similar to a topic before whose articles all went
elsewhere: it has split off and isn't new, but there is no number to compare with.

Trends by SPEC §12, with n articles before and m now: EMERGING was not there and m ≥ 3; TRENDING m ≥ 1.5 n; FADING
m ≤ 0.5 n. One article is a topic too, so 1 → 2 is trending and 2 → 1 fading. A topic before that nothing follows fades
too and is listed in `TopicTrends.faded`.

Similarities are those of centroids in one TF-IDF space of both windows.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from digests.edition.document import Trend
from digests.topics.dbscan import Clustering, Document, Group, units_of
from digests.topics.neighbours import near_pairs
from digests.topics.tfidf import Numbers, means, stacked, weighted

EMERGING_FROM = 3  # articles; SPEC §12
GROWN_BY, SHRUNK_BY = 50, 50  # per cent; SPEC §12
SAME_TOPIC = 0.4  # cosine of centroids; 0.3 to 0.45 match halves of labelled sets best
DIGITS = 5  # of similarities, so that equal ones stay equal

_NONE = -1


@dataclass(frozen=True, slots=True)
class TopicTrend:
    """A topic's trend. `before` are the documents of the window before that count for it; `was_there` without any of
    them means that it split off."""

    trend: Trend | None
    n_now: int
    before: Group = ()
    was_there: bool = False

    @property
    def n_before(self) -> int:
        return len(self.before)


@dataclass(frozen=True, slots=True)
class TopicTrends:
    """`topics` are in the order of the groups now; `faded` are the groups of `before` that nothing follows, largest
    first. `before` isn't compared."""

    topics: tuple[TopicTrend, ...]
    faded: tuple[Group, ...]
    before: Clustering = field(compare=False)


def trend_of(n_now: int, n_before: int, *, was_there: bool) -> Trend | None:
    """The trend of a topic with so many articles now and before; None if it changed too little."""
    if not n_before:
        return Trend.EMERGING if not was_there and n_now >= EMERGING_FROM else None
    if 100 * n_now >= (100 + GROWN_BY) * n_before:
        return Trend.TRENDING
    return Trend.FADING if 100 * n_now <= (100 - SHRUNK_BY) * n_before else None


def topic_trends(
    now: Clustering,
    now_documents: Sequence[Document],
    before: Clustering,
    before_documents: Sequence[Document],
    *,
    only: Collection[int] | None = None,
) -> TopicTrends:
    """The trends of topics compared with the window before; stories have the same numbers in both windows.

    With `only` just the trends of these topics count: what can't follow them isn't compared.
    """
    space = _Space.of(now, now_documents, before, before_documents)
    followed = _by_stories(now, now_documents, before_documents)
    _with_their_topic(followed, before, space)
    _by_similarity(followed, before, space, only)
    counted: list[list[int]] = [[] for _ in now.groups]
    for document, topic in enumerate(followed.tolist()):
        if topic != _NONE:
            counted[topic].append(document)
    split_off = _split_off(now, counted, space, only)
    topics = tuple(
        _topic_trend(len(group), tuple(documents), was_there=bool(documents) or number in split_off)
        for number, (group, documents) in enumerate(zip(now.groups, counted, strict=True))
    )
    faded = [group for group in before.groups if followed[group[0]] == _NONE]
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
        cls,
        now: Clustering,
        now_documents: Sequence[Document],
        before: Clustering,
        before_documents: Sequence[Document],
    ) -> "_Space":
        stories = [document.story for document in (*before_documents, *now_documents)]
        vectors = weighted(stacked(before.counted, now.counted).counts, units_of(stories))
        n_before = len(before_documents)
        documents, rest = csr_array(vectors[:n_before]), csr_array(vectors[n_before:])
        return cls(documents, means(documents, _topic_numbers(before)), means(rest, _topic_numbers(now)))


def _topic_numbers(clustered: Clustering) -> Numbers:
    """The number of each document's topic."""
    topics = np.empty(sum(map(len, clustered.groups)), dtype=np.intp)
    for number, group in enumerate(clustered.groups):
        topics[list(group)] = number
    return topics


def _by_stories(now: Clustering, now_documents: Sequence[Document], before_documents: Sequence[Document]) -> Numbers:
    """The topic now with the story of each document before, or `_NONE`."""
    holds = {now_documents[member].story: number for number, group in enumerate(now.groups) for member in group}
    holds.pop(None, None)
    return np.asarray([holds.get(document.story, _NONE) for document in before_documents], dtype=np.intp)


def _with_their_topic(followed: Numbers, before: Clustering, space: _Space) -> None:
    """Assign documents whose story has ended to the nearest topic that others of their topic follow."""
    for group in before.groups:
        members = np.asarray(group, dtype=np.intp)
        left = members[followed[members] == _NONE]
        if len(left) and len(left) < len(members):
            followers = np.unique(followed[members])[1:]  # the first is _NONE
            nearness = (csr_array(space.documents[left]) @ csr_array(space.now[followers]).T).toarray().round(DIGITS)
            followed[left] = followers[nearness.argmax(axis=1)]


def _by_similarity(followed: Numbers, before: Clustering, space: _Space, only: Collection[int] | None) -> None:
    """Assign topics before whose stories have all ended to the most similar topic now."""
    ended = np.asarray([n for n, group in enumerate(before.groups) if followed[group[0]] == _NONE], dtype=np.intp)
    if only is not None:
        wanted = csr_array(space.now[np.asarray(sorted(only), dtype=np.intp)])
        similar = near_pairs(wanted, csr_array(space.before[ended]), least=SAME_TOPIC).columns
        ended = ended[np.unique(similar)]
    nearest = _nearest(csr_array(space.before[ended]), space.now)
    for number, topic in zip(ended.tolist(), nearest.tolist(), strict=True):
        followed[list(before.groups[number])] = topic


def _split_off(
    now: Clustering, counted: Sequence[Sequence[int]], space: _Space, only: Collection[int] | None
) -> set[int]:
    """Topics now that seem new but are similar to one before whose articles went elsewhere."""
    chosen = range(len(now.groups)) if only is None else sorted(only)
    numbers = [n for n in chosen if len(now.groups[n]) >= EMERGING_FROM and not counted[n]]
    nearest = _nearest(csr_array(space.now[np.asarray(numbers, dtype=np.intp)]), space.before)
    return {number for number, topic in zip(numbers, nearest.tolist(), strict=True) if topic != _NONE}


def _nearest(rows: csr_array, others: csr_array) -> Numbers:
    """For each row the most similar of the others, the first of equals; `_NONE` if none is similar enough."""
    pairs = near_pairs(rows, others, least=SAME_TOPIC)
    nearest = np.full(rows.shape[0], _NONE, dtype=np.intp)
    order = np.lexsort((-pairs.columns, pairs.similarities.round(DIGITS)))
    nearest[pairs.rows[order]] = pairs.columns[order]
    return nearest
