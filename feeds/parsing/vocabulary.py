"""feedparser's element handlers, with what SPEC §5's priorities need kept apart, and with limits.

feedparser folds elements of like meaning into one key: `dc:creator`, `itunes:author` and `author` overwrite each
other, as do `dc:date` and `updated`, `description`, `summary` and `media:description`. Which came from where is
lost, so the handlers for these elements (feedparser's extension point: methods named after the element) are
overridden here to store each under a key of its own. Such keys begin with `#`, which no element's name can.

Work that is thrown away later is left out: taking e-mail addresses apart (a regular expression that is quadratic
in a hostile author's name), copying the body into the summary. What grows without bound is cut: nesting,
attributes, categories, elements. Everything else is feedparser's.
"""

from typing import TYPE_CHECKING, Any

import feedparser.api

if TYPE_CHECKING:
    _Handlers = Any  # feedparser is not typed; its methods come in through the readers below
else:
    _Handlers = object

MAX_DEPTH = 200  # deeper elements lose their tags and keep their text; browsers stop at 512
MAX_ATTRIBUTES = 100  # of one element
MAX_ELEMENTS = 150_000  # of one document; the largest of 112 real feeds has 4,200
MAX_ENTRIES = 20_000  # of one document
MAX_CATEGORIES = 200  # of one entry
MAX_URL = 8_000  # characters; longer ones are left as they are, not resolved

READER_FAILURES = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What feedparser's handlers may raise over a document that holds what no document should."""

Attributes = dict[str, str]


class TooManyElements(Exception):
    """The document holds more than MAX_ELEMENTS or MAX_ENTRIES; what was read so far stands."""


class Limits(_Handlers):
    """Cuts off what would grow without bound. First base of a reader, before feedparser's classes."""

    n_elements = 0
    n_levels_cut = 0

    def unknown_starttag(self, tag: str, attrs: list[tuple[str, str]]) -> None:
        """Called by both of feedparser's parsers for every start tag."""
        self.n_elements += 1
        if self.n_elements > MAX_ELEMENTS:
            raise TooManyElements
        if self.depth >= MAX_DEPTH:
            self.n_levels_cut += 1
            return
        super().unknown_starttag(tag, attrs[:MAX_ATTRIBUTES])

    def unknown_endtag(self, tag: str) -> None:
        """Called by both of feedparser's parsers for every end tag."""
        if self.n_levels_cut:
            self.n_levels_cut -= 1
            return
        super().unknown_endtag(tag)

    def _add_tag(self, term: str | None, scheme: str | None, label: str | None) -> None:
        """Comparing every category with every other is quadratic: stop at a number that no reader looks at."""
        tags = self._get_context().get("tags")
        if not isinstance(tags, list) or len(tags) < MAX_CATEGORIES:
            super()._add_tag(term, scheme, label)


class _ContentParameters(feedparser.FeedParserDict):
    """What feedparser knows of the text it is in; it makes a deep copy for every text, where a flat one does."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "_ContentParameters":
        return _ContentParameters(self)


class Vocabulary(_Handlers):
    """Handlers of the elements whose origin matters. Mixed in before feedparser's classes."""

    resolve_relative_uris = False  # of links within markup: normalization knows lazy images, too
    sanitize_html = False  # bleach does it when markup is first shown
    has_open_entry = False
    contentparams: Any

    def push_content(self, tag: str, attrs_d: Attributes, default_content_type: str, expecting_text: int) -> None:
        super().push_content(tag, attrs_d, default_content_type, expecting_text)
        self.contentparams = _ContentParameters(self.contentparams)

    def _keep(self, key: str, value: str | None) -> None:
        if value:
            self._get_context().setdefault(key, []).append(value)

    # Authors: #dc_creator, authors, #itunes_author, #managingeditor

    def _sync_author_detail(self, key: str = "author") -> None:
        """Left out: names are told from addresses in normalization."""

    def _end_author(self) -> None:
        value = self.pop("author")
        self.inauthor = 0
        authors = self._get_context().get("authors")
        if value and isinstance(authors, list) and authors and not authors[-1]:
            authors[-1]["name"] = value

    def _start_dc_creator(self, attrs_d: Attributes) -> None:
        self.push("#dc_creator", 1)

    def _end_dc_creator(self) -> None:
        self._keep("#dc_creators", self.pop("#dc_creator"))

    _start_dc_author = _start_dc_creator
    _end_dc_author = _end_dc_creator

    def _start_itunes_author(self, attrs_d: Attributes) -> None:
        self.push("#itunes_author", 1)

    def _end_itunes_author(self) -> None:
        self.pop("#itunes_author")

    def _start_managingeditor(self, attrs_d: Attributes) -> None:
        self.push("#managingeditor", 1)

    def _end_managingeditor(self) -> None:
        self.pop("#managingeditor")

    # Dates: #dc_date, published, updated; #has_pubdate says that `published` is RSS's pubDate

    def _start_dc_date(self, attrs_d: Attributes) -> None:
        self.push("#dc_date", 1)

    def _end_dc_date(self) -> None:
        self.pop("#dc_date")

    def _start_pubdate(self, attrs_d: Attributes) -> None:
        self._get_context()["#has_pubdate"] = True
        self._start_published(attrs_d)

    # Bodies: content (with `encoded`), summary (RSS description), #summary, and what stands in for them

    def _start_content_encoded(self, attrs_d: Attributes) -> None:
        super()._start_content_encoded(attrs_d)
        self.contentparams["encoded"] = True

    def _end_content(self) -> None:
        self.pop_content("content")

    _end_body = _end_xhtml_body = _end_content_encoded = _end_fullitem = _end_content

    def _start_description(self, attrs_d: Attributes) -> None:
        self.push_content("description", attrs_d, "text/html", 1)

    def _end_description(self) -> None:
        self.pop_content("description")

    def _start_summary(self, attrs_d: Attributes) -> None:
        self.push_content("#summary", attrs_d, "text/plain", 1)

    def _end_summary(self) -> None:
        self.pop_content("#summary")

    def _start_dc_description(self, attrs_d: Attributes) -> None:
        self.push_content("#dc_description", attrs_d, "text/html", 1)

    def _end_dc_description(self) -> None:
        self.pop_content("#dc_description")

    def _start_itunes_summary(self, attrs_d: Attributes) -> None:
        self.push_content("#itunes_summary", attrs_d, "text/html", 1)

    def _end_itunes_summary(self) -> None:
        self.pop_content("#itunes_summary")

    def _start_media_description(self, attrs_d: Attributes) -> None:
        self.push_content("#media_description", attrs_d, "text/plain", 1)

    def _end_media_description(self) -> None:
        self.pop_content("#media_description")

    # Identity

    def _start_guid(self, attrs_d: Attributes) -> None:
        self.guidislink = attrs_d.get("ispermalink", "true").strip().lower() == "true"
        self.push("id", 1)

    def _end_guid(self) -> None:
        self.pop("id")
        self._get_context()["#is_permalink"] = self.guidislink

    def _start_id(self, attrs_d: Attributes) -> None:
        self.guidislink = False  # an Atom id is a name: it is never resolved
        self.push("id", 1)

    def _end_id(self) -> None:
        self.pop("id")
        self._get_context()["#is_permalink"] = True

    def resolve_uri(self, uri: str) -> str:
        """A relative URI against xml:base; the parser calls this for every link."""
        if len(uri) > MAX_URL:
            return uri
        return str(super().resolve_uri(uri))

    # Politeness: ttl, sy:*, #skip_hours, #skip_days

    def _start_hour(self, attrs_d: Attributes) -> None:
        self.push("#hour", 1)

    def _end_hour(self) -> None:
        self._keep("#skip_hours", self.pop("#hour"))

    def _start_day(self, attrs_d: Attributes) -> None:
        self.push("#day", 1)

    def _end_day(self) -> None:
        self._keep("#skip_days", self.pop("#day"))

    # Entries: one that was never closed stands at the cut of a truncated document

    def _start_item(self, attrs_d: Attributes) -> None:
        if len(self.entries) >= MAX_ENTRIES:
            raise TooManyElements
        self.has_open_entry = True
        super()._start_item(attrs_d)

    _start_entry = _start_item

    def _end_item(self) -> None:
        self.has_open_entry = False
        super()._end_item()

    _end_entry = _end_item


class StrictReader(Limits, Vocabulary, feedparser.api.StrictFeedParser):
    """Handlers for well-formed XML."""


class LooseReader(Limits, Vocabulary, feedparser.api.LooseFeedParser):
    """feedparser's SGML parser for what no XML parser can read, with the same handlers."""
