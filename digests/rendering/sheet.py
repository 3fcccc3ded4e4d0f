"""An edition laid out: tidied, numbered, in sections, with every sentence said. Forms only write it down. Pure."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import count

from django.utils.translation import pgettext

from digests.edition import Edition, Finding, SectionName, Topic, UnwellFeed
from digests.rendering import words
from digests.rendering.tidy import tidy

MOST_UNWELL = 10  # feeds that need attention told by name; the page of feeds has all
MOST_MOVEMENTS = 10


@dataclass(frozen=True, slots=True)
class Acts:
    """Addresses under which the lead is marked as read, skipped or liked; only a mail has them."""

    read: str
    skip: str
    like: str


@dataclass(frozen=True, slots=True)
class Item:
    """A topic in its place. `at` and `on` are the moment and the day of its lead, `more` who else tells of it."""

    number: int
    topic: Topic
    trend: str
    at: str
    on: str
    more: str
    acts: Acts | None = None

    @property
    def anchor(self) -> str:
        return f"topic-{self.number}"

    @property
    def tier(self) -> str:
        return f"T{self.topic.lead.tier}"


@dataclass(frozen=True, slots=True)
class Group:
    """Topics of one category; `name` is "" where a section is not divided."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Section:
    name: SectionName
    groups: tuple[Group, ...]

    @property
    def title(self) -> str:
        return str(self.name.label)

    @property
    def anchor(self) -> str:
        return f"section-{self.name.value}"

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for group in self.groups for item in group.items)


@dataclass(frozen=True, slots=True)
class ContentsLine:
    """A line of the table of contents: a topic, or a whole section with `size` (`10 topics`)."""

    text: str
    anchor: str
    size: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """The report on the feeds. `unwell` are those told by name, `n_unwell` is how many there are."""

    polls: str
    attention: str
    unwell: tuple[UnwellFeed, ...]
    n_unnamed: int
    movements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """`nothing` is the note of an empty digest; `remarkable` what the self-checks repaired, or could not."""

    edition: Edition
    heading: str
    dates: str
    window: str
    counts: tuple[str, ...]
    nothing: str
    contents: tuple[ContentsLine, ...]
    sections: tuple[Section, ...]
    left_out: str
    health: Health
    remarkable: tuple[Finding, ...]


def sheet_of(edition: Edition) -> Sheet:
    edition = tidy(edition)
    sections = _sections(edition)
    return Sheet(
        edition=edition,
        heading=words.heading(edition),
        dates=words.dates(edition),
        window=words.window(edition),
        counts=words.counts(edition),
        nothing=words.nothing_new(edition),
        contents=_contents(sections) if edition.has_contents else (),
        sections=sections,
        left_out=words.left_out(edition),
        health=_health(edition),
        remarkable=words.remarkable(edition.findings),
    )


def first_of(sheet: Sheet, n_topics: int) -> Sheet:
    """The sheet with its first topics only, and a table of contents of these."""
    kept = _changed(sheet.sections, lambda item: item if item.number <= n_topics else None)
    return replace(sheet, sections=kept, contents=_contents(kept) if sheet.contents else ())


def with_acts(sheet: Sheet, acts_of: Callable[[int], Acts], names: Collection[SectionName]) -> Sheet:
    """The sheet with addresses of acts, by the lead's id, at each topic of these sections whose lead is still there."""

    def changed(item: Item) -> Item:
        article_id = item.topic.lead.article_id
        return (
            item if article_id is None or item.topic.section not in names else replace(item, acts=acts_of(article_id))
        )

    return replace(sheet, sections=_changed(sheet.sections, changed))


def _changed(sections: tuple[Section, ...], change: Callable[[Item], Item | None]) -> tuple[Section, ...]:
    """The sections with each topic changed, or left out for None; what is empty then is left out as well."""
    found = []
    for section in sections:
        groups = (
            replace(group, items=tuple(new for item in group.items if (new := change(item)) is not None))
            for group in section.groups
        )
        if kept := tuple(group for group in groups if group.items):
            found.append(replace(section, groups=kept))
    return tuple(found)


def _sections(edition: Edition) -> tuple[Section, ...]:
    numbers = count(1)
    return tuple(Section(name, tuple(_groups(edition, name, numbers))) for name in SectionName if edition.section(name))


def _groups(edition: Edition, name: SectionName, numbers: Iterator[int]) -> Iterator[Group]:
    by_category = list(edition.by_category(name))
    if name is not SectionName.NOTEWORTHY or by_category == [("", edition.section(name))]:
        by_category = [("", edition.section(name))]
    else:
        by_category = [
            (category or pgettext("category of topics", "Other"), topics) for category, topics in by_category
        ]
    for category, topics in by_category:
        yield Group(category, tuple(_item(next(numbers), topic, edition) for topic in topics))


def _item(number: int, topic: Topic, edition: Edition) -> Item:
    return Item(
        number=number,
        topic=topic,
        trend=words.trend_mark(topic.trend),
        at=words.published(topic.lead, edition),
        on=words.published_on(topic.lead, edition),
        more=words.more_from(topic),
    )


def _contents(sections: tuple[Section, ...]) -> tuple[ContentsLine, ...]:
    """The topics of the first section by what they stand under; of the others what they are and how much they hold."""
    lines = [ContentsLine(item.topic.heading, item.anchor) for section in sections[:1] for item in section.items]
    for section in sections[1:]:
        lines.append(ContentsLine(section.title, section.anchor, words.topics(len(section.items))))
    return tuple(lines)


def _health(edition: Edition) -> Health:
    unwell = edition.report.unwell
    return Health(
        polls=words.polls(edition.report),
        attention=words.need_attention(len(unwell)) if unwell else "",
        unwell=unwell[:MOST_UNWELL],
        n_unnamed=max(0, len(unwell) - MOST_UNWELL),
        movements=tuple(words.movement(each) for each in edition.report.movements[:MOST_MOVEMENTS]),
    )
