"""Parses a body as a browser does and writes it again with allowed elements only.

lexbor parses it (the HTML Standard's algorithm, in C); the tree is walked without recursion. Elements deeper than
`MAX_DEPTH` are left out, but their text stays. The output must still be confirmed by bleach.
"""

from collections.abc import Iterator, Mapping
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feeds.normalizing.html_anchors import Anchors, Place
from feeds.normalizing.html_hidden import is_layout_table, remove_hidden
from feeds.normalizing.html_images import image_attributes, is_lazy, is_tracking_pixel
from feeds.normalizing.html_links import link_url, web_url
from feeds.normalizing.html_math import local_name, write_formula
from feeds.normalizing.html_text import strip_forbidden
from feeds.normalizing.html_vocabulary import (
    ATTRIBUTES,
    DROPPED,
    KEPT,
    MAX_RASTER,
    RENAMED,
    VOID,
    WORTHLESS_EMPTY,
    is_allowed,
)
from feeds.normalizing.svg import svg_url

MAX_DEPTH = 100  # nested elements; published articles stay under 40
MAX_ELEMENTS = 20_000  # written; bleach takes about 60 µs for each
MAX_DRAWINGS = 300  # inline or in `data:` URLs; each takes a millisecond
MAX_SOURCES = 40  # children of a `picture` or player that are read, white space included; real ones have up to 8

_PLAYERS = ("audio", "video")
_IMAGES = ("img", "amp-img", "amp-anim")
_NAMESPACES = {"xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink"}
_LARGEST_RATIO = 50  # width or height of an `amp-img`; larger ones are pixels
_BLOCKS = frozenset(("p", "div", "figure", "h2", "h3", "h4", "h5", "h6", "blockquote", "li", "ul", "ol"))
_TABLE_PARTS = frozenset(("table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"))
_URLS: tuple[str, ...] = ("href", "src", "poster")
_NOT_COPIED = frozenset((*_URLS, "id", "rel"))
_LINKED = frozenset(("a", "source", *_PLAYERS))
_ALWAYS: dict[str, dict[str, str]] = {
    "a": {"rel": "noopener noreferrer"},
    "source": {},
    "audio": {"controls": "", "preload": "none"},
    "video": {"controls": "", "preload": "none"},
}


class TooLarge(Exception):
    """More elements than `MAX_ELEMENTS`."""


def rewrite(markup: str, place: Place) -> str:
    """Return markup with allowed elements only, absolute URLs and resolved images.

    Raises TooLarge when it has more elements than bleach can read in a few seconds.
    """
    tree = LexborHTMLParser(markup, is_fragment=True)
    remove_hidden(tree, markup)
    anchors = Anchors(tree, place)
    written = _Writer(place.base_url, anchors).write(tree)
    return _Writer(place.base_url, anchors).write(tree) if anchors.forget_unwritten() else written


def _sources(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the `source` elements among the first children of a player or `picture`."""
    child = node.child
    for _ in range(MAX_SOURCES):
        if child is None:
            return
        if child.tag == "source":
            yield child
        child = child.next


def _without_ratio(published: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the attributes of an `amp-img`, whose width and height are often only a ratio, such as 16 and 9."""
    sizes = [_pixels(published.get(side)) for side in ("width", "height")]
    is_ratio = published.get("layout") != "fixed" and 0 < min(sizes) < _LARGEST_RATIO and sizes != [1, 1]
    return {name: value for name, value in published.items() if not is_ratio or name not in ("width", "height")}


def _drawn_size(published: Mapping[str, str | None]) -> tuple[int, int]:
    """Return width and height of a drawing in pixels; zeros if only a style sheet knows, as of icons and formulas."""
    width, height = (published.get(side) or "" for side in ("width", "height"))
    if width.endswith("%") or not (width or height or published.get("class")):
        width, height = [*(published.get("viewBox") or "").replace(",", " ").split(), "", "", "", ""][2:4]
    return _pixels(width), _pixels(height)


def _pixels(size: str | None) -> int:
    digits = (size or "").strip().removesuffix("px").partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 5 else 0


class _Writer:
    """Walks a tree once; `out` has one item per tag or text, so that a start tag can be removed again."""

    def __init__(self, base_url: str, anchors: Anchors) -> None:
        self.base_url = base_url  # of the open element
        self.anchors = anchors
        self.out: list[str] = []
        # Node, name written or "", index of its start tag in `out`, base around it.
        self.open: list[tuple[LexborNode, str, int, str]] = []
        self.has_bases = False  # some elements have an xml:base of their own
        self.depth = 0  # elements written and not yet closed
        self.elements = 0
        self.drawings = 0
        self.noscripts = 0  # open ones; images in them may repeat the ones before
        self.layout_tables: list[bool] = []  # of each open table, whether it only arranges
        self.images: set[str] = set()  # URLs written, so that a copy in a noscript isn't written again
        self.image_at = -1  # index in `out` of the last image, or of the description of one without an address
        self.is_stand_in = False  # whether a noscript that follows has what should be there

    def write(self, tree: LexborHTMLParser) -> str:
        self.has_bases = tree.css_first(r"[xml\:base]") is not None
        node = tree.root
        while node is not None:
            node = (node.child if self._enter(node) else None) or self._next(node)
        return strip_forbidden("".join(self.out)).strip()

    def _next(self, node: LexborNode) -> LexborNode | None:
        while (following := node.next) is None and self.open:
            node = self._leave()
        return following

    def _enter(self, node: LexborNode) -> bool:
        """Write the start of a node; returns whether to visit its children."""
        if node.is_text_node:
            self._text(node.text_content or "")
            return False
        tag = node.tag or ""
        if tag == "svg" and node.is_element_node:
            self._drawing(node)
        if not node.is_element_node or tag in DROPPED:
            return False
        outer_base = self.base_url
        if self.has_bases:
            self.base_url = web_url(node.attributes.get("xml:base"), outer_base) or outer_base
        if tag in _IMAGES and (self._image(node, tag) or tag == "img"):
            self.base_url = outer_base
            return False  # an `amp-img` may have a fallback in it
        if local_name(tag) == "math":
            self._formula(node)
            self.base_url = outer_base
            return False
        if tag == "noscript":
            self.noscripts += 1
        if tag == "table":
            self.layout_tables.append(is_layout_table(node))
        name = self._start(node, self._renamed(tag))
        if tag in VOID:
            self.base_url = outer_base
            return False
        self.open.append((node, name, len(self.out) - 1, outer_base))
        if node.child is None:
            self._leave()
            return False
        return True

    def _leave(self) -> LexborNode:
        node, name, place, self.base_url = self.open.pop()
        if node.tag == "noscript":
            self.noscripts -= 1
        if node.tag == "table":
            self.layout_tables.pop()
        if name:
            self.depth -= 1
            if place == len(self.out) - 1 and name in WORTHLESS_EMPTY and ' id="' not in self.out[place]:
                self.out.pop()
                self._keep_apart(name)
            else:
                self.out.append(f"</{name}>")
        return node

    def _renamed(self, tag: str) -> str:
        """Return the name to write an element under; parts of a table for layout become blocks."""
        if tag in _TABLE_PARTS and self.layout_tables and self.layout_tables[-1]:
            return "div" if tag in ("td", "th") else ""
        return RENAMED.get(tag, tag)

    def _keep_apart(self, name: str) -> None:
        """Separate the words around a removed block."""
        if name in _BLOCKS and self.out and self.out[-1][-1:] not in (">", " ", "\n"):
            self.out.append("\n")

    def _formula(self, node: LexborNode) -> None:
        written, n_elements = write_formula(node)
        self.elements += n_elements
        if self.elements > MAX_ELEMENTS:
            raise TooLarge
        if written:
            self.out.append(written)

    def _start(self, node: LexborNode, name: str) -> str:
        """Write a start tag; returns the name written, "" when the element is left out and its content kept."""
        if self.depth >= MAX_DEPTH and name not in VOID:
            return ""
        attributes = self._attributes(node, name) if name in KEPT else {}
        anchor = self.anchors.id_of(node)
        if name not in KEPT or self._is_pointless(node, name, attributes):
            if not anchor or name in VOID:
                return ""
            name, attributes = "span", {}
        self._tag(name, {"id": anchor, **attributes} if anchor else attributes)
        self.depth += name not in VOID
        return name

    def _tag(self, name: str, attributes: Mapping[str, str]) -> None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise TooLarge
        written = "".join([f' {key}="{escape(value)}"' for key, value in attributes.items()])
        self.out.append(f"<{name}{written}>")

    def _text(self, text: str) -> None:
        if self.out and self.out[-1].startswith("<pre"):
            text = text.lstrip("\n")  # parsers drop the first line break of a `pre`
        if text:
            self.out.append(escape(text, quote=False))

    def _image(self, node: LexborNode, tag: str) -> bool:
        """Write an image, or the description of one without a usable address; returns whether there is an image."""
        published = node.attributes if tag == "img" else _without_ratio(node.attributes)
        self.drawings += (published.get("src") or "").lstrip()[:14].lower() == "data:image/svg"
        if self.drawings > MAX_DRAWINGS:
            return False
        parent = node.parent
        sources = _sources(parent) if parent is not None and parent.tag == "picture" else ()
        fallback = next((s.attributes.get("data-srcset") or s.attributes.get("srcset") or "" for s in sources), "")
        attributes = image_attributes(published, self.base_url, fallback)
        if not attributes:
            self.image_at = -1
            description = published.get("alt") if tag == "img" and not is_tracking_pixel(published) else ""
            if description and not self.noscripts:
                self._text(description)
                self.image_at, self.is_stand_in = len(self.out) - 1, True
            return False
        if self.noscripts:
            follows = self.image_at >= 0 and not "".join(self.out[self.image_at + 1 : self.image_at + 3]).strip()
            if follows and self.is_stand_in:
                del self.out[self.image_at :]
            elif follows or attributes["src"] in self.images:
                return True
        self.images.add(attributes["src"])
        anchor = self.anchors.id_of(node)
        self._tag("img", {"id": anchor, **attributes} if anchor else attributes)
        self.image_at = -1 if self.noscripts else len(self.out) - 1
        self.is_stand_in = not is_lazy(published)
        return True

    def _drawing(self, node: LexborNode) -> None:
        """Write an inline drawing as an image, in which nothing can run."""
        published = node.attributes
        sizes = _drawn_size(published)
        self.drawings += 1
        if self.noscripts or self.drawings > MAX_DRAWINGS or published.get("aria-hidden") == "true" or not all(sizes):
            return
        written = "".join(f' {key}="{escape(value or "")}"' for key, value in (_NAMESPACES | published).items())
        markup = f"<svg{written}>{node.inner_html or ''}</svg>".replace("&nbsp;", "&#160;")
        if url := svg_url(markup.encode(errors="ignore"), most=MAX_RASTER // 2):
            title = node.css_first("title")
            description = published.get("aria-label") or (title.text() if title is not None else "")
            sized = {"width": str(sizes[0]), "height": str(sizes[1]), "alt": " ".join(description.split())}
            self._tag("img", image_attributes({"src": url} | sized, self.base_url))

    def _is_pointless(self, node: LexborNode, name: str, attributes: Mapping[str, str]) -> bool:
        """Whether an element has no effect: a link or span without attributes, a player without a source."""
        if name in ("a", "span"):
            return not attributes
        if name == "source":
            return "src" not in attributes or not self.open or self.open[-1][1] not in _PLAYERS
        if name in _PLAYERS and "src" not in attributes:
            return not any(web_url(source.attributes.get("src"), self.base_url) for source in _sources(node))
        return False

    def _attributes(self, node: LexborNode, name: str) -> dict[str, str]:
        published = node.attributes
        if name in _LINKED:
            return self._link_attributes(published, name)
        if not published:
            return {}
        return {
            key: value or "" for key, value in published.items() if key != "id" and is_allowed(name, key, value or "")
        }

    def _link_attributes(self, published: Mapping[str, str | None], name: str) -> dict[str, str]:
        """Return the attributes of an element with a URL; {} for a link or source without one."""
        if name == "a" and (inside := self.anchors.link_to(published.get("href") or "")):
            return {"href": inside, **_allowed_beside(published, name)}
        read = link_url if name == "a" else web_url
        urls = [(key, read(published.get(key), self.base_url)) for key in _URLS if key in ATTRIBUTES[name]]
        checked = {key: url for key, url in urls if url}
        if not checked and name in ("a", "source"):
            return {}
        return checked | _allowed_beside(published, name) | _ALWAYS[name]


def _allowed_beside(published: Mapping[str, str | None], name: str) -> dict[str, str]:
    """Return the allowed attributes of an element with a URL, without the URL."""
    return {
        key: value
        for key, value in published.items()
        if value and key not in _NOT_COPIED and is_allowed(name, key, value)
    }
