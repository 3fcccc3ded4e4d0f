"""Candidates into topics with their leads, copies and trends. Pure.

A near-duplicate adds no weight to a topic: it is not gathered, but stands under the article it repeats, wherever that
went.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from digests.choosing import Gathering
from digests.edition import Trend
from digests.material import Candidate
from digests.topics.gathering import Document, Gathered, gather
from digests.topics.leads import lead_of
from digests.trends import TopicTrends, topic_trends

MOST_MOVERS = 5  # topics named in the feed report, of those that came up and of those that went down
LEAST_MOVING = 2  # articles then or now; a single one is no movement worth a line
LABEL_TERMS = 30  # of the centroid, the heaviest

Candidates = tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class GatheredWindow:
    """All topics of a window and, as `gone`, those of the window before that nothing is told of any more. `members` and
    `members_before` are what was gathered, by the numbers in the groups of `now` and of `trends.before`.
    """

    gatherings: tuple[Gathering, ...]
    gone: tuple[Gathering, ...]
    now: Gathered
    trends: TopicTrends
    members: Candidates
    members_before: Candidates

    def terms_of(self, gathering: Gathering) -> list[tuple[str, float]]:
        """The stems of its centroid with their weights, the heaviest first."""
        if gathering.is_gone:
            return self.trends.before.top_terms(self.trends.faded[gathering.number], LABEL_TERMS)
        return self.now.top_terms(self.now.groups[gathering.number], LABEL_TERMS)

    def movers(self) -> list[Gathering]:
        """The largest of the topics that came up, then of those that went down."""
        up = [each for each in self.gatherings if each.trend in (Trend.EMERGING, Trend.TRENDING)]
        down = [each for each in (*self.gatherings, *self.gone) if each.trend is Trend.FADING]
        up.sort(key=lambda each: (-each.n_now, each.number))
        down.sort(key=lambda each: (-each.n_before, each.key))
        return [
            *[each for each in up if each.n_now >= LEAST_MOVING][:MOST_MOVERS],
            *[each for each in down if each.n_before >= LEAST_MOVING][:MOST_MOVERS],
        ]

    def trends_again(self) -> dict[int, Trend | None]:
        """The trend of each topic found anew, by its number: what the self-check compares with."""
        found = _trends(self.now, self.members, self.trends.before, self.members_before)
        return {number: each.trend for number, each in enumerate(found.topics)}


def gathered_from(
    candidates: Sequence[Candidate], candidates_before: Sequence[Candidate], *, n_topics: int | None = None
) -> GatheredWindow:
    """The topics of a window, compared with the window before; into `n_topics` when so many are asked for."""
    members, members_before = _originals(candidates), _originals(candidates_before)
    now = gather([_document(each) for each in members], n_topics=n_topics)
    before = gather([_document(each) for each in members_before], n_topics=n_topics)
    trends = _trends(now, members, before, members_before)
    copies = _copies(candidates)
    importances, tiers = [each.importance for each in members], [each.tier for each in members]
    gatherings = tuple(
        Gathering(
            number=number,
            members=_best_first(members[place] for place in group),
            lead=members[lead_of(now, group, importances=importances, tiers=tiers)],
            copies=_best_first(copy for place in group for copy in copies.get(members[place].article_id, ())),
            trend=trend.trend,
            n_now=trend.n_now,
            n_before=trend.n_before,
        )
        for number, (group, trend) in enumerate(zip(now.groups, trends.topics, strict=True))
    )
    gone = tuple(_gone(number, group, members_before) for number, group in enumerate(trends.faded))
    return GatheredWindow(gatherings, gone, now, trends, members, members_before)


def _originals(candidates: Iterable[Candidate]) -> Candidates:
    return tuple(each for each in candidates if each.copy_of is None)


def _copies(candidates: Iterable[Candidate]) -> Mapping[int, list[Candidate]]:
    """The copies of each article, by its id."""
    copies: defaultdict[int, list[Candidate]] = defaultdict(list)
    for each in candidates:
        if each.copy_of is not None:
            copies[each.copy_of].append(each)
    return copies


def _document(candidate: Candidate) -> Document:
    return Document(candidate.title, candidate.text, candidate.language, candidate.story_id)


def _best_first(candidates: Iterable[Candidate]) -> Candidates:
    return tuple(sorted(candidates, key=lambda each: (-each.importance, each.article_id)))


def _gone(number: int, group: Sequence[int], members: Sequence[Candidate]) -> Gathering:
    """A topic of the window before that is not told any more."""
    own = _best_first(members[place] for place in group)
    return Gathering(number=number, members=own, lead=own[0], trend=Trend.FADING, n_before=len(own), is_gone=True)


def _trends(now: Gathered, members: Candidates, before: Gathered, members_before: Candidates) -> TopicTrends:
    documents, earlier = ([_document(each) for each in some] for some in (members, members_before))
    return topic_trends(now, documents, before, earlier)
