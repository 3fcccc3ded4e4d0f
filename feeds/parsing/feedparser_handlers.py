"""feedparser's element handlers, changed to keep elements apart as SPEC §5's priorities need, and to enforce limits.

feedparser stores elements of similar meaning under one key: `dc:creator`, `itunes:author` and `author` overwrite each
other, as do `dc:date` and `updated`, `description`, `summary` and `media:description`. To know where a value came from,
the handlers for these elements (feedparser's extension point: methods named after the element) are overridden to store
each under a key of its own. These keys begin with `#`, which no element name can.

Unneeded work is left out: parsing email addresses (with a regular expression that is quadratic in a hostile author
name), copying the body into the summary. Anything that could grow without limit is cut off: nesting, attributes,
categories, elements. Everything else is feedparser's.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import feedparser.api

from feeds.normalizing.domains import with_scheme

if TYPE_CHECKING:
    _Handlers = Any  # feedparser is not typed; its methods are inherited by the readers below
else:
    _Handlers = object

MAX_DEPTH = 200  # deeper elements lose their tags but keep their text; browsers stop at 512
MAX_ATTRIBUTES = 100  # of one element
MAX_ELEMENTS = 150_000  # of one document; the largest of 112 real feeds has 4,200
MAX_ENTRIES = 20_000  # of one document
MAX_CATEGORIES = 200  # of one entry
MAX_FILES = 200  # of one entry: enclosures, media, thumbnails and transcripts each
MAX_CHAPTERS = 500  # of one entry
_TIME_CHECK_ELEMENTS = 256  # between two checks of the time; they take a few milliseconds
MAX_URL = 8_000  # characters; longer URLs are not resolved

UNKNOWN_TYPE = "text/x-unknown"
"""Of a text whose declared type says nothing about it, such as `escaped`, `CDATA` or `text/x-textile`."""

_TYPES = {
    **dict.fromkeys(("", "text", "plain", "text/plain", "markdown", "text/markdown", "text/x-markdown"), "text/plain"),
    **dict.fromkeys(("html", "text/html", "application/html"), "text/html"),
}
_BINARY = ("image/", "audio/", "video/", "font/", "application/octet-stream", "application/pdf", "application/zip")

READER_FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that feedparser's handlers may raise for malformed documents."""

Attributes = dict[str, str]
_Start = Callable[[Any, Attributes], None]
_End = Callable[[Any], None]


def outer_base(text: str, url: str) -> str:
    """Return the base that the xml:base attributes of a document are relative to; "" if it has none.

    feedparser forgets to leave an element's xml:base where there is none around it.
    """
    return url if "xml:base" in text else ""


class TooManyElements(Exception):
    """The document has more than MAX_ELEMENTS or MAX_ENTRIES, or time is up; what was read so far is used."""


class Limits(_Handlers):
    """Enforces limits. The first base of a reader, before feedparser's classes."""

    n_elements = 0
    n_levels_cut = 0
    is_out_of_time: Callable[[], bool] = staticmethod(lambda: False)

    def is_limit_near(self) -> bool:
        """Whether the next element is one too many, or one at which the time is checked."""
        n_elements = self.n_elements + 1
        return n_elements > MAX_ELEMENTS or n_elements % _TIME_CHECK_ELEMENTS == 0

    def unknown_starttag(self, tag: str, attrs: list[tuple[str, str]]) -> None:
        """Called by both of feedparser's parsers for every start tag."""
        self.n_elements += 1
        if self.n_elements > MAX_ELEMENTS or (self.n_elements % _TIME_CHECK_ELEMENTS == 0 and self.is_out_of_time()):
            raise TooManyElements
        if self.depth >= MAX_DEPTH:
            self.n_levels_cut += 1
            return
        super().unknown_starttag(tag, self._with_absolute_base(attrs[:MAX_ATTRIBUTES]))
        if self.incontent and tag in ("div", "xhtml:div"):
            pieces = self.elementstack[-1][2]
            if len(pieces) <= 2 and not "".join(pieces[:-1]).strip():
                self.contentparams["base"] = self.baseuri  # of the element around a body, which feedparser removes

    def _with_absolute_base(self, attributes: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Resolve the xml:base of an element in a body, which outlives the elements around it."""
        if not self.incontent:
            return attributes
        return [(name, self.resolve_uri(value) if name == "xml:base" else value) for name, value in attributes]

    def unknown_endtag(self, tag: str) -> None:
        """Called by both of feedparser's parsers for every end tag."""
        if self.n_levels_cut:
            self.n_levels_cut -= 1
            return
        super().unknown_endtag(tag)

    def _add_tag(self, term: str | None, scheme: str | None, label: str | None) -> None:
        """Limit the number of categories, because feedparser compares each with all others."""
        tags = self._get_context().get("tags")
        if not isinstance(tags, list) or len(tags) < MAX_CATEGORIES:
            super()._add_tag(term, scheme, label)


class _ContentParameters(feedparser.FeedParserDict):
    """feedparser's state for the current text, without its slow aliases for keys, none of which is used here; copied
    flat where feedparser makes deep copies."""

    __getitem__ = dict.__getitem__
    __setitem__ = dict.__setitem__
    __contains__ = dict.__contains__
    get = dict.get

    def __deepcopy__(self, memo: dict[int, Any]) -> "_ContentParameters":
        return _ContentParameters(self)


def _content_type(declared: str) -> str:
    """Return text/plain, text/html, application/xhtml+xml, the type of a file, or UNKNOWN_TYPE.

    feedparser reads a text of any other type as base64, and elements in it as elements of the feed.
    """
    name = declared.partition(";")[0].strip().lower()
    if name in _TYPES:
        return _TYPES[name]
    if is_binary(name) and not name.endswith("xml"):
        return name
    return "application/xhtml+xml" if name == "xhtml" or name.endswith(("+xml", "/xml")) else UNKNOWN_TYPE


def list_of_texts(key: str) -> str:
    """Return the key of the list of all texts that were stored under `key`, each with its type and depth."""
    return f"#all_{key}"


def is_binary(content_type: str) -> bool:
    """Whether an element of this type holds a file in base64."""
    return content_type.startswith(_BINARY)


def _value_handlers(key: str) -> tuple[_Start, _End]:
    """Return handlers that store an element's text under `key`."""

    def start(self: Any, attrs_d: Attributes) -> None:
        self.push(key, 1)

    def end(self: Any) -> None:
        self.pop(key)

    return start, end


def _list_handlers(key: str, list_key: str) -> tuple[_Start, _End]:
    """Return handlers that also append an element's text to the list under `list_key`."""

    def end(self: Any) -> None:
        if value := self.pop(key):
            self._get_context().setdefault(list_key, []).append(value)

    return _value_handlers(key)[0], end


def _text_handlers(key: str, content_type: str) -> tuple[_Start, _End]:
    """Return handlers that store an element's text, with its type and language, under `key`, and append it to a list.

    feedparser keeps the last of several elements of one name.
    """
    stored_key = "summary" if key == "description" else key

    def start(self: Any, attrs_d: Attributes) -> None:
        self.push_content(key, attrs_d, content_type, 1)

    def end(self: Any) -> None:
        value = self.pop_content(key)
        detail = dict.get(self.entries[-1], f"{stored_key}_detail") if self.inentry and not self.insource else None
        if value and isinstance(detail, dict):
            text = {"value": value, **{key: dict.get(detail, key) for key in ("type", "base")}, "depth": self.depth}
            self.entries[-1].setdefault(list_of_texts(stored_key), []).append(text)

    return start, end


def place_file(reader: Any, file: Attributes, url_key: str) -> None:
    """Resolve a file's URL against xml:base, and note the number of its Media RSS group."""
    if url := file.get(url_key):
        file[url_key] = reader.resolve_uri(url)
    if number := reader.media_group or reader.media_file:
        dict.__setitem__(file, "#group", number)


def open_media_file(reader: Any) -> None:
    """A file outside of groups is a group of its own, with the thumbnail and description in it."""
    if not reader.media_group:
        reader.n_media_groups += 1
        reader.media_file = reader.n_media_groups


def note_media_text(reader: Any, values: dict[str, Any], text: str | None) -> None:
    """Store a description under the number of its group, 0 for the entry's own."""
    if text:
        texts = dict.setdefault(values, "#media_texts", {})
        texts.setdefault(reader.media_group or reader.media_file, text)


class ElementHandlers(_Handlers):
    """Handlers of the elements whose origin matters. A base before feedparser's classes."""

    n_media_groups = 0  # in the entry
    media_group = 0  # the number of the media:group that is open
    media_file = 0  # the same for a media:content outside of groups

    resolve_relative_uris = False  # in markup: normalization does it, for lazy images too
    sanitize_html = False  # bleach does it when markup is first shown
    has_open_entry = False
    contentparams: Any

    def push_content(self, tag: str, attrs_d: Attributes, default_content_type: str, expecting_text: int) -> None:
        if "type" in attrs_d:
            attrs_d = {**attrs_d, "type": _content_type(attrs_d["type"])}
        super().push_content(tag, attrs_d, default_content_type, expecting_text)
        self.contentparams = _ContentParameters(self.contentparams)

    # Authors: #dc_creator, authors, #itunes_author, #managingeditor

    def _sync_author_detail(self, key: str = "author") -> None:
        """Do nothing: normalization extracts the name."""

    def _end_author(self) -> None:
        value = self.pop("author")
        self.inauthor = 0
        authors = self._get_context().get("authors")
        if value and isinstance(authors, list) and authors and not authors[-1]:
            authors[-1]["name"] = value

    _start_dc_creator, _end_dc_creator = _list_handlers("#dc_creator", "#dc_creators")
    _start_dc_author, _end_dc_author = _start_dc_creator, _end_dc_creator
    _start_itunes_author, _end_itunes_author = _value_handlers("#itunes_author")
    _start_managingeditor, _end_managingeditor = _value_handlers("#managingeditor")

    # Dates: #dc_date, published, updated; #has_pubdate: `published` is RSS's pubDate

    _start_dc_date, _end_dc_date = _value_handlers("#dc_date")

    def _start_pubdate(self, attrs_d: Attributes) -> None:
        self._get_context()["#has_pubdate"] = True
        self._start_published(attrs_d)

    # Bodies: content (with `encoded`), summary (RSS description), #summary, and substitutes

    def _start_content_encoded(self, attrs_d: Attributes) -> None:
        super()._start_content_encoded(attrs_d)
        self.contentparams["encoded"] = True

    def _end_content(self) -> None:
        self.pop_content("content")

    _end_body = _end_xhtml_body = _end_content_encoded = _end_fullitem = _end_rdf_value = _end_content

    def _start_rdf_value(self, attrs_d: Attributes) -> None:
        """The body of RSS 1.0's `content:item`."""
        self.push_content("content", attrs_d, "text/html", 1)

    _start_description, _end_description = _text_handlers("description", "text/html")
    _end_abstract = _end_description
    _start_summary, _end_summary = _text_handlers("#summary", "text/plain")
    _start_dc_description, _end_dc_description = _text_handlers("#dc_description", "text/html")
    _start_itunes_summary, _end_itunes_summary = _text_handlers("#itunes_summary", "text/html")
    _start_media_description = _text_handlers("#media_description", "text/plain")[0]

    def _end_media_description(self) -> None:
        note_media_text(self, self._get_context(), self.pop_content("#media_description"))

    # Identity

    def _start_guid(self, attrs_d: Attributes) -> None:
        self.guidislink = attrs_d.get("ispermalink", "true").strip().lower() == "true"
        self.push("id", 1)

    def _end_guid(self) -> None:
        self.pop("id")

    def _start_id(self, attrs_d: Attributes) -> None:
        self.guidislink = False  # an Atom id is a name and never resolved
        self.push("id", 1)

    def _end_id(self) -> None:
        self.pop("id")

    def resolve_uri(self, uri: str) -> str:
        """Resolve a URI against xml:base; called by feedparser for every link."""
        if len(uri) > MAX_URL:
            return uri
        return str(super().resolve_uri(with_scheme(uri) if self.baseuri else uri))

    # Files: links (enclosures), media_content, media_thumbnail, #media_texts, #transcripts, #chapters

    def _start_enclosure(self, attrs_d: Attributes) -> None:
        super()._start_enclosure(attrs_d)
        place_file(self, self._get_context()["links"][-1], "href")
        self.push("#enclosure", 0)

    def _end_enclosure(self) -> None:
        text, links = self.pop("#enclosure"), self._get_context().get("links")
        if text and isinstance(links, list) and links and not links[-1].get("href"):
            links[-1]["href"] = self.resolve_uri(text)

    def _start_media_group(self, attrs_d: Attributes) -> None:
        self.n_media_groups += 1
        self.media_group = self.n_media_groups

    def _end_media_group(self) -> None:
        self.media_group = 0

    def _start_media_content(self, attrs_d: Attributes) -> None:
        open_media_file(self)
        place_file(self, attrs_d, "url")
        super()._start_media_content(attrs_d)

    def _end_media_content(self) -> None:
        self.media_file = 0

    def _start_media_thumbnail(self, attrs_d: Attributes) -> None:
        place_file(self, attrs_d, "url")
        super()._start_media_thumbnail(attrs_d)

    def _start_itunes_image(self, attrs_d: Attributes) -> None:
        place_file(self, attrs_d, "href")
        super()._start_itunes_image(attrs_d)

    def _start_podcast_transcript(self, attrs_d: Attributes) -> None:
        self._add_to("#transcripts", attrs_d, most=MAX_FILES)

    def _start_psc_chapter(self, attrs_d: Attributes) -> None:
        self._add_to("#chapters", attrs_d, most=MAX_CHAPTERS)

    def _add_to(self, key: str, attrs_d: Attributes, *, most: int) -> None:
        items = self._get_context().setdefault(key, [])
        if len(items) < most:
            items.append(attrs_d)

    # Politeness: ttl, sy:*, #skip_hours, #skip_days

    _start_hour, _end_hour = _list_handlers("#hour", "#skip_hours")
    _start_day, _end_day = _list_handlers("#day", "#skip_days")

    # Entries: one that is never closed is where a document was cut off

    def _start_item(self, attrs_d: Attributes) -> None:
        if len(self.entries) >= MAX_ENTRIES:
            raise TooManyElements
        self.has_open_entry = True
        self.n_media_groups = self.media_group = self.media_file = 0
        super()._start_item(attrs_d)
        self._get_context()["#base"] = self.baseuri

    _start_entry = _start_item

    def _end_item(self) -> None:
        self.has_open_entry = False
        super()._end_item()

    _end_entry = _end_item


class InlineElements(_Handlers):
    """Keeps the elements of a body from being taken for those of the feed. A base before feedparser's classes.

    feedparser calls the handler of every end tag: that of a `summary` or `title` in a body would end the body.
    """

    n_inline = 0  # open elements of a body

    def unknown_starttag(self, tag: str, attrs: list[tuple[str, str]]) -> None:
        n_bodies = self.incontent
        super().unknown_starttag(tag, attrs)
        self.n_inline += bool(n_bodies and self.incontent == n_bodies)

    def unknown_endtag(self, tag: str) -> None:
        if not self.n_inline:
            super().unknown_endtag(tag)
            return
        self.n_inline -= 1
        self.svgOK += 1  # in a drawing, feedparser calls no handlers
        super().unknown_endtag(tag)
        self.svgOK -= 1


class StrictReader(Limits, InlineElements, ElementHandlers, feedparser.api.StrictFeedParser):
    """Handlers for well-formed XML."""


class LooseReader(Limits, ElementHandlers, feedparser.api.LooseFeedParser):
    """feedparser's SGML parser for what no XML parser can read, with the same handlers."""
