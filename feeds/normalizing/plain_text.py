"""Converts markup to plain text, for search, fingerprints, counting and learning; never shown as markup.

The markup is parsed as in a browser; scripts, styles, hidden text and embedded documents give no text. Block elements
and `<br>` end a line, white space is collapsed, empty lines are removed. Double-escaped text (`&lt;p&gt;Hello`) is read
as markup.
"""

import html
import re

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from feeds.normalizing.depth_limit import limit_markup
from feeds.normalizing.html_hidden import remove_hidden

MAX_TEXT = 400_000  # characters, the length of a novel

_BLOCK = re.compile(
    r"<(?=/?(?:p|div|br|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|blockquote|pre|hr|section|article|header|footer|aside|main|"
    r"nav|figure|figcaption|address|details|summary|form|fieldset|center|option|caption)\b)",
    re.IGNORECASE,
)
_HIDDEN_NAMES = (
    "script style noembed noframes iframe object applet template svg annotation annotation-xml textarea select button "
    "head title audio video rp"
)
_HIDDEN_TAGS = _HIDDEN_NAMES.split()
_HIDDEN = re.compile(rf"<(?:{'|'.join(_HIDDEN_TAGS)})\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG_START = re.compile(r"<[a-zA-Z/!?]")
_NAMES = (
    "p|div|br|img|a|span|strong|b|em|i|u|ul|ol|li|table|h[1-6]|hr|figure|blockquote|pre|section|article|iframe|script"
)
_ESCAPED_START = re.compile(rf"\s*&lt;(?:{_NAMES})(?:\s|/?&gt;)", re.IGNORECASE)
_ESCAPED_BLOCK = re.compile(
    r"\s*&lt;(?:!--|(?:p|div|ul|ol|table|h[1-6]|figure|blockquote|section|article)(?:\s|/?&gt;))", re.IGNORECASE
)
_ESCAPED_END = re.compile(rf"&lt;(?:/(?:{_NAMES})|br\s?/?)&gt;\s*\Z", re.IGNORECASE)
_ESCAPED_LINK = re.compile(
    r"""&lt;(?:a\s{1,9}href|img\s{1,9}(?:src|alt|width|height|class))=(?:&quot;|"|')""", re.IGNORECASE
)
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u2060\ufeff\ud800-\udfff]")


def plain_text(markup: str, *, is_text: bool = False) -> str:
    """Return the text of `markup` without blank lines; `is_text`: it is declared as plain text."""
    if is_text:
        return clean_lines(markup[:MAX_TEXT])
    markup = without_double_escape(markup)
    if not _TAG_START.search(markup):
        return clean_lines(unescape(markup[:MAX_TEXT]))
    markup = _BLOCK.sub("\n<", " ".join(limit_markup(markup).splitlines()))
    try:
        tree = LexborHTMLParser(markup)
    except (SelectolaxError, ValueError, UnicodeError):
        return ""
    remove_hidden(tree, markup)
    if _HIDDEN.search(markup):
        tree.strip_tags(_HIDDEN_TAGS)
    return clean_lines(tree.text())[:MAX_TEXT].rstrip()


def without_double_escape(markup: str) -> str:
    """Remove one level of escaping from markup that is escaped as a whole (`&lt;p&gt;…`), or up to its first tag.

    That is, without any tag itself, it begins or ends with an escaped one, or has an escaped link or image; or it
    begins with an escaped block. Text about tags stays text.
    """
    if "&lt;" not in markup:
        return markup
    first_tag = _TAG_START.search(markup)
    if first_tag is not None:
        escaped, rest = markup[: first_tag.start()], markup[first_tag.start() :]
        is_block = _ESCAPED_BLOCK.match(escaped) is not None and "&lt;/" in escaped
        return html.unescape(escaped) + rest if is_block else markup
    is_escaped = _ESCAPED_START.match(markup) or _ESCAPED_END.search(markup[-40:]) or _ESCAPED_LINK.search(markup)
    return html.unescape(markup) if is_escaped else markup


def without_leftover_references(text: str) -> str:
    """Decode the references of a plain text with `&nbsp;`: markup whose tags alone were stripped, as in Blogger's
    excerpts. Other plain texts may be about references.
    """
    return unescape(text) if "&nbsp;" in text else text


def unescape(text: str) -> str:
    """Return `text` with its character references decoded if they end in a semicolon."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def clean_lines(text: str) -> str:
    """Return `text` with single spaces, without blank lines and invisible characters."""
    return "\n".join(filter(None, map(_clean_line, text.splitlines())))


def _clean_line(line: str) -> str:
    if line.isprintable() and "  " not in line:  # most lines; no printable character is white space except the space
        return line.strip()
    return " ".join(strip_invisible(" ".join(line.split())).split())


def strip_invisible(text: str) -> str:
    """Return `text` without control characters, lone surrogates, soft hyphens and zero-width spaces."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)
