"""Unwraps pages that only redirect and carry the target in their own URL: search results, "you are leaving us" pages,
affiliate links, and the AMP caches of Google and Bing. `redirects.tsv` lists them.

No request is made. A short link (`t.co`, `bit.ly`, `news.google.com/rss/articles/…`) doesn't contain its target and
stays as it is; so does an archived or translated copy, which is a different page.
"""

import base64
import binascii
import re
from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus

from feeds.word_lists import read_rows

_TARGET = re.compile(r"(?:https?:)?//[^/?#\s]+\.[^/?#\s]+|https?://[^/?#\s]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wrapper:
    """The start of a redirecting page's path, and the parameters that may hold the target (none: the whole query)."""

    path: str
    parameters: tuple[str, ...] = ()


def _read_pages() -> dict[str, list[Wrapper]]:
    pages = defaultdict(list)
    for hosts, path, *names in read_rows("feeds.normalizing", "redirects.tsv"):
        for host in hosts.split():
            pages[host].append(Wrapper(path, tuple("".join(names).split())))
    return dict(pages)


_BY_HOST = _read_pages()
_GOOGLE = [Wrapper("/url", ("q", "url")), Wrapper("/news/url", ("url",)), Wrapper("/imgres", ("imgrefurl",))]
_GOOGLE_HOST = re.compile(r"(?:news\.)?google\.(?:[a-z]{2,3}|com?\.[a-z]{2})")
_GOOGLE_VIEWER = re.compile(r"/amp/(?P<secure>s/)?(?P<target>[^/]+\.[^/]+.*)")
_CACHE_HOST = re.compile(r"(?:.+\.)?(?:cdn\.ampproject\.org|bing-amp\.com)")
_CACHE_PATH = re.compile(r"/(?:[a-z]{1,3}/)(?P<secure>s/)?(?P<target>[^/]+\.[^/]+.*)")
_YAHOO = re.compile(r"/RU=(?P<target>https?[^/]+)", re.IGNORECASE)
_BING = re.compile(r"a1(?P<encoded>aHR0c[\w-]+)")  # "http" in base64
_DISQUS_SIGNATURE = re.compile(r":[\w-]{20,}$")


def unwrap_redirect(host: str, path: str, query: str) -> str:
    """Return the target in the URL of a redirecting page, as written there, or "" for other pages.

    `host` is in lower-case ASCII, without a port.
    """
    host = host.removeprefix("www.")
    if host.endswith((".ampproject.org", "bing-amp.com")) and _CACHE_HOST.fullmatch(host):
        return _from_viewer(_CACHE_PATH.fullmatch(path), query)
    if "google." in host and _GOOGLE_HOST.fullmatch(host):
        return _from_viewer(_GOOGLE_VIEWER.fullmatch(path), query) or _from_pages(_GOOGLE, path, query)
    if host == "r.search.yahoo.com" and (match := _YAHOO.search(path)):
        return _target(unquote(match["target"]))
    if host.endswith(".safelinks.protection.outlook.com"):
        host = "safelinks.protection.outlook.com"
    pages = _BY_HOST.get(host)
    if not pages:
        return ""
    target = _from_pages(pages, path, query)
    return _DISQUS_SIGNATURE.sub("", target) if host == "disq.us" else target


def _from_viewer(match: re.Match[str] | None, query: str) -> str:
    if not match:
        return ""
    return f"http{'s' if match['secure'] else ''}://{match['target']}{'?' if query else ''}{query}"


def _from_pages(pages: list[Wrapper], path: str, query: str) -> str:
    path = path.lower()
    for page in pages:
        if path.startswith(page.path):
            if not page.parameters:
                return _target(unquote(query)) or _target(query)
            values = dict(reversed([_pair(part) for part in query.split("&")]))
            for name in page.parameters:
                if target := _target(values.get(name, "")):
                    return target
    return ""


def _pair(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return unquote_plus(name).lower(), unquote_plus(value)


def _target(value: str) -> str:
    value = value.strip()
    if match := _BING.fullmatch(value):
        value = _decoded(match["encoded"])
    if not _TARGET.match(value):
        return ""
    return "https:" + value if value.startswith("//") else value


def _decoded(encoded: str) -> str:
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
