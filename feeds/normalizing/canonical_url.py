"""One name for one page: the canonical URL, and the key under which URLs of one page are equal (SPEC §5).

Order of the rules: unwrap redirecting pages; scheme and host in lower case, IDNA, no credentials, no default port; AMP
and mobile editions folded; percent-encoding and dot segments normalized; trailing slash, trackers and fragment gone;
parameters sorted. The rules are applied until nothing changes, since one may open the way for another
(`amp.google.com/url?q=…`), so canonicalizing again changes nothing.

The link keeps `http:` and `www.`, for a server may not answer without them; the key drops them. Parameters that
repeat or have no value are kept. Doubled slashes within a path are kept: archives embed URLs there.

Known false merges: sites that serve different pages for `/a` and `/a/`, or by `ref` (see `trackers`).
"""

import functools
import re
from hashlib import blake2b
from urllib.parse import quote, urljoin

from .domains import hostname, registrable_domain
from .redirects import unwrapped
from .trackers import is_extra_tracker, is_pure_tracker, is_tracker
from .variants import folded_host, folded_path, marks_variant

KEY_BYTES = 16
_MAX_ROUNDS = 50  # each round but the last shortens the URL; no real one needs more than four

_HTTP = re.compile(
    r"(?P<scheme>https?):/{2,}(?P<authority>[^/?#]+)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.IGNORECASE | re.DOTALL | re.ASCII,  # "ſ" is no "s" here
)
_PLAIN = re.compile(
    r"https?://(?:[a-z0-9-]+\.)+[a-z0-9]+(?::(?!80/|443/)[1-9]\d{0,3})?/(?:[\w~-][\w.~-]*(?:/(?!$)|$))*", re.ASCII
)  # canonical at a glance: no query, nothing encoded; most links of most feeds
_SUSPECT = re.compile(r"\b(?:m|mobile|wap|touch|3g)\.|amp|RU=")
_IGNORED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\t\r\n\ud800-\udfff]")
_NOT_IN_HOST = frozenset(" \x0b\x0c<>\"'%{}|^`,;/?#@[]")  # some appear only once a name is in ASCII: "a℀b" is "aa/cb"
_ENDS = " \x0b\x0c\x85\xa0\u3000\ufeff"
_SESSION = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
_FEED_SCHEME = re.compile(r"(?:feed|rss):(?://)?(?=https?:)", re.IGNORECASE)
_LEFT_OVER = re.compile(r"(^|&)(?:amp;)+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_IN_PATH = re.compile(r"%([0-9A-Fa-f]{2})|%|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+")
_IN_QUERY = re.compile(r"%([0-9A-Fa-f]{2})|%|[^A-Za-z0-9\-._~!$'()*+,;=:@/?%]+")


def is_http_url(url: str) -> bool:
    """Whether `url` is absolute, http or https, and has a host."""
    match = _HTTP.fullmatch(_tidy(url))
    return bool(match and _authority(match["authority"], match["scheme"].lower()))


def absolute(base: str, url: str) -> str:
    """Return `url` made absolute against `base`, without credentials, white space and control characters.

    "" when the result is not an http(s) URL. Percent-encoding and case stay as published, but spaces become `%20`.
    """
    url = _tidy(url).replace(" ", "%20")
    match = _HTTP.fullmatch(url)
    if not match:
        try:
            url = _tidy(urljoin(_tidy(base), url))
        except ValueError:
            return ""
        match = _HTTP.fullmatch(url)
    if not match or not _authority(match["authority"], match["scheme"].lower()):
        return ""
    authority = match["authority"]
    if "@" in authority:
        url = url.replace(authority, authority.rpartition("@")[2], 1)
    return url


def canonical_url(url: str, extra_trackers: frozenset[str] = frozenset()) -> str:
    """Return the canonical form of an absolute http(s) URL, in ASCII; "" when it is none.

    `extra_trackers` are further parameter names, `name*` standing for a prefix. Source: SPEC §5, strategy.md step 2.
    """
    if _is_plain(url):
        return url
    return _settled(url, extra_trackers)


def url_key(url: str, extra_trackers: frozenset[str] = frozenset()) -> bytes:
    """Return 16 bytes, equal for URLs of one page: the canonical form without scheme and `www.`."""
    return key_of_canonical(canonical_url(url, extra_trackers) or url)


def key_of_canonical(url: str) -> bytes:
    """Return the key of a URL that is canonical already."""
    rest = url.partition("://")[2] or url
    if rest.startswith("www.") and rest.partition("/")[0].count(".") > 1:
        rest = rest[4:]
    return blake2b(rest.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()


def canonical_feed_url(url: str) -> str:
    """Return the form under which two addresses of one feed are equal; "" when it is no http(s) URL.

    Milder than for pages: a feed may live by its parameters, so only sure trackers go; nothing is folded or
    unwrapped. `feed:` schemes are understood, credentials dropped.
    """
    url = _FEED_SCHEME.sub("", _tidy(url))
    if url[:7].lower() == "feed://":
        url = "http" + url[4:]
    match = _HTTP.fullmatch(url)
    authority = _authority(match["authority"], match["scheme"].lower()) if match else ""
    if not match or not authority:
        return ""
    query = "&".join(sorted(part for part, name, _ in _parameters(match["query"]) if not is_pure_tracker(name)))
    return f"{match['scheme'].lower()}://{authority}{_path(match['path'])}{'?' if query else ''}{query}"


def feed_url_key(url: str) -> bytes:
    """Return 16 bytes, equal for addresses of one feed, whatever their scheme and `www.`.

    Credentials count here, as a digest: what a password opens may be another document than the public one, and a
    stranger who subscribes to the bare address must not be given it.
    """
    match = _HTTP.fullmatch(_FEED_SCHEME.sub("", _tidy(url)))
    secret = match["authority"].rpartition("@")[0] if match else ""
    bare = key_of_canonical(canonical_feed_url(url) or url)
    return blake2b(bare + secret.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest() if secret else bare


@functools.lru_cache(maxsize=4096)
def _settled(url: str, extra: frozenset[str]) -> str:
    for _ in range(_MAX_ROUNDS):
        simpler = _simplified(url, extra)
        if simpler == url or _is_plain(simpler):
            return simpler
        url = simpler
    return url


def _is_plain(url: str) -> bool:
    return bool(_PLAIN.fullmatch(url) and not _SUSPECT.search(url))


def _simplified(url: str, extra: frozenset[str]) -> str:
    match = _HTTP.fullmatch(_tidy(url))
    scheme = match["scheme"].lower() if match else ""
    authority = _authority(match["authority"], scheme) if match else ""
    if not match or not authority:
        return ""
    host, colon, port = (authority, "", "") if authority.startswith("[") else authority.partition(":")
    path = _path(match["path"])
    target = unwrapped(host, path, match["query"] or "")
    if target and (match_target := _HTTP.fullmatch(_tidy(target))) and match_target["authority"]:
        return target
    host = folded_host(host)
    path = _path(folded_path(path))
    query = _query(match["query"], host, path, extra)
    return f"{scheme}://{host}{colon}{port}{path}{'?' if query else ''}{query}{_route(match['fragment'])}"


def _tidy(url: str) -> str:
    url = _IGNORED.sub("", url).strip(_ENDS)
    if "\\" in url:
        head, question, tail = url.partition("?")
        url = head.replace("\\", "/") + question + tail
    return url


@functools.lru_cache(maxsize=4096)
def _authority(raw: str, scheme: str) -> str:
    """Return host and port in canonical form; "" when there is no host or the port is not one."""
    host = hostname(raw)
    if not host or not _NOT_IN_HOST.isdisjoint(host):
        return ""
    after = raw.rpartition("@")[2]
    port = after.partition("]")[2].removeprefix(":") if after.startswith("[") else after.partition(":")[2]
    if ":" in host:
        host = f"[{host}]"
    if not port:
        return host
    if not (port.isascii() and port.isdecimal()) or not 0 < int(port[:6]) < 65536:
        return ""
    number = int(port[:6])
    return host if number == (443 if scheme == "https" else 80) else f"{host}:{number}"


def _path(path: str) -> str:
    path = _IN_PATH.sub(_recoded, path)
    if ";" in path:
        path = _SESSION.sub("", path)
    if "/." in path:
        path = _without_dots(path)
    return path.rstrip("/") or "/"


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept)


def _query(query: str | None, host: str, path: str, extra: frozenset[str]) -> str:
    if not query:
        return ""
    domain = registrable_domain(host)
    return "&".join(
        sorted(
            part
            for part, name, value in _parameters(query)
            if not is_tracker(name, value, host=host, domain=domain, path=path)
            and not marks_variant(name, value, domain)
            and not (extra and is_extra_tracker(name, extra))
        )
    )


def _parameters(query: str | None) -> list[tuple[str, str, str]]:
    """Return each parameter as (normalized text, name, value); `&amp;` left over from markup separates too."""
    if not query:
        return []
    if "amp;" in query:
        query = _LEFT_OVER.sub(r"\1", query)
    parts = [_IN_QUERY.sub(_recoded, part) for part in query.split("&") if part]
    return [(part, *part.partition("=")[::2]) for part in parts]


def _route(fragment: str | None) -> str:
    if not fragment or fragment[0] not in "!/" or len(fragment) == 1:
        return ""
    return "#" + _IN_QUERY.sub(_recoded, fragment)


def _recoded(match: re.Match[str]) -> str:
    code = match[1]
    if code is None:
        return "%25" if match[0] == "%" else quote(match[0], safe="", errors="replace")
    char = chr(int(code, 16))
    return char if char in _UNRESERVED else f"%{code.upper()}"
