"""Feeds whose URL follows from the page's URL, on sites whose pages don't declare them or require robots to log in.

Each rule in `known_sites.tsv` has a host, a pattern for the path and the feeds, the best one first. Sites change, so a
rule is only a guess: its feed counts as found once it has been parsed, and an outdated rule costs one request.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

from feeds.word_lists import read_rows

_FEED_LIKE = re.compile(r"(?:\.(?:rss|atom|xml|rdf|json)|/(?:rss|feed|atom|feeds/.*|videos\.xml))/?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Rule:
    """`host` is a host, or `*.` and a domain for its subdomains; `feeds` are templates for the path's groups."""

    host: str
    path: re.Pattern[str]
    feeds: tuple[str, ...]


_RULES = [
    _Rule(host, re.compile(path + r"/?", re.IGNORECASE), tuple(feeds.split()))
    for host, path, feeds in read_rows("feeds.discovery", "known_sites.tsv")
]
_SAME_SITE = {"m": "", "www": "", "old": "", "new": "", "np": "", "mobile": ""}  # subdomains of the same site
_BLOGSPOT = re.compile(r"[\w-]+\.blogspot\.(?:com|[a-z]{2}|com?\.[a-z]{2})", re.IGNORECASE)
_FEDIVERSE = re.compile(r"/(?:@|users/)([A-Za-z0-9_]+)(?:/(?:\d+|media|with_replies)?)?", re.IGNORECASE)
_NOT_FEDIVERSE = frozenset(
    {"medium.com", "youtube.com", "substack.com", "tiktok.com", "threads.net", "threads.com", "twitter.com", "x.com",
     "instagram.com", "flipboard.com", "observablehq.com", "telegram.me"}
)  # fmt: skip


def known_site_feeds(url: str) -> tuple[str, ...]:
    """Return the feeds that follow from the URL of a page, best first; () for unknown sites and for feeds."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return ()
    if parts.scheme not in ("http", "https") or not host or _FEED_LIKE.search(parts.path):
        return ()
    return tuple(dict.fromkeys(_feeds(parts, _without_edition(host))))


def _without_edition(host: str) -> str:
    first, _, rest = host.partition(".")
    return rest if first in _SAME_SITE and "." in rest else host


def _feeds(parts: SplitResult, host: str) -> Iterator[str]:
    yield from _youtube_playlist(parts, host)
    for rule in _RULES:
        if _matches_host(rule.host, host) and (match := rule.path.fullmatch(parts.path)):
            names = [quote(name or "", safe="/@+,:%") for name in match.groups()]
            yield from (feed.format(*names, host=f"https://{host}") for feed in rule.feeds)
            return
    if _BLOGSPOT.fullmatch(host):
        yield f"https://{host}/feeds/posts/default"
    elif host not in _NOT_FEDIVERSE and not host.endswith(".medium.com"):
        account = _FEDIVERSE.fullmatch(parts.path)
        if account:
            yield f"https://{parts.netloc.rpartition('@')[2].lower()}/@{account[1]}.rss"


def _matches_host(pattern: str, host: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _youtube_playlist(parts: SplitResult, host: str) -> Iterator[str]:
    if host == "youtube.com" and parts.path.rstrip("/") in ("/playlist", "/watch"):
        for playlist in parse_qs(parts.query).get("list", [])[:1]:
            if re.fullmatch(r"(?:PL|UU|FL|OL)[\w-]{10,}", playlist):
                yield f"https://www.youtube.com/feeds/videos.xml?playlist_id={playlist}"
