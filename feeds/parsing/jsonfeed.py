"""Parses JSON Feed 1.0 and 1.1 (jsonfeed.org). Values of a wrong type count as missing."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

from feeds.errors import ParseError
from feeds.parsing.bodies import Text, choose_body
from feeds.parsing.entry_splitting import PARSER_VERSION, hash_all
from feeds.parsing.feed import ParsedDate, ParsedEntry, ParsedFeed, ParsedMedia
from feeds.parsing.feedparser_handlers import MAX_CATEGORIES, MAX_ENTRIES, MAX_FILES
from feeds.parsing.from_feedparser import absolute, base_of_feed
from feeds.parsing.tolerant_json import read_json, read_members
from feeds.wording import gettext as _

_VERSION = re.compile(r"jsonfeed\.org/version/1(?:\.(\d))?")
_ITEMS_START = re.compile(r'"items"\s*:\s*\[\s*')
_ITEM_KEYS = {"id", "title", "content_html", "content_text", "summary", "date_published"}  # not those of attachments
_BODY_KEYS = ("content_html", "content_text", "summary")
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")

JsonObject = dict[str, Any]


def parse_json(text: str, *, url: str, known_hashes: Collection[int]) -> ParsedFeed:
    """Parse a JSON text, tolerantly; of one that is damaged, the items that can be read.

    Raises ParseError: `json` for JSON that is not a JSON Feed, `unreadable` for anything else.
    """
    try:
        document, is_sound = read_json(text)
        notes = () if is_sound else (_("the feed's JSON had errors, which were repaired"),)
    except RecursionError as error:
        raise ParseError(_("The JSON is nested too deeply."), reason="unreadable") from error
    except ValueError:
        document, notes = _read_items(text), (_("some of the JSON could not be read"),)
    return _feed(document, url=url, known_hashes=known_hashes, notes=notes)


def _read_items(text: str) -> JsonObject:
    """Return the values before `items`, and the items that can be read, at least one."""
    match = _ITEMS_START.search(text)
    if match is None or not _VERSION.search(text):
        raise ParseError(_("The document is neither JSON nor XML."), reason="unreadable")
    items = [item for item in read_members(text, match.end()) if _ITEM_KEYS & item.keys()]
    if not items:
        raise ParseError(_("No item of the JSON Feed could be read."), reason="unreadable")
    return {**_head_before(text[: match.start()]), "items": items}


def _head_before(head: str) -> JsonObject:
    try:
        document, _is_sound = read_json(head.rstrip().rstrip(",") + "}")
    except (ValueError, RecursionError):
        return {"version": "https://jsonfeed.org/version/1"}
    return document if isinstance(document, dict) else {}


def _feed(document: object, *, url: str, known_hashes: Collection[int], notes: tuple[str, ...] = ()) -> ParsedFeed:
    if not isinstance(document, dict):
        _reject()
    version = _VERSION.search(_text(document, "version"))
    items = document.get("items")
    if not isinstance(items, list) or not (version or _looks_like_items(items)):
        _reject()
    link = absolute(_text(document, "home_page_url"), url)
    base, author, language = base_of_feed(url, link), _authors(document), _text(document, "language")
    objects = [item for item in items[:MAX_ENTRIES] if isinstance(item, dict)]
    context = json.dumps([PARSER_VERSION, url, base, author, language])
    hashes = hash_all([json.dumps(item, sort_keys=True) for item in objects], context)
    unknown = [item for item, value in zip(objects, hashes, strict=True) if value not in known_hashes]
    return ParsedFeed(
        title=_text(document, "title"),
        link=link,
        description=_text(document, "description"),
        language=language,
        icon=absolute(_text(document, "favicon") or _text(document, "icon"), base),
        hubs=tuple(_hubs(document, url)),
        self_url=absolute(_text(document, "feed_url"), url),
        format=f"json1{version.group(1) or '0'}" if version else "json",
        entries=tuple(_entry(item, base, author) for item in unknown),
        n_known=len(objects) - len(unknown),
        raw_hashes=hashes,
        well_formed=not notes,
        notes=notes,
    )


def _hubs(document: JsonObject, url: str) -> Iterator[str]:
    for hub in _list(document, "hubs")[:MAX_FILES]:
        if isinstance(hub, dict) and _text(hub, "type").lower() == "websub" and _text(hub, "url"):
            yield absolute(_text(hub, "url"), url)


def _reject() -> NoReturn:
    raise ParseError(_("The document is JSON, but not a JSON Feed."), reason="json")


def _looks_like_items(items: list[Any]) -> bool:
    """Whether items without a version have typical keys."""
    keys = {"content_html", "content_text", "date_published"}
    return bool(items) and all(isinstance(item, dict) and keys & item.keys() for item in items)


def _entry(item: JsonObject, base: str, feed_author: str) -> ParsedEntry:
    guid = _identifier(item)
    body = choose_body(Text(_text(item, key), is_plain=key != "content_html") for key in _BODY_KEYS)
    return ParsedEntry(
        guid=guid,
        link=absolute(_text(item, "url") or _text(item, "external_url"), base),
        related_url=absolute(_text(item, "external_url"), base) if _text(item, "url") else "",
        title=_text(item, "title"),
        author=_authors(item) or feed_author,
        dates=tuple(ParsedDate(date) for date in (_text(item, "date_published"), _text(item, "date_modified")) if date),
        markup=body.markup,
        markup_is_text=body.is_text,
        summary=_text(item, "summary") or body.summary,
        categories=tuple(
            dict.fromkeys(tag for tag in _list(item, "tags")[:MAX_CATEGORIES] if isinstance(tag, str) and tag)
        ),
        media=tuple(_media(item, base)),
        language=_text(item, "language"),
    )


def _text(container: JsonObject, key: str) -> str:
    value = container.get(key)
    return _NOT_TEXT.sub("", value).strip() if isinstance(value, str) else ""


def _list(container: JsonObject, key: str) -> list[Any]:
    value = container.get(key)
    return value if isinstance(value, list) else []


def _identifier(item: JsonObject) -> str:
    """Return the id; it should be a string, but numbers are common, and version 1.0 says to read them as text."""
    value = item.get("id")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return _text(item, "id")


def _authors(container: JsonObject) -> str:
    """Return the names in 1.1's list, else in 1.0's single author, joined."""
    people = [*_list(container, "authors"), container.get("author")]
    names = (_text(person, "name") for person in people if isinstance(person, dict))
    return ", ".join(dict.fromkeys(name for name in names if name))


def _media(item: JsonObject, base: str) -> Iterator[ParsedMedia]:
    """Yield attachments, recordings with the same title as one group (JSON Feed 1.1), then pictures."""
    groups: dict[str, int] = {}
    for number, attachment in enumerate(_list(item, "attachments")[:MAX_FILES], start=1):
        if isinstance(attachment, dict) and (address := absolute(_text(attachment, "url"), base)):
            title, mime_type = _text(attachment, "title"), _text(attachment, "mime_type").lower()
            is_recording = bool(title) and mime_type.startswith(("audio/", "video/"))
            yield ParsedMedia(
                url=address,
                kind="enclosure",
                mime_type=mime_type,
                length=_size(attachment.get("size_in_bytes")),
                group=groups.setdefault(title, number) if is_recording else 0,
                description=title,
                seconds=_size(attachment.get("duration_in_seconds")) or None,
            )
    for key in ("image", "banner_image"):
        if address := absolute(_text(item, key), base):
            yield ParsedMedia(url=address, kind="thumbnail")


def _size(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**53 else None
