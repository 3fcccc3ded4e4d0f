"""Selects the topics of a digest, their sections and order. Pure. Source: SPEC §13; strategy.md step 6."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from digests.assembly.repeats import EarlierDigest, repeat_reason
from digests.edition.candidates import Candidate
from digests.edition.document import LeftOut, SectionName, Trend, section_of
from digests.edition.kinds import Sizes


@dataclass(frozen=True, slots=True)
class TopicCluster:
    """Articles of one topic: `members`, most important first, one of which is the lead, and `copies` of them.

    `number` is its number among the topics of the window, or of the window before if it `is_gone`. `n_now` and
    `n_before` are its numbers of articles in both windows.
    """

    number: int
    members: tuple[Candidate, ...]
    lead: Candidate
    copies: tuple[Candidate, ...] = ()
    trend: Trend | None = None
    n_now: int = 0
    n_before: int = 0
    is_gone: bool = False

    @property
    def key(self) -> tuple[bool, int]:
        """Identifies it among the topics of both windows."""
        return self.is_gone, self.number

    @property
    def importance(self) -> float:
        """That of its best article."""
        return self.members[0].importance


@dataclass(frozen=True, slots=True)
class Place:
    """A topic that is shown, its section, and why it is repeated."""

    cluster: TopicCluster
    section: SectionName
    moved: str


def choose(clusters: Iterable[TopicCluster], sizes: Sizes, shown: EarlierDigest) -> tuple[tuple[Place, ...], LeftOut]:
    """The topics to show in the order of their best article, and how many were left out.

    A full section leaves out less important topics; they don't move to a lower section.
    """
    room = Counter({SectionName.TOP: sizes.top, SectionName.NOTEWORTHY: sizes.noteworthy, SectionName.ALSO: sizes.also})
    places: list[Place] = []
    too_many = unchanged = 0
    for cluster in sorted(clusters, key=_order):
        section = section_of(cluster.importance)
        if section is None:
            continue
        reason = repeat_reason(cluster.members, section, shown)
        if reason is None:
            unchanged += 1
        elif not room[section]:
            too_many += 1
        else:
            room[section] -= 1
            places.append(Place(cluster, section, reason))
    return tuple(places), LeftOut(too_many, unchanged)


def _order(cluster: TopicCluster) -> tuple[float, int, float, int]:
    """Of equally important topics the larger comes first, then the newer."""
    best = cluster.members[0]
    return (-cluster.importance, -len(cluster.members), -best.published_at.timestamp(), best.article_id)
