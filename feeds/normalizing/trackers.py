"""Decides which query parameters say how a reader came to a page, and not which page it is.

`trackers.tsv` lists the names, gathered from the documentation of the tools that add them and checked against six
public lists and the links of a hundred real feeds. Case is ignored. The kinds, from certain to doubtful:

1. `prefix`, `pure`: from one advertising or mailing tool; never content. Also removed from feed URLs.
2. `likely`: campaigns and referrers by convention; removed from the links of entries only.
3. `weak` (`ref`, `source`, …): trackers on nearly every site, content on a few. They stay in the link to open, and in
   the key of its page if that would lose its identity: the path is the root or a bare script (`/story.php`) and the
   value looks like a record number (`?ref=84211`). `keep` lists hosts where they are content.
4. `domain`: content elsewhere, trackers on these registrable domains (`mod` on wsj.com, `si` on youtube.com).

5. `session`: session ids, which change with every poll. So does `sid`, `s` or `session` with a value that only a
   session has (phpBB, vBulletin), if something else says which page it is: PHP-Nuke's `?sid=12` is a story.

Short and common names (`from`, `via`, `f`, `cmp`, `cid`, …) count as trackers if their value says that the link came
from a feed (`f=rss`, `via=rss`); `type=rss` and `format=rss` are content and stay.

Known misses: `id`, `t`, `s`, `p`, `v` are never removed without a domain, though some sites track with them. A missed
tracker costs one undetected duplicate; a removed identifier would merge different articles.
"""

import re
from collections.abc import Collection

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
SESSION = _parameters("session")
KEPT_BY_HOST = _by_domain("keep")
BY_DOMAIN = _by_domain("domain")

_FEED_VALUE = re.compile(r"(?:rss|feed|atom)(?:[\W_].*|\d*)$", re.IGNORECASE)
_ORIGIN_NAMES = frozenset(
    {"f", "from", "via", "src", "cmp", "cid", "c", "s", "sr", "mod", "ito", "origin", "medium", "channel", "campaign"}
    | {"xid", "track", "rss"}
)
_SESSION_NAMES = frozenset({"s", "sid", "sess", "session"})
_HASH = re.compile(r"[0-9a-f]{32}|[0-9a-v]{26}", re.IGNORECASE)  # as phpBB and PHP make them
_MIXED = re.compile(r"(?=[0-9]*[a-z])(?=[a-z]*[0-9])[0-9a-z]{6,64}", re.IGNORECASE)
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


def is_page_named(parameters: Collection[tuple[str, str]], *, domain: str, path: str) -> bool:
    """Whether a link says which page it is without its session id: by its path or another of its parameters, given as
    names and values."""
    others = ((name, value) for name, value in parameters if name.lower() not in _SESSION_NAMES | SESSION)
    return not _BARE_SCRIPT.fullmatch(path) or not all(is_sure_tracker(*other, domain=domain) for other in others)


def is_session_id(name: str, value: str, *, is_named: bool) -> bool:
    """Whether a parameter is surely a session id. `is_named`: the link says which page it is without it."""
    name = name.lower()
    if name in SESSION or name.startswith("aspsessionid"):
        return True
    return is_named and name in _SESSION_NAMES and bool(_HASH.fullmatch(value))


def may_be_session_id(name: str, value: str, *, is_named: bool) -> bool:
    """Whether it is probably one, unless it tells two entries of one document apart."""
    if is_session_id(name, value, is_named=is_named):
        return True
    return is_named and name.lower() in _SESSION_NAMES - {"s"} and bool(_MIXED.fullmatch(value))


def is_extra_tracker(name: str, extra: frozenset[str]) -> bool:
    """Whether the installation's own list contains the parameter; `campaign*` there is a prefix."""
    name = name.lower()
    return any(name.startswith(own[:-1].lower()) if own.endswith("*") else name == own.lower() for own in extra)


def _identifies(value: str, path: str) -> bool:
    return bool(_RECORD.fullmatch(value) and _BARE_SCRIPT.fullmatch(path) and (path == "/" or not path.endswith("/")))
