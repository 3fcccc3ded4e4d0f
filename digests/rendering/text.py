"""A digest as plain text, for terminals and for the text part of emails. Pure.

Lines have at most `width` columns, except URLs, which have lines of their own and are never broken.
"""

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from digests.edition.document import Edition, SectionName
from digests.rendering import phrases
from digests.rendering.layout import Group, Health, Item, Section, Sheet, sheet_of
from digests.rendering.wrapping import width as columns_of
from digests.rendering.wrapping import wrapped
from feeds.wording import colon

WIDTH: Final = 76  # columns; quoted text still fits 80


def as_text(edition: Edition, *, width: int = WIDTH, link: str | None = None) -> str:
    """The digest with a final newline. `link` is its page on the web."""
    return sheet_as_text(sheet_of(edition), width=width, link=link)


def sheet_as_text(sheet: Sheet, *, width: int = WIDTH, link: str | None = None) -> str:
    """`as_text` of a sheet, such as one with signed links."""
    return "\n".join(_lines(sheet, width, link)) + "\n"


def _lines(sheet: Sheet, width: int, link: str | None) -> Iterator[str]:
    yield from underlined(sheet.heading, "=", width)
    yield ""
    yield from wrapped(sheet.window, width)
    yield from wrapped(phrases.BETWEEN.join(sheet.counts), width)
    if link:
        yield from ("", _("On the web:"), link)
    if sheet.nothing:
        yield from ("", *wrapped(sheet.nothing, width))
    if sheet.contents:
        yield from ("", *underlined(_("Contents"), "-", width), "")
        for line in sheet.contents:
            yield from listed(f"{line.text}{colon()}{line.size}" if line.size else phrases.isolated(line.text), width)
    for section in sheet.sections:
        yield from _section(section, len(str(len(sheet.edition.topics))), width)
    if sheet.left_out:
        yield from ("", *wrapped(sheet.left_out, width))
    yield from ("", *underlined(_("Feed health"), "-", width), "", *_health(sheet.health, width))
    for finding in sheet.remarkable:
        yield from ("", *wrapped(phrases.self_check(finding), width))


def underlined(title: str, line: str, width: int) -> list[str]:
    """A title with a line of the same length under it."""
    lines = wrapped(title, width)
    return [*lines, line * max(map(columns_of, lines))]


def listed(text: str, width: int) -> list[str]:
    """A list item."""
    return hanging("- ", text, width)


def hanging(first: str, text: str, width: int) -> list[str]:
    """A text with a hanging indent behind a mark."""
    indent = columns_of(first)
    lines = wrapped(text, width - indent)
    return [f"{' ' * indent if number else first}{line}" for number, line in enumerate(lines)]


def _section(section: Section, digits: int, width: int) -> Iterator[str]:
    yield from ("", *underlined(section.title, "-", width))
    for group in section.groups:
        yield from _group(group, digits, width)
    for item in section.unchanged:
        lead = item.topic.lead
        line = _joined(phrases.still(phrases.isolated(lead.title)), phrases.isolated(lead.source))
        yield from ("", *hanging("- ", line, width), *_address("  ", item.href))


def _group(group: Group, digits: int, width: int) -> Iterator[str]:
    if group.name:
        yield from ("", *wrapped(group.name, width))
    for item in group.items:
        mark = f"{item.number:>{digits}}. "
        write = _top_item if item.topic.section is SectionName.TOP else _short_item
        yield from ("", *write(item, mark, width))


def _top_item(item: Item, mark: str, width: int) -> Iterator[str]:
    indent, lead = " " * len(mark), item.topic.lead
    if above := _joined(item.trend, phrases.isolated(item.entity)):
        yield from hanging(mark, above, width)
        yield ""
        mark = indent
    yield from hanging(mark, lead.title, width)
    yield from _address(indent, item.href)
    importance = phrases.importance(lead.points)
    yield from hanging(indent, _joined(phrases.isolated(lead.source), item.tier, item.at, importance), width)
    if item.topic.summary:
        yield from ("", *hanging(indent, _summary(item), width))
    yield from _notes(item, indent, width)


def _short_item(item: Item, mark: str, width: int) -> Iterator[str]:
    """A topic below the top stories; an also mentioned one has no date."""
    indent, lead = " " * len(mark), item.topic.lead
    is_noteworthy = item.topic.section is SectionName.NOTEWORTHY
    yield from hanging(mark, phrases.isolated(lead.title), width)
    yield from _address(indent, item.href)
    if is_noteworthy:
        yield from hanging(indent, _summary(item), width)
    on = item.on if is_noteworthy else ""
    yield from hanging(indent, _joined(phrases.isolated(lead.source), on, item.trend), width)
    if is_noteworthy:
        yield from _notes(item, indent, width, gap=False)


def _summary(item: Item) -> str:
    return f"{item.topic.summary} ({item.credit})" if item.credit else item.topic.summary


def _notes(item: Item, indent: str, width: int, *, gap: bool = True) -> Iterator[str]:
    """Other sources, and why the topic is repeated."""
    if gap and (item.more or item.topic.moved):
        yield ""
    yield from hanging(indent, item.more, width)
    yield from hanging(indent, item.topic.moved, width)


def _address(indent: str, url: str) -> Iterator[str]:
    if url:
        yield f"{indent}{url}"


def _health(health: Health, width: int) -> Iterator[str]:
    yield from wrapped(health.polls, width)
    if health.unhealthy:
        yield from ("", f"{health.attention}{colon().rstrip()}")
        for feed in health.unhealthy:
            yield from listed(f"{phrases.isolated(feed.name)}{colon()}{feed.reason}", width)
        if health.n_unnamed:
            yield from listed(phrases.and_others(health.n_unnamed), width)
    if health.movements:
        yield from ("", _("Trending topics:"))
        for movement in health.movements:
            yield from listed(movement, width)


def _joined(*parts: str) -> str:
    return phrases.BETWEEN.join(filter(None, parts))
