"""Image URLs: of the publisher, or, with `IMAGE_PROXY`, of this app, which fetches the image.

A proxied URL contains the original URL and a signature, so that the app can't be made to fetch anything else. Only
attributes that load images are rewritten, in the output of the sanitizer's serializer: `<` only starts tags, and values
are quoted without containing their quote, so that one regular expression matches whole tags and attributes.

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

MAX_ADDRESS = 2500  # bytes; in base64 it fits into the 4096 bytes that proxies allow for a request line

_TAG = re.compile(r"""<(img|video)((?: [a-z-]+(?:=(?:"[^"]*"|'[^']*'))?)+)""")
_ATTRIBUTE = re.compile(r""" ([a-z-]+)(?:=("[^"]*"|'[^']*'))?""")
_SAMPLE = re.compile(r"/samples/[a-z-]+/images/[a-z0-9-]+\.png")
_LOADED = {"img": ("src", "srcset"), "video": ("poster",)}
_SALT = "reader.articles.image_proxy"


def image_address(url: str) -> str:
    """The URL a page loads the image from; "" and `data:` URLs stay as they are."""
    if not settings.ENV.IMAGE_PROXY or not url.lower().startswith(("http://", "https://")) or _is_sample(url):
        return url
    given = url.encode(errors="replace")
    if len(given) > MAX_ADDRESS:
        return "data:,"
    signer = Signer(salt=_SALT)
    return reverse("image", args=[signer.signature(url), urlsafe_b64encode(given).decode().rstrip("=")])


def _is_sample(url: str) -> bool:
    """Whether it is a picture of the sample feeds, which this app serves itself."""
    return url.startswith(settings.BASE_URL) and bool(_SAMPLE.fullmatch(url.removeprefix(settings.BASE_URL)))


def original_address(signature: str, address: str) -> str:
    """The original URL; "" if the signature is invalid."""
    try:
        url = b64decode(address + "=" * (-len(address) % 4), altchars=b"-_", validate=True).decode()
    except (Error, ValueError):
        return ""
    return url if constant_time_compare(signature, Signer(salt=_SALT).signature(url)) else ""


def proxy_images(safe_html: str) -> str:
    """Sanitized markup with images and posters loaded from `image_address`."""
    if not settings.ENV.IMAGE_PROXY:
        return safe_html
    return _TAG.sub(_tag, safe_html)


def _tag(found: re.Match[str]) -> str:
    tag, attributes = found.groups()
    return f"<{tag}" + _ATTRIBUTE.sub(lambda match: _attribute(match, _LOADED[tag]), attributes)


def _attribute(found: re.Match[str], loaded: tuple[str, ...]) -> str:
    name, quoted = found.groups()
    if not quoted or name not in loaded:
        return found[0]
    value = unescape(quoted[1:-1])
    if name == "srcset":
        candidates = (candidate.partition(" ") for candidate in value.split(", "))
        value = ", ".join(f"{image_address(url)}{space}{size}" for url, space, size in candidates)
    else:
        value = image_address(value)
    return f' {name}="{escape(value)}"'
