"""Links of a body to its own elements: footnotes and back, tables of contents.

Ids could shadow names in the reader's scripts and repeat those of its page, so only ids that the body itself links to
are kept, under a fixed prefix with the article's number. A link belongs to the body if it is a fragment of the body's
page (`#fn1`, or the article's own URL with it, as many publishers write) and the body has an element of that name.
Other fragments stay links to the publisher's page, as does a link to an element that isn't shown.
"""

from dataclasses import dataclass
from urllib.parse import quote, unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feeds.normalizing.canonical_url import url_key
from feeds.normalizing.html_links import web_url
from feeds.normalizing.html_vocabulary import ANCHOR, ANCHOR_PREFIX

MAX_NAME = 200  # characters, percent-encoded


@dataclass(frozen=True, slots=True)
class Place:
    """Where a body belongs: the base of its relative URLs, the URL of its page, and the number of its article."""

    base_url: str
    page_url: str = ""
    article: int = 0

    @property
    def prefix(self) -> str:
        """What the ids of the body begin with."""
        return f"{ANCHOR_PREFIX}{self.article or ''}-"


class Anchors:
    """The ids to write for the elements that a body links to, each once, and the links to them."""

    def __init__(self, tree: LexborHTMLParser, place: Place) -> None:
        self._place = place
        self._names = frozenset(name for node in tree.css("[id], a[name]") for name in _names_of(node))
        links = tree.css('a[href*="#"]') if self._names else []
        self._linked = {name for link in links if (name := self._target(link.attributes["href"] or ""))}
        self._written: set[str] = set()

    def id_of(self, node: LexborNode) -> str:
        """The id to write for an element, "" for none."""
        for name in _names_of(node) if self._linked else ():
            if name in self._linked and (anchor := self._anchor(name)) and anchor not in self._written:
                self._written.add(anchor)
                return anchor
        return ""

    def link_to(self, href: str) -> str:
        """The href to write for a link into the body, "" for any other link."""
        name = self._target(href) if self._linked and "#" in href else ""
        anchor = self._anchor(name) if name in self._linked else ""
        return f"#{anchor}" if anchor else ""

    def forget_unwritten(self) -> bool:
        """Leave out links to elements that weren't written, so that writing again gives no dead ones; whether there
        were any."""
        unwritten = {name for name in self._linked if self._anchor(name) not in self._written}
        self._linked -= unwritten
        self._written.clear()
        return bool(unwritten)

    def _anchor(self, name: str) -> str:
        anchor = name if name.startswith(self._place.prefix) else self._place.prefix + quote(name, safe=":")
        return anchor if len(anchor) <= MAX_NAME and ANCHOR.fullmatch(anchor) else ""

    def _target(self, href: str) -> str:
        """The name of the element that a link leads to, "" if that isn't in the body."""
        page, _, fragment = href.strip().partition("#")
        name = next((name for name in (fragment, unquote(fragment)) if name in self._names), "")
        return name if name and (not page or self._is_page(page)) else ""

    def _is_page(self, url: str) -> bool:
        own, linked = self._place.page_url, web_url(url, self._place.base_url)
        return bool(own and linked) and url_key(linked) == url_key(own)


def _names_of(node: LexborNode) -> list[str]:
    keys = ("id", "name") if node.tag == "a" else ("id",)
    return [name for key in keys if (name := node.attributes.get(key))]
