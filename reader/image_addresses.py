"""Where pictures are shown from: their publishers, or with `IMAGE_PROXY` this reader, which fetches them.

An address of ours holds the picture's own and a signature, so that nobody can have the reader fetch what no article
shows. In bodies only the attributes that load pictures are changed, in the markup as the sanitizer's serializer wrote
it: `<` stands for a tag alone, and each value is in quotes that it does not hold itself. Thus one expression reads
whole tags and whole attributes, and an `alt` that looks like an attribute stays a text.

Sound and films still come from their publishers, and only once they are played.
"""

import re
from base64 import b64decode, urlsafe_b64encode
from binascii import Error
from html import escape, unescape

from django.conf import settings
from django.core.signing import Signer
from django.urls import reverse
from django.utils.crypto import constant_time_compare

MAX_ADDRESS = 2500  # bytes; in base64 it fits beside the rest into the 4094 that gunicorn takes for a request line

_TAG = re.compile(r"""<(img|video)((?: [a-z-]+(?:=(?:"[^"]*"|'[^']*'))?)+)""")
_ATTRIBUTE = re.compile(r""" ([a-z-]+)(?:=("[^"]*"|'[^']*'))?""")
_CANDIDATE = re.compile(r"(\S+?)( [0-9.]+[wxh])?(, |\Z)")
_LOADED = {"img": ("src", "srcset"), "video": ("poster",)}
_SALT = "reader.image_addresses"


def image_address(url: str) -> str:
    """What a page loads the picture at `url` from; "" stays so, and so does a picture within the page (`data:`)."""
    if not settings.ENV.IMAGE_PROXY or not url.lower().startswith(("http://", "https://")):
        return url
    given = url.encode(errors="replace")
    if len(given) > MAX_ADDRESS:
        return "data:,"
    signer = Signer(salt=_SALT)
    return reverse("image", args=[signer.signature(url), urlsafe_b64encode(given).decode().rstrip("=")])


def original_address(signature: str, address: str) -> str:
    """The picture's own address; "" where the signature is not ours."""
    try:
        url = b64decode(address + "=" * (-len(address) % 4), altchars=b"-_", validate=True).decode()
    except (Error, ValueError):
        return ""
    return url if constant_time_compare(signature, Signer(salt=_SALT).signature(url)) else ""


def with_own_pictures(safe_html: str) -> str:
    """Sanitized markup whose pictures and posters are loaded from `image_address`."""
    if not settings.ENV.IMAGE_PROXY:
        return safe_html
    return _TAG.sub(_tag, safe_html)


def _tag(found: re.Match[str]) -> str:
    tag, attributes = found.groups()
    return f"<{tag}" + _ATTRIBUTE.sub(lambda each: _attribute(each, _LOADED[tag]), attributes)


def _attribute(found: re.Match[str], loaded: tuple[str, ...]) -> str:
    name, quoted = found.groups()
    if not quoted or name not in loaded:
        return found[0]
    value = unescape(quoted[1:-1])
    if name == "srcset":
        value = _CANDIDATE.sub(lambda one: image_address(one[1]) + (one[2] or "") + one[3], value)
    else:
        value = image_address(value)
    return f' {name}="{escape(value)}"'
