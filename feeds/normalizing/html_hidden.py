"""Removes from a body's tree what the publisher hides from readers, and recognizes tables that only arrange a page.

Observed: newsletters begin with a hidden line for the inbox's preview; scripts that draw formulas leave the drawing
beside the formula, for readers who can see only one of them; pages tell readers without JavaScript to switch it on.

Only short hidden text before all other text is removed: hidden text further on waits for a click that a script would
have handled (the rest of a table, an answer), so it is part of the article.
"""

import re
from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feeds.normalizing.html_math import children
from feeds.normalizing.html_vocabulary import DROPPED

MAX_HIDDEN = 300  # characters of a line for previews; real ones have up to 150
MAX_NODES = 500  # that are looked at before the first text
MAX_NOTICES = 100  # of one body
MAX_PARTS = 2_000  # rows and cells of a table that are looked at

_HINT = re.compile(r"\bhidden\b|display\s*:\s*none|max-height\s*:\s*0", re.IGNORECASE)
_HIDING_STYLE = re.compile(
    r"(?:\A|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|max-height\s*:\s*0(?:px)?\s*(?:[;!]|\Z))", re.IGNORECASE
)
_MEDIA = "img, video, audio, iframe"
_SECOND_DRAWINGS = ".katex-mathml + .katex-html, nobr:has(+ .MJX_Assistive_MathML)"


def remove_hidden(tree: LexborHTMLParser, markup: str) -> None:
    """Remove from the tree of `markup` its preview text, second drawings of formulas, and notices about JavaScript."""
    found: list[LexborNode] = []
    if "katex-html" in markup or "MJX_Assistive" in markup:
        found += tree.css(_SECOND_DRAWINGS)
    if "<noscript" in markup.lower():
        found += [node for node in tree.css("noscript")[:MAX_NOTICES] if _asks_for_scripts(node)]
    if _HINT.search(markup):
        found += _preview_texts(tree)
    for node in list(_outermost(found)):
        node.decompose()


def _preview_texts(tree: LexborHTMLParser) -> list[LexborNode]:
    """Return the hidden elements before the first visible text; none if there is no visible text."""
    found: list[LexborNode] = []
    node = tree.root
    for _ in range(MAX_NODES):
        if node is None:
            break
        inner = None
        if node.is_text_node:
            if (node.text_content or "").strip():
                return found
        elif node.is_element_node and _is_hidden(node):
            if _size(node) > MAX_HIDDEN or node.css_first(_MEDIA) is not None:
                return found
            found.append(node)
        elif node.tag not in DROPPED:
            inner = node.child
        node = inner or _following(node)
    return []


def _following(node: LexborNode | None) -> LexborNode | None:
    """Return the next node in document order that isn't inside of this one."""
    while node is not None and node.next is None:
        node = node.parent
    return node.next if node is not None else None


def is_layout_table(table: LexborNode) -> bool:
    """Whether a table says so, or has one column without a heading: a frame around text."""
    if (table.attributes.get("role") or "").strip().lower() in ("presentation", "none"):
        return True
    pending, n_parts = [table], 0
    while pending:
        part = pending.pop()
        n_cells = 0
        for child in children(part):
            n_parts += 1
            n_cells += child.tag in ("td", "th")
            if n_parts > MAX_PARTS or n_cells > 1 or child.tag in ("th", "caption", "thead", "tfoot"):
                return False
            if child.tag in ("tbody", "tr"):
                pending.append(child)
    return True


def _is_hidden(node: LexborNode) -> bool:
    attributes: Mapping[str, str | None] = node.attributes
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    return _HIDING_STYLE.search(attributes.get("style") or "") is not None


def _asks_for_scripts(noscript: LexborNode) -> bool:
    return "javascript" in noscript.text().lower() and noscript.css_first(_MEDIA) is None


def _size(node: LexborNode) -> int:
    return len("".join(node.text().split()))


def _outermost(nodes: list[LexborNode]) -> Iterator[LexborNode]:
    """Yield the nodes that are in none of the others: removing a node frees all that is in it."""
    chosen = {node.mem_id for node in nodes}
    for node in nodes:
        parent = node.parent
        while parent is not None and parent.mem_id not in chosen:
            parent = parent.parent
        if parent is None:
            yield node
