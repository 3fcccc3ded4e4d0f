"""Which topics a digest shows, in which section, in which order. Pure. Source: SPEC §13; strategy.md step 6."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from digests.edition import LeftOut, SectionName, Trend, section_of
from digests.kinds import Sizes
from digests.material import Candidate
from digests.repeats import Shown, moved


@dataclass(frozen=True, slots=True)
class Gathering:
    """Articles of one topic: `members`, the most important first, one of which leads; `copies` of these stand under
    them. `number` is its place among all that were gathered, in the window before where it `is_gone` now; `n_now` and
    `n_before` are its articles in both windows.
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
        """Tells it from all others of both windows."""
        return self.is_gone, self.number

    @property
    def importance(self) -> float:
        """That of its best article."""
        return self.members[0].importance


@dataclass(frozen=True, slots=True)
class Place:
    """A topic that is shown, where, and why again."""

    gathering: Gathering
    section: SectionName
    moved: str


def choose(gatherings: Iterable[Gathering], sizes: Sizes, shown: Shown) -> tuple[tuple[Place, ...], LeftOut]:
    """The topics to show in the order of their best article, and how many were left out.

    A section that is full leaves out what is less important; nothing sinks into a section below its score.
    """
    room = Counter({SectionName.TOP: sizes.top, SectionName.NOTEWORTHY: sizes.noteworthy, SectionName.ALSO: sizes.also})
    places: list[Place] = []
    too_many = unchanged = 0
    for gathering in sorted(gatherings, key=_order):
        section = section_of(gathering.importance)
        if section is None:
            continue
        reason = moved(gathering.members, section, shown)
        if reason is None:
            unchanged += 1
        elif not room[section]:
            too_many += 1
        else:
            room[section] -= 1
            places.append(Place(gathering, section, reason))
    return tuple(places), LeftOut(too_many, unchanged)


def _order(gathering: Gathering) -> tuple[float, int, float, int]:
    """Of equals the larger topic comes first, then the newer one."""
    best = gathering.members[0]
    return (-gathering.importance, -len(gathering.members), -best.published_at.timestamp(), best.article_id)
