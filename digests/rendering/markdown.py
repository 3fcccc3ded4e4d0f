"""A digest as CommonMark. Pure.

Publishers' text is escaped: every character that Markdown reads as markup, at the start of a line also those that only
count there. URLs are in angle brackets, in which parentheses and commas mean nothing. The targets of the table of
contents are `<a id>`, because CommonMark has no heading ids.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext as _

from digests.edition.document import Edition, Entry, SectionName
from digests.rendering import phrases
from digests.rendering.layout import ContentsLine, Group, Health, Item, Section, Sheet, sheet_of
from feeds.wording import colon

_MARKS = re.compile(r"[\\`*_\[\]<>|~#]|&(?=#?\w+;)")
_AT_START = re.compile(r"([-+=])|([0-9]{1,9})(?=[.)])")
_BREAK = "\\\n"  # a line break within a paragraph


def as_markdown(edition: Edition) -> str:
    """The digest with a final newline."""
    return "\n\n".join(_paragraphs(sheet_of(edition))) + "\n"


def escaped(text: str) -> str:
    """A line of text escaped for any place in a line."""
    text = _MARKS.sub(lambda match: f"\\{match[0]}", text)
    if start := _AT_START.match(text):
        sign, number = start.groups()
        return (f"\\{sign}" if sign else f"{number}\\") + text[start.end() :]
    return text


def linked(text: str, url: str) -> str:
    """A link, or the text if there is no URL."""
    return f"[{escaped(text)}](<{_destination(url)}>)" if url else escaped(text)


def _destination(url: str) -> str:
    """A URL for angle brackets, with character references escaped."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", url)


def _paragraphs(sheet: Sheet) -> Iterator[str]:
    yield f"# {escaped(sheet.heading)}"
    yield _BREAK.join((escaped(sheet.window), escaped(phrases.BETWEEN.join(sheet.counts))))
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
        yield phrases.self_check(replace(finding, check=escaped(finding.check), text=escaped(finding.text)))


def _contents_line(line: ContentsLine) -> str:
    size = f": {line.size}" if line.size else ""
    return f"- [{escaped(phrases.isolated(line.text))}](#{line.anchor}){size}"


def _section(section: Section) -> Iterator[str]:
    yield f'## <a id="{section.anchor}"></a>{section.title}'
    for group in section.groups:
        yield from _group(group)
    if section.unchanged:
        yield "\n".join(map(_unchanged_item, section.unchanged))


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
    above = phrases.BETWEEN.join(filter(None, (item.trend, escaped(phrases.isolated(item.entity)))))
    yield f'### <a id="{item.anchor}"></a>{_link(topic.lead)}'
    details = (escaped(phrases.isolated(topic.lead.source)), item.tier, item.at, phrases.importance(topic.lead.points))
    yield _BREAK.join(filter(None, (above, phrases.BETWEEN.join(filter(None, details)))))
    if topic.summary:
        yield _summary(item)
    if besides := _notes(item):
        yield _BREAK.join(besides)


def _unchanged_item(item: Item) -> str:
    source = escaped(phrases.isolated(item.topic.lead.source))
    return f"- {phrases.still(_link(item.topic.lead))}{phrases.BETWEEN}{source}"


def _short_item(item: Item) -> str:
    """A list item: title and source, for a noteworthy topic also date and summary."""
    topic, is_noteworthy = item.topic, item.topic.section is SectionName.NOTEWORTHY
    target = f'<a id="{item.anchor}"></a>' if is_noteworthy else ""
    details = (escaped(phrases.isolated(topic.lead.source)), item.on if is_noteworthy else "", item.trend)
    lines = [f"{target}{_link(topic.lead)}"]
    if is_noteworthy and topic.summary:
        lines.append(_summary(item))
    if meta := phrases.BETWEEN.join(filter(None, details)):
        lines.append(meta)
    if is_noteworthy:
        lines += _notes(item)
    return "- " + f"{_BREAK}  ".join(lines)


def _summary(item: Item) -> str:
    return escaped(f"{item.topic.summary} ({item.credit})" if item.credit else item.topic.summary)


def _notes(item: Item) -> list[str]:
    """Other sources, and why the topic is repeated."""
    return [escaped(text) for text in (item.more, item.topic.moved) if text]


def _link(entry: Entry) -> str:
    return linked(phrases.isolated(entry.title), entry.url)


def _health(health: Health) -> Iterator[str]:
    yield escaped(health.polls)
    if health.unhealthy:
        feeds = [
            f"- {escaped(phrases.isolated(feed.name))}{colon()}{escaped(feed.reason)}" for feed in health.unhealthy
        ]
        others = [f"- {phrases.and_others(health.n_unnamed)}"] if health.n_unnamed else []
        yield f"{health.attention}{colon().rstrip()}"
        yield "\n".join([*feeds, *others])
    if health.movements:
        yield _("Trending topics:")
        yield "\n".join(f"- {escaped(movement)}" for movement in health.movements)
