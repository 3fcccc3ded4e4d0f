"""Candidates into topics with their leads, copies and trends. Pure.

A near-duplicate adds no weight to a topic: it is not gathered, but stands under the article it repeats, wherever that
went.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from digests.choosing import Gathering
from digests.edition import Trend
from digests.material import Candidate
from digests.topics import Document, Gathered, gather, lead_of
from digests.trends import TopicTrends, topic_trends

MOST_MOVERS = 5  # topics named in the feed report, of those that came up and of those that went down
LABEL_TERMS = 30  # of the centroid, the heaviest


@dataclass(frozen=True, slots=True)
class GatheredWindow:
    """All topics of a window and, as `gone`, those of the window before that nothing is told of any more.

    `now` and `before` are what was gathered, by the places of `members` and `members_before`.
    """

    gatherings: tuple[Gathering, ...]
    gone: tuple[Gathering, ...]
    now: Gathered
    before: Gathered
    members: tuple[Candidate, ...]
    members_before: tuple[Candidate, ...]

    def terms_of(self, gathering: Gathering) -> list[tuple[str, float]]:
        """The stems of its centroid with their weights, the heaviest first."""
        gathered = self.before if gathering.is_gone else self.now
        return gathered.top_terms(gathered.groups[gathering.number], LABEL_TERMS)

    def movers(self) -> list[Gathering]:
        """The largest topics that came up, and of those that went down."""
        up = [each for each in self.gatherings if each.trend in (Trend.EMERGING, Trend.TRENDING)]
        down = [each for each in (*self.gatherings, *self.gone) if each.trend is Trend.FADING]
        up.sort(key=lambda each: (-each.n_now, each.number))
        down.sort(key=lambda each: (-each.n_before, each.number))
        return [*(each for each in up if each.n_now > 1), *()][:MOST_MOVERS] + [
            each for each in down if each.n_before > 1
        ][:MOST_MOVERS]

    def trends_again(self) -> dict[int, Trend | None]:
        """The trend of each topic found anew, by its number: what the self-check compares with."""
        again = _trends(self.now, self.members, self.before, self.members_before)
        return {number: each.trend for number, each in enumerate(again.topics)}


def gathered_from(
    candidates: Sequence[Candidate], candidates_before: Sequence[Candidate], *, n_topics: int | None = None
) -> GatheredWindow:
    """The topics of a window, compared with the window before; into `n_topics` when so many are asked for."""
    members, before = _members(candidates), _members(candidates_before)
    now = gather([_document(each) for each in members], n_topics=n_topics)
    earlier = gather([_document(each) for each in before])
    trends = _trends(now, members, earlier, before)
    copies: defaultdict[int, list[Candidate]] = defaultdict(list)
    for each in candidates:
        if each.copy_of is not None:
            copies[each.copy_of].append(each)
    gatherings = []
    for number, (group, trend) in enumerate(zip(now.groups, trends.topics, strict=True)):
        own = [members[place] for place in group]
        lead = lead_of(
            now, group, importances=[each.importance for each in members], tiers=[each.tier for each in members]
        )
        gatherings.append(
            Gathering(
                number=number,
                members=_best_first(own),
                lead=members[lead],
                copies=_best_first(copy for each in own for copy in copies[each.article_id]),
                trend=trend.trend,
                n_before=trend.n_before,
            )
        )
    gone = tuple(_gone(number, earlier, before) for number in trends.gone)
    return GatheredWindow(tuple(gatherings), gone, now, earlier, members, before)
