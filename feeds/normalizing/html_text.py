"""Converts plain text to HTML, and HTML that is too large for a tree to plain text."""

import re
from html import escape, unescape

from feeds.normalizing.html_vocabulary import DROPPED

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_WEB = re.compile(r"https?://[^\s<>\"'`\\“”«»「」『』（）【】，。、；！？]+", re.IGNORECASE)
_TRAILING = ".,:;!?…*_~"
_TAG = re.compile(r"<(?:(/?)([a-zA-Z][^\s/<>]*)[^<>]*|[!?][^<>]*)>?")
_HIDING = DROPPED - frozenset(
    ("meta", "base", "link", "frame", "input", "param", "track", "col", "area", "embed", "keygen", "command", "head")
)
_BREAKING = frozenset((
    "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "ul", "ol", "section",
    "article", "hr",
))  # fmt: skip


_FORBIDDEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_BREAKS = re.compile(r"\r\n?")
_SPACES = re.compile(r"[\x0b\x0c]")


def strip_forbidden(text: str) -> str:
    """Remove characters that HTML forbids (controls, lone surrogates) and normalize line breaks."""
    clean = _SURROGATES.sub("\ufffd", _FORBIDDEN.sub("", text))
    return _SPACES.sub(" ", _BREAKS.sub("\n", clean))


def paragraphs(text: str, *, links: bool = True) -> str:
    """Return text as escaped paragraphs: split at blank lines, with line breaks kept and http(s) URLs as links."""
    written = []
    for paragraph in _BLANK_LINES.split(text.strip()):
        lines = [_line(line.strip(), links) for line in paragraph.split("\n")]
        if any(lines):
            written.append(f"<p>{'<br>'.join(lines)}</p>")
    return "\n".join(written)


def visible_text(markup: str) -> str:
    """Return the visible text of markup, judged by its tags alone, in linear time."""
    shown: list[str] = []
    hidden = ""  # the open element whose content is hidden
    position = 0
    for tag in _TAG.finditer(markup):
        if not hidden:
            shown.append(markup[position : tag.start()])
        position = tag.end()
        name, ends = (tag[2] or "").lower(), bool(tag[1])
        if hidden:
            hidden = "" if ends and name == hidden else hidden
        elif name in _HIDING and not ends:
            hidden = name
        elif name == "br":
            shown.append("\n")
        elif name in _BREAKING:
            shown.append("\n\n")
    if not hidden:
        shown.append(markup[position:])
    return unescape("".join(shown))


def _line(line: str, links: bool) -> str:
    if not links:
        return escape(line, quote=False)
    written, position = [], 0
    for match in _WEB.finditer(line):
        url = _without_punctuation(match[0])
        written += [escape(line[position : match.start()], quote=False), f'<a href="{escape(url)}">{escape(url)}</a>']
        position = match.start() + len(url)
    return "".join([*written, escape(line[position:], quote=False)])


def _without_punctuation(url: str) -> str:
    """Strip the punctuation of the sentence around a URL; a closing bracket stays if it was opened inside."""
    while True:
        shorter = url.rstrip(_TRAILING)
        if shorter.endswith((")", "]", "}")) and shorter.count(shorter[-1]) > shorter.count(
            "([{"[")]}".index(shorter[-1])]
        ):
            shorter = shorter[:-1]
        if shorter == url:
            return url
        url = shorter
