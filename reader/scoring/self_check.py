"""Explains why an unverified source is at the top. Source: strategy.md step 4; SPEC §8.

An article of a T5 source may well be the most important one. But its authority gives it 7.5 points where a T1 source
has 23.75, so other parts must have lifted it, and two of them can be wrong: corroboration (a story that groups
unrelated articles, five feeds of one content farm) and relevance (a profile gone wrong). A part lifted the article if
it adds more to its importance than to the median of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from feeds.normalizing.text import shorten
from feeds.wording import format_number, join_list
from feeds.wording import gettext as _
from reader.scoring.importance import Parts, part_name

UNVERIFIED_TIER = 5
MIN_ABOVE = 0.5  # points of importance; less hardly shows in a rounded score
_TITLE_LENGTH = 80  # characters of a title in a sentence


@dataclass(frozen=True, slots=True)
class Scored:
    """An article with its parts; `tier` of its source, 1–5."""

    article_id: int
    title: str
    tier: int
    parts: Parts


@dataclass(frozen=True, slots=True)
class Driver:
    """A part that lifted an article: its `points` of importance, and how many `above` the others' median."""

    name: str
    points: float
    above: float


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A T5 source scored highest. `drivers`: the parts furthest above the others first; may be empty."""

    top: Scored
    n_others: int
    drivers: tuple[Driver, ...]

    @property
    def sentence(self) -> str:
        """For the digest's log: what is at the top, and which parts lifted it."""
        title = shorten(self.top.title, _TITLE_LENGTH)
        ellipsis = "" if title == self.top.title else "…"
        values = {
            "title": f"{title}{ellipsis}",
            "score": f"{self.top.parts.importance:.0f}",
            "why": self._why(),
        }
        return _("“%(title)s” scored highest (%(score)s) though its source is unverified: %(why)s.") % values

    def _why(self) -> str:
        if not self.n_others:
            return _("nothing else was scored")
        if not self.drivers:
            contributions = self.top.parts.contributions()
            most = max(contributions, key=lambda name: contributions[name])
            words = _("no part stands out; most points came from %(part)s (%(points)s)")
            return words % {"part": part_name(most), "points": format_number(contributions[most], 1)}
        template = _("%(part)s (%(points)s points, %(above)s above the others)")
        parts = [
            template
            % {
                "part": part_name(part.name),
                "points": format_number(part.points, 1),
                "above": format_number(part.above, 1),
            }
            for part in self.drivers
        ]
        return _("raised by %(parts)s") % {"parts": join_list(parts)}


def check_top(scored: Sequence[Scored]) -> Anomaly | None:
    """The anomaly if the highest score is a T5 source's, else None. Ties go to the better tier."""
    if not scored:
        return None
    top = max(scored, key=lambda article: (article.parts.importance, -article.tier, -article.article_id))
    if top.tier != UNVERIFIED_TIER:
        return None
    others = [article.parts for article in scored if article is not top]
    return Anomaly(top, len(others), _drivers(top.parts, others))


def _drivers(top: Parts, others: Sequence[Parts]) -> tuple[Driver, ...]:
    if not others:
        return ()
    contributions = [parts.contributions() for parts in others]
    drivers = []
    for name, points in top.contributions().items():
        above = points - median(other[name] for other in contributions)
        if above >= MIN_ABOVE:
            drivers.append(Driver(name, points, above))
    return tuple(sorted(drivers, key=lambda driver: -driver.above))
