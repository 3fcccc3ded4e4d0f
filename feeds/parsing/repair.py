"""Repairs the text of a feed that is not well-formed XML (SPEC §4, recovery 1).

Each rule fixes one common mistake, leaves valid documents unchanged, and skips CDATA sections and comments, where the
same characters are legal:

- control characters and surrogates, raw or as references, are removed; references to 128–159 are read as Windows-1252;
- `&` that starts no reference becomes `&amp;`, HTML entities become their characters;
- `<` that starts no tag becomes `&lt;`;
- undeclared prefixes get their usual namespace;
- text after the root element is removed.

A truncated document needs no repair here: the reader keeps the entries before the cut.
"""

import html
import re
from dataclasses import dataclass

from feeds.wording import gettext as _

NAMESPACES = {
    "admin": "http://webns.net/mvcb/",
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "georss": "http://www.georss.org/georss",
    "itunes": "http://www.itunes.com/DTDs/PodCast-1.0.dtd",
    "media": "http://search.yahoo.com/mrss/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rss": "http://backend.userland.com/rss",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "thr": "http://purl.org/syndication/thread/1.0",
    "wfw": "http://wellformedweb.org/CommentAPI/",
    "xhtml": "http://www.w3.org/1999/xhtml",
    "xlink": "http://www.w3.org/1999/xlink",
}
"""Prefix → usual namespace (RSS Advisory Board's list of modules)."""

_PROTECTED = re.compile(r"(<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|<\?(?:.*?\?>|.*))", re.DOTALL)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_AMPERSAND = re.compile(r"&(?:#([0-9]{1,8});|#[xX]([0-9a-fA-F]{1,7});|([A-Za-z][A-Za-z0-9]{0,40});)?")
_BARE_LESS_THAN = re.compile(r"<(?![A-Za-z_/!?:]|\Z)")
_PREFIX = re.compile(r"</?([A-Za-z_][\w.-]*):[A-Za-z_]|\s([A-Za-z_][\w.-]*):[A-Za-z_][\w.-]*\s*=\s*[\"']")
_DECLARED_PREFIX = re.compile(r"\sxmlns:([A-Za-z_][\w.-]*)\s*=")
_ROOT_START = re.compile(r"<([A-Za-z_][\w.:-]*)")
_WHITE_SPACE = " \t\r\n"  # XML 1.0 §2.3; anything else outside the root element is not well-formed
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})


@dataclass(frozen=True, slots=True)
class RepairedText:
    """The repaired document and notes on the repairs."""

    text: str
    notes: tuple[str, ...]


def repair(text: str) -> RepairedText:
    """Repair a feed from its root element on."""
    notes = []
    cleaned = _ILLEGAL.sub("", text)
    if cleaned != text:
        notes.append(_("control characters were removed"))
    trimmed = _without_trailing_junk(cleaned)
    if trimmed != cleaned:
        notes.append(_("text after the end of the feed was dropped"))
    escaped = _escape_bare_characters(trimmed)
    if escaped != trimmed:
        notes.append(_("bare & or <, or unknown entities, were escaped"))
    declared = _declare_prefixes(escaped)
    if declared != escaped:
        notes.append(_("undeclared namespaces were declared"))
    return RepairedText(declared, tuple(notes))


def is_character(code: int) -> bool:
    """Whether XML allows the character (XML 1.0 §2.2)."""
    return code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000


def _without_trailing_junk(text: str) -> str:
    root = _ROOT_START.match(text)
    if root is None:
        return text
    ends = [match.end() for match in re.finditer(rf"</{re.escape(root.group(1))}\s*>", text)]
    return text[: ends[-1]] if ends and text[ends[-1] :].strip(_WHITE_SPACE) else text


def _escape_bare_characters(text: str) -> str:
    parts = _PROTECTED.split(text)
    parts[::2] = [_BARE_LESS_THAN.sub("&lt;", _AMPERSAND.sub(_reference, part)) for part in parts[::2]]
    return "".join(parts)


def _reference(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if decimal or hexadecimal:
        return _character_reference(int(decimal) if decimal else int(hexadecimal, 16), match.group())
    if name is None:
        return "&amp;"
    if name in _PREDEFINED:
        return match.group()
    characters = html.unescape(match.group())
    return "&amp;" + match.group()[1:] if characters == match.group() else html.escape(characters)


def _character_reference(code: int, written: str) -> str:
    if 0x80 <= code < 0xA0:
        return html.unescape(written)  # HTML reads these as Windows-1252
    return written.replace("&#X", "&#x") if is_character(code) else ""


def _declare_prefixes(text: str) -> str:
    markup = _PROTECTED.sub("", text)
    declared = {"xml", "xmlns", *_DECLARED_PREFIX.findall(markup)}
    used = {prefix for pair in _PREFIX.findall(markup) for prefix in pair if prefix}
    declarations = "".join(
        f' xmlns:{prefix}="{NAMESPACES.get(prefix, "urn:undeclared:" + prefix)}"' for prefix in sorted(used - declared)
    )
    root = _ROOT_START.match(text)
    if root is None or not declarations:
        return text
    return text[: root.end()] + declarations + text[root.end() :]
