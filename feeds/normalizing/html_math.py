"""Writes formulas in presentation MathML with a closed list of elements, and only text in those that hold text.

Without HTML elements, comments or raw text inside, a formula is parsed into the same tree by every parser. Elements
that browsers no longer draw keep what is in them: fences become operators, enclosures and unknown elements rows. Of
several renderings (`semantics`), the presentation is written; a TeX annotation becomes the alternative text, or takes
the place of a formula that has no presentation.
"""

from collections.abc import Iterator
from html import escape

from selectolax.lexbor import LexborNode

from feeds.normalizing.html_vocabulary import DROPPED, MATH_LAYOUT, MATH_TOKENS, is_allowed

MAX_DEPTH = 40  # of nested elements; deeper ones lose their tags, their text stays
MAX_NODES = 5_000  # of one formula; of the rest, the text is written

_CONTENT_NAMES = {"ci": "mi", "csymbol": "mi", "cn": "mn"}
_ANNOTATIONS = frozenset(("annotation", "annotation-xml"))
_TEX = frozenset(("application/x-tex", "application/x-latex", "text/x-tex", "text/latex", "latex", "tex"))


def children(node: LexborNode) -> Iterator[LexborNode]:
    """Yield all children; `node.iter` yields the siblings of a fragment's first node instead."""
    child = node.child
    while child is not None:
        yield child
        child = child.next


def local_name(tag: str) -> str:
    """Return the tag without the prefixes that journals use for MathML."""
    return tag.removeprefix("mml:").removeprefix("m:")


def write_formula(math: LexborNode) -> tuple[str, int]:
    """Return a `math` element as HTML, "" for an empty one, and the number of elements written."""
    writer = _Writer()
    writer.write_children(math, "math", 0)
    tex = " ".join((math.attributes.get("alttext") or writer.tex).split())
    if not writer.has_text:
        return (f"<code>{escape(tex, quote=False)}</code>", 1) if tex else ("", 0)
    published = _attributes(math, "math")
    attributes = _written({**published, "alttext": tex} if tex else published)
    return f"<math{attributes}>{''.join(writer.out)}</math>", writer.n_elements + 1


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.tex = ""
        self.has_text = False
        self.n_elements = self._n_nodes = 0

    def write_children(self, parent: LexborNode, within: str, depth: int) -> None:
        """`within`: the name of the element that was written around them."""
        for child in children(parent):
            self._n_nodes += 1
            if child.is_text_node:
                self._text(child.text_content or "", within)
            elif child.is_element_node:
                self._element(child, within, depth)

    def _element(self, node: LexborNode, within: str, depth: int) -> None:
        published = local_name(node.tag or "")
        name = _CONTENT_NAMES.get(published, published)
        if name in _ANNOTATIONS:
            if not self.tex and (node.attributes.get("encoding") or "").strip().lower() in _TEX:
                self.tex = node.text()
        elif name in DROPPED:
            pass
        elif depth >= MAX_DEPTH or self._n_nodes > MAX_NODES:
            self._text(node.text(), within)
        elif within in MATH_TOKENS or name == "semantics":
            self.write_children(node, within, depth + 1)
        else:
            self._layout(node, name, depth)

    def _layout(self, node: LexborNode, name: str, depth: int) -> None:
        written = name if name in MATH_LAYOUT or name in MATH_TOKENS else "mrow"
        self.n_elements += 1
        self.out.append(f"<{written}{_written(_attributes(node, written))}>")
        if name == "mfenced":
            self._fenced(node, depth)
        else:
            self.write_children(node, written, depth + 1)
        self.out.append(f"</{written}>")

    def _fenced(self, node: LexborNode, depth: int) -> None:
        """Write the children of an `mfenced` with its brackets and separators, "(" "," ")" by default."""
        attributes = node.attributes
        separators = "".join((attributes.get("separators", ",") or "").split())
        self._operator(attributes.get("open", "("))
        for index, child in enumerate(child for child in children(node) if child.is_element_node):
            if index and separators:
                self._operator(separators[min(index, len(separators)) - 1])
            self._element(child, "mrow", depth + 1)
        self._operator(attributes.get("close", ")"))

    def _operator(self, text: str | None) -> None:
        if text and text.strip():
            self.n_elements += 1
            self.out.append(f"<mo>{escape(text, quote=False)}</mo>")

    def _text(self, text: str, within: str) -> None:
        if not text.strip():
            return
        self.has_text = True
        written = escape(text, quote=False)
        self.n_elements += within not in MATH_TOKENS
        self.out.append(written if within in MATH_TOKENS else f"<mtext>{written}</mtext>")


def _attributes(node: LexborNode, name: str) -> dict[str, str]:
    return {key: value or "" for key, value in node.attributes.items() if is_allowed(name, key, value or "")}


def _written(attributes: dict[str, str]) -> str:
    return "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
