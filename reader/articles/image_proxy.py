"""Image URLs: of the publisher, or, with `IMAGE_PROXY`, of this app, which fetches the image.

A proxied URL contains the original URL and a signature, so that the app can't be made to fetch anything else, and the
origin of the article's page if that is another, for servers that ask for it. Only attributes that load images are
rewritten, in the output of the sanitizer's serializer: `<` only starts tags, and values are quoted without containing
their quote, so that one regular expression matches whole tags and attributes.

Audio and video load from their publishers, and only when played.
"""

import re
from base64 import b64decode, urlsafe_b64encode
from binascii import Error
from html import escape, unescape

from django.conf import settings
from django.core.signing import Signer
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from feeds.content.image_proxy import origin_of

MAX_ADDRESS = 2500  # bytes; in base64 it fits into the 4096 bytes that proxies allow for a request line

_TAG = re.compile(r"""<(img|video)((?: [a-z-]+(?:=(?:"[^"]*"|'[^']*'))?)+)""")
_ATTRIBUTE = re.compile(r""" ([a-z-]+)(?:=("[^"]*"|'[^']*'))?""")
_SAMPLE = re.compile(r"/samples/[a-z-]+/images/[a-z0-9-]+\.png")
_LOADED = {"img": ("src", "srcset"), "video": ("poster",)}
_SALT = "reader.articles.image_proxy"


def image_address(url: str, page: str = "") -> str:
    """The URL a page loads the image from; "" and `data:` URLs stay as they are. `page` is the article's URL."""
    if not settings.ENV.IMAGE_PROXY or not url.lower().startswith(("http://", "https://")) or _is_sample(url):
        return url
    origin = origin_of(page)
    origin = "" if url.startswith(origin) else origin
    if len(url.encode(errors="replace")) + len(origin) > MAX_ADDRESS:
        return "data:,"
    signature = f"{_packed(origin)}.{_signature(url, origin)}" if origin else _signature(url, origin)
    return reverse("image", args=[signature, _packed(url)])


def _signature(url: str, origin: str) -> str:
    return Signer(salt=_SALT).signature(f"{origin} {url}" if origin else url)


def _packed(url: str) -> str:
    return urlsafe_b64encode(url.encode(errors="replace")).decode().rstrip("=")


def _unpacked(text: str) -> str:
    """Raises ValueError."""
    return b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()


def _is_sample(url: str) -> bool:
    """Whether it is a picture of the sample feeds, which this app serves itself."""
    return url.startswith(settings.BASE_URL) and bool(_SAMPLE.fullmatch(url.removeprefix(settings.BASE_URL)))


def original_addresses(signature: str, address: str) -> tuple[str, str]:
    """The original URL, and the origin of its page if that is another; "" if the signature is invalid."""
    packed_origin, _, signed = signature.rpartition(".")
    try:
        url, origin = _unpacked(address), _unpacked(packed_origin)
    except (Error, ValueError):
        return "", ""
    return (url, origin) if constant_time_compare(signed, _signature(url, origin)) else ("", "")


def original_address(signature: str, address: str) -> str:
    """The original URL; "" if the signature is invalid."""
    return original_addresses(signature, address)[0]


def proxy_images(safe_html: str, page: str = "") -> str:
    """Sanitized markup with images and posters loaded from `image_address`; `page` is the article's URL."""
    if not settings.ENV.IMAGE_PROXY:
        return safe_html
    return _TAG.sub(lambda found: _tag(found, page), safe_html)


def _tag(found: re.Match[str], page: str) -> str:
    tag, attributes = found.groups()
    return f"<{tag}" + _ATTRIBUTE.sub(lambda match: _attribute(match, _LOADED[tag], page), attributes)


def _attribute(found: re.Match[str], loaded: tuple[str, ...], page: str) -> str:
    name, quoted = found.groups()
    if not quoted or name not in loaded:
        return found[0]
    value = unescape(quoted[1:-1])
    if name == "srcset":
        candidates = (candidate.partition(" ") for candidate in value.split(", "))
        value = ", ".join(f"{image_address(url, page)}{space}{size}" for url, space, size in candidates)
    else:
        value = image_address(value, page)
    return f' {name}="{escape(value)}"'
