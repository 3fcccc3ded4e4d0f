"""A digest as CommonMark. Pure.

Whatever a publisher wrote is text: each character that Markdown reads as a mark is escaped, at the beginning of a line
also those that mark only there. Addresses stand in angle brackets, in which neither parentheses nor commas mean
anything. The targets of the table of contents are `<a id>`, the only markup, for CommonMark names no headings.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext as _

from digests.edition import Edition, Entry, SectionName
from digests.rendering import words
from digests.rendering.sheet import ContentsLine, Group, Health, Item, Section, Sheet, sheet_of

_MARKS = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")
_AT_START = re.compile(r"([-+=])|([0-9]{1,9})(?=[.)])")
_BREAK = "\\\n"  # a line ends, the paragraph does not


def as_markdown(edition: Edition) -> str:
    """The digest in paragraphs, ended by a newline."""
    return "\n\n".join(_paragraphs(sheet_of(edition))) + "\n"


def escaped(text: str) -> str:
    """A line of text that Markdown shows as it is, wherever in a line it stands."""
    text = _MARKS.sub(lambda match: f"\\{match[0]}", text)
    if start := _AT_START.match(text):
        sign, number = start.groups()
        return (f"\\{sign}" if sign else f"{number}\\") + text[start.end() :]
    return text


def linked(text: str, url: str) -> str:
    """A link, or the text alone where there is no address."""
    return f"[{escaped(text)}](<{_destination(url)}>)" if url else escaped(text)


def _destination(url: str) -> str:
    """An address for angle brackets; what looks like a character reference is none."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", url)


def _paragraphs(sheet: Sheet) -> Iterator[str]:
    yield f"# {escaped(sheet.heading)}"
    yield _BREAK.join((escaped(sheet.window), escaped(words.BETWEEN.join(sheet.counts))))
    if sheet.nothing:
        yield escaped(sheet.nothing)
    if sheet.contents:
        yield f"## {_('Contents')}"
        yield "\n".join(map(_contents_line, sheet.contents))
    for section in sheet.sections:
        yield from _section(section)
    if sheet.left_out:
        yield escaped(sheet.left_out)
    yield f"## {_('Feed health')}"
    yield from _health(sheet.health)
    for finding in sheet.remarkable:
        yield words.self_check(replace(finding, check=escaped(finding.check), text=escaped(finding.text)))


def _contents_line(line: ContentsLine) -> str:
    size = f": {line.size}" if line.size else ""
    return f"- [{escaped(words.isolated(line.text))}](#{line.anchor}){size}"


def _section(section: Section) -> Iterator[str]:
    yield f'## <a id="{section.anchor}"></a>{section.title}'
    for group in section.groups:
        yield from _group(group)


def _group(group: Group) -> Iterator[str]:
    if group.name:
        yield f"### {escaped(group.name)}"
    if group.items[0].topic.section is SectionName.TOP:
        for item in group.items:
            yield from _top_item(item)
    else:
        yield "\n".join(map(_short_item, group.items))


def _top_item(item: Item) -> Iterator[str]:
    topic = item.topic
    trend = f"{item.trend}{words.BETWEEN}" if item.trend else ""
    yield f'### <a id="{item.anchor}"></a>{trend}{escaped(words.isolated(topic.label))}'
    told = (escaped(words.isolated(topic.lead.source)), item.tier, item.at, words.importance(topic.points))
    yield _BREAK.join((f"**{_link(topic.lead)}**", words.BETWEEN.join(filter(None, told))))
    if topic.summary:
        yield escaped(topic.summary)
    if besides := _besides(item):
        yield _BREAK.join(besides)


def _short_item(item: Item) -> str:
    """A point of a list: title and source, and what a noteworthy topic has besides."""
    topic, is_noteworthy = item.topic, item.topic.section is SectionName.NOTEWORTHY
    target = f'<a id="{item.anchor}"></a>' if is_noteworthy else ""
    told = (escaped(words.isolated(topic.lead.source)), item.on if is_noteworthy else "", item.trend)
    lines = [f"{target}{_link(topic.lead)}"]
    if is_noteworthy and topic.summary:
        lines.append(escaped(topic.summary))
    if meta := words.BETWEEN.join(filter(None, told)):
        lines.append(meta)
    if is_noteworthy:
        lines += _besides(item)
    return "- " + f"{_BREAK}  ".join(lines)


def _besides(item: Item) -> list[str]:
    """Who else tells of it, and why it is here again."""
    return [escaped(each) for each in (item.more, item.topic.moved) if each]


def _link(entry: Entry) -> str:
    return linked(words.isolated(entry.title), entry.url)


def _health(health: Health) -> Iterator[str]:
    yield escaped(health.polls)
    if health.unwell:
        feeds = [f"- {escaped(words.isolated(each.name))}: {escaped(each.reason)}" for each in health.unwell]
        others = [f"- {words.and_others(health.n_unnamed)}"] if health.n_unnamed else []
        yield f"{health.attention}:"
        yield "\n".join([*feeds, *others])
    if health.movements:
        yield _("Topics that moved:")
        yield "\n".join(f"- {escaped(each)}" for each in health.movements)
