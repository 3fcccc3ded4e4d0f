"""The files and pictures that belong to an entry: enclosures, Media RSS, else the first picture of its body."""

import mimetypes
import re
from html import unescape

from feeds.normalizing.canonical_url import absolute, is_http_url
from feeds.normalizing.draft import Media
from feeds.parsing.feed import ParsedMedia

MOST_FILES = 20  # an entry with more is an album; its body links to the rest
LONGEST_URL = 2000  # characters
_ORDER = {"enclosure": 0, "content": 1, "thumbnail": 2}
_IMAGE = re.compile(
    r"<img\b[^>]{0,4000}?\ssrc\s*=\s*(?:\"([^\"]{1,2000})\"|'([^']{1,2000})'|([^\s>\"']{1,2000}))[^>]{0,4000}>", re.I
)
_PIXELS = re.compile(r"\s(width|height)\s*=\s*[\"']?(\d{1,5})", re.I)
_MIME_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,100}")
_LEAST_PIXELS = 3  # smaller pictures count readers


def media_of(declared: tuple[ParsedMedia, ...], markup: str, *, base: str) -> tuple[Media, ...]:
    """Each file once, in the order enclosure, media:content, thumbnail; the first picture of `markup` if there is none.

    Only absolute http(s) URLs; a missing MIME type is guessed from the file's ending.
    """
    found: dict[str, Media] = {}
    for each in sorted(declared, key=lambda medium: _ORDER.get(medium.kind, len(_ORDER))):
        url = _usable(each.url, base)
        if url and url not in found and len(found) < MOST_FILES:
            found[url] = Media(
                url, _mime_type(each.mime_type, url), _natural(each.length), _natural(each.width), _natural(each.height)
            )
    if not found and "<img" in markup[:200_000].lower():
        return _first_picture(markup, base)
    return tuple(found.values())


def _first_picture(markup: str, base: str) -> tuple[Media, ...]:
    for match in _IMAGE.finditer(markup, 0, 200_000):
        sizes = {name.lower(): int(number) for name, number in _PIXELS.findall(match[0])}
        url = _usable(unescape(match[1] or match[2] or match[3]), base)
        if url and min(sizes.values(), default=_LEAST_PIXELS) >= _LEAST_PIXELS:
            return (Media(url, _mime_type("", url), None, sizes.get("width"), sizes.get("height")),)
    return ()


def _usable(url: str, base: str) -> str:
    resolved = absolute(base, url.strip()) if url.strip() else ""
    return resolved if is_http_url(resolved) and len(resolved) <= LONGEST_URL else ""


def _mime_type(declared: str, url: str) -> str:
    name = declared.strip().lower().partition(";")[0].strip()
    if _MIME_TYPE.fullmatch(name):
        return name
    return mimetypes.guess_type(url.partition("?")[0].partition("#")[0])[0] or ""


def _natural(number: int | None) -> int | None:
    return number if number is not None and 0 < number < 2**53 else None
