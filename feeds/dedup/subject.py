"""What is compared of an article, and what ties two of them. Pure data."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from feeds.dedup.fingerprints import Fingerprint, fingerprint_of
from feeds.dedup.titles import Title, title_of


@dataclass(frozen=True, slots=True)
class Subject:
    """An article as layers 3 and 4 see it. `domain` is the publisher's registrable one; `fingerprint` None where the
    text is too short to have one."""

    title: Title
    domain: str
    published_at: datetime
    fingerprint: Fingerprint | None


def subject_of(
    *, title: str, text: str, language: str, domain: str, source_names: tuple[str, ...], published_at: datetime
) -> Subject:
    """The subject of an article. `source_names`: what may stand behind its title as its publisher's name."""
    return Subject(
        title_of(title, language=language, source_names=source_names),
        domain,
        published_at,
        fingerprint_of(text, language=language),
    )


@dataclass(frozen=True, slots=True)
class BlockingKey:
    """Whoever has the same `value` and was published within `window` is worth comparing.

    `bits`: 64 of them that stand for the whole of what the key is a part of (a SimHash, the words of a title), None
    where nothing does. Whoever differs from them in more than `most_apart` is no candidate.
    """

    value: int
    window: timedelta
    bits: int | None = None
    most_apart: int = 0
    is_of_title: bool = True


@dataclass(frozen=True, slots=True)
class Tie:
    """Why two articles belong together.

    `layer` is "title", "content" or "entities"; `measure` the figure of the evidence in its own unit; `closeness` in
    [0, 1] says how sure it is. `joins`: they stand in one story, whatever else; a tie of one event joins only together
    with the others of the story (see `grouping`), and a revision at another address may just be flagged.
    """

    disposition: str
    layer: str
    measure: float
    closeness: float
    evidence: str
    joins: bool = True


def strongest(ties: Iterable[Tie]) -> Tie:
    """The one of a pair's ties that says most about their story: what joins, then an event, then a flag."""
    return max(ties, key=lambda tie: (tie.joins, tie.disposition == "same_event", tie.closeness, tie.layer))
