"""Limits the depth of markup before a tree is built from it.

Tree builders take time proportional to depth times tags, and reopen unclosed formatting elements in each later
paragraph: 100 KB of `<div>` takes the fastest parser half a second, a megabyte a minute, and html5lib hours. The
attributes of an element are compared with each other: 100,000 take half a minute.

So overlong tags lose their attributes, and markup with very many tags goes through one linear pass that drops start
tags beyond a depth and closes explicitly what a parser would close by rule. Other markup is returned unchanged. This is
not sanitizing: the result is parsed and sanitized like any other markup.
"""

import re

MAX_MARKUP = 1_000_000  # characters; longer markup is cut off
MAX_DEPTH = 100  # nested elements; real articles stay under 40
_MANY_TAGS = 500  # fewer are harmless, however nested
_LONG = 32_000  # characters; in shorter markup any tag is harmless
_MAX_TAG = 4_000  # characters outside quotes

_TAG = re.compile(r"<(?P<closes>/?)(?P<name>[a-zA-Z][^\s/<>]*+)[^<>]*+>")
_QUOTED = r"""=\s*(?:"[^"]*"|'[^']*')"""
_WHOLE_TAG = re.compile(rf"""<([a-zA-Z][^\s/<>"'=]*)((?:{_QUOTED}|[^<>])*+)>?""")
_NAMES = {
    "void": "area base br col embed hr img input link meta param source track wbr",
    "closes a paragraph": "address article aside blockquote center details dialog dir div dl fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table ul li "
    "dd dt td th tr",
    "ends itself": "li dd dt td th tr option optgroup tbody thead tfoot rt rp p",
    "scope": "ul ol dl table select ruby blockquote div section article td th",
}
_VOID, _CLOSES_PARAGRAPH, _ENDS_ITSELF, _SCOPES = (frozenset(names.split()) for names in _NAMES.values())


def limit_markup(markup: str) -> str:
    """Return at most MAX_MARKUP characters of markup that no parser nests much deeper than MAX_DEPTH."""
    if len(markup) > MAX_MARKUP:
        cut = markup.rfind("<", MAX_MARKUP - 10_000, MAX_MARKUP)
        markup = markup[: cut if cut > 0 else MAX_MARKUP]
    if len(markup) > _LONG:
        markup = _WHOLE_TAG.sub(_without_too_many_attributes, markup)
    if markup.count("<") <= _MANY_TAGS:
        return markup
    return _Balancer().balanced(markup)


def _without_too_many_attributes(tag: re.Match[str]) -> str:
    too_long = len(tag[2]) > _MAX_TAG and len(re.sub(_QUOTED, "=", tag[2])) > _MAX_TAG
    return f"<{tag[1]}>" if too_long else tag[0]


class _Balancer:
    """Rewrites markup with at most MAX_DEPTH open elements, each closed in order."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._written: list[str] = []

    def balanced(self, markup: str) -> str:
        end = 0
        for match in _TAG.finditer(markup):
            self._written.append(markup[end : match.start()])
            end = match.end()
            name = match["name"].lower()
            if match["closes"]:
                self._close(name)
            else:
                self._start(name, match[0])
        self._written.append(markup[end:])
        self._close_down_to(0)
        return "".join(self._written)

    def _start(self, name: str, tag: str) -> None:
        if name in _CLOSES_PARAGRAPH:
            self._close_within_scope("p")
        if name in _ENDS_ITSELF and name != "p":
            self._close_within_scope(name)
        if name not in _VOID:
            if len(self._open) >= MAX_DEPTH:
                return
            self._open.append(name)
        self._written.append(tag)

    def _close(self, name: str) -> None:
        if name in self._open:
            self._close_down_to(len(self._open) - 1 - self._open[::-1].index(name))

    def _close_within_scope(self, name: str) -> None:
        for i in range(len(self._open) - 1, -1, -1):
            if self._open[i] == name:
                self._close_down_to(i)
                return
            if self._open[i] in _SCOPES:
                return

    def _close_down_to(self, depth: int) -> None:
        while len(self._open) > depth:
            self._written.append(f"</{self._open.pop()}>")
