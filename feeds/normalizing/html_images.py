"""Resolves lazy images and recognizes tracking pixels.

Observed: lazy-loading scripts keep the real URL in `data-src` or a similar attribute, with a placeholder (a blank GIF,
a `data:` URL, a blurred thumbnail) or nothing in `src`; some repeat the image in a `noscript` after it. As no script
runs here, the lazy URL is used. Tracking pixels are one or two pixels wide or high, hidden, or come from hosts and
paths that serve nothing else.

Known false positive: a line drawn as an image one pixel high. Known misses: a publisher's own counters without a size.
"""

import re
from collections.abc import Mapping

from feeds.normalizing.html_links import srcset_urls, web_url
from feeds.normalizing.html_vocabulary import is_raster

Attributes = Mapping[str, str | None]

# The most reliable first: lazysizes and lazyload, WordPress plugins, jQuery.lazyload, others.
_LAZY_NAMES = "data-src data-lazy-src data-original data-lazy data-echo data-url data-actualsrc data-srcurl"
LAZY = tuple(_LAZY_NAMES.split())
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
    checked["title"] = attributes.get("title") or ""
    present = {name: value for name, value in checked.items() if value}
    return present | {"alt": attributes.get("alt") or "", "loading": "lazy", "decoding": "async"}


def is_tracking_pixel(attributes: Attributes) -> bool:
    """Whether an `img` is a tracking pixel, by its size or style."""
    style = attributes.get("style") or ""
    if any(_TINY.match(attributes.get(name) or "x") for name in ("width", "height")) or _TINY_STYLE.search(style):
        return True
    return _HIDDEN_STYLE.search(style) is not None and not any(name in attributes for name in LAZY + LAZY_SETS)


def _source(attributes: Attributes, base_url: str) -> str:
    for name in LAZY:
        value = attributes.get(name)
        if value and not value.lstrip().startswith(("{", "[")) and (url := web_url(value, base_url)):
            return url
    src = (attributes.get("src") or "").strip()
    if src[:5].lower() == "data:":
        return src if is_raster(src) and not src.lower().startswith(_ONE_PIXEL) else ""
    return web_url(src, base_url)


def _first_set(attributes: Attributes, base_url: str) -> str:
    return next((urls for name in (*LAZY_SETS, "srcset") if (urls := srcset_urls(attributes.get(name), base_url))), "")


def _sizes(attributes: Attributes) -> str:
    sizes = (attributes.get("sizes") or "").strip()
    return "" if sizes == "auto" else sizes
