"""Resolves lazy images, and recognizes tracking pixels and emoji.

Observed: lazy-loading scripts keep the real URL in `data-src` or a similar attribute, with a placeholder (a blank GIF,
a `data:` URL, a blurred thumbnail) or nothing in `src`; some repeat the image in a `noscript` after it. As no script
runs here, the lazy URL is used; where no usual attribute has one, any that is the address of an image file. Emoji and
icons are as high as the text around them, whatever their size in pixels. Tracking pixels are one or two pixels wide or
high, hidden, or come from hosts and paths that serve nothing else.

Known false positive: a line drawn as an image one pixel high. Known misses: a publisher's own counters without a size.
"""

import re
from collections.abc import Mapping

from feeds.normalizing.html_links import srcset_urls, web_url
from feeds.normalizing.html_vocabulary import MAX_RASTER, is_raster
from feeds.normalizing.svg import safe_svg_url

Attributes = Mapping[str, str | None]

# The most reliable first: lazysizes and lazyload, WordPress plugins, jQuery.lazyload, others.
_LAZY_NAMES = "data-src data-lazy-src data-original data-lazy data-echo data-url data-actualsrc data-srcurl"
LAZY = tuple(_LAZY_NAMES.split())
_IMAGE_FILE = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg")
_NEVER_LAZY = frozenset(("src", "srcset", "alt", "title", "class", "id", "style", "sizes", "longdesc", "usemap"))
LAZY_SETS = ("data-srcset", "data-lazy-srcset", "data-original-set")

_PIXEL_HOSTS = re.compile(
    r"https?://(?:[^/?#]{0,255}[.@])?(?:"
    r"pixel\.wp\.com|stats\.wordpress\.com|stats\.wp\.com|feedsportal\.com|doubleclick\.net|googletagmanager\.com"
    r"|google-analytics\.com|quantserve\.com|scorecardresearch\.com|pheedo\.com|feedads\.[a-z.]+|bat\.bing\.com"
    r"|px\.ads\.linkedin\.com|pixel\.facebook\.com|statcounter\.com|imrworldwide\.com|chartbeat\.(?:com|net)"
    r"|hits\.guardian\.co\.uk|pi\.feedsportal\.com|pixel\.[a-z0-9-]+\.[a-z.]+|vg\d+\.met\.vgwort\.de|met\.vgwort\.de"
    r")\.?(?::\d+)?(?:[/?#]|\Z)",
    re.IGNORECASE,
)
_PIXEL_PATHS = re.compile(
    r"feedburner\.com/~(?:r|ff|a|f)/|feeds\.wordpress\.com/1\.0/|facebook\.com/tr(?:[/?]|\Z)|medium\.com/_/stat"
    r"|blogger\.googleusercontent\.com/tracker/|(?:matomo|piwik)\.php(?:\?|\Z)"
    r"|/(?:1x1|1px|pixel|px|spacer|blank|transparent|clear|trans|dot|count|counter|beacon|tracking|tracker)\.(?:gif|png)(?:[?#]|\Z)"
    r"|/tracking/(?=[^/?#]*pixel)[^/?#]*\.(?:gif|png)(?:[?#]|\Z)|/__utm\.gif|/b\.gif\?",
    re.IGNORECASE,
)
_TINY = re.compile(r"\s*0*[0-2](?:\.[0-9]*)?(?:px)?\s*\Z", re.IGNORECASE)
_TINY_STYLE = re.compile(
    r"(?:\A|[;\s])(?:max-)?(?:width|height)\s*:\s*0*[0-2](?:\.[0-9]*)?(?:px)?\s*(?:!|;|\Z)", re.IGNORECASE
)
_HIDDEN_STYLE = re.compile(r"(?:\A|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_ONE_PIXEL = ("data:image/gif;base64,r0lgodlhaqab", "data:image/gif;base64,r0lgoddhaqab")  # GIF, 1 × 1
_EMOJI_CLASS = re.compile(r"emoji|emoticon|smiley|smilies", re.IGNORECASE)
_EMOJI_URL = re.compile(
    r"/custom_emojis?/|/twemoji/|/images/core/emoji/|/(?:emojis?|smil(?:ies|eys)|emoticons)/[^/?#]{1,80}\.(?:png|gif|svg)(?:[?#]|\Z)",
    re.IGNORECASE,
)
_SHORTCODE = re.compile(r":[\w+-]{1,60}:\Z")
_MAX_ICON = 24  # pixels of both sides; a larger picture is no icon in a line of text
IN_LINE = "20"  # pixels of both sides of emoji and icons, by which the style sheet knows them

_SIZE = re.compile(r"\s*([0-9]{1,5})(?:\.[0-9]+)?(?:px)?\s*\Z", re.IGNORECASE)


def image_attributes(attributes: Attributes, base_url: str, fallback_set: str = "") -> dict[str, str]:
    """Return the safe attributes of an `img`, {} for a tracking pixel or no image.

    `fallback_set` is the srcset of a `picture` element around it.
    """
    if is_tracking_pixel(attributes):
        return {}
    srcset = _first_set(attributes, base_url) or srcset_urls(fallback_set, base_url)
    src = _source(attributes, base_url) or srcset.split(" ", 1)[0].rstrip(",")
    if not src or _PIXEL_HOSTS.match(src) or _PIXEL_PATHS.search(src):
        return {}
    checked = {"src": src, "srcset": srcset, "sizes": _sizes(attributes) if srcset else ""}
    for name in ("width", "height"):
        size = _SIZE.match(attributes.get(name) or "")
        checked[name] = size[1] if size else ""
    if is_emoji(attributes) or (checked["width"] == checked["height"] and 0 < int(checked["width"] or 0) <= _MAX_ICON):
        checked["width"] = checked["height"] = IN_LINE
    checked["title"] = attributes.get("title") or ""
    present = {name: value for name, value in checked.items() if value}
    return present | {"alt": attributes.get("alt") or "", "loading": "lazy", "decoding": "async"}


def is_tracking_pixel(attributes: Attributes) -> bool:
    """Whether an `img` is a tracking pixel, by its size or style."""
    style = attributes.get("style") or ""
    if any(_TINY.match(attributes.get(name) or "x") for name in ("width", "height")) or _TINY_STYLE.search(style):
        return True
    return _HIDDEN_STYLE.search(style) is not None and not any(name in attributes for name in LAZY + LAZY_SETS)


def is_emoji(attributes: Attributes) -> bool:
    """Whether an `img` is an emoji: by class, address or a description such as `:wave:`."""
    return bool(
        _EMOJI_CLASS.search(attributes.get("class") or "")
        or attributes.get("rel") == "emoji"
        or _EMOJI_URL.search(attributes.get("src") or "")
        or _SHORTCODE.match(attributes.get("alt") or "")
    )


def is_lazy(attributes: Attributes) -> bool:
    """Whether an `img` has an attribute of a lazy-loading script."""
    return any(attributes.get(name) for name in LAZY + LAZY_SETS)


def _source(attributes: Attributes, base_url: str) -> str:
    for name in LAZY:
        value = attributes.get(name)
        if value and not value.lstrip().startswith(("{", "[")) and (url := web_url(value, base_url)):
            return url
    src = (attributes.get("src") or "").strip()
    is_data = src[:5].lower() == "data:"
    url = "" if is_data else web_url(src, base_url)
    if not url or _PIXEL_PATHS.search(url):
        url = _address_elsewhere(attributes, base_url) or url
    return url or (_image_data(src) if is_data else "")


def _address_elsewhere(attributes: Attributes, base_url: str) -> str:
    """Return the first address of an image file in other attributes, which no list of scripts is complete for."""
    for name, value in attributes.items():
        words = (value or "").split()
        if name not in _NEVER_LAZY and len(words) == 1 and words[0].partition("?")[0].lower().endswith(_IMAGE_FILE):
            return web_url(words[0], base_url)
    return ""


def _image_data(src: str) -> str:
    if src[:15].lower().startswith("data:image/svg+"):
        return safe_svg_url(src, most=MAX_RASTER // 2)
    return src if is_raster(src) and not src.lower().startswith(_ONE_PIXEL) else ""


def _first_set(attributes: Attributes, base_url: str) -> str:
    return next((urls for name in (*LAZY_SETS, "srcset") if (urls := srcset_urls(attributes.get(name), base_url))), "")


def _sizes(attributes: Attributes) -> str:
    sizes = (attributes.get("sizes") or "").strip()
    return "" if sizes == "auto" else sizes
