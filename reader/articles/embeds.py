"""Players of other sites in an article: links that name the site, and frames for a few known ones. Pure.

The sanitizer removes `iframe` and similar elements, since they load from other hosts as soon as the page opens. They
are found in the markup as published and offered below the text, so that nothing is requested before a click. An entry
that is a video itself, by its link or its files, has its player above the text. For known players, the link leads to
the page a user would open; otherwise to the content of the frame.

Known false positives: a frame in a comment or a script. Left out: frames of trackers, advertisements and "like"
buttons, by size or host.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from feeds.normalizing.html_links import web_url
from reader.articles.enclosures import file_key, host_of, picture_of, seconds_of

MAX_EMBEDS = 10  # per article; more is a gallery, better viewed on its page
_SEARCHED = 500_000  # characters of markup

_FRAME = re.compile(
    r"""<(iframe|embed|object|lite-youtube|amp-youtube|lite-vimeo|amp-vimeo)\s((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""", re.I
)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,30})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
_TINY = re.compile(r"\s*[0-3](?:px)?\s*\Z")
_UNWANTED = re.compile(
    r"(?:\A|\.)(?:doubleclick\.net|googlesyndication\.com|googletagmanager\.com|google-analytics\.com|addthis\.com"
    r"|sharethis\.com|amazon-adsystem\.com|adnxs\.com|taboola\.com|outbrain\.com|feedburner\.com)\Z"
)
_UNWANTED_PATH = re.compile(r"\A/(?:plugins/(?:like|share|follow|page)|widgets/(?:follow|tweet)_button)", re.I)

_YOUTUBE = frozenset(("youtube.com", "youtube-nocookie.com", "m.youtube.com", "music.youtube.com"))
_YOUTUBE_PATH = re.compile(r"/(?:embed|v|shorts|live)/(?!videoseries)([\w-]{6,64})/?\Z")
_YOUTUBE_ID = re.compile(r"[\w-]{6,64}\Z")
_VIMEO_PATH = re.compile(
    r"/(?:video/|(?:channels|groups)/[^/]{1,80}/(?:videos/)?)?(\d{4,12})(?:/([0-9a-f]{6,20}))?/?\Z"
)
_VIMEO_NUMBER = re.compile(r"\d{4,12}\Z")
# PeerTube runs on any host; nothing else is known to use these paths with such ids.
_PEERTUBE_PATH = re.compile(
    r"/(?:videos/embed|videos/watch|w)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[1-9A-HJ-NP-Za-km-z]{22})/?\Z"
)
_DAILYMOTION_PATH = re.compile(r"/embed/video/(\w{4,20})/?\Z")
_SPOTIFY_PATH = re.compile(r"/embed/((?:track|album|episode|show|playlist)/\w{10,40})\Z")


@dataclass(frozen=True, slots=True)
class Embed:
    """`url` is the link's target, `source` the published address; `host` is shown to the user.

    `kind`: `video`, `sound`, or `page` if unknown. `frame`: what is loaded in place after a click, "" if only the link
    is offered. `is_entry`: it is what the entry is about; `poster` and `seconds` are known of these alone.
    """

    url: str
    source: str
    host: str
    kind: str
    frame: str = ""
    is_entry: bool = False
    poster: str = ""
    seconds: int | None = None

    @property
    def key(self) -> str:
        """A hash of its URL, for the address of the page that holds the frame."""
        return file_key(self.url)

    @property
    def referrer_policy(self) -> str:
        """What the frame's site is told of this app: nothing, except that YouTube plays only with its origin."""
        return "strict-origin" if self.host == "youtube.com" else "no-referrer"


def embeds(markup: str, media: Sequence[dict[str, Any]], *, base_url: str, link: str = "") -> tuple[Embed, ...]:
    """The player of the entry itself, by its files or its `link`, then those in its markup, each once."""
    found: dict[str, Embed] = {}
    for embed in (*_of_entry(media, link), *filter(None, map(_embed, _framed(markup, base_url)))):
        if len(found) < MAX_EMBEDS:
            found.setdefault(embed.url, embed)
    return tuple(found.values())


def _of_entry(media: Sequence[dict[str, Any]], link: str) -> Iterator[Embed]:
    """Yield the known players among an entry's files, or of its link, one of each site; the first is the entry's."""
    sources = dict.fromkeys((*(medium["url"] for medium in media), link))
    known: dict[str, Embed] = {}
    for embed in filter(None, map(_known, sources)):
        known.setdefault(embed.host, embed)
    for number, embed in enumerate(known.values()):
        yield embed if number else replace(embed, is_entry=True, poster=picture_of(media), seconds=seconds_of(media))


def _framed(markup: str, base_url: str) -> Iterator[str]:
    for match in _FRAME.finditer(markup, 0, _SEARCHED):
        attributes: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(match[2]):
            attributes.setdefault(name.lower(), unescape("".join(values)))
        if any(_TINY.match(attributes.get(side, "")) for side in ("width", "height")):
            continue
        if url := _frame_address(match[1].lower(), attributes, base_url):
            yield url


def _frame_address(tag: str, attributes: Mapping[str, str], base_url: str) -> str:
    number = attributes.get("videoid") or attributes.get("data-videoid") or ""
    if "youtube" in tag and _YOUTUBE_ID.match(number):
        return f"https://www.youtube.com/embed/{number}"
    if "vimeo" in tag and _VIMEO_NUMBER.match(number):
        return f"https://player.vimeo.com/video/{number}"
    names = ("data-src", "data-lazy-src", "src", "data")
    return next((url for name in names if (url := web_url(attributes.get(name), base_url))), "")


def _embed(source: str) -> Embed | None:
    if known := _known(source):
        return known
    try:
        parts = urlsplit(source)
    except ValueError:
        return None
    host = (parts.hostname or "").lower()
    if not host or _UNWANTED.search(host) or _UNWANTED_PATH.match(parts.path):
        return None
    return Embed(source, source, host_of(source), "page")


def _known(source: str) -> Embed | None:
    """The player at an address, or of the video whose page it is; None if it is of no known site."""
    try:
        parts = urlsplit(source)
        parameters = {name: values[0] for name, values in parse_qs(parts.query, max_num_fields=50).items()}
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    for read in (_youtube, _vimeo, _peertube, _elsewhere):
        if found := read(host, parts, parameters):
            url, kind, frame = found
            return Embed(url, source, host_of(url), kind, frame)
    return None


_Found = tuple[str, str, str] | None  # page, kind, frame


def _youtube(host: str, parts: SplitResult, parameters: Mapping[str, str]) -> _Found:
    number = ""
    if host in _YOUTUBE:
        found = _YOUTUBE_PATH.match(parts.path)
        number = found[1] if found else parameters.get("v", "") if parts.path == "/watch" else ""
    elif host == "youtu.be":
        number = parts.path[1:]
    if not _YOUTUBE_ID.match(number):
        return None
    start = parameters.get("start") or parameters.get("t", "").removesuffix("s")
    at = f"&start={start}" if start.isascii() and start.isdigit() and len(start) < 7 else ""
    frame = f"https://www.youtube-nocookie.com/embed/{number}?autoplay=1{at}"
    return f"https://www.youtube.com/watch?v={number}", "video", frame


def _vimeo(host: str, parts: SplitResult, parameters: Mapping[str, str]) -> _Found:
    if host not in ("vimeo.com", "player.vimeo.com"):
        return None
    found = _VIMEO_PATH.match(parts.path)
    number = found[1] if found else parameters.get("clip_id", "") if parts.path == "/moogaloop.swf" else ""
    if not _VIMEO_NUMBER.match(number):
        return None
    secret = (found[2] if found else "") or parameters.get("h", "")  # of unlisted videos
    of_secret = f"&h={secret}" if secret.isascii() and secret.isalnum() else ""
    return (
        f"https://vimeo.com/{number}",
        "video",
        f"https://player.vimeo.com/video/{number}?autoplay=1&dnt=1{of_secret}",
    )


def _peertube(host: str, parts: SplitResult, parameters: Mapping[str, str]) -> _Found:
    if not (found := _PEERTUBE_PATH.match(parts.path)) or "@" in parts.netloc:
        return None
    site = f"{parts.scheme}://{parts.netloc}"
    # Without p2p, in which viewers learn each other's addresses.
    return f"{site}/videos/watch/{found[1]}", "video", f"{site}/videos/embed/{found[1]}?autoplay=1&p2p=0"


def _elsewhere(host: str, parts: SplitResult, parameters: Mapping[str, str]) -> _Found:
    if host in ("dailymotion.com", "geo.dailymotion.com") and (found := _DAILYMOTION_PATH.match(parts.path)):
        return f"https://www.dailymotion.com/video/{found[1]}", "video", ""
    if host == "open.spotify.com" and (found := _SPOTIFY_PATH.match(parts.path)):
        return f"https://open.spotify.com/{found[1]}", "sound", ""
    target = parameters.get("url", "") if host == "w.soundcloud.com" else ""
    if target:
        return target if target.startswith("https://soundcloud.com/") else parts.geturl(), "sound", ""
    return None
