"""Feeds that follow from an address alone, on sites whose pages hide them or answer robots with a log-in.

Each rule is a host, a pattern over the path and what to make of it, the best feed first. Names are checked only
as far as the pattern goes; a rule that no longer holds costs one request. Sites change: a rule is a guess that was
right for years, so its feed counts as found only once it has parsed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, quote, urlsplit

_FEED_LIKE = re.compile(r"(?:\.(?:rss|atom|xml|rdf|json)|/(?:rss|feed|atom|feeds/.*|videos\.xml))/?$", re.IGNORECASE)
_NAME = r"([A-Za-z0-9][\w.-]*)"


@dataclass(frozen=True, slots=True)
class _Rule:
    """`host` is a whole host, or `*.` and the domain that hosts live under; templates take the path's groups."""

    host: str
    path: re.Pattern[str]
    feeds: tuple[str, ...]


def _rule(host: str, path: str, *feeds: str) -> _Rule:
    return _Rule(host, re.compile(path + r"/?", re.IGNORECASE), feeds)


_GITHUB_PAGES = (
    r"(?!(?:about|apps|collections|explore|features|login|marketplace|orgs|pricing|search|settings|sponsors|topics"
    r"|trending)(?:/|$))"
)
_RULES = (
    _rule("youtube.com", r"/channel/(UC[\w-]{22})(?:/.*)?", "https://www.youtube.com/feeds/videos.xml?channel_id={0}"),
    _rule("youtube.com", r"/user/([\w-]+)(?:/.*)?", "https://www.youtube.com/feeds/videos.xml?user={0}"),
    _rule("reddit.com", r"", "https://www.reddit.com/.rss"),
    _rule("reddit.com", r"/r/([\w+]+)", "https://www.reddit.com/r/{0}/.rss"),
    _rule(
        "reddit.com", r"/r/([\w+]+)/(hot|new|top|rising|controversial|best)", "https://www.reddit.com/r/{0}/{1}/.rss"
    ),
    _rule("reddit.com", r"/(r/\w+/comments/\w+)(?:/.*)?", "https://www.reddit.com/{0}/.rss"),
    _rule("reddit.com", r"/(?:u|user)/([\w-]+)(?:/.*)?", "https://www.reddit.com/user/{0}/.rss"),
    _rule(
        "github.com",
        rf"/{_GITHUB_PAGES}{_NAME}/{_NAME}(?:/(?:releases|issues|pulls|tree|blob|actions)(?:/.*)?)?",
        "https://github.com/{0}/{1}/releases.atom",
        "https://github.com/{0}/{1}/tags.atom",
        "https://github.com/{0}/{1}/commits.atom",
    ),
    _rule("github.com", rf"/{_GITHUB_PAGES}{_NAME}/{_NAME}/tags", "https://github.com/{0}/{1}/tags.atom"),
    _rule("github.com", rf"/{_GITHUB_PAGES}{_NAME}/{_NAME}/commits", "https://github.com/{0}/{1}/commits.atom"),
    _rule(
        "github.com",
        rf"/{_GITHUB_PAGES}{_NAME}/{_NAME}/commits/(.+?)",
        "https://github.com/{0}/{1}/commits/{2}.atom",
    ),
    _rule("github.com", rf"/{_GITHUB_PAGES}{_NAME}", "https://github.com/{0}.atom"),
    _rule(
        "gitlab.com",
        r"/((?!explore|users|help|dashboard)[\w.-]+(?:/[\w.-]+)+?)(?:/-/.*)?",
        "https://gitlab.com/{0}/-/releases.atom",
        "https://gitlab.com/{0}/-/tags?format=atom",
    ),
    _rule("medium.com", r"/(@[\w.-]+)(?:/.*)?", "https://medium.com/feed/{0}"),
    _rule("medium.com", r"/tag/([\w-]+)(?:/.*)?", "https://medium.com/feed/tag/{0}"),
    _rule("medium.com", r"/(?!(?:feed|m|me|search|about|tag)(?:/|$))([\w-]+)(?:/.*)?", "https://medium.com/feed/{0}"),
    _rule("*.medium.com", r"(?:/.*)?", "{host}/feed"),
    _rule("tumblr.com", r"/(?:blog/view/)?(?!(?:dashboard|explore|login|tagged)(?:/|$))([\w-]+)(?:/.*)?",
          "https://{0}.tumblr.com/rss"),
    _rule("*.tumblr.com", r"/tagged/([^/]+)(?:/.*)?", "{host}/tagged/{0}/rss"),
    _rule("*.tumblr.com", r"(?:/.*)?", "{host}/rss"),
    _rule("*.substack.com", r"(?:/.*)?", "{host}/feed"),
    _rule("substack.com", r"/@([\w-]+)(?:/.*)?", "https://{0}.substack.com/feed"),
    _rule("*.wordpress.com", r"(?:/.*)?", "{host}/feed/"),
    _rule("*.livejournal.com", r"(?:/.*)?", "{host}/data/rss"),
    _rule("*.dreamwidth.org", r"(?:/.*)?", "{host}/data/atom"),
    _rule("*.bearblog.dev", r"(?:/.*)?", "{host}/feed/"),
    _rule("*.hatenablog.com", r"(?:/.*)?", "{host}/feed"),
    _rule("*.hatenablog.jp", r"(?:/.*)?", "{host}/feed"),
    _rule("*.hateblo.jp", r"(?:/.*)?", "{host}/feed"),
    _rule("note.com", r"/(?!(?:search|hashtag|topic)(?:/|$))(\w+)(?:/.*)?", "https://note.com/{0}/rss"),
    _rule("qiita.com", r"/tags/([^/]+)", "https://qiita.com/tags/{0}/feed"),
    _rule("qiita.com", r"/(?!(?:tags|search|organizations)(?:/|$))([\w-]+)(?:/items/.*)?", "https://qiita.com/{0}/feed"),
    _rule("zenn.dev", r"/topics/([^/]+)", "https://zenn.dev/topics/{0}/feed"),
    _rule("zenn.dev", r"/(?!(?:topics|search|p)(?:/|$))([\w-]+)(?:/(?:articles|books)/.*)?", "https://zenn.dev/{0}/feed"),
    _rule("dev.to", r"/t/(\w+)(?:/.*)?", "https://dev.to/feed/tag/{0}"),
    _rule("dev.to", r"/(?!(?:t|search|feed)(?:/|$))(\w+)(?:/.*)?", "https://dev.to/feed/{0}"),
    _rule("bsky.app", r"/profile/([\w.:-]+)(?:/.*)?", "https://bsky.app/profile/{0}/rss"),
    _rule("news.ycombinator.com", r"(?:/(?:news|newest|front))?", "https://news.ycombinator.com/rss"),
    _rule("lobste.rs", r"/t/([\w,]+)", "https://lobste.rs/t/{0}.rss"),
    _rule("lobste.rs", r"", "https://lobste.rs/rss"),
    _rule("stackoverflow.com", r"/questions/tagged/([^/]+)", "https://stackoverflow.com/feeds/tag/{0}"),
    _rule("stackoverflow.com", r"/questions/(\d+)(?:/.*)?", "https://stackoverflow.com/feeds/question/{0}"),
    _rule("*.stackexchange.com", r"/questions/tagged/([^/]+)", "{host}/feeds/tag/{0}"),
    _rule("*.stackexchange.com", r"/questions/(\d+)(?:/.*)?", "{host}/feeds/question/{0}"),
    _rule("*.stackexchange.com", r"(?:/questions)?", "{host}/feeds"),
    _rule("arxiv.org", r"/list/([\w.-]+)(?:/.*)?", "https://rss.arxiv.org/rss/{0}"),
    _rule("vimeo.com", r"/(?!(?:channels|watch|search|\d+)(?:/|$))(\w+)(?:/videos)?", "https://vimeo.com/{0}/videos/rss"),
    _rule("vimeo.com", r"/channels/(\w+)(?:/.*)?", "https://vimeo.com/channels/{0}/videos/rss"),
    _rule("letterboxd.com", r"/(?!(?:film|films|lists|journal|members)(?:/|$))(\w+)(?:/.*)?",
          "https://letterboxd.com/{0}/rss/"),
)  # fmt: skip
_SAME_SITE = {"m": "", "www": "", "old": "", "new": "", "np": "", "mobile": ""}  # editions of one site
_BLOGSPOT = re.compile(r"[\w-]+\.blogspot\.(?:com|[a-z]{2}|com?\.[a-z]{2})", re.IGNORECASE)
_FEDIVERSE = re.compile(r"/(?:@|users/)([A-Za-z0-9_]+)(?:/(?:\d+|media|with_replies)?)?", re.IGNORECASE)
_NOT_FEDIVERSE = frozenset(
    {"medium.com", "youtube.com", "substack.com", "tiktok.com", "threads.net", "threads.com", "twitter.com", "x.com",
     "instagram.com", "flipboard.com", "observablehq.com", "telegram.me"}
)  # fmt: skip


def known_site_feeds(url: str) -> tuple[str, ...]:
    """Return the feeds that `url` is known to have by its address, best first; () for others and for feeds."""
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
        if _holds(rule.host, host) and (match := rule.path.fullmatch(parts.path)):
            names = [quote(name or "", safe="/@+,:%") for name in match.groups()]
            yield from (feed.format(*names, host=f"https://{host}") for feed in rule.feeds)
            return
    if _BLOGSPOT.fullmatch(host):
        yield f"https://{host}/feeds/posts/default"
    elif host not in _NOT_FEDIVERSE and not host.endswith(".medium.com"):
        account = _FEDIVERSE.fullmatch(parts.path)
        if account:
            yield f"https://{parts.netloc.rpartition('@')[2].lower()}/@{account[1]}.rss"


def _holds(pattern: str, host: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _youtube_playlist(parts: SplitResult, host: str) -> Iterator[str]:
    if host == "youtube.com" and parts.path.rstrip("/") in ("/playlist", "/watch"):
        for playlist in parse_qs(parts.query).get("list", [])[:1]:
            if re.fullmatch(r"(?:PL|UU|FL|OL)[\w-]{10,}", playlist):
                yield f"https://www.youtube.com/feeds/videos.xml?playlist_id={playlist}"
