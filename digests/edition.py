"""A digest as everything that shows it knows it: plain, frozen, complete. Nothing here reads a clock or a database.

`digests.assembly` makes an `Edition`, `digests.keeping` stores it and reads it back, `digests.rendering` writes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from digests.kinds import Kind

TOP_FROM = 70.0  # importance of a topic's best article; SPEC §13
NOTEWORTHY_FROM = 40.0
ALSO_FROM = 15.0
CONTENTS_ABOVE = 5  # topics, from which on there is a table of contents; SPEC §13
MOST_RELATED = 100  # articles listed under a lead; of others the number is told
NAMED_SOURCES = 4  # of those that also tell; of others the number is told


class SectionName(TextChoices):
    TOP = "top", _("Top stories")
    NOTEWORTHY = "noteworthy", _("Noteworthy")
    ALSO = "also", _("Also mentioned")


class Trend(TextChoices):
    """Against the window before. Source: SPEC §12."""

    EMERGING = "emerging", _("Emerging")
    TRENDING = "trending", _("Trending")
    FADING = "fading", _("Fading")


class SummaryBy(TextChoices):
    EXTRACT = "extract", _("Sentences of the article")
    MODEL = "model", _("Written by the language model")


def section_of(importance: float) -> SectionName | None:
    """The section of a topic whose best article has this importance; None below all."""
    if importance >= TOP_FROM:
        return SectionName.TOP
    if importance >= NOTEWORTHY_FROM:
        return SectionName.NOTEWORTHY
    return SectionName.ALSO if importance >= ALSO_FROM else None


@dataclass(frozen=True, slots=True)
class Entry:
    """An article in a digest. `source` is the feed as the person calls it; `article_id` is None once it was purged."""

    article_id: int | None
    title: str
    url: str
    source: str
    tier: int
    published_at: datetime
    importance: float
    language: str = ""
    date_uncertain: bool = False
    story_id: int | None = None
    is_copy: bool = False

    @property
    def points(self) -> int:
        """Importance as it is shown; cut, not rounded, so that it never says more than its section asks."""
        return int(self.importance)


@dataclass(frozen=True, slots=True)
class Topic:
    """`importance` is that of its best article. `related` are its other articles, the best first, and `n_unlisted` how
    many more there are; `sources` the names of those who tell beside the lead's; `moved` says why it is here again
    after the last digest, "" when it is new.
    """

    section: SectionName
    label: str
    lead: Entry
    importance: float
    related: tuple[Entry, ...] = ()
    sources: tuple[str, ...] = ()
    trend: Trend | None = None
    category: str = ""
    summary: str = ""
    summary_by: SummaryBy | None = None
    moved: str = ""
    n_unlisted: int = 0

    @property
    def heading(self) -> str:
        """What it stands under: a top story under its label, any other under the headline of its lead."""
        of_top = self.label if self.section is SectionName.TOP else ""
        return of_top or self.lead.title

    @property
    def n_more(self) -> int:
        """Articles beside the lead."""
        return len(self.related) + self.n_unlisted

    @property
    def named_sources(self) -> tuple[str, ...]:
        return self.sources[:NAMED_SOURCES]

    @property
    def n_unnamed(self) -> int:
        return len(self.sources) - len(self.named_sources)

    @property
    def points(self) -> int:
        """Importance as it is shown."""
        return int(self.importance)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The lead, then the others."""
        return (self.lead, *self.related)


@dataclass(frozen=True, slots=True)
class UnwellFeed:
    """A feed that needs attention, as the person calls it, and why, in words."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Movement:
    """A topic that came up or went down, with its articles now and in the window before."""

    label: str
    trend: Trend
    n_now: int
    n_before: int


@dataclass(frozen=True, slots=True)
class FeedReport:
    """How polling went in the window: feeds polled, polls, of these successful; who needs attention; what moved."""

    n_polled: int = 0
    n_polls: int = 0
    n_successes: int = 0
    unwell: tuple[UnwellFeed, ...] = ()
    movements: tuple[Movement, ...] = ()

    @property
    def n_errors(self) -> int:
        return self.n_polls - self.n_successes

    @property
    def success_rate(self) -> float | None:
        """In [0, 1]; None when nothing was polled."""
        return self.n_successes / self.n_polls if self.n_polls else None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a self-check says. `is_good`: nothing was found, or it was repaired, which `text` tells in a sentence."""

    check: str
    is_good: bool
    text: str
    was_repaired: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Topics that are not shown: too many for their section, or in the last digest and unchanged."""

    too_many: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class Edition:
    """A whole digest. `topics` stand in the order of their best article, so sections follow each other."""

    kind: Kind
    day: date
    time_zone: str
    begins_at: datetime
    ends_at: datetime
    made_at: datetime
    n_articles: int
    n_feeds: int
    n_duplicates: int
    topics: tuple[Topic, ...] = ()
    report: FeedReport = FeedReport()
    left_out: LeftOut = LeftOut()
    findings: tuple[Finding, ...] = ()

    @property
    def title(self) -> str:
        return str(self.kind.label)

    @property
    def is_empty(self) -> bool:
        return not self.topics

    @property
    def has_contents(self) -> bool:
        """Whether there are enough topics for a table of contents."""
        return len(self.topics) > CONTENTS_ABOVE

    def section(self, name: SectionName) -> tuple[Topic, ...]:
        return tuple(topic for topic in self.topics if topic.section == name)

    def by_category(self, name: SectionName) -> Iterator[tuple[str, tuple[Topic, ...]]]:
        """The section's topics by category, those categories first whose best topic is."""
        topics = self.section(name)
        for category in dict.fromkeys(topic.category for topic in topics):
            yield category, tuple(topic for topic in topics if topic.category == category)
