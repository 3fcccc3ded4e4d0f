"""Makes the URLs of links and images in a body absolute; only http, https and mailto are kept."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from feeds.normalizing.domains import with_scheme

_IGNORED = re.compile(r"[\t\n\r]")  # browsers drop these anywhere in a URL (URL Standard, "basic URL parser")
_ENDS = "".join(map(chr, range(0x21)))  # control characters and spaces, dropped at both ends
_UNSAFE = re.compile(r"[\s\"'<>`\\\x00-\x20\x7f-\x9f]")
_ABSOLUTE = re.compile(r"https?://[^/?#\s]", re.IGNORECASE | re.ASCII)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)
_MAIL = re.compile(r"mailto:[^\s/]", re.IGNORECASE | re.ASCII)
_DESCRIPTOR = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,4})?[wx]\Z")
MAX_CANDIDATES = 20  # of one srcset; real ones have up to a dozen
MAX_URL = 8192  # characters; servers reject longer ones


def web_url(url: str | None, base_url: str) -> str:
    """Return the absolute http(s) form of a URL, else ""; characters that could end an attribute are escaped."""
    if not url:
        return ""
    cleaned = _IGNORED.sub("", url.strip(_ENDS))
    if not cleaned or len(cleaned) > MAX_URL:
        return ""
    if not _ABSOLUTE.match(cleaned):
        cleaned = with_scheme(cleaned)
        if not _ABSOLUTE.match(cleaned):
            cleaned = "" if _SCHEME.match(cleaned) else _joined(cleaned, base_url)
        if not _ABSOLUTE.match(cleaned):
            return ""
    scheme, rest = cleaned.split(":", 1)
    return f"{scheme.lower()}:{_UNSAFE.sub(_escaped, rest)}"


def link_url(url: str | None, base_url: str) -> str:
    """Like `web_url`, with mailto allowed too."""
    if url and _MAIL.match(address := _IGNORED.sub("", url.strip(_ENDS))):
        return "mailto:" + _UNSAFE.sub(_escaped, address[7:]) if len(address) <= MAX_URL else ""
    return web_url(url, base_url)


def srcset_urls(srcset: str | None, base_url: str) -> str:
    """Return a srcset with absolute http(s) URLs and valid descriptors, without invalid candidates."""
    candidates: list[str] = []
    for url, descriptor in _candidates(srcset) if srcset else ():
        absolute = web_url(url, base_url)
        if absolute and (not descriptor or _DESCRIPTOR.match(descriptor)):
            candidates.append(f"{absolute} {descriptor}".rstrip())
        if len(candidates) == MAX_CANDIDATES:
            break
    return ", ".join(candidates)


def _candidates(srcset: str) -> Iterator[tuple[str, str]]:
    """Yield (URL, descriptor or ""); a comma ends a candidate only at the end of a URL or after its descriptor."""
    words = srcset.split()[::-1]
    while words:
        url = words.pop().lstrip(",")
        if not url or url.endswith(","):
            yield url.rstrip(","), ""
            continue
        descriptor, ended = "", False
        while words and not ended:
            word, comma, following = words.pop().partition(",")
            descriptor, ended = descriptor or word, bool(comma)
            if following:
                words.append(following)
        yield url, descriptor


def _joined(url: str, base_url: str) -> str:
    try:
        return urljoin(base_url, url)
    except ValueError:  # a bracketed host that is not an IPv6 address
        return ""


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
