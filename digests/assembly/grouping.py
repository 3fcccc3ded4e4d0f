"""Clusters candidates into topics with leads, copies and trends. Pure.

Near-duplicates add no weight to a topic: they aren't clustered, but listed under the article they repeat.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from digests.assembly.selection import TopicCluster
from digests.assembly.trends import EMERGING_FROM, TopicTrends, topic_trends
from digests.edition.candidates import Candidate
from digests.edition.document import Trend
from digests.topics.dbscan import Clustering, Document, cluster_documents
from feeds.dedup.leads import Report, lead_order

MAX_MOVERS = 5  # rising topics in the feed report, and as many falling ones
MIN_MOVING = 2  # articles in either window
LABEL_TERMS = 30  # heaviest stems of the centroid

Candidates = tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class ClusteredWindow:
    """All topics of a window and, as `gone`, those of the window before without any articles now.

    `members` and `members_before` are the candidates by the numbers in the groups of `now` and of `trends.before`;
    `polled_before` are the feeds that were polled in the window before.
    """

    clusters: tuple[TopicCluster, ...]
    gone: tuple[TopicCluster, ...]
    now: Clustering
    trends: TopicTrends
    members: Candidates
    members_before: Candidates
    polled_before: frozenset[int] = frozenset()

    def terms_of(self, cluster: TopicCluster) -> list[tuple[str, float]]:
        """The stems of its centroid with their weights, the heaviest first."""
        if cluster.is_gone:
            return self.trends.before.top_terms(self.trends.faded[cluster.number], LABEL_TERMS)
        return self.now.top_terms(self.now.groups[cluster.number], LABEL_TERMS)

    def movers(self) -> list[TopicCluster]:
        """The largest rising topics, then the largest falling ones."""
        up = [cluster for cluster in self.clusters if cluster.trend in (Trend.EMERGING, Trend.TRENDING)]
        down = [cluster for cluster in (*self.clusters, *self.gone) if cluster.trend is Trend.FADING]
        up.sort(key=lambda cluster: (-cluster.n_now, cluster.number))
        down.sort(key=lambda cluster: (-cluster.n_before, cluster.key))
        return [
            *[cluster for cluster in up if cluster.n_now >= MIN_MOVING][:MAX_MOVERS],
            *[cluster for cluster in down if cluster.n_before >= MIN_MOVING][:MAX_MOVERS],
        ]

    def recompute_trends(self, numbers: Collection[int]) -> dict[int, Trend | None]:
        """The trends of these topics by their numbers, computed again for the self-check."""
        trends = _trends(self.now, self.members, self.trends.before, self.members_before, only=numbers)
        return {
            number: _known_trend(
                trends.topics[number].trend,
                [self.members[place] for place in self.now.groups[number]],
                self.polled_before,
            )
            for number in numbers
        }


def cluster_window(
    candidates: Sequence[Candidate],
    candidates_before: Sequence[Candidate],
    *,
    n_topics: int | None = None,
    polled_before: frozenset[int] = frozenset(),
) -> ClusteredWindow:
    """The topics of a window compared with the window before; `n_topics` of them if given.

    `polled_before` are the feeds that were polled in the window before; from others nothing can emerge.
    """
    members, members_before = _originals(candidates), _originals(candidates_before)
    now = cluster_documents([_document(member) for member in members], n_topics=n_topics)
    before = cluster_documents([_document(member) for member in members_before], n_topics=n_topics)
    trends = _trends(now, members, before, members_before)
    copies = _copies(candidates)
    clusters = tuple(
        TopicCluster(
            number=number,
            members=_best_first(members[place] for place in group),
            lead=lead_of([members[place] for place in group]),
            copies=_best_first(copy for place in group for copy in copies.get(members[place].article_id, ())),
            trend=_known_trend(trend.trend, [members[place] for place in group], polled_before),
            n_now=trend.n_now,
            n_before=trend.n_before,
        )
        for number, (group, trend) in enumerate(zip(now.groups, trends.topics, strict=True))
    )
    gone = tuple(_gone(number, group, members_before) for number, group in enumerate(trends.faded))
    return ClusteredWindow(clusters, gone, now, trends, members, members_before, polled_before)


def lead_of(members: Sequence[Candidate]) -> Candidate:
    """The lead of the topic's main story, which is the one with the most publishers; without a story, the best of all.

    Source: SPEC §12.
    """
    stories: defaultdict[int, list[Candidate]] = defaultdict(list)
    for member in members:
        if member.story_id is not None:
            stories[member.story_id].append(member)
    if stories:
        main = max(
            stories.values(), key=lambda own: (len({one.publisher for one in own}), len(own), -own[0].article_id)
        )
        return min(main, key=lambda member: (member.position, member.article_id))
    by_id = {member.article_id: member for member in members}
    return by_id[lead_order([_report(member) for member in members])[0]]


def _report(candidate: Candidate) -> Report:
    return Report(
        pk=candidate.article_id,
        title=candidate.title,
        beginning=candidate.text,
        language=candidate.language,
        url=candidate.url,
        tier=candidate.tier,
        n_words=candidate.n_words,
        published_at=candidate.published_at,
    )


def _known_trend(trend: Trend | None, members: Sequence[Candidate], polled_before: frozenset[int]) -> Trend | None:
    """The trend, unless too few articles are of feeds that could have reported the topic before (SPEC §12)."""
    n_known = sum(not polled_before.isdisjoint(member.feed_ids) for member in members)
    return None if trend is Trend.EMERGING and n_known < EMERGING_FROM else trend


def _originals(candidates: Iterable[Candidate]) -> Candidates:
    return tuple(candidate for candidate in candidates if candidate.copy_of is None)


def _copies(candidates: Iterable[Candidate]) -> Mapping[int, list[Candidate]]:
    copies: defaultdict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.copy_of is not None:
            copies[candidate.copy_of].append(candidate)
    return copies


def _document(candidate: Candidate) -> Document:
    return Document(candidate.title, candidate.text, candidate.language, candidate.story_id)


def _best_first(candidates: Iterable[Candidate]) -> Candidates:
    return tuple(sorted(candidates, key=lambda candidate: (-candidate.importance, candidate.article_id)))


def _gone(number: int, group: Sequence[int], members: Sequence[Candidate]) -> TopicCluster:
    """A topic of the window before that has no articles now."""
    own = _best_first(members[place] for place in group)
    return TopicCluster(number=number, members=own, lead=own[0], trend=Trend.FADING, n_before=len(own), is_gone=True)


def _trends(
    now: Clustering,
    members: Candidates,
    before: Clustering,
    members_before: Candidates,
    *,
    only: Collection[int] | None = None,
) -> TopicTrends:
    documents, earlier = ([_document(member) for member in some] for some in (members, members_before))
    return topic_trends(now, documents, before, earlier, only=only)
