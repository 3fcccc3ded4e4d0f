"""The canonical URL of a page, and a key that is equal for all URLs of one page (SPEC §5).

Order of the rules: unwrap redirecting pages; lower-case scheme and host, IDNA, no credentials, no default port; AMP
and mobile editions mapped to the main one; percent-encoding and dot segments normalized; trailing slash, trackers and
fragment removed; parameters sorted. The rules are repeated until nothing changes, because one may enable another
(`amp.google.com/url?q=…`), so canonicalization is idempotent.

The URL keeps `http:` and `www.`, because a server may not respond without them; the key drops them. Repeated and empty
parameters are kept, as are double slashes within a path: archives embed URLs there.

Known false merges: sites that serve different pages for `/a` and `/a/`, or by `ref` (see `trackers`), unless one
document links to both (`feeds.normalizing.identity`).
"""

import functools
import re
from enum import Enum
from hashlib import blake2b
from urllib.parse import quote, urljoin

from feeds.normalizing.amp_mobile import is_variant_parameter, main_host, without_amp_path
from feeds.normalizing.domains import hostname, registrable_domain, with_scheme
from feeds.normalizing.redirects import unwrap_redirect
from feeds.normalizing.trackers import (
    is_extra_tracker,
    is_page_named,
    is_pure_tracker,
    is_session_id,
    is_sure_tracker,
    is_tracker,
    may_be_session_id,
)

KEY_BYTES = 16
_MAX_ROUNDS = 50  # every round but the last shortens the URL; real ones need up to four

_HTTP = re.compile(
    r"(?P<scheme>https?):/{2,}(?P<authority>[^/?#]+)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.IGNORECASE | re.DOTALL | re.ASCII,  # "ſ" must not match "s"
)
_PLAIN = re.compile(
    r"https?://(?:[a-z0-9-]+\.)+[a-z0-9]+(?::(?!80/|443/)[1-9]\d{0,3})?/(?:[\w~-][\w.~-]*(?:/(?!$)|$))*", re.ASCII
)  # canonical already: no query, nothing encoded; most links of most feeds
_SUSPECT = re.compile(r"\b(?:m|mobile|wap|touch|3g)\.|amp|RU=")
_IGNORED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\t\r\n\ud800-\udfff]")
_NOT_IN_HOST = frozenset(" \x0b\x0c<>\"'%{}|^`,;/?#@[]")  # some appear only after IDNA mapping: "a℀b" gives "aa/cb"
_ENDS = " \x0b\x0c\x85\xa0\u3000\ufeff"
_SESSION = re.compile(r";(?:jsessionid|phpsessid|sessionid|sid)=[^/;?#]*", re.IGNORECASE)
_ASP_SESSION = re.compile(r"/\((?:[ASF]\([\w-]{8,200}\)){1,3}\)(?=/)", re.ASCII)
_FEED_SCHEME = re.compile(r"(?:feed|rss):(?://)?(?=https?:)", re.IGNORECASE)
_LEFTOVER_AMP = re.compile(r"(^|&)(?:amp;)+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_IN_PATH = re.compile(r"%([0-9A-Fa-f]{2})|%|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+")
_IN_QUERY = re.compile(r"%([0-9A-Fa-f]{2})|%|[^A-Za-z0-9\-._~!$'()*+,;=:@/?%]+")


class Removed(Enum):
    """Which trackers are removed from a URL."""

    ALL = "all"  # from the key of a page
    SURE = "sure"  # from the link to open: those that no site needs
    NONE = "none"  # to tell apart links that differ only in a tracker


def is_http_url(url: str) -> bool:
    """Whether `url` is absolute, http or https, and has a host."""
    match = _HTTP.fullmatch(_strip_ignored(url))
    return bool(match and _authority(match["authority"], match["scheme"].lower()))


def absolute(base: str, url: str) -> str:
    """Return `url` resolved against `base`, without credentials, white space and control characters.

    "" when the result is not an http(s) URL. Percent-encoding and case are kept, but spaces become `%20`.
    """
    url = _strip_ignored(url).replace(" ", "%20")
    match = _HTTP.fullmatch(url)
    if not match:
        try:
            url = _strip_ignored(urljoin(_strip_ignored(base), with_scheme(url)))
        except ValueError:
            return ""
        match = _HTTP.fullmatch(url)
    if not match or not _authority(match["authority"], match["scheme"].lower()):
        return ""
    authority = match["authority"]
    if "@" in authority:
        url = url.replace(authority, authority.rpartition("@")[2], 1)
    return url


def canonical_url(url: str, extra_trackers: frozenset[str] = frozenset(), *, removed: Removed = Removed.ALL) -> str:
    """Return the canonical form of an absolute http(s) URL, in ASCII; "" for other URLs.

    `extra_trackers` are more parameter names to remove; `name*` is a prefix. Source: SPEC §5, strategy.md step 2.
    """
    if _is_plain(url):
        return url
    return _canonicalize(url, extra_trackers, removed)


def url_key(url: str, extra_trackers: frozenset[str] = frozenset()) -> bytes:
    """Return 16 bytes that are equal for URLs of one page: a hash of the canonical form without scheme and `www.`."""
    return key_of_canonical(canonical_url(url, extra_trackers) or url)


def key_of_canonical(url: str) -> bytes:
    """Return the key of a canonical URL."""
    rest = url.partition("://")[2] or url
    if rest.startswith("www.") and rest.partition("/")[0].count(".") > 1:
        rest = rest[4:]
    return blake2b(rest.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()


def canonical_feed_url(url: str) -> str:
    """Return a form that is equal for URLs of one feed; "" for anything but an http(s) URL.

    Milder than for pages: parameters may identify a feed, so only certain trackers are removed, and nothing is
    unwrapped or mapped to another edition. `feed:` schemes are understood, credentials dropped.
    """
    url = _FEED_SCHEME.sub("", _strip_ignored(url))
    if url[:7].lower() == "feed://":
        url = "http" + url[4:]
    match = _HTTP.fullmatch(url)
    authority = _authority(match["authority"], match["scheme"].lower()) if match else ""
    if not match or not authority:
        return ""
    query = "&".join(sorted(part for part, name, _ in _parameters(match["query"]) if not is_pure_tracker(name)))
    return f"{match['scheme'].lower()}://{authority}{_path(match['path'])}{'?' if query else ''}{query}"


def feed_url_key(url: str) -> bytes:
    """Return 16 bytes that are equal for URLs of one feed, whatever their scheme and `www.`.

    Credentials are part of the hash: a feed behind a password may differ from the public one, and must not be shown to
    those who subscribe to the bare URL.
    """
    match = _HTTP.fullmatch(_FEED_SCHEME.sub("", _strip_ignored(url)))
    secret = match["authority"].rpartition("@")[0] if match else ""
    bare = key_of_canonical(canonical_feed_url(url) or url)
    return blake2b(bare + secret.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest() if secret else bare


@functools.lru_cache(maxsize=4096)
def _canonicalize(url: str, extra: frozenset[str], removed: Removed) -> str:
    for _ in range(_MAX_ROUNDS):
        simpler = _simplify(url, extra, removed)
        if simpler == url or _is_plain(simpler):
            return simpler
        url = simpler
    return url


def _is_plain(url: str) -> bool:
    return bool(_PLAIN.fullmatch(url) and not _SUSPECT.search(url))


def _simplify(url: str, extra: frozenset[str], removed: Removed) -> str:
    match = _HTTP.fullmatch(_strip_ignored(url))
    scheme = match["scheme"].lower() if match else ""
    authority = _authority(match["authority"], scheme) if match else ""
    if not match or not authority:
        return ""
    host, colon, port = (authority, "", "") if authority.startswith("[") else authority.partition(":")
    path = _path(match["path"])
    target = unwrap_redirect(host, path, match["query"] or "")
    if target and (match_target := _HTTP.fullmatch(_strip_ignored(target))) and match_target["authority"]:
        return target
    host = main_host(host)
    path = _path(without_amp_path(path))
    query = _query(match["query"], host, path, extra, removed)
    return f"{scheme}://{host}{colon}{port}{path}{'?' if query else ''}{query}{_route(match['fragment'])}"


def _strip_ignored(url: str) -> str:
    url = _IGNORED.sub("", url).strip(_ENDS)
    if "\\" in url:
        head, question, tail = url.partition("?")
        url = head.replace("\\", "/") + question + tail
    return url


@functools.lru_cache(maxsize=4096)
def _authority(raw: str, scheme: str) -> str:
    """Return host and port in canonical form; "" when there is no host or the port is invalid."""
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
    path = _without_session_in_path(path)
    if "/." in path:
        path = _without_dots(path)
    return path.rstrip("/") or "/"


def _without_session_in_path(path: str) -> str:
    if ";" in path:
        path = _SESSION.sub("", path)
    return _ASP_SESSION.sub("", path) if "/(" in path else path


def without_session(url: str) -> str:
    """Return an http(s) URL without its session id, else as it is; any other text as it is."""
    match = _HTTP.fullmatch(url)
    if not match:
        return url
    head, question, rest = url.partition("?")
    query, mark, fragment = rest.partition("#")
    several = [part for part in _LEFTOVER_AMP.sub(r"\1", query).split("&") if part]
    pairs = [part.partition("=")[::2] for part in several]
    is_named = is_page_named(pairs, domain=registrable_domain(url), path=match["path"])
    is_session = [may_be_session_id(*pair, is_named=is_named) for pair in pairs]
    kept = [part for part, is_one in zip(several, is_session, strict=True) if not is_one]
    if len(kept) < len(several):
        query, question = "&".join(kept), question if kept else ""
    return f"{_without_session_in_path(head)}{question}{query}{mark}{fragment}"


def _without_dots(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del segments[-1:]
        elif segment != ".":
            segments.append(segment)
    return "/" + "/".join(segments)


def _query(query: str | None, host: str, path: str, extra: frozenset[str], removed: Removed) -> str:
    if not query:
        return ""
    domain, parameters = registrable_domain(host), _parameters(query)
    is_named = is_page_named([(name, value) for _, name, value in parameters], domain=domain, path=path)

    def is_removed(name: str, value: str) -> bool:
        if is_session_id(name, value, is_named=is_named):
            return True  # all links of a document have the same, and it is another one with every poll
        if removed is Removed.NONE:
            return is_variant_parameter(name, value, domain)
        if may_be_session_id(name, value, is_named=is_named):
            return True
        if removed is Removed.SURE:
            is_listed = is_sure_tracker(name, value, domain=domain)
        else:
            is_listed = is_tracker(name, value, host=host, domain=domain, path=path)
        return is_listed or is_variant_parameter(name, value, domain) or bool(extra and is_extra_tracker(name, extra))

    return "&".join(sorted(part for part, name, value in parameters if not is_removed(name, value)))


def _parameters(query: str | None) -> list[tuple[str, str, str]]:
    """Return each parameter as (normalized text, name, value); a leftover `&amp;` from markup is a separator too."""
    if not query:
        return []
    if "amp;" in query:
        query = _LEFTOVER_AMP.sub(r"\1", query)
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
