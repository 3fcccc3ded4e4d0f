"""Counts the characters of words that a feed's source holds for each entry, without any part of our pipeline.

XML is read by libxml2, JSON by the standard library, markup by `html.parser`. What the sanitizer has to remove (code,
frames, controls, drawings, hidden text) doesn't count, nor do tags. The characters of all words are counted, not words:
where tags separate words is a matter of display.
"""

import gzip
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from lxml import etree

Words = Counter[str]
"""Character → how often it occurs in words."""

_REMOVED_NAMES = """
script style iframe object embed applet title textarea template svg select button noembed noframes head annotation
annotation-xml
"""
_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr frame"
_REMOVED, _VOID = frozenset(_REMOVED_NAMES.split()), frozenset(_VOID_NAMES.split())
_WORD = re.compile(r"[^\W_]+")
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|max-height\s*:\s*0", re.IGNORECASE)
_BODIES = frozenset({"encoded", "description", "summary", "content", "body", "fullitem", "full-text"})
_NOT_BODIES = frozenset({"media", "szf"})
"""Prefixes of elements that describe something else."""
_CONTENT = "{http://purl.org/rss/1.0/modules/content/}"


class _Text(HTMLParser):
    """The text of markup that a reader should see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._open: list[str] = []  # removed elements, and what is open in them

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_hidden = "hidden" in values or bool(_HIDING.search(values.get("style") or ""))
        if tag not in _VOID and (self._open or tag in _REMOVED or is_hidden):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Do nothing: authors who write XHTML close an element so."""

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._open:
            self.parts.append(data)

    def unknown_decl(self, data: str) -> None:
        if data.startswith("CDATA["):
            inner = _Text()
            inner.feed(data.removeprefix("CDATA["))
            inner.close()
            self.parts += inner.parts


def words_of_text(text: str) -> Words:
    return Counter("".join(_WORD.findall(text)))


def words_of_markup(markup: str) -> Words:
    reader = _Text()
    reader.feed(markup)
    reader.close()
    return words_of_text("".join(reader.parts))


def lost(source: Words, shown: Words) -> int:
    """How many characters of the source are not shown."""
    return (source - shown).total()


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file below a folder, and of the files in its archives."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if tarfile.is_tarfile(path):
            with tarfile.open(path) as archive:
                for member in archive:
                    if (file := archive.extractfile(member)) is not None:
                        yield f"{path.name}/{member.name}", file.read()
        elif content.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(content)) as file:
                yield path.name, file.read()
        else:
            yield str(path.relative_to(folder)), content


def entries(content: bytes) -> list[list[Words]] | None:
    """The words of each body of each entry of a feed; None if the document can't be read."""
    try:
        return [_json_bodies(item) for item in json.loads(content, strict=False)["items"] if isinstance(item, dict)]
    except (ValueError, KeyError, TypeError, UnicodeError):
        pass
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.LxmlError, ValueError):
        return None
    found = root.iter("{*}item", "{*}entry", "{*}ITEM")
    return [_xml_bodies(entry) for entry in found if not entry.tag.startswith(_CONTENT)]


def _json_bodies(item: dict[str, Any]) -> list[Words]:
    texts = {key: item.get(key) for key in ("content_html", "content_text", "summary")}
    return [
        words_of_markup(text) if key == "content_html" else words_of_text(text)
        for key, text in texts.items()
        if isinstance(text, str)
    ]


def _xml_bodies(entry: Any) -> list[Words]:
    return [
        _words(element, is_atom=etree.QName(entry).localname == "entry")
        for element in entry
        if isinstance(element.tag, str) and etree.QName(element).localname.lower() in _BODIES
        if (element.prefix or "") not in _NOT_BODIES and "base64" not in (element.get("mode") or "")
    ]


def _words(element: Any, *, is_atom: bool) -> Words:
    kind = (element.get("type") or "").lower()
    if len(element):
        inner = escape(element.text or "", quote=False)
        return words_of_markup(inner + "".join(etree.tostring(child, encoding="unicode") for child in element))
    if is_atom and kind in ("", "text", "text/plain"):
        return words_of_text(unescape(element.text or ""))
    if kind.startswith(("image/", "application/octet-stream")):
        return Words()
    return words_of_markup(element.text or "")
