"""The files and pictures that belong to an entry: enclosures, Media RSS, else the first picture of its body."""

import mimetypes
import re
from html import unescape

from feeds.normalizing.canonical_url import absolute
from feeds.normalizing.draft import Media
from feeds.normalizing.html_images import picture
from feeds.parsing.feed import ParsedMedia

MOST_FILES = 20  # an entry with more is an album; its body links to the rest
LONGEST_URL = 2000  # characters
_ORDER = {"enclosure": 0, "content": 1, "thumbnail": 2}
_SEARCHED = 200_000  # characters of a body
# Quoted values end at the next "<" too: a body of thousands of unfinished tags is searched in linear time.
_IMAGE = re.compile(r"""<img\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""", re.I)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
_MIME_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,100}")


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
    return tuple(found.values()) or _first_picture(markup, base)


def _first_picture(markup: str, base: str) -> tuple[Media, ...]:
    """The first picture that the sanitized body shows too: late ones resolved, those that count readers left out."""
    for match in _IMAGE.finditer(markup, 0, _SEARCHED):
        shown = picture(_attributes(match[1]), base)
        url = _usable(shown.get("src", ""), base)
        if url:
            return (Media(url, _mime_type("", url), None, _pixels(shown, "width"), _pixels(shown, "height")),)
    return ()


def _attributes(tag: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, *values in _ATTRIBUTE.findall(tag):
        found.setdefault(name.lower(), unescape("".join(values)))
    return found


def _pixels(shown: dict[str, str], side: str) -> int | None:
    return _natural(int(shown[side])) if side in shown else None


def _usable(url: str, base: str) -> str:
    resolved = absolute(base, url.strip()) if url.strip() else ""
    return resolved if len(resolved) <= LONGEST_URL else ""


def _mime_type(declared: str, url: str) -> str:
    name = declared.strip().lower().partition(";")[0].strip()
    if _MIME_TYPE.fullmatch(name):
        return name
    return mimetypes.guess_type(url.partition("?")[0].partition("#")[0])[0] or ""


def _natural(number: int | None) -> int | None:
    return number if number is not None and 0 < number < 2**53 else None
