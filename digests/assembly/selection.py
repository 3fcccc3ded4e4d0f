"""Selects the topics of a digest, their sections and order. Pure. Source: SPEC §13; strategy.md step 6."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from digests.assembly.repeats import EarlierDigest, repeat_reason
from digests.edition.candidates import Candidate
from digests.edition.document import LeftOut, SectionName, Trend, section_of
from digests.edition.kinds import Sizes
from reader.scoring.importance import Parts, place_of

MAX_PER_PUBLISHER = 2  # topics of a section that articles of one publisher lead
MAX_UNCHANGED = 5  # top stories of the last digest that are still reported, with a line each


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
        """That of its best article, with the recency of its newest and the depth of its fullest."""
        return self.parts.importance

    @property
    def parts(self) -> Parts:
        return Parts.of_story(member.parts for member in self.members)

    @property
    def n_publishers(self) -> int:
        """The number of different publishers of its articles and their copies."""
        return len({member.publisher for member in (*self.members, *self.copies)})


@dataclass(frozen=True, slots=True)
class Place:
    """A topic that is shown, its section, and why it is repeated; `is_unchanged`: only a line reminds of it."""

    cluster: TopicCluster
    section: SectionName
    moved: str
    is_unchanged: bool = False


def choose(clusters: Iterable[TopicCluster], sizes: Sizes, shown: EarlierDigest) -> tuple[tuple[Place, ...], LeftOut]:
    """The topics to show in the order of their best article (by bands), and how many were left out.

    A full section leaves out less important topics; they don't move to a lower section. So does one with
    `MAX_PER_PUBLISHER` topics of the same publisher. Unchanged top stories take no
    room: the most important `MAX_UNCHANGED` of them have a line, since they are still reported.
    """
    room = Counter({SectionName.TOP: sizes.top, SectionName.NOTEWORTHY: sizes.noteworthy, SectionName.ALSO: sizes.also})
    places: list[Place] = []
    too_many = unchanged = n_reminders = 0
    of_publisher: Counter[tuple[SectionName, str]] = Counter()
    for cluster in sorted(clusters, key=_order):
        section = section_of(cluster.importance)
        if section is None:
            continue
        publisher = section, cluster.lead.publisher or cluster.lead.source
        reason = repeat_reason(cluster.members, section, shown)
        if reason is None:
            if section is SectionName.TOP and n_reminders < MAX_UNCHANGED:
                n_reminders += 1
                places.append(Place(cluster, section, "", is_unchanged=True))
            else:
                unchanged += 1
        elif not room[section] or of_publisher[publisher] == MAX_PER_PUBLISHER:
            too_many += 1
        else:
            room[section] -= 1
            of_publisher[publisher] += 1
            places.append(Place(cluster, section, reason))
    return tuple(places), LeftOut(too_many, unchanged)


def _order(cluster: TopicCluster) -> tuple[float, int]:
    """Parts of the importance are capped, so a story of 15 publishers may have less than one of 4 that is newer."""
    parts = cluster.parts
    place = place_of(parts.importance, n_publishers=cluster.n_publishers, recency=parts.recency)
    return -place, cluster.members[0].article_id
