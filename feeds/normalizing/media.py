"""Collects the files and images of an entry: enclosures, Media RSS, else the first image of its body.

Thumbnails and images of a body often come from URLs without a file extension (Unsplash, WordPress.com, newspapers'
image servers), so they have the type `image/*` where the URL tells none.

Left out are authors' avatars, which WordPress.com declares as images of each article, and of the first images those
that only decorate: emoji, formulas, share buttons, badges, icons.
"""

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
_MIME_TYPE = re.compile(r"[a-z]+/(?:[a-z0-9.+-]{1,100}|\*)")
_ANY_IMAGE = "image/*"
_MIN_SIDE = 50  # pixels; images declared smaller are icons
_AVATAR = re.compile(r"https?://(?:[a-z0-9-]+\.)?gravatar\.com/avatar/", re.I)
_DECORATION_CLASS = re.compile(r"(?:^|\s)(?:wp-smiley|smiley|emoji|latex|avatar|site-icon)(?:\s|$)", re.I)
_DECORATION_URL = re.compile(
    r"/latex\.php\?|/images/(?:core/)?emoji/|/twemoji/|//img\.shields\.io/|//static\.addtoany\.com/buttons/", re.I
)


def collect_media(declared: tuple[ParsedMedia, ...], markup: str, *, base: str) -> tuple[Media, ...]:
    """Return each file once, ordered enclosure, media:content, thumbnail; if none is an image, then the first image of
    `markup`.

    URLs are absolute http(s) only. A missing MIME type is guessed from the file name's extension.
    """
    media: dict[str, Media] = {}
    for item in sorted(declared, key=lambda item: _ORDER.get(item.kind, len(_ORDER))):
        url = _usable(item.url, base)
        if url and url not in media and len(media) < MAX_FILES and not _AVATAR.match(url):
            sizes = (_positive(size) for size in (item.length, item.width, item.height))
            mime_type = _image_type(url) if item.kind == "thumbnail" else _mime_type(item.mime_type, url)
            media[url] = Media(url, mime_type, *sizes)
    has_image = any(file.mime_type.startswith("image/") for file in media.values())
    return tuple(media.values()) if has_image else (*media.values(), *_first_image(markup, base))


def _first_image(markup: str, base: str) -> tuple[Media, ...]:
    """Return the first image that the sanitized body shows too: lazy ones resolved, tracking pixels left out."""
    for match in _IMAGE.finditer(markup, 0, _SEARCHED):
        attributes = _attributes(match[1])
        image = image_attributes(attributes, base)
        url = _usable(image.get("src", ""), base)
        width, height = _pixels(image, "width"), _pixels(image, "height")
        is_icon = any(side is not None and side < _MIN_SIDE for side in (width, height))
        if url and not is_icon and not _is_decoration(url, attributes.get("class", "")):
            return (Media(url, _image_type(url), None, width, height),)
    return ()


def _is_decoration(url: str, classes: str) -> bool:
    return any((_DECORATION_CLASS.search(classes), _DECORATION_URL.search(url), _AVATAR.match(url)))


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


def _image_type(url: str) -> str:
    """Guess the type of what is surely an image: never that of `image.php`."""
    guessed = _mime_type("", url)
    return guessed if guessed.startswith("image/") else _ANY_IMAGE


def _positive(number: int | None) -> int | None:
    return number if number is not None and 0 < number < 2**53 else None
