"""A page reduced to the tags that lead to feeds, so that building its tree takes linear time whatever it holds.

A tree builder that follows the HTML standard looks through all open elements at every `<div>`: 2 MiB of unclosed
ones took minutes. Links, anchors and pictures do not nest, so a page of only those is harmless. Comments, scripts
and styles go first, for the tags in them are none; one without an end is taken for text.
"""

import re

MAX_TAG_LENGTH = 8192  # characters; comparing the attributes of one endless tag is quadratic too
_RAW = re.compile(r"<!--|<(script|style|textarea)\b", re.IGNORECASE)
_DROPPED_TAG = re.compile(
    rf"<(?!/?(?:a|link|base|img)[\s/>])[/!?a-z][^<>]*>?|<[a-z][^<>]{{{MAX_TAG_LENGTH},}}>?", re.IGNORECASE
)


def page_skeleton(text: str) -> str:
    """Return the page with `<a>`, `<link>`, `<base>` and `<img>` as its only tags, its text kept."""
    kept: list[str] = []
    position = 0
    endless: set[str] = set()
    while match := _RAW.search(text, position):
        closing = "-->" if match[1] is None else f"</{match[1].lower()}"
        end = -1 if closing in endless else _find(text, closing, match.end())
        if end < 0:
            endless.add(closing)
            end = match.end()
        kept.append(text[position : match.start()])
        position = end
    kept.append(text[position:])
    return _DROPPED_TAG.sub("", "".join(kept))


def _find(text: str, closing: str, position: int) -> int:
    match = re.compile(re.escape(closing), re.IGNORECASE).search(text, position)
    return match.end() if match else -1
