"""Converts feedparser's dictionaries to a ParsedFeed, by the priorities of SPEC §5.

Their contents and even their keys may come from the document (feedparser stores unknown elements under their names), so
every value's type is checked.
"""

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import struct_time
from typing import Any
from urllib.parse import urljoin, urlsplit

from feeds.normalizing.domains import with_scheme
from feeds.parsing.bodies import Text, choose_body
from feeds.parsing.feed import ParsedChapter, ParsedDate, ParsedEntry, ParsedFeed, ParsedMedia, ParsedText
from feeds.parsing.feedparser_handlers import MAX_FILES, MAX_URL, UNKNOWN_TYPE, is_binary, list_of_texts

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_BODY_KEYS = ("summary", "#summary", "#dc_description", "#itunes_summary")
_OTHER_BODY_KEYS = ("yandex_full-text", "turbo_content", "fulltext", "full-text", "dcterms_abstract", "excerpt_encoded")
"""Elements that feedparser doesn't know, stored under their names."""
_MAX_INTEGER_DIGITS = 15
_DAY = 24 * 3600  # seconds; no recording is longer
_MAX_DATE = 80  # characters; of a longer text, feedparser reads the start as a date
_MARKUP = re.compile(r"</[a-z][^<>]*>|<(?:br|hr|img|p)\b[^<>]*>|&(?:#[0-9x]|[a-z]{2,8};)", re.IGNORECASE)

Context = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Inherited:
    """Values of the feed that apply to entries without their own; `url`: the base that stands for no xml:base."""

    url: str
    base: str
    author: str
    title: str


def feed_from(feed: Context, entries: Sequence[Context], *, url: str, version: str) -> ParsedFeed:
    """Return the feed and its entries in document order; fields that only the caller knows keep their default."""
    link = absolute(_link(feed), url)
    inherited = _Inherited(url, base_of_feed(url, link), author=_author(feed), title=_text(feed, "title"))
    return ParsedFeed(
        title=_text(feed, "title"),
        link=link,
        description=_text(feed, "subtitle") or _text(feed, "#dc_description") or _text(feed, "#itunes_summary"),
        language=_text(feed, "language"),
        icon=absolute(_icon(feed), inherited.base),
        hubs=tuple(absolute(href, url) for href in _links_by_rel(feed, "hub")),
        self_url=next((absolute(href, url) for href in _links_by_rel(feed, "self")), ""),
        new_url=absolute(_text(feed, "itunes_new-feed-url"), url),
        format=version or "unknown",
        ttl_minutes=_integer(_text(feed, "ttl")),
        update_period=_text(feed, "sy_updateperiod").lower(),
        update_frequency=_integer(_text(feed, "sy_updatefrequency")),
        skip_hours=frozenset(
            hour % 24 for hour in map(_integer, _strings(feed, "#skip_hours")) if hour is not None and hour <= 24
        ),
        skip_days=frozenset(
            _DAYS.index(day[:3].lower()) for day in _strings(feed, "#skip_days") if day[:3].lower() in _DAYS
        ),
        entries=tuple(_entry(entry, inherited) for entry in entries),
    )


def base_of_feed(url: str, link: str) -> str:
    """Return the base of relative URLs in a feed without xml:base.

    The feed's own URL, as in RFC 3986; but the site's URL if another host serves the feed, because its relative URLs
    were written for the site.
    """
    try:
        is_served_elsewhere = urlsplit(link).netloc.lower() != urlsplit(url).netloc.lower()
    except ValueError:
        return url
    return link if link.startswith(("http://", "https://")) and is_served_elsewhere else url


def absolute(link: str, base: str) -> str:
    """Resolve the link against the base; unchanged if that fails."""
    link = link.strip()
    if not link or link.startswith(("http://", "https://")) or len(link) > MAX_URL:
        return link
    try:
        return urljoin(base, with_scheme(link))
    except ValueError:
        return link


def _entry(entry: Context, inherited: _Inherited) -> ParsedEntry:
    guid = _text(entry, "id")
    body = choose_body(_texts(entry), _captions(entry))
    base = _own_base(_text(entry, "#base"), inherited) or inherited.base
    return ParsedEntry(
        guid=guid,
        link=absolute(_text(entry, "feedburner_origlink") or _link(entry) or _comments(entry), base),
        related_url=absolute(_related(entry), base),
        base=_own_base(body.base, inherited) or _own_base(_text(entry, "#base"), inherited),
        title=_text(entry, "title"),
        author=_author(entry) or _source(entry, inherited) or inherited.author,
        dates=tuple(_dates(entry)),
        markup=body.markup,
        markup_is_text=body.is_text,
        summary=body.summary,
        categories=tuple(_categories(entry)),
        media=tuple(_media(entry, base)),
        chapters=tuple(_chapters(entry, base)),
        chapters_file=next(_linked_texts(_details(entry, "podcast_chapters"), base), None),
        transcripts=tuple(_linked_texts(_dicts(entry, "#transcripts"), base)),
        language=_text(entry, "language") or _xml_language(entry),
    )


def _text(context: Context, key: str) -> str:
    value = dict.get(context, key)
    return _without_cdata(value.strip()) if isinstance(value, str) else ""


def _strings(context: Context, key: str) -> list[str]:
    value = dict.get(context, key)
    return [_without_cdata(item.strip()) for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _without_cdata(text: str) -> str:
    """Remove the marks of a CDATA section that were escaped like text, all around it."""
    if not text.startswith("<![CDATA["):
        return text
    return text.removeprefix("<![CDATA[").removesuffix("]]>").strip()


def _dicts(context: Context, key: str) -> list[Context]:
    value = dict.get(context, key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _integer(text: str) -> int | None:
    """Return a number of 0 or more in ASCII digits, without its fraction, else None."""
    digits = text.strip().partition(".")[0].replace(",", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_INTEGER_DIGITS else None


def _own_base(base: str, inherited: _Inherited) -> str:
    """Return the base of an entry or a body, "" if no xml:base applies to it."""
    return "" if base == inherited.url else base


def _xml_language(entry: Context) -> str:
    """Return xml:lang of the entry's texts, the body's first."""
    for detail in _dicts(entry, "content") or _details(entry, "summary_detail", "#summary_detail", "title_detail"):
        return _text(detail, "language")
    return ""


def _details(entry: Context, *keys: str) -> Iterator[Context]:
    for key in keys:
        detail = dict.get(entry, key)
        if isinstance(detail, dict):
            yield detail


def _link(context: Context) -> str:
    """Return the first rel=alternate that is a page, else of any type; RSS's link counts as one."""
    fallback = ""
    for link in _dicts(context, "links"):
        href = _text(link, "href")
        if href and dict.get(link, "rel") == "alternate":
            if dict.get(link, "type") in _HTML_TYPES:
                return href
            fallback = fallback or href
    return fallback


def _comments(entry: Context) -> str:
    """Return the page of the comments, if not even the guid is a link."""
    return "" if _text(entry, "id").startswith(("http://", "https://")) else _text(entry, "comments")


def _related(entry: Context) -> str:
    """Return the first related page."""
    links = (link for link in _dicts(entry, "links") if dict.get(link, "rel") == "related")
    return next((_text(link, "href") for link in links if dict.get(link, "type") in _HTML_TYPES), "")


def _links_by_rel(context: Context, rel: str) -> Iterator[str]:
    for link in _dicts(context, "links")[:MAX_FILES]:
        if rel in _text(link, "rel").lower().split() and (href := _text(link, "href")):
            yield href


def _author(context: Context) -> str:
    """Return dc:creator, author/name, author or managingEditor; several of one kind are joined."""
    names = _strings(context, "#dc_creators") or [
        _text(author, "name") or _text(author, "email") for author in _dicts(context, "authors")
    ]
    joined = ", ".join(dict.fromkeys(filter(None, names)))
    return joined or _text(context, "#itunes_author") or _text(context, "#managingeditor")


def _source(entry: Context, inherited: _Inherited) -> str:
    """Return who published an entry that another feed passes on: the author of its source, else the source's name."""
    source = dict.get(entry, "source")
    if not isinstance(source, dict) or _text(source, "title").casefold() == inherited.title.casefold():
        return ""
    return _author(source) or _text(source, "title")


def _dates(entry: Context) -> Iterator[ParsedDate]:
    """Yield dc:date, published, updated, pubDate (feedparser's `published`), created."""
    if dc_date := _text(entry, "#dc_date"):
        yield ParsedDate(dc_date, _iso_date(dc_date))
    keys = ("updated", "published") if dict.get(entry, "#has_pubdate") else ("published", "updated")
    for key in (*keys, "created"):
        if text := _text(entry, key):
            yield ParsedDate(text, _utc(dict.get(entry, f"{key}_parsed"), text))


def _iso_date(text: str) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(text)
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _utc(parsed: object, text: str) -> datetime | None:
    if not isinstance(parsed, struct_time) or len(text) > _MAX_DATE:
        return None
    try:
        return datetime.fromtimestamp(calendar.timegm(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _texts(entry: Context) -> Iterator[Text]:
    """Yield the texts of an entry by priority."""
    contents = [_typed(content) for content in _contents(entry)]
    texts = [_typed(text) for key in _BODY_KEYS for text in _outermost(entry, key)]
    others = [Text(_text(entry, key)) for key in _OTHER_BODY_KEYS]
    yield from (*contents, *texts, *others)


def _outermost(entry: Context, key: str) -> list[Context]:
    """Return the texts of an entry's elements of one name, without those of elements further in, such as its files."""
    texts = _dicts(entry, list_of_texts(key))
    depth = min((text["depth"] for text in texts), default=0)
    return [text for text in texts if text["depth"] == depth]


def _contents(entry: Context) -> list[Context]:
    """Return the readable contents, those of `content:encoded` first, then those in HTML."""
    contents = [content for content in _dicts(entry, "content") if not is_binary(_text(content, "type"))]
    contents.sort(key=lambda content: (not dict.get(content, "encoded"), dict.get(content, "type") not in _HTML_TYPES))
    return contents


def _typed(content: Context) -> Text:
    value, content_type = _text(content, "value"), _text(content, "type")
    is_plain = content_type == "text/plain" or (content_type == UNKNOWN_TYPE and _MARKUP.search(value) is None)
    return Text(value, is_plain, base=_text(content, "base"))


def _categories(entry: Context) -> Iterator[str]:
    seen = set()
    for tag in _dicts(entry, "tags"):
        name = _text(tag, "label") or _text(tag, "term")
        if name and name not in seen:
            seen.add(name)
            yield name


def _icon(feed: Context) -> str:
    image = dict.get(feed, "image")
    of_image = _text(image, "href") if isinstance(image, dict) else ""
    return _text(feed, "icon") or _text(feed, "logo") or of_image


def _media(entry: Context, base: str) -> Iterator[ParsedMedia]:
    descriptions = _media_texts(entry)
    seconds = _seconds(_text(entry, "itunes_duration"))
    files = list(_media_attributes(entry))
    sizes = Counter(dict.get(attributes, "#group", 0) for _, attributes in files)
    seen = set()
    for kind, attributes in files:
        address = absolute(_text(attributes, "href") or _text(attributes, "url"), base)
        group = dict.get(attributes, "#group", 0)
        if address and (kind, address, group) not in seen:
            seen.add((kind, address, group))
            mime_type = _declared_type(attributes) if kind != "thumbnail" else ""
            yield ParsedMedia(
                url=address,
                kind=kind,
                mime_type=mime_type,
                length=_integer(_text(attributes, "length") or _text(attributes, "filesize")),
                width=_integer(_text(attributes, "width")),
                height=_integer(_text(attributes, "height")),
                group=group if sizes[group] > 1 else 0,
                is_default=_text(attributes, "isdefault").lower() == "true",
                description=descriptions.get(group) or descriptions.get(0) or _text(attributes, "title"),
                seconds=_seconds(_text(attributes, "duration")) or seconds,
            )


def _media_texts(entry: Context) -> dict[int, str]:
    """Return the descriptions of Media RSS by number of group, 0 for the entry's own."""
    texts = dict.get(entry, "#media_texts")
    return texts if isinstance(texts, dict) else {}


def _captions(entry: Context) -> Iterator[Text]:
    """Yield what describes the files or repeats the title: the body only of an entry without another."""
    detail = next(_details(entry, "#media_description_detail"), {})
    described = "\n\n".join(dict.fromkeys(_media_texts(entry).values()))
    yield Text(described, is_plain=_text(detail, "type") == "text/plain")
    yield Text(_text(entry, "subtitle"))


def _seconds(text: str) -> int | None:
    """Return a duration such as `3723`, `62:03` or `1:02:03` in seconds; None if it is none, or nothing.

    Some publishers write milliseconds.
    """
    parts = [_integer(part) for part in text.split(":")[-3:]]
    if None in parts:
        return None
    seconds = 0
    for part in parts:
        seconds = seconds * 60 + (part or 0)
    return (seconds if seconds <= _DAY else seconds // 1000) or None


def _declared_type(attributes: Context) -> str:
    """The MIME type; `image/*` if Media RSS only says that the file is an image."""
    medium = _text(attributes, "medium").lower()
    return _text(attributes, "type").lower() or (f"{medium}/*" if medium in ("image", "audio", "video") else "")


def _media_attributes(entry: Context) -> Iterator[tuple[str, Context]]:
    enclosures = [link for link in _dicts(entry, "links") if dict.get(link, "rel") == "enclosure"]
    thumbnails = [*_dicts(entry, "media_thumbnail"), *_details(entry, "image")]
    for kind, files in (
        ("enclosure", enclosures),
        ("content", _dicts(entry, "media_content")),
        ("thumbnail", thumbnails),
        ("player", [*_details(entry, "media_embed", "media_player")]),
    ):
        for attributes in files[:MAX_FILES]:
            yield kind, attributes


def _linked_texts(elements: Iterable[Context], base: str) -> Iterator[ParsedText]:
    for attributes in elements:
        if address := absolute(_text(attributes, "url"), base):
            yield ParsedText(address, _text(attributes, "type").lower(), _text(attributes, "language").lower())


def _chapters(entry: Context, base: str) -> Iterator[ParsedChapter]:
    for attributes in _dicts(entry, "#chapters"):
        if (start := _text(attributes, "start")) and (title := _text(attributes, "title")):
            yield ParsedChapter(start, title, absolute(_text(attributes, "href"), base))
