"""Collects the files and images of an entry: enclosures, Media RSS, else the first image of its body."""

import mimetypes
import re
from html import unescape

from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.draft import Media
from feeds.normalizing.html_images import image_attributes
from feeds.parsing.feed import ParsedMedia

MAX_FILES = 20  # an entry with more is an album, whose body links to the rest
MAX_URL = 2000  # characters
_ORDER = {"enclosure": 0, "content": 1, "thumbnail": 2}
_SEARCHED = 200_000  # characters of a body
# Quoted values also end at the next "<", so that thousands of unfinished tags are searched in linear time.
_IMAGE = re.compile(r"""<img\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""", re.I)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
_MIME_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,100}")


def collect_media(declared: tuple[ParsedMedia, ...], markup: str, *, base: str) -> tuple[Media, ...]:
    """Return each file once, ordered enclosure, media:content, thumbnail; without any, the first image of `markup`.

    URLs are absolute http(s) only. A missing MIME type is guessed from the file name's extension.
    """
    media: dict[str, Media] = {}
    for item in sorted(declared, key=lambda item: _ORDER.get(item.kind, len(_ORDER))):
        url = _usable(item.url, base)
        if url and url not in media and len(media) < MAX_FILES:
            sizes = (_positive(size) for size in (item.length, item.width, item.height))
            media[url] = Media(url, _mime_type(item.mime_type, url), *sizes)
    return tuple(media.values()) or _first_image(markup, base)


def _first_image(markup: str, base: str) -> tuple[Media, ...]:
    """Return the first image that the sanitized body shows too: lazy ones resolved, tracking pixels left out."""
    for match in _IMAGE.finditer(markup, 0, _SEARCHED):
        image = image_attributes(_attributes(match[1]), base)
        url = _usable(image.get("src", ""), base)
        if url:
            return (Media(url, _mime_type("", url), None, _pixels(image, "width"), _pixels(image, "height")),)
    return ()


def _attributes(tag: str) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(tag):
        attributes.setdefault(name.lower(), unescape("".join(values)))
    return attributes


def _pixels(image: dict[str, str], side: str) -> int | None:
    return _positive(int(image[side])) if side in image else None


def _usable(url: str, base: str) -> str:
    resolved = absolute(base, url.strip()) if url.strip() else ""
    return resolved if len(resolved) <= MAX_URL else ""


def _mime_type(declared: str, url: str) -> str:
    name = declared.strip().lower().partition(";")[0].strip()
    if _MIME_TYPE.fullmatch(name):
        return name
    return mimetypes.guess_type(url.partition("?")[0].partition("#")[0])[0] or ""


def _positive(number: int | None) -> int | None:
    return number if number is not None and 0 < number < 2**53 else None
