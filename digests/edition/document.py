"""The content of a digest: plain, frozen and complete. Nothing here reads a clock or a database.

`digests.assembly.pipeline` makes an `Edition`, `digests.models.edition_store` stores and loads it, `digests.rendering`
renders it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from digests.edition.kinds import Kind
from reader.scoring.importance import NOTEWORTHY_FROM, TOP_FROM

ALSO_FROM = 15.0  # importance of a topic's best article, below the limits of `reader.scoring.importance`; SPEC §13
CONTENTS_ABOVE = 5  # topics; with more there is a table of contents; SPEC §13
MAX_RELATED = 100  # articles listed under a lead; others are counted
NAMED_SOURCES = 4  # other sources listed; the rest is counted


class SectionName(TextChoices):
    TOP = "top", _("Top stories")
    NOTEWORTHY = "noteworthy", _("Noteworthy")
    ALSO = "also", _("Also mentioned")


class Trend(TextChoices):
    """Compared with the window before. Source: SPEC §12."""

    EMERGING = "emerging", _("Emerging")
    TRENDING = "trending", _("Trending")
    FADING = "fading", _("Fading")


class SummaryBy(TextChoices):
    EXTRACT = "extract", _("From the article")
    MODEL = "model", _("Written by the language model")


def section_of(importance: float) -> SectionName | None:
    """The section for the importance of a topic's best article; None if it is too low."""
    if importance >= TOP_FROM:
        return SectionName.TOP
    if importance >= NOTEWORTHY_FROM:
        return SectionName.NOTEWORTHY
    return SectionName.ALSO if importance >= ALSO_FROM else None


@dataclass(frozen=True, slots=True)
class Entry:
    """An article in a digest. `source` is its name for the user; `article_id` is None once it was purged."""

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
        """Importance as shown; cut, so that it never exceeds its section."""
        return int(self.importance)


@dataclass(frozen=True, slots=True)
class Topic:
    """`importance` is that of its best article, with the recency of its newest and the depth of its fullest. `related`
    are its other articles, best first, `n_unlisted` is how many more there are; `sources` are the names of other
    sources; `moved` says why it is repeated from the last digest, "" if it is new. `summary_from` is the source of the
    summary if it isn't the lead's. `is_unchanged`: it was in the last digest, is still important and has one line.
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
    summary_from: str = ""
    moved: str = ""
    n_unlisted: int = 0
    is_unchanged: bool = False

    @property
    def entity(self) -> str:
        """The person, organization or place of the label, which is shown beside the headline; "" if it names none."""
        entity, separator, _terms = self.label.partition(": ")
        is_headline = self.lead.title.startswith(self.label)
        return entity if separator and not is_headline else ""

    @property
    def n_more(self) -> int:
        """The number of articles besides the lead."""
        return len(self.related) + self.n_unlisted

    @property
    def named_sources(self) -> tuple[str, ...]:
        return self.sources[:NAMED_SOURCES]

    @property
    def n_unnamed(self) -> int:
        return len(self.sources) - len(self.named_sources)

    @property
    def n_sources(self) -> int:
        """The number of sources, the lead's included."""
        return 1 + len(self.sources)

    @property
    def points(self) -> int:
        """Importance as shown."""
        return int(self.importance)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The lead, then the others."""
        return (self.lead, *self.related)


@dataclass(frozen=True, slots=True)
class UnhealthyFeed:
    """A feed that needs attention: its title for the user, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Movement:
    """A topic with a trend, with its number of articles now and in the window before."""

    label: str
    trend: Trend
    n_now: int
    n_before: int


@dataclass(frozen=True, slots=True)
class FeedReport:
    """Feeds polled, polls and successful polls in the window; feeds that need attention; topics with a trend."""

    n_polled: int = 0
    n_polls: int = 0
    n_successes: int = 0
    unhealthy: tuple[UnhealthyFeed, ...] = ()
    movements: tuple[Movement, ...] = ()

    @property
    def n_errors(self) -> int:
        return self.n_polls - self.n_successes

    @property
    def success_rate(self) -> float | None:
        """In [0, 1]; None if nothing was polled."""
        return self.n_successes / self.n_polls if self.n_polls else None


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a self-check. `is_good`: nothing was found, or it was repaired; `text` is a sentence."""

    check: str
    is_good: bool
    text: str
    was_repaired: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Numbers of topics that aren't shown: too many for their section, or unchanged since the last digest."""

    too_many: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class Edition:
    """A whole digest. `topics` are in the order of their best article, and so of their sections; unchanged ones are
    among them, but in no section."""

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
        """Whether it has no new or changed topics."""
        return not self.news

    @property
    def news(self) -> tuple[Topic, ...]:
        """The topics that are new or changed since the last digest."""
        return tuple(topic for topic in self.topics if not topic.is_unchanged)

    @property
    def unchanged(self) -> tuple[Topic, ...]:
        """The topics of which only a line reminds."""
        return tuple(topic for topic in self.topics if topic.is_unchanged)

    @property
    def has_contents(self) -> bool:
        """Whether there are enough topics for a table of contents."""
        return len(self.news) > CONTENTS_ABOVE

    def section(self, name: SectionName) -> tuple[Topic, ...]:
        return tuple(topic for topic in self.news if topic.section == name)

    def by_category(self, name: SectionName) -> Iterator[tuple[str, tuple[Topic, ...]]]:
        """The section's topics by category, in the order of each category's best topic."""
        topics = self.section(name)
        for category in dict.fromkeys(topic.category for topic in topics):
            yield category, tuple(topic for topic in topics if topic.category == category)
