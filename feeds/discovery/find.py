"""Finds the feeds of a page (SPEC §15: by `<link rel=alternate>`, links in the page, common paths).

A `<link rel="alternate" type="application/rss+xml">` anywhere in the document declares a feed, in the publisher's order
of preference, as do a link in the page with these attributes and the HTTP header `Link`. Next come sites whose feeds
follow from the URL alone (`known_sites`). Then links that a user would recognize: a URL that ends like a feed, or a
text like RSS, Atom or subscribe, in several languages. Comment feeds are declared like the main one but rarely wanted,
so they rank last of their kind. Scores only order one page's candidates.

Known false positives: pages *about* RSS link to specifications and to feed readers; the latter are left out by host.
`application/json` alternates are left out unless the URL contains "feed", because they are WordPress's API or oEmbed.
Guessed paths are not candidates, because nothing on the page points to them: `common_paths` lists them for callers that
are willing to request them.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feeds.discovery.feed_address import InvalidAddress, feed_address
from feeds.discovery.known_sites import known_site_feeds
from feeds.normalizing.domains import registrable_domain
from feeds.parsing.encoding import decode
from feeds.subscription_lists.model import clean_name

__all__ = ["Candidate", "common_paths", "discover", "known_site_feeds"]

MAX_PAGE_BYTES = 2 * 1024 * 1024
MAX_CANDIDATES = 50
MAX_ANCHORS = 5_000
MAX_LINKS = 2_000
MAX_ANCHOR_NODES = 20
MAX_ANCHOR_TEXT = 200  # characters
_PATH_END = 150  # characters at the end of a path, which show whether it is a feed

_DECLARED, _KNOWN, _LOOKS_LIKE, _NAMED_FEED = 100, 80, 60, 40  # scores by strength of evidence
_COMMENTS_PENALTY, _FOREIGN_PENALTY, _VAGUE_TYPE_PENALTY = 50, 10, 10

FEED_TYPES = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json",
     "application/x-rss+xml", "text/rss+xml", "text/atom+xml", "text/rss", "application/rss", "application/atom"}
)  # fmt: skip
_VAGUE_TYPES = frozenset({"text/xml", "application/xml", "application/json"})
_FEED_PATH = re.compile(
    r"(?:\.(?:rss|atom|rdf)|/(?:feed|feeds|rss|atom|rdf|rss2|feed2)|/(?:rss|atom|feed|index|feeds?/\w+)[\w-]*\.(?:xml|json|php)"
    r"|[_-](?:rss|atom|feed)\.(?:xml|php)|/feeds/(?:posts|articles|all)[\w./-]*|/(?:rss|feeds?)/[\w/-]+\.xml)/?$",
    re.IGNORECASE,
)
_NO_FEED_NAME = re.compile(r"/(?:sitemap[\w-]*\.xml|index\.(?:php|json))$", re.IGNORECASE)
_FEED_QUERY = re.compile(
    r"(?:^|&)(?:feed=(?:rss|rss2|atom|rdf)|(?:format|type|output|alt|view)=(?:rss|atom|feed))(?:&|$)", re.I
)
_FEED_HOST = re.compile(r"(?:feeds?|rss)\d*\.", re.IGNORECASE)
_FEED_WORDS = re.compile(
    r"\b(?:rss|atom|xml)(?:[ -]?(?:feeds?|2\.0|1\.0))?\b|\b(?:news|web|blog) ?feeds?\b|^feeds?$"
    r"|订阅|訂閱|フィード|更新情報|лента|피드",
    re.IGNORECASE,
)
_COMMENTS = re.compile(
    r"comment|kommentar|commentaire|comentario|comentário|commenti\b|reacties|комментари|评论|評論|コメント|댓글",
    re.IGNORECASE,
)
_READERS = frozenset(
    {"feedly.com", "inoreader.com", "newsblur.com", "netvibes.com", "theoldreader.com", "feedbin.com", "yahoo.com",
     "w3.org", "facebook.com", "twitter.com", "x.com", "linkedin.com", "wikipedia.org", "rssboard.org",
     "atomenabled.org"}
)  # fmt: skip
_PATHS = (
    "feed", "rss", "atom.xml", "feed.xml", "rss.xml", "index.xml", "feed/", "feeds/posts/default", "feed.json",
    "index.rdf", "feed.atom", "rss/index.xml", "feed/index.xml", "blog/feed", "blog/rss.xml", "blog/atom.xml",
    "blog/index.xml", "news/rss", "news/feed", "rss/news.xml", "posts.atom", "feeds/all.atom.xml", "?feed=rss2",
)  # fmt: skip
_PATHS_BELOW = ("feed", "rss", "atom.xml", "feed.xml", "rss.xml", "index.xml")
MAX_TAG_LENGTH = 8192  # characters; comparing the attributes of one endless tag is quadratic too
_RAW_TEXT = re.compile(r"<!--|<(script|style|textarea)\b", re.IGNORECASE)
_DROPPED_TAG = re.compile(
    rf"<(?!/?(?:a|link|base|img)[\s/>])[/!?a-z][^<>]*>?|<[a-z][^<>]{{{MAX_TAG_LENGTH},}}>?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL that is likely a feed: declared by the page ("link"), linked in it ("anchor"), or derived from the page's
    URL ("path"). A higher `score` is likelier; scores of different pages are not comparable."""

    url: str
    title: str
    how: Literal["link", "path", "anchor"]
    score: int

    @property
    def is_of_comments(self) -> bool:
        """Whether its title or path says that it has comments."""
        return bool(_COMMENTS.search(self.title) or _COMMENTS.search(unquote(urlsplit(self.url).path)))


def discover(page: bytes, *, url: str, content_type: str = "", in_headers: Sequence[str] = ()) -> tuple[Candidate, ...]:
    """Return the feeds that a page points to, likeliest first, at most MAX_CANDIDATES.

    `url` is the page's URL after redirects; `in_headers` are feeds that its `Link` headers declare (`FEED_TYPES`). Only
    the first 2 MiB are read.
    """
    tree = page_tree(page, content_type)
    base = base_of(tree, url)
    known = (Candidate(site_feed, "", "path", _KNOWN) for site_feed in known_site_feeds(url))
    by_server = (Candidate(feed, "", "link", _DECLARED) for header in in_headers if (feed := _joined(url, header)))
    return _ranked([*_declared(tree, base), *by_server, *known, *_linked(tree, base)], page_url=url)


def page_tree(page: bytes, content_type: str = "") -> LexborHTMLParser:
    """The links, anchors and images of a page. Only the first 2 MiB are read."""
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", content_type, re.IGNORECASE)
    text = decode(page[:MAX_PAGE_BYTES], charset[1] if charset else _declared_charset(page)).text
    return LexborHTMLParser(_strip_markup(text))


def _declared_charset(page: bytes) -> str:
    match = re.search(rb"<meta[^>]{0,200}charset\s*=\s*+[\"']?\s*([A-Za-z0-9_.:-]{2,40})", page[:2048], re.IGNORECASE)
    return match[1].decode("ascii") if match else ""


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """The base of the page's relative URLs; `url` is the page's own."""
    for node in tree.css("base[href]")[:1]:
        return _joined(url, attribute(node, "href")) or url
    return url


def attribute(node: LexborNode, name: str) -> str:
    """The value of an attribute, "" if it has none."""
    return (node.attributes.get(name) or "").strip()


def _joined(base: str, href: str) -> str:
    """Return the http or https URL of `href` without a fragment, else ""."""
    try:
        if not re.match(r"(?i)feed:", href):
            href = urljoin(base, href.replace("\n", "").replace("\t", ""))
        return urlunsplit(urlsplit(feed_address(href))._replace(fragment=""))
    except (InvalidAddress, ValueError):
        return ""


def _declared(tree: LexborHTMLParser, base: str) -> Iterator[Candidate]:
    for node in tree.css("link[href], a[href][rel][type]")[:MAX_LINKS]:
        relations = attribute(node, "rel").lower().split()
        kind = attribute(node, "type").lower().partition(";")[0].strip()
        href = attribute(node, "href")
        if not href or not {"alternate", "feed"} & set(relations) or "stylesheet" in relations:
            continue
        score = _declared_score(kind, href, is_feed_relation="feed" in relations)
        if score and (target := _joined(base, href)):
            yield Candidate(target, clean_name(attribute(node, "title")), "link", score)


def _declared_score(kind: str, href: str, *, is_feed_relation: bool) -> int:
    """Return the score of a `<link>`, 0 when it doesn't declare a feed."""
    if kind in FEED_TYPES:
        return _DECLARED
    if is_feed_relation and kind in ("", *_VAGUE_TYPES):
        return _DECLARED
    if kind in _VAGUE_TYPES and "oembed" not in href and "wp-json" not in href and _looks_like_feed(href):
        return _DECLARED - _VAGUE_TYPE_PENALTY
    return 0


def _looks_like_feed(href: str) -> bool:
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    path = unquote(parts.path[-_PATH_END:])
    if _NO_FEED_NAME.search(path):
        return False
    return bool(
        _FEED_QUERY.search(parts.query) or _FEED_PATH.search(path) or (_FEED_HOST.match(parts.netloc) and len(path) > 1)
    )


def _linked(tree: LexborHTMLParser, base: str) -> Iterator[Candidate]:
    for node in tree.css("a[href]")[:MAX_ANCHORS]:
        target = _joined(base, attribute(node, "href"))
        text = _anchor_text(node) if target else ""
        looks_like_feed = _looks_like_feed(target)
        if not looks_like_feed and not _FEED_WORDS.search(text):
            continue
        if target and registrable_domain(target) not in _READERS - {registrable_domain(base)}:
            yield Candidate(target, text, "anchor", _LOOKS_LIKE if looks_like_feed else _NAMED_FEED)


def _anchor_text(node: LexborNode) -> str:
    """Return a link's text, title or label, else its image's. Only its first few nodes are read."""
    inside = list(itertools.islice(node.traverse(include_text=True), MAX_ANCHOR_NODES))
    text = " ".join(child.text(deep=False) for child in inside if child.tag == "-text")
    images = (attribute(child, "alt") for child in inside if child.tag == "img")
    parts = (text[:MAX_ANCHOR_TEXT], attribute(node, "title"), attribute(node, "aria-label"), *images)
    return next((name for name in map(clean_name, parts) if name), "")


def _ranked(candidates: list[Candidate], *, page_url: str) -> tuple[Candidate, ...]:
    """Return one candidate per URL (https over http, the strongest evidence), best first, then in page order."""
    best: dict[str, Candidate] = {}
    own_domain = registrable_domain(page_url)
    for candidate in candidates:
        scored = _scored(candidate, own_domain)
        key = scored.url.partition("://")[2]
        known = best.get(key)
        if scored.url == page_url and scored.how != "link":
            continue
        if known is None:
            best[key] = scored
        else:
            url = max(known.url, scored.url)  # https sorts after http
            best[key] = Candidate(url, known.title or scored.title, known.how, max(known.score, scored.score))
    ranked = sorted(best.values(), key=lambda candidate: -candidate.score)
    return tuple(ranked[:MAX_CANDIDATES])


def _scored(candidate: Candidate, own_domain: str) -> Candidate:
    score = candidate.score + candidate.url.startswith("https:")
    if candidate.is_of_comments:
        score -= _COMMENTS_PENALTY
    if candidate.how == "anchor" and registrable_domain(candidate.url) != own_domain:
        score -= _FOREIGN_PENALTY
    return Candidate(candidate.url, candidate.title, candidate.how, score)


def common_paths(url: str) -> tuple[str, ...]:
    """Return common URLs of feeds, likeliest first: below the page's directory, then below the host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ()
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ()
    root = f"{parts.scheme}://{parts.netloc}/"
    last = parts.path.rpartition("/")[2]
    directory = parts.path if not last or "." in last else f"{parts.path}/"
    directory = urljoin(root, directory.rpartition("/")[0].lstrip("/") + "/") if directory.strip("/") else root
    below = [] if directory == root else [f"{directory}{path}" for path in _PATHS_BELOW]
    return tuple(dict.fromkeys([*below, *(f"{root}{path}" for path in _PATHS)]))


def _strip_markup(text: str) -> str:
    """Remove all tags except `<a>`, `<link>`, `<base>` and `<img>`, so that building a tree takes linear time.

    A tree builder looks through all open elements at every `<div>`: 2 MiB of unclosed ones take minutes. Links, anchors
    and images don't nest. Comments, scripts and styles are removed with their content; one without an end is text.
    """
    parts: list[str] = []
    position = 0
    endless: set[str] = set()
    while match := _RAW_TEXT.search(text, position):
        closing = "-->" if match[1] is None else f"</{match[1].lower()}"
        end = -1 if closing in endless else _find(text, closing, match.end())
        if end < 0:
            endless.add(closing)
            end = match.end()
        parts.append(text[position : match.start()])
        position = end
    parts.append(text[position:])
    return _DROPPED_TAG.sub("", "".join(parts))


def _find(text: str, closing: str, position: int) -> int:
    match = re.compile(re.escape(closing), re.IGNORECASE).search(text, position)
    return match.end() if match else -1
