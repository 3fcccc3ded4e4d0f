"""Decides which query parameters say how a reader came to a page, and not which page it is.

`trackers.tsv` lists the names, gathered from the documentation of the tools that add them and checked against six
public lists and the links of a hundred real feeds. Case is ignored. The kinds, from certain to doubtful:

1. `prefix`, `pure`: from one advertising or mailing tool; never content. Also removed from feed URLs.
2. `likely`: campaigns and referrers by convention; removed from the links of entries only.
3. `weak` (`ref`, `source`, …): trackers on nearly every site, content on a few. They stay in the link to open, and in
   the key of its page if that would lose its identity: the path is the root or a bare script (`/story.php`) and the
   value looks like a record number (`?ref=84211`). `keep` lists hosts where they are content.
4. `domain`: content elsewhere, trackers on these registrable domains (`mod` on wsj.com, `si` on youtube.com).

Short and common names (`from`, `via`, `f`, `cmp`, `cid`, …) count as trackers if their value says that the link came
from a feed (`f=rss`, `via=rss`); `type=rss` and `format=rss` are content and stay.

Known misses: `id`, `t`, `s`, `p`, `v` are never removed without a domain, though some sites track with them. A missed
tracker costs one undetected duplicate; a removed identifier would merge different articles.
"""

import re

from feeds.word_lists import read_rows

_ROWS = [row[:3] for row in read_rows("feeds.normalizing", "trackers.tsv")]


def _parameters(kind: str) -> frozenset[str]:
    return frozenset(name for row_kind, _, names in _ROWS if row_kind == kind for name in names.split())


def _by_domain(kind: str) -> dict[str, frozenset[str]]:
    rows = [(domains, names) for row_kind, domains, names in _ROWS if row_kind == kind]
    return {domain: frozenset(names.split()) for domains, names in rows for domain in domains.split()}


PURE_PREFIXES = tuple(sorted(_parameters("prefix")))
PURE = _parameters("pure")
LIKELY = _parameters("likely")
WEAK = _parameters("weak")
KEPT_BY_HOST = _by_domain("keep")
BY_DOMAIN = _by_domain("domain")

_FEED_VALUE = re.compile(r"(?:rss|feed|atom)(?:[\W_].*|\d*)$", re.IGNORECASE)
_ORIGIN_NAMES = frozenset(
    {"f", "from", "via", "src", "cmp", "cid", "c", "s", "sr", "mod", "ito", "origin", "medium", "channel", "campaign"}
    | {"xid", "track", "rss"}
)
_RECORD = re.compile(r"\d{3,}|[0-9a-fA-F-]{16,}")
_BARE_SCRIPT = re.compile(r"/(?:[^/]*/)*(?:[^/]+\.(?:php\d?|aspx?|cfm|jsp|cgi|do|pl))?")


def is_pure_tracker(name: str) -> bool:
    """Whether a parameter is a tracker on any site, and in feed URLs too."""
    name = name.lower()
    return name in PURE or name.startswith(PURE_PREFIXES)


def is_sure_tracker(name: str, value: str, *, domain: str) -> bool:
    """Whether a parameter of an entry's link is a tracker, so that the link works without it.

    `domain`: the registrable domain of the link, in lower case.
    """
    name = name.lower()
    if name in PURE or name in LIKELY or name.startswith(PURE_PREFIXES) or name in BY_DOMAIN.get(domain, ()):
        return True
    return name in _ORIGIN_NAMES and bool(_FEED_VALUE.match(value))


def is_tracker(name: str, value: str, *, host: str, domain: str, path: str) -> bool:
    """Whether a parameter of an entry's link doesn't identify the page: a sure tracker, or a weak one.

    `host` and its registrable `domain` are lower case; `path` is the link's path.
    """
    if is_sure_tracker(name, value, domain=domain):
        return True
    name = name.lower()
    return name in WEAK and name not in KEPT_BY_HOST.get(host, ()) and not _identifies(value, path)


def is_extra_tracker(name: str, extra: frozenset[str]) -> bool:
    """Whether the installation's own list contains the parameter; `campaign*` there is a prefix."""
    name = name.lower()
    return any(name.startswith(own[:-1].lower()) if own.endswith("*") else name == own.lower() for own in extra)


def _identifies(value: str, path: str) -> bool:
    return bool(_RECORD.fullmatch(value) and _BARE_SCRIPT.fullmatch(path) and (path == "/" or not path.endswith("/")))
