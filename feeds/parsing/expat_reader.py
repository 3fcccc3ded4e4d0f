"""Reads well-formed XML with expat into feedparser's handlers.

Used instead of `feedparser.parse` and `xml.sax`: it avoids recoding the document twice, takes a quarter of the time
(plain elements of entries skip the handlers: `plain_elements`), identifies elements by namespace URI alone, and detects
truncated documents. Prefixes mean nothing here. Namespaces that feedparser knows are also recognized with https or
without the final slash.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

from feeds.parsing.feedparser_handlers import (
    MAX_ATTRIBUTES,
    READER_FAILURES,
    StrictReader,
    TooManyElements,
    outer_base,
)
from feeds.parsing.plain_elements import (
    OpenEntry,
    PlainElement,
    close_author,
    element_named,
    open_author,
    open_entry,
)

_INLINE_MARKUP = ("http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML")
_INLINE_ROOTS = frozenset({f"{_INLINE_MARKUP[0]} svg", f"{_INLINE_MARKUP[1]} math"})
_MAX_NAMES = 1000  # of elements that are remembered; real documents have a few dozen
_CUT_OFF = frozenset(
    {
        expat.errors.codes[message]
        for message in (
            expat.errors.XML_ERROR_NO_ELEMENTS,
            expat.errors.XML_ERROR_UNCLOSED_TOKEN,
            expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
            expat.errors.XML_ERROR_PARTIAL_CHAR,
        )
    }
)


@dataclass(frozen=True, slots=True)
class StrictReading:
    """A reader with its results, and what stopped it: "" (nothing), "cut off" (the end of the document is missing),
    "too long" (too many elements or out of time), else why the document is not well-formed or not understood."""

    reader: Any  # StrictReader: feedparser is not typed
    stopped_by: str = ""


def read_strictly(text: str, is_out_of_time: Callable[[], bool] = lambda: False, *, url: str = "") -> StrictReading:
    """Read the document from its root element to its end or the first error.

    Links are resolved against xml:base and `url`; in a document without xml:base, relative ones stay relative.
    `is_out_of_time` is called now and then.
    """
    reader = StrictReader(outer_base(text, url), None, "utf-8")
    reader.is_out_of_time = is_out_of_time
    events = _Events(reader)
    parser = expat.ParserCreate("utf-8", " ")
    parser.namespace_prefixes = True
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    parser.StartNamespaceDeclHandler = events.on_namespace
    parser.CharacterDataHandler = events.on_text
    parser.StartElementHandler = events.on_start
    parser.EndElementHandler = events.on_end
    try:
        _parse(parser, text, events)
    except expat.ExpatError as error:
        return StrictReading(reader, "cut off" if error.code in _CUT_OFF else str(error))
    except TooManyElements:
        return StrictReading(reader, "too long")
    except READER_FAILURES as error:
        return StrictReading(reader, f"not understood: {error!r}")
    return StrictReading(reader)


def _parse(parser: expat.XMLParserType, text: str, events: "_Events") -> None:
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError:
        events.pass_on()
        raise


def is_well_formed(text: str) -> bool:
    """Whether the document is well-formed from its root element on; 70 times faster than reading it."""
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError:
        return False
    return True


class _Events:
    """Takes expat's events to feedparser's handlers, except those of plain elements in entries.

    In an entry, each start tag is held back until the next event. If that is its end tag and the element is plain,
    `plain_elements` reads it. Otherwise the handlers get all events as they came.
    """

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._names = _Names(reader)
        self._elements: dict[str, PlainElement | None] = {}  # by expat's names
        self._texts: list[str] = []  # since the last tag
        self._held: tuple[PlainElement, str, dict[str, str], dict[str, str]] | None = None
        self._entry: OpenEntry | None = None  # if its elements can be plain now
        self._author: tuple[OpenEntry, OpenEntry] | None = None  # the entry, and the same in its open author
        self.on_text = self._texts.append

    def on_namespace(self, prefix: str | None, uri: str | None) -> None:
        self.pass_on()  # the next start tag's; the one held back had the namespaces of before
        standard_prefixes = self._reader.namespacemap
        before = standard_prefixes.get(prefix)
        self._reader.startPrefixMapping(prefix, uri)
        if standard_prefixes.get(prefix) != before:
            self._elements.clear()

    def on_start(self, name: str, attributes: dict[str, str]) -> None:
        if self._texts or self._held:
            self.pass_on()
        entry = self._entry
        if entry is not None and len(attributes) < MAX_ATTRIBUTES and not self._reader.is_limit_near():
            element = self._elements[name] if name in self._elements else self._find_element(name)
            if element is not None and element.is_in_author is entry.is_in_author:
                plain_attributes = self._plain_attributes(attributes) if attributes else {}
                if not attributes or plain_attributes.keys() <= element.attributes:
                    self._held = element, name, attributes, plain_attributes
                    return
        self._start(name, attributes)

    def on_end(self, name: str) -> None:
        held, entry, texts = self._held, self._entry, self._texts
        if held is not None and entry is not None:
            element, _, _, attributes = held
            if element.read(entry, texts[0] if len(texts) == 1 else "".join(texts), attributes):
                self._held = None
                texts.clear()
                self._reader.n_elements += 1
                if attributes and "xml:base" in attributes:
                    self._entry = open_entry(self._reader)
                return
        if texts or held:
            self.pass_on()
        if self._author is not None and self._entry is self._author[1]:
            close_author(*self._author)
            self._entry, self._author = self._author[0], None
            return
        self._reader.unknown_endtag(self._names.tag(name))
        self._entry = open_entry(self._reader)

    def pass_on(self) -> None:
        """Give the handlers what was held back."""
        held, self._held = self._held, None
        if held is not None and not self._open_author(held[0]):
            self._start(held[1], held[2])
        if self._entry is not None:
            self._reader.elementstack[-1][2].extend(self._texts)
        else:
            for text in self._texts:
                self._reader.handle_data(text)
        self._texts.clear()

    def _open_author(self, element: PlainElement) -> bool:
        entry = self._entry
        author = open_author(entry) if entry is not None and element.is_author else None
        if entry is None or author is None:
            return False
        self._entry, self._author = author, (entry, author)
        return True

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        named = [(self._names.attribute(key), value) for key, value in attributes.items()]
        if name in _INLINE_ROOTS:
            named.append(("xmlns", _split(name)[0]))
        self._reader.unknown_starttag(self._names.tag(name), named)
        self._entry = open_entry(self._reader)

    def _plain_attributes(self, attributes: dict[str, str]) -> dict[str, str]:
        """Return the attributes as feedparser's handlers take them; all of them, as plain elements have few."""
        name_of = self._names.attribute
        named = {name_of(key): value for key, value in attributes.items()}
        for key in ("rel", "type"):
            if key in named:
                named[key] = named[key].lower()
        return named

    def _find_element(self, name: str) -> PlainElement | None:
        if len(self._elements) >= _MAX_NAMES:
            self._elements.clear()
        element = self._elements[name] = element_named(self._reader, self._names.tag(name))
        return element


class _Names:
    """Maps expat's names ("uri local prefix") to those of feedparser's handlers ("dc:creator", "title").

    Elements in the root's namespace or in its default namespace, whatever these are, are the feed's own. Those in other
    unknown namespaces keep their prefix, unless feedparser uses it for something else.
    """

    def __init__(self, reader: StrictReader) -> None:
        self._namespaces_in_use = reader.namespaces_in_use
        self._own_uris: frozenset[str] | None = None
        self._tags: dict[str, str] = {}
        self._attributes: dict[str, str] = {}

    def tag(self, name: str) -> str:
        known = self._tags.get(name)
        if known is not None:
            return known
        uri, local, prefix = _split(name)
        if self._own_uris is None:
            self._own_uris = frozenset({uri, self._namespaces_in_use.get("", uri)})
        tag = self._qualified(uri, local, prefix)
        self._tags[name] = tag
        return tag

    def attribute(self, name: str) -> str:
        known = self._attributes.get(name)
        if known is None:
            uri, local, prefix = _split(name)
            ours = _PREFIXES.get(_plain(uri), prefix) if uri else ""
            known = self._attributes[name] = f"{ours}:{local}".lower() if ours else local.lower()
        return known

    def _qualified(self, uri: str, local: str, prefix: str) -> str:
        local = local.lower()
        if not uri or uri in _INLINE_MARKUP:
            return local
        ours = _PREFIXES.get(_plain(uri))
        if ours is None and "backend.userland.com/rss" in uri:
            ours = ""
        if ours is not None:
            return f"{ours.lower()}:{local}" if ours else local
        if self._own_uris is not None and uri in self._own_uris:
            return local
        return f"{'x-' if prefix in _PREFIXES.values() else ''}{prefix.lower()}:{local}"


def _split(name: str) -> tuple[str, str, str]:
    parts = name.split(" ")
    if len(parts) == 1:
        return "", name, ""
    return parts[0], parts[1], parts[2] if len(parts) == 3 else ""


def _plain(uri: str) -> str:
    """Normalize a namespace for comparison: publishers get case, https and a final slash or hash wrong."""
    return uri.strip().lower().replace("https://", "http://", 1).rstrip("/#")


_PODCASTING = (
    "https://podcastindex.org/namespace/1.0",
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
)
_PREFIXES: dict[str, str] = {
    _plain(uri): prefix
    for uri, prefix in (*StrictReader.namespaces.items(), *((uri, "podcast") for uri in _PODCASTING))
}
"""Namespace → prefix in the names of feedparser's handlers; "" for the feed's own elements."""
