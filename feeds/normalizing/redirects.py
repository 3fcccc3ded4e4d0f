"""Pages that only send the reader on, and carry the target in their own URL: search results, "you are leaving us"
pages, affiliate links, and the AMP caches of Google and Bing.

Unwrapping asks no server. A short link (`t.co`, `bit.ly`, `news.google.com/rss/articles/…`) does not carry its target
and stays as it is; so does an archived or a translated copy, which is another page than its original.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import unquote, unquote_plus

_TARGET = re.compile(r"(?:https?:)?//[^/?#\s]+\.[^/?#\s]+|https?://[^/?#\s]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A redirecting page: the start of its path and the parameters that may hold the target (none: the whole query)."""

    path: str
    parameters: tuple[str, ...] = ()


_BY_HOST: dict[str, tuple[Wrapper, ...]] = {
    host: tuple(Wrapper(path, tuple(names.split())) for path, names in pages)
    for hosts, *pages in (
        ("l.facebook.com lm.facebook.com facebook.com", ("/l.php", "u"), ("/flx/warn", "u")),
        ("l.instagram.com l.threads.com l.threads.net l.messenger.com l.workplace.com", ("/", "u")),
        ("out.reddit.com", ("/", "url")),
        ("t.umblr.com", ("/redirect", "z")),
        ("youtube.com", ("/redirect", "q")),
        ("slack-redir.net", ("/link", "url")),
        ("steamcommunity.com", ("/linkfilter", "url u")),
        ("vk.com vk.ru away.vk.com", ("/away", "to")),
        ("ok.ru", ("/dk", "st.link")),
        ("duckduckgo.com", ("/l", "uddg")),
        ("bing.com", ("/ck/a", "u"), ("/news/apiclick.aspx", "url"), ("/alink", "url")),
        ("linkedin.com", ("/redir", "url"), ("/safety/go", "url")),
        ("disq.us", ("/url", "url")),
        ("t.me", ("/iv", "url")),
        ("getpocket.com", ("/redirect", "url")),
        ("exit.sc gate.sc", ("/", "url")),
        ("pixiv.net", ("/jump.php", "url")),
        ("deviantart.com", ("/users/outgoing", "")),
        ("href.li anonym.to anonymz.com nullrefer.com dereferer.me", ("/", "")),
        ("safelinks.protection.outlook.com", ("/", "url")),
        ("redirect.viglink.com", ("/", "u")),
        ("go.redirectingat.com go.skimresources.com", ("/", "url")),
        ("click.linksynergy.com", ("/deeplink", "murl"), ("/link", "murl")),
        ("awin1.com", ("/cread.php", "ued p"), ("/awclick.php", "ued p")),
        ("shareasale.com", ("/r.cfm", "urllink"), ("/u.cfm", "urllink")),
        ("link.zhihu.com link.juejin.cn link.csdn.net", ("/", "target")),
        ("gitee.com sspai.com", ("/link", "target")),
        ("jianshu.com links.jianshu.com", ("/go-wild", "url"), ("/go", "to")),
        ("douban.com", ("/link2", "url")),
        ("my.oschina.net oschina.net", ("/action/gotolink", "url")),
        ("weibo.cn weibo.com", ("/sinaurl", "u toasturl")),
        ("c.pc.qq.com", ("/", "pfurl url")),
    )
    for host in hosts.split()
}
_GOOGLE = (Wrapper("/url", ("q", "url")), Wrapper("/news/url", ("url",)), Wrapper("/imgres", ("imgrefurl",)))
_GOOGLE_HOST = re.compile(r"(?:news\.)?google\.(?:[a-z]{2,3}|com?\.[a-z]{2})")
_GOOGLE_VIEWER = re.compile(r"/amp/(?P<secure>s/)?(?P<target>[^/]+\.[^/]+.*)")
_CACHE_HOST = re.compile(r"(?:.+\.)?(?:cdn\.ampproject\.org|bing-amp\.com)")
_CACHE_PATH = re.compile(r"/(?:[a-z]{1,3}/)(?P<secure>s/)?(?P<target>[^/]+\.[^/]+.*)")
_YAHOO = re.compile(r"/RU=(?P<target>https?[^/]+)", re.IGNORECASE)
_BING = re.compile(r"a1(?P<encoded>aHR0c[\w-]+)")  # "http" in base64
_DISQUS_SIGNATURE = re.compile(r":[\w-]{20,}$")


def unwrapped(host: str, path: str, query: str) -> str:
    """Return the target that a redirecting page carries, as written there, or "" when the page is none.

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


def _from_pages(pages: tuple[Wrapper, ...], path: str, query: str) -> str:
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
