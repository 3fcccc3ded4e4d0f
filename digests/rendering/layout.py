"""An edition arranged for rendering: cleaned, numbered, in sections, with all sentences written. Pure."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from django.utils.translation import pgettext

from digests.edition.document import Edition, Finding, SectionName, Topic, UnhealthyFeed
from digests.rendering import phrases
from digests.rendering.clean_text import tidy

MAX_UNHEALTHY = 10  # feeds listed by name; the feeds page has all
MAX_MOVEMENTS = 10
MAX_ALIKE = 2  # topics about one person, organization or place; of more, the name tells nothing


@dataclass(frozen=True, slots=True)
class ActionLinks:
    """URLs that mark the lead as read, skipped or liked; only in emails."""

    read: str
    skip: str
    like: str


@dataclass(frozen=True, slots=True)
class Item:
    """A topic. `at` and `on` are the time and the day of its lead, `credit` names the source of its summary if that is
    another than the lead's, `more` other sources; `entity` is what the topic is about, "" if many are; `lists_acts`:
    the links of its actions are listed; `picture`: what the lead's picture is loaded from, "" if there is none, only in
    emails.
    """

    number: int
    topic: Topic
    trend: str
    at: str
    on: str
    more: str
    credit: str = ""
    entity: str = ""
    acts: ActionLinks | None = None
    lists_acts: bool = False
    picture: str = ""

    @property
    def href(self) -> str:
        """Where the headline leads: in emails to the signed page that records the reading, else to the publisher."""
        return self.acts.read if self.acts and self.topic.lead.url else self.topic.lead.url

    @property
    def anchor(self) -> str:
        return f"topic-{self.number}"

    @property
    def tier(self) -> str:
        return phrases.tier(self.topic.lead.tier)


@dataclass(frozen=True, slots=True)
class Group:
    """Topics of one category; `name` is "" if the section isn't divided."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """`unchanged` are the topics of which only a line reminds."""

    name: SectionName
    groups: tuple[Group, ...]
    unchanged: tuple[Item, ...] = ()

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
    """A line of the table of contents: a topic, or a section with `size` (`10 topics`)."""

    text: str
    anchor: str
    size: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """The feed report. `unhealthy` are the feeds listed by name, `n_unnamed` is the number of others."""

    polls: str
    attention: str
    unhealthy: tuple[UnhealthyFeed, ...]
    n_unnamed: int
    movements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole digest. `nothing` is the note of an empty one; `remarkable` are self-checks that found something."""

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
        heading=phrases.heading(edition),
        dates=phrases.dates(edition),
        window=phrases.window(edition),
        counts=phrases.counts(edition),
        nothing=phrases.nothing_new(edition),
        contents=_contents(sections) if edition.has_contents else (),
        sections=sections,
        left_out=phrases.left_out(edition),
        health=_health(edition),
        remarkable=phrases.remarkable(edition.findings),
    )


def first_of(sheet: Sheet, n_topics: int) -> Sheet:
    """The sheet reduced to its first topics."""
    sections = _map_items(sheet.sections, lambda item: item if item.number <= n_topics else None)
    return replace(sheet, sections=sections, contents=_contents(sections) if sheet.contents else ())


def with_actions(sheet: Sheet, actions_of: Callable[[int], ActionLinks], names: Collection[SectionName]) -> Sheet:
    """The sheet with signed links on all topics whose lead still exists, listed on those of these sections."""

    def changed(item: Item) -> Item:
        article_id = item.topic.lead.article_id
        if article_id is None:
            return item
        return replace(item, acts=actions_of(article_id), lists_acts=item.topic.section in names)

    return replace(sheet, sections=_map_items(sheet.sections, changed))


def with_pictures(sheet: Sheet, pictures: Mapping[int, str]) -> Sheet:
    """The sheet with pictures on the topics led by these articles."""
    sections = _map_items(
        sheet.sections, lambda item: replace(item, picture=pictures.get(item.topic.lead.article_id or 0, ""))
    )
    return replace(sheet, sections=sections)


def _map_items(sections: tuple[Section, ...], change: Callable[[Item], Item | None]) -> tuple[Section, ...]:
    """The sections with each topic changed, or removed for None; empty sections are removed."""
    mapped = []
    for section in sections:
        groups = (
            replace(group, items=tuple(new for item in group.items if (new := change(item)) is not None))
            for group in section.groups
        )
        groups_left = tuple(group for group in groups if group.items)
        unchanged = tuple(new for item in section.unchanged if (new := change(item)) is not None)
        if groups_left or unchanged:
            mapped.append(replace(section, groups=groups_left, unchanged=unchanged))
    return tuple(mapped)


def _sections(edition: Edition) -> tuple[Section, ...]:
    numbers = count(1)
    sections = [Section(name, tuple(_groups(edition, name, numbers))) for name in SectionName]
    unchanged = tuple(_item(next(numbers), topic, edition) for topic in edition.unchanged)
    sections[0] = replace(sections[0], unchanged=unchanged)
    return tuple(section for section in sections if section.groups or section.unchanged)


def _groups(edition: Edition, name: SectionName, numbers: Iterator[int]) -> Iterator[Group]:
    by_category = list(edition.by_category(name))
    if not by_category:
        return
    if name is not SectionName.NOTEWORTHY or by_category == [("", edition.section(name))]:
        by_category = [("", edition.section(name))]
    else:
        by_category = [
            (category or pgettext("category of topics", "Other"), topics) for category, topics in by_category
        ]
    for category, topics in by_category:
        yield Group(category, tuple(_item(next(numbers), topic, edition) for topic in topics))


def _item(number: int, topic: Topic, edition: Edition) -> Item:
    n_alike = sum(other.entity == topic.entity for other in edition.topics)
    return Item(
        number=number,
        topic=topic,
        trend=phrases.trend_mark(topic.trend),
        at=phrases.published(topic.lead, edition),
        on=phrases.published_on(topic.lead, edition),
        more=phrases.more_from(topic),
        credit=phrases.credit(topic),
        entity=topic.entity if n_alike <= MAX_ALIKE else "",
    )


def _contents(sections: tuple[Section, ...]) -> tuple[ContentsLine, ...]:
    """The headlines of the first section's topics, then the other sections with their sizes."""
    lines = [ContentsLine(item.topic.lead.title, item.anchor) for section in sections[:1] for item in section.items]
    for section in sections[1:]:
        lines.append(ContentsLine(section.title, section.anchor, phrases.topics(len(section.items))))
    return tuple(lines)


def _health(edition: Edition) -> Health:
    unhealthy = edition.report.unhealthy
    return Health(
        polls=phrases.polls(edition.report),
        attention=phrases.need_attention(len(unhealthy)) if unhealthy else "",
        unhealthy=unhealthy[:MAX_UNHEALTHY],
        n_unnamed=max(0, len(unhealthy) - MAX_UNHEALTHY),
        movements=tuple(phrases.movement(movement) for movement in edition.report.movements[:MAX_MOVEMENTS]),
    )
