"""Players of other hosts that a publisher put into an article: each as a link that names the host. Pure.

The sanitizer takes out `iframe` and its kind with all they hold, since they would load from elsewhere as soon as the
page opens. What was lost is told here from the markup as published, so that it can be offered beneath the text and
nothing is asked of the other host before the click. Where we know a host's players, the link leads to the page that a
person would open; else to what the frame holds.

Known false positives: a frame in a comment or a script is offered too. Left out on purpose: frames that count readers,
show advertisements or "like" buttons, by their size or host.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from feeds.normalizing.html_links import web_url

MOST_EMBEDS = 10  # of one article; more is a gallery, and better seen where it is
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
    """`url` is where a click leads, `source` what the publisher put in; `host` is named to the person.

    `kind`: `video`, `sound`, or `page` for what we do not know.
    """

    url: str
    source: str
    host: str
    kind: str


def embeds(markup: str, media: Sequence[dict[str, Any]], *, base_url: str) -> tuple[Embed, ...]:
    """The players in an article's markup, then those named as its files, each once."""
    found: dict[str, Embed] = {}
    for source in (*_framed(markup, base_url), *_filed(media)):
        embed = _embed(source)
        if embed is not None and len(found) < MOST_EMBEDS:
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


def _filed(media: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Files that are no files: players that a feed declares as media."""
    return (each["url"] for each in media if _known(each["url"]) is not None)


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
    """The page for a player of a host that we know, and what it plays."""
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
        frozenset(),  # PeerTube runs on hosts of its own; nothing else is known to use this path with such an id
        re.compile(r"/videos/embed/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[1-9A-HJ-NP-Za-km-z]{22})\Z"),
        "video",
        lambda match, host: f"https://{host}/videos/watch/{match[1]}",
    ),
)
