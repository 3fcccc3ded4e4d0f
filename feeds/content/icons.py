"""Which icon of a page to fetch, and whether a file is an icon. Pure.

The format is detected from the first bytes, never from headers, so an error page is no icon. Sites also declare logos
and photos as icons: only nearly square images are accepted, none so small that they are invisible, and none so large
that drawing them takes long.

An SVG is only accepted without scripts, event handlers, entities and embedded HTML. It is also served with a policy
that allows nothing of this.
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from feeds.content.image_proxy import SVG, raster_type
from feeds.discovery.find import MAX_LINKS, attribute, base_of, page_tree
from feeds.normalizing.canonical_url import absolute

MAX_ICON_BYTES = 100 * 1024
WANTED_PIXELS = 32  # for 16 CSS pixels on a screen of double density
MIN_PIXELS, MAX_PIXELS = 8, 1024  # of each side
MAX_STRETCH = 1.5  # the longer side / the shorter

_RASTER = frozenset({"image/png", "image/x-icon", "image/gif", "image/jpeg", "image/webp"})
_RELATIONS = frozenset({"icon", "apple-touch-icon", "apple-touch-icon-precomposed"})
_SIZE = re.compile(r"([0-9]{1,5})x[0-9]{1,5}", re.IGNORECASE)
_SVG_START = re.compile(
    r"\ufeff?\s*(?:(?:<\?xml[^>]*>|<!--(?:[^-]|-(?!->))*-->|<!doctype svg[^>\[]*>)\s*)*<svg[\s>]", re.IGNORECASE
)
_ACTIVE_SVG = re.compile(r"<script|<foreignobject|<!entity|<iframe|[\s/\"']on\w+\s*=|javascript:", re.IGNORECASE)


def page_icons(page: bytes, *, url: str, content_type: str = "") -> tuple[str, ...]:
    """The URLs of a page's icons, best first: the smallest of at least `WANTED_PIXELS`, then those without a size, then
    smaller ones, largest first. `url` is the page's URL after redirects."""
    tree = page_tree(page, content_type)
    base = base_of(tree, url)
    icons = [node for node in tree.css("link[href]")[:MAX_LINKS] if _is_icon(node)]
    urls = (absolute(base, attribute(node, "href")) for node in sorted(icons, key=_rank))
    return tuple(dict.fromkeys(filter(None, urls)))


def _is_icon(node: LexborNode) -> bool:
    is_for_dark = "dark" in attribute(node, "media").lower()  # often white, and invisible in the light theme
    return bool(_RELATIONS & set(attribute(node, "rel").lower().split())) and not is_for_dark


def _rank(node: LexborNode) -> tuple[int, int]:
    sizes = [int(size) for size in _SIZE.findall(attribute(node, "sizes"))]
    if not sizes:
        return 1, "apple" in attribute(node, "rel").lower()  # apple-touch icons have 180 pixels
    large = [size for size in sizes if size >= WANTED_PIXELS]
    return (0, min(large)) if large else (2, -max(sizes))


def icon_type(content: bytes) -> str:
    """The media type of an icon; "" for everything else."""
    if len(content) > MAX_ICON_BYTES:
        return ""
    mime_type = raster_type(content)
    if not mime_type:
        return SVG if _is_safe_svg(content) else ""
    width, height = _size(content, mime_type) if mime_type in _RASTER else (0, 0)
    shorter, longer = sorted((width, height))
    fits = shorter >= MIN_PIXELS and longer <= MAX_PIXELS and longer <= MAX_STRETCH * shorter
    return mime_type if fits else ""


def _is_safe_svg(content: bytes) -> bool:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return bool(_SVG_START.match(text)) and not _ACTIVE_SVG.search(text)


def _size(content: bytes, mime_type: str) -> tuple[int, int]:
    """Width and height in pixels; zeros if they can't be read. Of an ICO's images, those of the first."""
    if mime_type == "image/png":
        return _number(content[16:20]), _number(content[20:24])
    if mime_type == "image/gif":
        return _number(content[6:8], "little"), _number(content[8:10], "little")
    if mime_type == "image/x-icon":
        return (content[6] or 256, content[7] or 256) if len(content) > 22 else (0, 0)
    return _webp_size(content) if mime_type == "image/webp" else _jpeg_size(content)


def _number(part: bytes, order: str = "big") -> int:
    return int.from_bytes(part, "little" if order == "little" else "big")


def _webp_size(content: bytes) -> tuple[int, int]:
    """Source: RFC 9649 for VP8X and VP8L, RFC 6386 §9.1 for VP8."""
    if content[12:16] == b"VP8X":
        return _number(content[24:27], "little") + 1, _number(content[27:30], "little") + 1
    if content[12:16] == b"VP8L":
        bits = _number(content[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return _number(content[26:28], "little") & 0x3FFF, _number(content[28:30], "little") & 0x3FFF


def _jpeg_size(content: bytes) -> tuple[int, int]:
    for marker, start in _jpeg_segments(content):
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # start of a frame. Source: ITU-T T.81, B.2.2
            return _number(content[start + 5 : start + 7]), _number(content[start + 3 : start + 5])
    return 0, 0


def _jpeg_segments(content: bytes) -> Iterator[tuple[int, int]]:
    """The markers of the segments before the image data, and where their lengths are."""
    position = 2
    while content[position : position + 1] == b"\xff" and position + 4 <= len(content):
        yield content[position + 1], position + 2
        position += 2 + max(2, _number(content[position + 2 : position + 4]))
