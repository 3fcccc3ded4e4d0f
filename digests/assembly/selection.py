"""Selects the topics of a digest, their sections and order. Pure. Source: SPEC §13; strategy.md step 6."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from digests.assembly.repeats import EarlierDigest, repeat_reason
from digests.edition.candidates import Candidate
from digests.edition.document import LeftOut, SectionName, Trend, section_of
from digests.edition.kinds import Sizes
from feeds.dedup.leads import TRUSTED, is_aside, is_filler
from reader.scoring.importance import Parts, place_of

MAX_PER_PUBLISHER = 2  # topics of a section that articles of one publisher lead
_SECTIONS = list(SectionName)
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
    """The topics to show, in order, and how many were left out.

    A full section leaves out less important topics; they don't move to a lower section. Unchanged top stories take no
    room: the most important `MAX_UNCHANGED` of them have a line, since they are still reported.
    """
    room = {SectionName.TOP: sizes.top, SectionName.NOTEWORTHY: sizes.noteworthy, SectionName.ALSO: sizes.also}
    waiting: dict[SectionName, list[Place]] = {name: [] for name in room}
    reminders: list[Place] = []
    n_left_out = unchanged = 0
    for cluster in sorted(clusters, key=_order):
        section = section_of(cluster.importance)
        if section is None:
            continue
        reason = repeat_reason(cluster.members, section, shown)
        if reason is not None and section is SectionName.ALSO and is_filler(cluster.lead.title):
            n_left_out += 1
        elif reason is not None:
            waiting[section].append(Place(cluster, section, reason))
        elif section is SectionName.TOP and len(reminders) < MAX_UNCHANGED:
            reminders.append(Place(cluster, section, "", is_unchanged=True))
        else:
            unchanged += 1
    places = [place for name, most in room.items() for place in _spread(waiting[name], most)]
    n_left_out += sum(map(len, waiting.values())) - len(places)
    ordered = sorted((*places, *reminders), key=lambda place: (_SECTIONS.index(place.section), _order(place.cluster)))
    return tuple(ordered), LeftOut(n_left_out, unchanged)


def _spread(waiting: Iterable[Place], most: int) -> list[Place]:
    """The first `most` places, with at most `MAX_PER_PUBLISHER` topics of one publisher while others are waiting.

    A topic that several publishers report gets the next lead of another publisher instead, and is never left out.
    """
    of_publisher: Counter[str] = Counter()
    chosen: list[Place] = []
    passed: list[Place] = []
    for place in waiting:
        if len(chosen) == most:
            break
        if of_publisher[_publisher(place.cluster.lead)] >= MAX_PER_PUBLISHER:
            if place.cluster.n_publishers == 1:
                passed.append(place)
                continue
            place = replace(place, cluster=_led_by_another(place.cluster, of_publisher))
        of_publisher[_publisher(place.cluster.lead)] += 1
        chosen.append(place)
    return [*chosen, *passed[: most - len(chosen)]]


def _led_by_another(cluster: TopicCluster, of_publisher: Counter[str]) -> TopicCluster:
    """The topic led by the next report of the same story whose publisher leads few; unchanged if none is as good."""
    lead = cluster.lead
    others = [
        member
        for member in cluster.members
        if member.story_id is not None
        and member.story_id == lead.story_id
        and of_publisher[_publisher(member)] < MAX_PER_PUBLISHER
        and member.tier <= max(lead.tier, TRUSTED)
        and not is_aside(member.title, member.url)
    ]
    if not others:
        return cluster
    return replace(cluster, lead=min(others, key=lambda member: (member.position, member.article_id)))


def _publisher(candidate: Candidate) -> str:
    return candidate.publisher or candidate.source


def _order(cluster: TopicCluster) -> tuple[float, int]:
    """Parts of the importance are capped, so a story of 15 publishers may have less than one of 4 that is newer."""
    parts = cluster.parts
    place = place_of(parts.importance, n_publishers=cluster.n_publishers, recency=parts.recency)
    return -place, cluster.members[0].article_id
