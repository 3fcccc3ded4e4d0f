"""A body's tree, read as a browser reads it, written again with only what we show.

The reading is lexbor's (the HTML Standard's algorithm, in C); the writing is a walk without recursion. Elements
deeper than `MAX_DEPTH` are left out and their text stays. What comes out is for bleach to confirm, not to be trusted.
"""

from collections.abc import Iterator, Mapping
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feeds.normalizing.html_images import picture
from feeds.normalizing.html_links import link_url, web_url
from feeds.normalizing.html_text import well_formed
from feeds.normalizing.html_vocabulary import ATTRIBUTES, DROPPED, KEPT, RENAMED, VOID, WORTHLESS_EMPTY, is_allowed

MAX_DEPTH = 100  # elements within each other; published articles stay under 40
MAX_ELEMENTS = 20_000  # written; bleach takes about 60 µs for each
MAX_SOURCES = 40  # children of a `picture` or player looked at; white space counts, and real ones have up to 8

_PLAYERS = ("audio", "video")
_URLS: tuple[str, ...] = ("href", "src", "poster")
_LINKED = frozenset(("a", "source", *_PLAYERS))
_ALWAYS: dict[str, dict[str, str]] = {
    "a": {"rel": "noopener noreferrer"},
    "source": {},
    "audio": {"controls": "", "preload": "none"},
    "video": {"controls": "", "preload": "none"},
}


class TooLarge(Exception):
    """More elements than `MAX_ELEMENTS`."""


def rewritten(markup: str, base_url: str) -> str:
    """Markup of the kept elements only, URLs absolute, pictures resolved.

    Raises:
        TooLarge: when it holds more elements than bleach could read in a few seconds.
    """
    return _Writer(base_url).write(LexborHTMLParser(markup, is_fragment=True))


def _sources(node: LexborNode) -> Iterator[LexborNode]:
    """The `source` elements among the first children of a player or picture."""
    child = node.child
    for _ in range(MAX_SOURCES):
        if child is None:
            return
        if child.tag == "source":
            yield child
        child = child.next


class _Writer:
    """One walk over one tree; `out` grows by a piece a tag or text, so that a tag can be taken back."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.out: list[str] = []
        self.open: list[
            tuple[LexborNode, str, int]
        ] = []  # node, name written ("" none), its start tag's place in `out`
        self.depth = 0  # elements written and not yet ended
        self.elements = 0
        self.noscripts = 0  # open ones: of theirs, only pictures count
        self.pictures: set[str] = set()  # sources written, so that a noscript's copy is not a second one
        self.picture_missing = False  # the last `img` had no source that we could use

    def write(self, tree: LexborHTMLParser) -> str:
        node = tree.root
        while node is not None:
            node = (node.child if self._entered(node) else None) or self._following(node)
        return well_formed("".join(self.out)).strip()

    def _following(self, node: LexborNode) -> LexborNode | None:
        while (following := node.next) is None and self.open:
            node = self._leave()
        return following

    def _entered(self, node: LexborNode) -> bool:
        """Write a node's beginning; whether its children are to be visited."""
        if node.is_text_node:
            self._text(node.text_content or "")
            return False
        tag = node.tag or ""
        if not node.is_element_node or tag in DROPPED:
            return False
        if tag == "noscript":
            self.noscripts += 1
        if tag == "img":
            self._picture(node)
            return False
        name = self._start(node, RENAMED.get(tag, tag))
        if tag in VOID:
            return False
        self.open.append((node, name, len(self.out) - 1))
        if node.child is None:
            self._leave()
            return False
        return True

    def _leave(self) -> LexborNode:
        node, name, place = self.open.pop()
        if node.tag == "noscript":
            self.noscripts -= 1
        if name:
            self.depth -= 1
            if place == len(self.out) - 1 and name in WORTHLESS_EMPTY:
                self.out.pop()
            else:
                self.out.append(f"</{name}>")
        return node

    def _start(self, node: LexborNode, name: str) -> str:
        """Write a start tag; the name written, "" when the element is left out around its content."""
        if name not in KEPT or self.noscripts or (self.depth >= MAX_DEPTH and name not in VOID):
            return ""
        attributes = self._attributes(node, name)
        if self._is_pointless(node, name, attributes):
            return ""
        self._tag(name, attributes)
        self.depth += name not in VOID
        return name

    def _tag(self, name: str, attributes: Mapping[str, str]) -> None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise TooLarge
        written = "".join([f' {key}="{escape(value)}"' for key, value in attributes.items()])
        self.out.append(f"<{name}{written}>")

    def _text(self, text: str) -> None:
        if self.noscripts or not text:
            return
        if self.out and self.out[-1].startswith("<pre"):
            text = text.lstrip("\n")  # a parser takes the first line break of a `pre` for the source's layout
        if text:
            self.out.append(escape(text, quote=False))

    def _picture(self, node: LexborNode) -> None:
        shown_before = bool(self.out) and self.out[-1].startswith("<img") and not self.picture_missing
        around = node.parent
        sources = _sources(around) if around is not None and around.tag == "picture" else ()
        fallback = next((s.attributes.get("data-srcset") or s.attributes.get("srcset") or "" for s in sources), "")
        attributes = picture(node.attributes, self.base_url, fallback)
        repeated = self.noscripts and (shown_before or attributes.get("src") in self.pictures)
        self.picture_missing = not attributes
        if attributes and not repeated:
            self.pictures.add(attributes["src"])
            self._tag("img", attributes)

    def _is_pointless(self, node: LexborNode, name: str, attributes: Mapping[str, str]) -> bool:
        """Whether an element does nothing: a link or span without attributes, a player without anything to play."""
        if name in ("a", "span"):
            return not attributes
        if name == "source":
            return "src" not in attributes or not self.open or self.open[-1][1] not in _PLAYERS
        if name in _PLAYERS and "src" not in attributes:
            return not any(web_url(source.attributes.get("src"), self.base_url) for source in _sources(node))
        return False

    def _attributes(self, node: LexborNode, name: str) -> dict[str, str]:
        given = node.attributes
        if name in _LINKED:
            return self._linked(given, name)
        if not given:
            return {}
        return {key: value or "" for key, value in given.items() if is_allowed(name, key, value or "")}

    def _linked(self, given: Mapping[str, str | None], name: str) -> dict[str, str]:
        """The attributes of an element that leads to another address; empty for a link or source without one."""
        read = link_url if name == "a" else web_url
        urls = [(key, read(given.get(key), self.base_url)) for key in _URLS if key in ATTRIBUTES[name]]
        kept = {key: url for key, url in urls if url}
        if not kept and name in ("a", "source"):
            return {}
        kept |= {
            key: value for key, value in given.items() if value and key not in _URLS and is_allowed(name, key, value)
        }
        return kept | _ALWAYS[name]
