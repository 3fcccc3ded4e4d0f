"""Reads well-formed XML with expat into feedparser's handlers.

Used instead of `feedparser.parse` and `xml.sax`: it avoids recoding the document twice, takes two thirds of the time,
identifies elements by namespace URI alone, and detects truncated documents. Prefixes mean nothing here. Namespaces that
feedparser knows are also recognized with https or without the final slash.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

from feeds.parsing.feedparser_handlers import READER_FAILURES, StrictReader, TooManyElements

_INLINE_MARKUP = ("http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML")
_INLINE_ROOTS = frozenset({f"{_INLINE_MARKUP[0]} svg", f"{_INLINE_MARKUP[1]} math"})
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


def read_strictly(text: str, is_out_of_time: Callable[[], bool] = lambda: False) -> StrictReading:
    """Read the document from its root element to its end or the first error.

    Relative links stay relative, except to xml:base. `is_out_of_time` is called now and then.
    """
    reader = StrictReader("", None, "utf-8")
    reader.is_out_of_time = is_out_of_time
    parser = expat.ParserCreate("utf-8", " ")
    names = _Names(reader)
    parser.namespace_prefixes = True
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    parser.StartNamespaceDeclHandler = reader.startPrefixMapping
    parser.CharacterDataHandler = reader.handle_data
    parser.StartElementHandler = _start_handler(reader, names)
    parser.EndElementHandler = _end_handler(reader, names)
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        return StrictReading(reader, "cut off" if error.code in _CUT_OFF else str(error))
    except TooManyElements:
        return StrictReading(reader, "too long")
    except READER_FAILURES as error:
        return StrictReading(reader, f"not understood: {error!r}")
    return StrictReading(reader)


def is_well_formed(text: str) -> bool:
    """Whether the document is well-formed from its root element on; 70 times faster than reading it."""
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError:
        return False
    return True


def _start_handler(reader: StrictReader, names: "_Names") -> Callable[[str, dict[str, str]], None]:
    tag_of, attribute_of, start = names.tag, names.attribute, reader.unknown_starttag

    def on_start(name: str, attributes: dict[str, str]) -> None:
        attrs = [(attribute_of(key), value) for key, value in attributes.items()]
        if name in _INLINE_ROOTS:
            attrs.append(("xmlns", _split(name)[0]))
        start(tag_of(name), attrs)

    return on_start


def _end_handler(reader: StrictReader, names: "_Names") -> Callable[[str], None]:
    tag_of, end = names.tag, reader.unknown_endtag

    def on_end(name: str) -> None:
        end(tag_of(name))

    return on_end


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


_PREFIXES: dict[str, str] = {_plain(uri): prefix for uri, prefix in StrictReader.namespaces.items()}
"""Namespace → prefix in the names of feedparser's handlers; "" for the feed's own elements."""
