"""The check on a scoring's result: what carried an unverified source to the top? Source: strategy.md step 4; SPEC §8.

An article of a T5 source may well be the most important one. But its authority gives it 7.5 points where a T1 source
has 23.75, so other parts must have carried it, and the two that can be wrong are corroboration (a story that joins what
does not belong together, five feeds of one content farm) and relevance (a profile that has run away). A part carried
the article when it adds more to its importance than to the median one of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from feeds.normalizing.text import shorten
from feeds.wording import gettext as _
from feeds.wording import listed

from .importance import Parts, part_name

UNVERIFIED_TIER = 5
LEAST_ABOVE = 0.5  # points of importance; less is hardly seen in a rounded score
_TITLE_LENGTH = 80  # characters of a title in a sentence


@dataclass(frozen=True, slots=True)
class Scored:
    """An article with its score; `tier` of its source, 1–5."""

    article_id: int
    title: str
    tier: int
    parts: Parts


@dataclass(frozen=True, slots=True)
class Carrier:
    """A part that carried an article: the `points` it adds to the importance, and how many `above` the others'."""

    name: str
    points: float
    above: float


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A T5 source scored highest. `carriers` come with the most above the others first; there may be none."""

    top: Scored
    n_others: int
    carriers: tuple[Carrier, ...]

    @property
    def sentence(self) -> str:
        """For the digest's log: what is at the top and which parts carried it there."""
        title = shorten(self.top.title, _TITLE_LENGTH)
        ellipsis = "" if title == self.top.title else "…"
        told = {
            "title": f"{title}{ellipsis}",
            "score": f"{self.top.parts.importance:.0f}",
            "tier": f"T{self.top.tier}",
            "why": self._why(),
        }
        return _("“%(title)s” scored highest (%(score)s) though its source is unverified (%(tier)s): %(why)s.") % told

    def _why(self) -> str:
        if not self.n_others:
            return _("nothing else was scored")
        if not self.carriers:
            contributions = self.top.parts.contributions()
            most = max(contributions, key=lambda name: contributions[name])
            words = _("no part stands out against the others; most came from %(part)s (%(points)s)")
            return words % {"part": part_name(most), "points": f"{contributions[most]:.1f}"}
        carrier = _("%(part)s (%(points)s points, %(above)s above the others)")
        told = [
            carrier % {"part": part_name(each.name), "points": f"{each.points:.1f}", "above": f"{each.above:.1f}"}
            for each in self.carriers
        ]
        return _("carried by %(parts)s") % {"parts": listed(told)}


def check_top(scored: Sequence[Scored]) -> Anomaly | None:
    """The anomaly when the highest score is a T5 source's, else None. Of equal scores the better tier is on top."""
    if not scored:
        return None
    top = max(scored, key=lambda each: (each.parts.importance, -each.tier, -each.article_id))
    if top.tier != UNVERIFIED_TIER:
        return None
    others = [each.parts for each in scored if each is not top]
    return Anomaly(top, len(others), _carriers(top.parts, others))


def _carriers(top: Parts, others: Sequence[Parts]) -> tuple[Carrier, ...]:
    if not others:
        return ()
    theirs = [parts.contributions() for parts in others]
    found = []
    for name, points in top.contributions().items():
        above = points - median(each[name] for each in theirs)
        if above >= LEAST_ABOVE:
            found.append(Carrier(name, points, above))
    return tuple(sorted(found, key=lambda carrier: -carrier.above))
