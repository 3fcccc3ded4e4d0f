"""Markup to plain text, for search, fingerprints, counting and learning: never shown as markup.

A fast tree parser reads the markup as a browser would; scripts, styles, fallbacks and embedded documents give no text.
Block elements and `<br>` end a line, runs of white space are one space, empty lines vanish. Text that was escaped once
too often (`&lt;p&gt;Hello`) is read as the markup it was.
"""

import html
import re

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from .nesting import bounded

MAX_TEXT = 400_000  # characters kept, the length of a novel

_BLOCK = re.compile(
    r"<(?=/?(?:p|div|br|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|blockquote|pre|hr|section|article|header|footer|aside|main|"
    r"nav|figure|figcaption|address|details|summary|form|fieldset|center|option|caption)\b)",
    re.IGNORECASE,
)
_SILENT_NAMES = (
    "script style noscript noembed noframes iframe object applet template svg math canvas textarea select button head "
    "title audio video xmp rp"
)
_SILENT_TAGS = _SILENT_NAMES.split()
_SILENT = re.compile(rf"<(?:{'|'.join(_SILENT_TAGS)})\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG_START = re.compile(r"<[a-zA-Z/!?]")
_ESCAPED_MARKUP = re.compile(
    r"\s*&lt;(?:p|div|br|img|a|span|strong|b|em|i|ul|ol|table|h[1-6]|figure|blockquote|section|article|iframe|script)"
    r"(?:\s|/?&gt;)",
    re.IGNORECASE,
)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\ud800-\udfff]")


def plain_text(markup: str, *, is_text: bool = False) -> str:
    """Return the text of `markup` in lines without blank ones; `is_text`: it is plain text by declaration."""
    if is_text:
        return lines(markup[:MAX_TEXT])
    markup = without_double_escape(markup)
    if not _TAG_START.search(markup):
        return lines(decoded(markup[:MAX_TEXT]))
    markup = _BLOCK.sub("\n<", " ".join(bounded(markup).split()))
    try:
        tree = LexborHTMLParser(markup)
    except (SelectolaxError, ValueError, UnicodeError):
        return ""
    if _SILENT.search(markup):
        tree.strip_tags(_SILENT_TAGS)
    return lines(tree.text()[:MAX_TEXT])


def without_double_escape(markup: str) -> str:
    """Return markup that consists of escaped markup only (`&lt;p&gt;…`) with one level of escaping taken away."""
    if "&lt;" in markup[:40] and _ESCAPED_MARKUP.match(markup) and not _TAG_START.search(markup):
        return html.unescape(markup)
    return markup


def decoded(text: str) -> str:
    """Return `text` with its character references decoded, those that end in a semicolon."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def lines(text: str) -> str:
    """Return `text` with single spaces, without blank lines, control characters and invisible ones."""
    found = [" ".join(line.split()) for line in text.splitlines()]
    if not all(map(str.isprintable, found)):
        found = [" ".join(cleaned(line).split()) for line in found]
    return "\n".join(line for line in found if line)


def cleaned(text: str) -> str:
    """Return `text` without NUL and other control characters, lone surrogates, soft hyphens, zero-width spaces."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)
