"""A digest as plain text, for a terminal and for the text part of a mail. Pure.

Lines are at most `width` columns, but for addresses, which stand on lines of their own and are never broken.
"""

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from digests.edition import Edition, SectionName
from digests.rendering import words
from digests.rendering.sheet import Group, Health, Item, Section, Sheet, sheet_of
from digests.rendering.wrapping import width as columns_of
from digests.rendering.wrapping import wrapped

WIDTH: Final = 76  # columns; what is quoted once still fits 80


def as_text(edition: Edition, *, width: int = WIDTH, link: str | None = None) -> str:
    """The digest in lines, ended by a newline. `link` is where it stands on the web."""
    return "\n".join(_lines(sheet_of(edition), width, link)) + "\n"


def _lines(sheet: Sheet, width: int, link: str | None) -> Iterator[str]:
    yield from underlined(sheet.heading, "=", width)
    yield ""
    yield from wrapped(sheet.window, width)
    yield from wrapped(words.BETWEEN.join(sheet.counts), width)
    if link:
        yield from ("", _("On the web:"), link)
    if sheet.nothing:
        yield from ("", *wrapped(sheet.nothing, width))
    if sheet.contents:
        yield from ("", *underlined(_("Contents"), "-", width), "")
        for line in sheet.contents:
            yield from listed(f"{line.text}: {line.size}" if line.size else words.isolated(line.text), width)
    for section in sheet.sections:
        yield from _section(section, len(str(len(sheet.edition.topics))), width)
    if sheet.left_out:
        yield from ("", *wrapped(sheet.left_out, width))
    yield from ("", *underlined(_("Feed health"), "-", width), "", *_health(sheet.health, width))
    for finding in sheet.remarkable:
        yield from ("", *wrapped(words.self_check(finding), width))


def underlined(title: str, line: str, width: int) -> list[str]:
    """A title with a line under it as long as its longest line."""
    lines = wrapped(title, width)
    return [*lines, line * max(map(columns_of, lines))]


def listed(text: str, width: int) -> list[str]:
    """A text as a point of a list."""
    return hanging("- ", text, width)


def hanging(first: str, text: str, width: int) -> list[str]:
    """A text behind a mark, its further lines as far in."""
    indent = columns_of(first)
    lines = wrapped(text, width - indent)
    return [f"{' ' * indent if number else first}{line}" for number, line in enumerate(lines)]


def _section(section: Section, digits: int, width: int) -> Iterator[str]:
    yield from ("", *underlined(section.title, "-", width))
    for group in section.groups:
        yield from _group(group, digits, width)


def _group(group: Group, digits: int, width: int) -> Iterator[str]:
    if group.name:
        yield from ("", *wrapped(group.name, width))
    for item in group.items:
        mark = f"{item.number:>{digits}}. "
        write = _top_item if item.topic.section is SectionName.TOP else _short_item
        yield from ("", *write(item, mark, width))


def _top_item(item: Item, mark: str, width: int) -> Iterator[str]:
    indent, lead = " " * len(mark), item.topic.lead
    yield from hanging(mark, _joined(item.trend, words.isolated(item.topic.label)), width)
    yield ""
    yield from hanging(indent, lead.title, width)
    yield from _address(indent, lead.url)
    importance = words.importance(item.topic.points)
    yield from hanging(indent, _joined(words.isolated(lead.source), item.tier, item.at, importance), width)
    if item.topic.summary:
        yield from ("", *hanging(indent, item.topic.summary, width))
    yield from _besides(item, indent, width)


def _short_item(item: Item, mark: str, width: int) -> Iterator[str]:
    """A topic below the top stories; one that is only mentioned has no date."""
    indent, lead = " " * len(mark), item.topic.lead
    is_noteworthy = item.topic.section is SectionName.NOTEWORTHY
    yield from hanging(mark, words.isolated(lead.title), width)
    yield from _address(indent, lead.url)
    if is_noteworthy:
        yield from hanging(indent, item.topic.summary, width)
    on = item.on if is_noteworthy else ""
    yield from hanging(indent, _joined(words.isolated(lead.source), on, item.trend), width)
    if is_noteworthy:
        yield from _besides(item, indent, width, gap=False)


def _besides(item: Item, indent: str, width: int, *, gap: bool = True) -> Iterator[str]:
    """Who else tells of it, and why it is here again."""
    if gap and (item.more or item.topic.moved):
        yield ""
    yield from hanging(indent, item.more, width)
    yield from hanging(indent, item.topic.moved, width)


def _address(indent: str, url: str) -> Iterator[str]:
    if url:
        yield f"{indent}{url}"


def _health(health: Health, width: int) -> Iterator[str]:
    yield from wrapped(health.polls, width)
    if health.unwell:
        yield from ("", f"{health.attention}:")
        for feed in health.unwell:
            yield from listed(f"{words.isolated(feed.name)}: {feed.reason}", width)
        if health.n_unnamed:
            yield from listed(words.and_others(health.n_unnamed), width)
    if health.movements:
        yield from ("", _("Topics that moved:"))
        for movement in health.movements:
            yield from listed(movement, width)


def _joined(*parts: str) -> str:
    return words.BETWEEN.join(filter(None, parts))
