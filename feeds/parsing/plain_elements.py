"""Reads plain elements of entries as feedparser's handlers do, in a third of the time.

Nearly all elements of real entries (95 %) are plain: they have text only, and no attributes but the usual ones. What
feedparser stores for such an element is simple; its handlers take some 200 steps to get there. For the elements in the
table below, functions here store the same. Elements that feedparser doesn't know are stored under their names, as
feedparser does. Everything else stays with its handlers: elements with children, unusual attributes or types, and all
elements while the handlers are in a state that `open_entry` doesn't accept (in XHTML, in an image, in a source).

The functions leave feedparser's state exactly as its handlers would, oddities included, so plain and other elements can
follow each other in any order. `test_plain_elements.py` compares both ways over real, broken and random feeds.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from feedparser.datetimes import _parse_date
from feedparser.html import _cp1252
from feedparser.urls import _urljoin, make_safe_absolute_uri

from feeds.parsing.feedparser_handlers import (
    MAX_CATEGORIES,
    MAX_DEPTH,
    MAX_URL,
    Attributes,
    StrictReader,
    list_of_texts,
    note_media_text,
    open_media_file,
    place_file,
)

_WINDOWS_1252 = re.compile("[\x80-\x9f]")
_REFERENCE = re.compile(r"&([A-Za-z0-9_]+);")
_TEXT_TYPES = {
    **dict.fromkeys(("text", "plain", "text/plain"), "text/plain"),
    **dict.fromkeys(("html", "text/html"), "text/html"),
}
_PAGE_TYPES = frozenset({"html", "text/html", "xhtml", "application/xhtml+xml"})


@dataclass(slots=True)
class OpenEntry:
    """The entry being read: `reader` are feedparser's handlers with their state, `values` is its dictionary.

    `depth` is that of the elements to be read; `depths` holds for each value the depth of the element it came from.
    """

    reader: Any
    values: dict[str, Any]
    depth: int
    depths: dict[str, int]
    is_in_author: bool
    last_date: tuple[str, Any] = ("", None)  # entries often have the same date twice

    def is_outermost(self, key: str) -> bool:
        """Whether no element further out had a value for the key so far; remembers that this one has."""
        known_depth = self.depths.get(key)
        if known_depth is not None and self.depth > known_depth:
            return False
        self.depths[key] = self.depth
        return True

    def store(self, key: str, text: str) -> None:
        if self.is_outermost(key):
            dict.__setitem__(self.values, key, text)

    def is_in(self, name: str) -> bool:
        """Whether the innermost open element has this name; feedparser ends it with an inner one that has no text."""
        return bool(self.reader.elementstack[-1][0] == name)

    def text_parameters(self, content_type: str, text: str) -> dict[str, Any]:
        """Return what feedparser stores beside a text."""
        reader = self.reader
        language = reader.lang.replace("_", "-") if reader.lang else reader.lang
        return {"type": content_type, "language": language, "base": reader.baseuri, "value": text}

    def list_of(self, key: str) -> list[Any] | None:
        """Return the list under the key, perhaps new; None if an unknown element of that name left something else."""
        items = dict.get(self.values, key)
        if items is None:
            dict.__setitem__(self.values, key, items := [])
        return items if isinstance(items, list) else None


def open_entry(reader: Any) -> OpenEntry | None:
    """Return the entry being read, if elements in it can be plain now; None if not.

    They can be if feedparser's handlers are in no special state (in markup, an image, a contributor), and if their
    xml:base and xml:lang would be the same before and after an element. Open elements around don't matter otherwise:
    handlers know nothing of them but the depth.
    """
    if not reader.inentry or reader.incontent or reader.contentparams:
        return None
    is_elsewhere = reader.insource or reader.inimage or reader.intextinput or reader.inpublisher or reader.incontributor
    if is_elsewhere or reader.svgOK or reader.depth + 2 >= MAX_DEPTH or not reader.elementstack:
        return None
    base = reader.baseuri
    if reader.lang != reader.langstack[-1] or reader.basestack[-1] not in ("", base) or not _is_settled(base):
        return None
    values = reader.entries[-1]
    depths = reader.property_depth_map.setdefault(values, {})
    return OpenEntry(reader, values, reader.depth + 1, depths, bool(reader.inauthor))


@lru_cache(maxsize=64)
def _is_settled(base: str) -> bool:
    """Whether the base stays as it is when feedparser resolves it against itself, which it does at each element."""
    return not base or (len(base) <= MAX_URL and (make_safe_absolute_uri(base, base) or base) == base)


def element_named(reader: Any, tag: str) -> "PlainElement | None":
    """Return how elements with this tag (`dc:creator`) are read; None if only feedparser's handlers know."""
    prefix, colon, local = tag.partition(":")
    if not colon:
        prefix, local = "", tag
    prefix = reader.namespacemap.get(prefix, prefix)
    key = f"{prefix}_{local}" if prefix else local
    if key in _ELEMENTS:
        return _ELEMENTS[key]
    has_method = hasattr(StrictReader, f"_start_{key}") or hasattr(StrictReader, f"_end_{key}")
    return None if has_method else PlainElement(_unknown(key))


_Read = Callable[[OpenEntry, str, Attributes], bool]
"""Stores an element with this text and these attributes. False: it isn't plain, and nothing was stored."""


@dataclass(frozen=True, slots=True)
class PlainElement:
    """How an element is read, which attributes it may have to be plain, and whether it belongs in an author."""

    read: _Read
    attributes: frozenset[str] = field(default=frozenset())
    is_in_author: bool = False
    is_author: bool = False  # may have such elements, too


def _clean(text: str) -> str:
    """Undo double UTF-8 and replace control characters meant as Windows-1252, as feedparser does in every text."""
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("latin-1").decode("utf-8")
    return text.translate(_cp1252) if _WINDOWS_1252.search(text) else text


def _resolved(reader: Any, url: str) -> str:
    """Resolve the URL against xml:base, if there is one."""
    if not url or (not reader.baseuri and ":///" not in url):
        return url
    return str(reader.resolve_uri(url))


def _value(key: str) -> _Read:
    def read(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        entry.store(key, _clean(text.strip()))
        return True

    return read


def _unknown(key: str) -> _Read:
    """An element without a method. feedparser may store it under another key, and some as a URL."""
    is_url = key in StrictReader.can_be_relative_uri

    def read(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        text = text.strip()
        text = _clean(_resolved(entry.reader, text) if is_url else text)
        if entry.is_outermost(key):
            entry.values[key] = text
        return True

    return read


def _date(key: str, mark: str = "") -> _Read:
    parsed_key = f"{key}_parsed"

    def read(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        text = _clean(text.strip())
        if mark:
            dict.__setitem__(entry.values, mark, True)
        entry.store(key, text)
        if text != entry.last_date[0]:
            entry.last_date = text, _parse_date(text)
        dict.__setitem__(entry.values, parsed_key, entry.last_date[1])
        return True

    return read


def _text(key: str, default_type: str, *, is_listed: bool = True) -> _Read:
    detail_key, list_key = f"{key}_detail", list_of_texts(key)

    def read(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        text = text.strip()
        content_type = _content_type(entry, text, attributes, default_type)
        if not content_type:
            return False
        text = _clean(text)
        entry.store(key, text)
        dict.__setitem__(entry.values, detail_key, entry.text_parameters(content_type, text))
        texts = entry.list_of(list_key) if text and is_listed else None
        if texts is not None:
            texts.append({"value": text, "type": content_type, "base": entry.reader.baseuri, "depth": entry.depth})
        return True

    return read


_read_media_description = _text("#media_description", "text/plain", is_listed=False)


def _media_description(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    is_plain = _read_media_description(entry, text, attributes)
    if is_plain:
        note_media_text(entry.reader, entry.values, _clean(text.strip()))
    return is_plain


def _content_type(entry: OpenEntry, text: str, attributes: Attributes, default_type: str) -> str:
    """Return text/plain or text/html, which feedparser recognizes by itself in RSS; "" for any other type."""
    content_type = _TEXT_TYPES.get(attributes.get("type", default_type), "")
    reader = entry.reader
    if content_type == "text/plain" and not reader.version.startswith("atom") and reader.looks_like_html(text):
        return "text/html"
    return content_type


def _title(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    """The first title with text counts."""
    content_type = _TEXT_TYPES.get(attributes.get("type", "text"), "")
    if not content_type:
        return False
    text = _clean(text.strip())
    if not -1 < entry.reader.title_depth <= entry.depth:
        entry.store("title", text)
        dict.__setitem__(entry.values, "title_detail", entry.text_parameters(content_type, text))
    if text:
        entry.reader.title_depth = entry.depth
    return True


def _media_title(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    """A title that counts until a real one comes."""
    title_depth = entry.reader.title_depth
    is_plain = _title(entry, text, attributes)
    entry.reader.title_depth = title_depth
    return is_plain


def _content(default_type: str, *, is_encoded: bool) -> _Read:
    def read(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        text = text.strip()
        content_type = _content_type(entry, text, attributes, default_type)
        contents = entry.list_of("content") if content_type else None
        if contents is None:
            return False
        parameters = entry.text_parameters(content_type, _clean(text))
        if is_encoded:
            parameters["encoded"] = True
        else:
            entry.reader.elementstack.append(["content", 1, []])  # feedparser opens it twice and closes it once
        contents.append(parameters)
        entry.reader.hasContent = 1
        return True

    return read


def _link(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    """An RSS link, whose text is the URL, or an Atom link, which has no text."""
    is_atom = bool(attributes)
    is_plain = not is_atom or (not text and attributes.get("href") and not entry.is_in("link"))
    links = entry.list_of("links") if is_plain else None
    if links is None:
        return False
    link = {"rel": "alternate", **attributes}
    link.setdefault("type", "application/atom+xml" if link["rel"] == "self" else "text/html")
    links.append(link)
    url = _resolved(entry.reader, link["href"] if is_atom else text.strip())
    if not is_atom:
        url = _clean(url)
        if "&" in url:
            url = _REFERENCE.sub(r"&\g<1>", url.replace("&amp;", "&"))
    if url or is_atom:
        link["href"] = url
    if not is_atom or (link["rel"] == "alternate" and link["type"] in _PAGE_TYPES):
        dict.__setitem__(entry.values, "link", url)
    return True


def _in_context(read: _Read) -> _Read:
    """Return a function for elements that may have an xml:base and xml:lang of their own."""

    def read_in_context(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        if "xml:base" not in attributes and "xml:lang" not in attributes:
            return read(entry, text, attributes)
        reader = entry.reader
        before = reader.baseuri, reader.lang
        base = attributes.get("xml:base") or reader.baseuri
        if reader.baseuri:
            reader.baseuri = make_safe_absolute_uri(reader.baseuri, base) or reader.baseuri
        else:
            reader.baseuri = _urljoin("", base)
        reader.lang = attributes.get("xml:lang", reader.lang) or None
        is_plain = read(entry, text, attributes)
        if not is_plain:
            reader.baseuri, reader.lang = before
            return False
        reader.lang = reader.langstack[-1]
        reader.baseuri = (
            reader.basestack[-1] or reader.baseuri
        )  # feedparser keeps an element's base where there is no outer one
        return True

    return read_in_context


def _guid(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    is_link = attributes.get("ispermalink", "true").strip().lower() == "true"
    entry.reader.guidislink = is_link
    text = text.strip()
    entry.store("id", _clean(_resolved(entry.reader, text) if is_link else text))
    return True


def _id(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    entry.reader.guidislink = False
    entry.store("id", _clean(text.strip()))
    return True


def _creator(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    text = _clean(text.strip())
    names = entry.list_of("#dc_creators") if text else []
    if names is None:
        return False
    entry.store("#dc_creator", text)
    if text:
        names.append(text)
    return True


def _author(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    """An author whose name is the element's text."""
    authors = entry.list_of("authors")
    if authors is None:
        return False
    text = _clean(text.strip())
    entry.store("author", text)
    authors.append({"name": text} if text else {})
    return True


def open_author(entry: OpenEntry) -> OpenEntry | None:
    """Open an author with a name of its own, as its handler would; None if it can't be plain."""
    authors = entry.list_of("authors")
    if authors is None:
        return None
    authors.append({})
    reader = entry.reader
    reader.inauthor = 1
    reader.n_elements += 1
    reader.depth += 1
    reader.basestack.append(reader.baseuri)
    reader.langstack.append(reader.lang)
    reader.elementstack.append(["author", 1, []])
    return OpenEntry(reader, entry.values, entry.depth + 1, entry.depths, is_in_author=True)


def close_author(entry: OpenEntry, author: OpenEntry) -> None:
    """Close what `open_author` opened, when plain elements, at least one, were all in it: its name isn't its text."""
    reader = entry.reader
    entry.store("author", _clean("".join(reader.elementstack.pop()[2]).strip()))
    reader.basestack.pop()
    reader.langstack.pop()
    reader.inauthor = 0
    reader.depth -= 1


def _part_of_author(key: str) -> _Read:
    def read(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        authors, detail = dict.get(entry.values, "authors"), dict.get(entry.values, "author_detail")
        if not isinstance(authors, list) or not authors or not isinstance(detail, dict | None):
            return False
        text = text.strip()
        if key == "href":
            text = _clean(_resolved(entry.reader, text))
            entry.store(key, text)
        if detail is None:
            dict.__setitem__(entry.values, "author_detail", detail := {})
        detail[key] = authors[-1][key] = text
        return True

    return read


def _category(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
    tags = entry.list_of("tags")
    if tags is None:
        return False
    term, label = attributes.get("term"), attributes.get("label")
    scheme = attributes.get("scheme", attributes.get("domain"))
    if term or scheme or label:
        _add_tag(tags, {"term": term, "scheme": scheme, "label": label})
    if text := _clean(text.strip()):
        if tags and not tags[-1]["term"]:
            tags[-1]["term"] = text
        else:
            _add_tag(tags, {"term": text, "scheme": None, "label": None})
    return True


def _add_tag(tags: list[dict[str, str | None]], tag: dict[str, str | None]) -> None:
    if len(tags) < MAX_CATEGORIES and tag not in tags:
        tags.append(tag)


def _file(name: str, key: str) -> _Read:
    def read(entry: OpenEntry, text: str, attributes: Attributes) -> bool:
        files = None if text or entry.is_in(name) else entry.list_of(key)
        if files is None:
            return False
        if key == "media_thumbnail" and entry.is_outermost("url"):
            entry.values["url"] = ""  # its text
        if key == "links":
            href = attributes.get("url", attributes.get("uri", attributes.get("href")))
            if href:
                attributes = {name: value for name, value in attributes.items() if name not in ("url", "uri")}
                attributes["href"] = href
            attributes = {**attributes, "rel": "enclosure"}
        if key == "media_content":
            open_media_file(entry.reader)
        place_file(entry.reader, attributes, "href" if key == "links" else "url")
        if key == "media_content":
            entry.reader.media_file = 0
        files.append(attributes)
        return True

    return read


_TYPE = frozenset({"type"})
_TYPE_AND_CONTEXT = frozenset({"type", "xml:base", "xml:lang"})
_LINK_ATTRIBUTES = frozenset({"rel", "type", "href", "title", "hreflang", "length", "thr:count"})
_CATEGORY_ATTRIBUTES = frozenset({"term", "scheme", "domain", "label"})
_FILE_ATTRIBUTES = frozenset(
    {"url", "type", "length", "medium", "height", "width", "filesize", "isdefault", "expression", "bitrate", "duration"}
)

_ELEMENTS = {
    "title": PlainElement(_in_context(_title), _TYPE_AND_CONTEXT),
    "link": PlainElement(_link, _LINK_ATTRIBUTES),
    "guid": PlainElement(_guid, frozenset({"ispermalink"})),
    "id": PlainElement(_id),
    "pubdate": PlainElement(_date("published", "#has_pubdate")),
    "published": PlainElement(_date("published")),
    "updated": PlainElement(_date("updated")),
    "dc_date": PlainElement(_value("#dc_date")),
    "dc_creator": PlainElement(_creator),
    "dc_language": PlainElement(_value("language")),
    "author": PlainElement(_author, is_author=True),
    "name": PlainElement(_part_of_author("name"), is_in_author=True),
    "email": PlainElement(_part_of_author("email"), is_in_author=True),
    "uri": PlainElement(_part_of_author("href"), is_in_author=True),
    "category": PlainElement(_category, _CATEGORY_ATTRIBUTES),
    "dc_subject": PlainElement(_category, _CATEGORY_ATTRIBUTES),
    "description": PlainElement(_in_context(_text("summary", "text/html")), _TYPE_AND_CONTEXT),
    "summary": PlainElement(_in_context(_text("#summary", "text/plain")), _TYPE_AND_CONTEXT),
    "itunes_summary": PlainElement(_text("#itunes_summary", "text/html"), _TYPE),
    "itunes_author": PlainElement(_value("#itunes_author")),
    "media_title": PlainElement(_media_title, _TYPE),
    "media_description": PlainElement(_media_description, _TYPE),
    "content_encoded": PlainElement(_in_context(_content("text/html", is_encoded=True)), _TYPE_AND_CONTEXT),
    "content": PlainElement(_in_context(_content("text/plain", is_encoded=False)), _TYPE_AND_CONTEXT),
    "enclosure": PlainElement(_file("enclosure", "links"), _FILE_ATTRIBUTES),
    "media_content": PlainElement(_file("media_content", "media_content"), _FILE_ATTRIBUTES),
    "media_thumbnail": PlainElement(_file("media_thumbnail", "media_thumbnail"), _FILE_ATTRIBUTES),
}
"""By the name of feedparser's method."""
