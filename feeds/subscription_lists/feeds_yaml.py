"""Reads feeds.yaml (SPEC §15, normalization-and-dedup.md §4): tabs become folders, with language and limits.

    tabs:
      zh_news:
        name: 中文新聞
        item_limit_per_category: 5
        max_items_per_feed: 20
        sources:
          - category: 國際
            url: https://example.org/feed
            source_name: …

The document is composed to nodes, never constructed: nodes have line numbers, no tag creates an object, and an alias
stays a reference to one node. A missing language is taken from the tab's key (`zh_news`). An invalid source is skipped
and reported with its line.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from feeds.errors import ImportFileError
from feeds.normalizing.language import primary_language
from feeds.subscription_lists.model import (
    ListedFeed,
    SubscriptionList,
    SubscriptionListBuilder,
    TabSettings,
    clean_name,
)
from feeds.wording import format_number
from feeds.wording import gettext as _

DEFAULT_MAX_ITEMS_PER_FEED = 20  # normalization-and-dedup.md §1 "Max items per feed"
MAX_YAML_CHARACTERS = 4 * 1024 * 1024
MAX_DEPTH = 20  # the format needs 4
MAX_SOURCES = 50_000  # after aliases are followed
MAX_VALUES = 12 * MAX_SOURCES  # four fields of a source are eight values and two ends
MAX_MERGES = 20  # `<<` of one mapping, nested ones included
_LIMIT_RANGE = range(1, 10_001)
_LANGUAGES = frozenset(
    {"ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr", "hu", "id",
     "it", "ja", "ko", "lt", "lv", "ms", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "te",
     "th", "tr", "uk", "ur", "vi", "zh"}
)  # fmt: skip
_KEY_LANGUAGE = re.compile(r"([a-z]{2})(?:[_-].*)?", re.DOTALL)
_ABSENT = ("", "~", "null", "Null", "NULL")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_Fields = dict[str, yaml.Node]


def read_feeds_yaml(text: str, notes: tuple[str, ...] = ()) -> SubscriptionList:
    """Return the feeds and tabs of a feeds.yaml; a tab's name becomes the folder; `notes` are added to the result's.

    Raises ImportFileError when the file is not YAML, has no `tabs`, or is too large.
    """
    reader = _Reader()
    for key, node in _pairs(_tabs(_composed(text))):
        reader.tab(clean_name(key.value) if isinstance(key, yaml.ScalarNode) else "", node)
    return replace(reader.builder.finish("", (*notes, *reader.notes), tuple(reader.tabs)), updates=True)


def _composed(text: str) -> yaml.Node | None:
    if len(text) > MAX_YAML_CHARACTERS:
        raise ImportFileError(
            _("The file is larger than %(n)s MiB. Split it and try again.") % {"n": MAX_YAML_CHARACTERS // 1024**2}
        )
    try:
        _check_size(text)
        return yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        values = {"problem": error.problem or _("it is malformed")}
        if error.problem_mark is None:
            raise ImportFileError(_("This YAML cannot be read: %(problem)s.") % values) from error
        values["line"] = str(error.problem_mark.line + 1)
        raise ImportFileError(
            _("Line %(line)s of this YAML cannot be read. The parser says: %(problem)s.") % values
        ) from error
    except yaml.YAMLError as error:
        raise ImportFileError(
            _("This YAML cannot be read: it contains characters that YAML does not allow.")
        ) from error


def _check_size(text: str) -> None:
    """Reject nesting that would exhaust the stack when composed, and too many values; parsing to events is safe."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        if count > MAX_VALUES:
            raise ImportFileError(_("The file contains more than %(n)s values.") % {"n": format_number(MAX_VALUES)})
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise ImportFileError(_("This YAML is nested deeper than %(n)s levels.") % {"n": MAX_DEPTH})
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _tabs(root: yaml.Node | None) -> yaml.MappingNode:
    tabs = _fields(root).get("tabs") if isinstance(root, yaml.MappingNode) else None
    if not isinstance(tabs, yaml.MappingNode):
        raise ImportFileError(_("This is not a feeds.yaml: it has no `tabs` with sources."))
    return tabs


def _pairs(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    pairs: list[tuple[yaml.Node, yaml.Node]] = node.value
    return pairs


def _fields(node: yaml.MappingNode) -> _Fields:
    """Return the fields of a mapping; its own take precedence over those merged by `<<`."""
    fields: _Fields = {}
    pending, n_read = [node], 0
    while pending and n_read < MAX_MERGES:
        current, n_read = pending.pop(0), n_read + 1
        own = {key.value: value for key, value in _pairs(current) if isinstance(key, yaml.ScalarNode)}
        merged = own.pop("<<", None)
        candidates = merged.value if isinstance(merged, yaml.SequenceNode) else [merged]
        pending += [candidate for candidate in candidates if isinstance(candidate, yaml.MappingNode)]
        fields = {**own, **fields}
    return fields


def _text(fields: _Fields, *names: str) -> str:
    """Return the first of these fields that has text, else ""."""
    for name in names:
        node = fields.get(name)
        if isinstance(node, yaml.ScalarNode) and (node.style or node.value not in _ABSENT):
            return str(node.value).strip()
    return ""


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


class _Reader:
    """Collects tabs and sources in order."""

    def __init__(self) -> None:
        self.builder = SubscriptionListBuilder()
        self.tabs: list[TabSettings] = []
        self.notes: list[str] = []
        self._sources = 0

    def tab(self, key: str, node: yaml.Node) -> None:
        """Read one tab; one that is not a mapping is skipped."""
        if not isinstance(node, yaml.MappingNode):
            self.builder.refuse(_line(node), key, _("this tab has no settings and no sources"))
            return
        fields = _fields(node)
        limit = self._limit(fields, "max_items_per_feed")
        settings = TabSettings(
            name=clean_name(_text(fields, "name")) or key,
            key=key,
            language=primary_language(_text(fields, "language")) or _language_of_key(key),
            item_limit_per_category=self._limit(fields, "item_limit_per_category"),
            max_items_per_feed=DEFAULT_MAX_ITEMS_PER_FEED if limit is None else limit,
        )
        self.tabs.append(settings)
        for source in self._sources_of(fields, key, node):
            self._source(source, settings)

    def _sources_of(self, fields: _Fields, key: str, tab: yaml.Node) -> Iterator[yaml.Node]:
        sources = fields.get("sources")
        if not isinstance(sources, yaml.SequenceNode):
            self.builder.refuse(_line(sources or tab), key, _("this tab has no list of sources"))
            return
        for source in sources.value:
            self._sources += 1
            if self._sources > MAX_SOURCES:
                raise ImportFileError(
                    _("The file contains more than %(n)s sources.") % {"n": format_number(MAX_SOURCES)}
                )
            yield source

    def _source(self, node: yaml.Node, tab: TabSettings) -> None:
        fields: _Fields = {"url": node}
        if isinstance(node, yaml.MappingNode):
            fields = _fields(node)
        url, name = _text(fields, "url"), clean_name(_text(fields, "source_name", "name"))
        if not url:
            self.builder.refuse(_line(node), name or clean_name(_text(fields, "category")), _("this source has no url"))
            return
        feed = ListedFeed(
            url=url,
            title=name,
            folder=(tab.name,) if tab.name else (),
            language=primary_language(_text(fields, "language")) or tab.language,
            category=_text(fields, "category"),
            max_items=tab.max_items_per_feed,
            source_name=name,
        )
        self.builder.add(feed, line=_line(node))

    def _limit(self, fields: _Fields, name: str) -> int | None:
        """Return a positive whole number, None when absent; an invalid value is noted and ignored."""
        text = _text(fields, name)
        if not text:
            return None
        if re.fullmatch(r"[0-9]{1,6}", text) and int(text) in _LIMIT_RANGE:
            return int(text)
        self.notes.append(
            _("%(name)s on line %(line)s is not a number from 1 to %(most)s.")
            % {"name": name, "line": _line(fields[name]), "most": format_number(_LIMIT_RANGE[-1])}
        )
        return None


def _language_of_key(key: str) -> str:
    match = _KEY_LANGUAGE.fullmatch(key.lower())
    return match[1] if match and match[1] in _LANGUAGES else ""
