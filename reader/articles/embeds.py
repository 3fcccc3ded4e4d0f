"""Embedded players of other sites in an article, offered as links that name the site. Pure.

The sanitizer removes `iframe` and similar elements, since they load from other hosts as soon as the page opens. They
are found in the markup as published and offered below the text, so that nothing is requested before a click. For known
players, the link leads to the page a user would open; otherwise to the content of the frame.

Known false positives: a frame in a comment or a script. Left out: frames of trackers, advertisements and "like"
buttons, by size or host.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from feeds.normalizing.html_links import web_url

MAX_EMBEDS = 10  # per article; more is a gallery, better viewed on its page
_SEARCHED = 500_000  # characters of markup

_FRAME = re.compile(
    r"""<(iframe|embed|object|lite-youtube|amp-youtube|lite-vimeo)\s((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""", re.I
)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
_TINY = re.compile(r"\s*[0-3](?:px)?\s*\Z")
_ID = r"([\w-]{6,64})"
_YOUTUBE_ID = re.compile(rf"{_ID}\Z")
_UNWANTED = re.compile(
    r"(?:\A|\.)(?:doubleclick\.net|googlesyndication\.com|googletagmanager\.com|google-analytics\.com|addthis\.com"
    r"|sharethis\.com|amazon-adsystem\.com|adnxs\.com|taboola\.com|outbrain\.com|feedburner\.com)\Z"
)
_UNWANTED_PATH = re.compile(r"\A/(?:plugins/(?:like|share|follow|page)|widgets/(?:follow|tweet)_button)", re.I)


@dataclass(frozen=True, slots=True)
class Embed:
    """`url` is the link's target, `source` the published address; `host` is shown to the user.

    `kind`: `video`, `sound`, or `page` if unknown.
    """

    url: str
    source: str
    host: str
    kind: str


def embeds(markup: str, media: Sequence[dict[str, Any]], *, base_url: str) -> tuple[Embed, ...]:
    """The players in an article's markup, then those declared as its files, each once."""
    found: dict[str, Embed] = {}
    for source in (*_framed(markup, base_url), *(medium["url"] for medium in media if _known(medium["url"]))):
        embed = _embed(source)
        if embed is not None and len(found) < MAX_EMBEDS:
            found.setdefault(embed.url, embed)
    return tuple(found.values())


def _framed(markup: str, base_url: str) -> Iterator[str]:
    for match in _FRAME.finditer(markup, 0, _SEARCHED):
        attributes: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(match[2]):
            attributes.setdefault(name.lower(), unescape("".join(values)))
        if any(_TINY.match(attributes.get(side, "")) for side in ("width", "height")):
            continue
        tag = match[1].lower()
        number = attributes.get("videoid") or attributes.get("data-videoid") or ""
        if "youtube" in tag and _YOUTUBE_ID.match(number):
            yield f"https://www.youtube.com/embed/{number}"
            continue
        for name in ("data-src", "data-lazy-src", "src", "data"):
            if url := web_url(attributes.get(name), base_url):
                yield url
                break


def _embed(source: str) -> Embed | None:
    known = _known(source)
    try:
        parts = urlsplit(source)
    except ValueError:
        return None
    host = (parts.hostname or "").lower()
    if known is None and (not host or _UNWANTED.search(host) or _UNWANTED_PATH.match(parts.path)):
        return None
    url, kind = known or (source, "page")
    return Embed(url, source, _plain(urlsplit(url).hostname or host), kind)


def _known(source: str) -> tuple[str, str] | None:
    """The page for a known player, and what it plays."""
    try:
        parts = urlsplit(source)
        host = _plain(parts.hostname or "")
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    for hosts, path, kind, page in _PLAYERS:
        if (not hosts or host in hosts) and (match := path.match(parts.path)):
            return page(match, host), kind
    if host == "w.soundcloud.com" and (target := parse_qs(parts.query).get("url", [""])[0]):
        return (target, "sound") if target.startswith("https://soundcloud.com/") else (source, "sound")
    return None


def _plain(host: str) -> str:
    return host.lower().removeprefix("www.")


# Hosts (none: any), the path of a player, what it plays, and the page for it.
_PLAYERS: tuple[tuple[frozenset[str], re.Pattern[str], str, Callable[[re.Match[str], str], str]], ...] = (
    (
        frozenset(("youtube.com", "youtube-nocookie.com", "m.youtube.com")),
        re.compile(rf"/(?:embed|v|shorts)/(?!videoseries){_ID}/?\Z"),
        "video",
        lambda match, host: f"https://www.youtube.com/watch?v={match[1]}",
    ),
    (
        frozenset(("player.vimeo.com",)),
        re.compile(r"/video/(\d{4,12})/?\Z"),
        "video",
        lambda match, host: f"https://vimeo.com/{match[1]}",
    ),
    (
        frozenset(("dailymotion.com", "geo.dailymotion.com")),
        re.compile(r"/embed/video/(\w{4,20})/?\Z"),
        "video",
        lambda match, host: f"https://www.dailymotion.com/video/{match[1]}",
    ),
    (
        frozenset(("open.spotify.com",)),
        re.compile(r"/embed/((?:track|album|episode|show|playlist)/\w{10,40})\Z"),
        "sound",
        lambda match, host: f"https://open.spotify.com/{match[1]}",
    ),
    (
        frozenset(),  # PeerTube runs on any host; no other player is known to use this path with such an ID
        re.compile(r"/videos/embed/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[1-9A-HJ-NP-Za-km-z]{22})\Z"),
        "video",
        lambda match, host: f"https://{host}/videos/watch/{match[1]}",
    ),
)
