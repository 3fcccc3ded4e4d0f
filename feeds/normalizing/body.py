"""Undoes what publishing software did to a body by mistake, so that it is stored as its author meant it.

Observed: the marks of a CDATA section escaped like text; markup escaped twice; markup declared as plain text; XHTML in
HTML, where `<iframe/>` swallows all that follows, and `<br></br>` is two line breaks; formulas in scripts that MathJax
would have drawn, which are kept as TeX between the usual marks.
"""

import re
from html import escape

from feeds.normalizing.plain_text import without_double_escape, without_leftover_references

_ELEMENTS = (
    r"(?:p|div|span|a|b|i|u|em|strong|ul|ol|dl|table|h[1-6]|figure|picture|blockquote|pre|section|article|center)\b"
)
_FIRST_TAG = re.compile(rf"<(?:{_ELEMENTS}|(?:img|br|hr)\b)[^<>]*>", re.IGNORECASE)
_LAST_TAG = re.compile(rf"<(?:/{_ELEMENTS}|(?:img|br|hr)\b)[^<>]*>\Z", re.IGNORECASE)
_CLOSED_BREAK = re.compile(r"(<br\b[^<>]*>)\s?</br\s?>", re.IGNORECASE)
_SELF_CLOSED = re.compile(
    r"""<(iframe|script|style|textarea|title|noembed|noframes|xmp|object|applet|select|button|template|canvas|video|audio)\b"""
    r"""(?:((?:[^<>"'/]|"[^"<]*"|'[^'<]*'|/(?!>))++)(?<=["'\s]))?/>""",
    re.IGNORECASE,
)
_FORMULA = re.compile(
    r"""<script\s[^<>]{0,200}?type\s?=\s?["']?math/(tex|mml)([^"'<>]{0,40})["']?[^<>]{0,200}>"""
    r"([^<]*+(?:<(?!/?script)[^<]*+)*+)</script\s*>",
    re.IGNORECASE,
)


def repair_body(markup: str, *, is_text: bool) -> tuple[str, bool]:
    """Return the body as meant, and whether it is plain text."""
    markup = _without_cdata_marks(markup)
    if is_text and not _is_all_markup(markup):
        return without_leftover_references(markup), True
    markup = without_double_escape(markup)
    if "/>" in markup:
        markup = _SELF_CLOSED.sub(r"<\1\2></\1>", markup)
    if "</br" in markup:
        markup = _CLOSED_BREAK.sub(r"\1", markup)
    return (_FORMULA.sub(_formula, markup) if "math/" in markup else markup), False


def _without_cdata_marks(markup: str) -> str:
    if "<![CDATA[" in markup:
        return markup.replace("<![CDATA[", "").replace("]]>", "")
    if markup.lstrip().startswith("&lt;![CDATA["):
        return markup.strip().removeprefix("&lt;![CDATA[").removesuffix("]]&gt;")
    return markup


def _is_all_markup(text: str) -> bool:
    """Whether a text begins and ends with a tag, as no text about tags does."""
    text = text.strip()
    return _FIRST_TAG.match(text) is not None and _LAST_TAG.match(text[text.rfind("<") :]) is not None


def _formula(script: re.Match[str]) -> str:
    language, mode, source = script.groups()
    if language.lower() == "mml":
        return source
    tex = escape(source.strip().strip("%").strip(), quote=False)
    return f"\\[{tex}\\]" if "display" in mode.lower() else f"\\({tex}\\)"
