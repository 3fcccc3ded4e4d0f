"""Removes document type declarations before any XML parser sees them, and expands the document's own entities.

Nothing outside the document is ever read: external and parameter entities are dropped, and references to them
removed. Text entities that the document declares itself (harmless, and common in hand-written feeds) are replaced here.
A document whose entities would expand to more than `MAX_EXPANSION` characters is a bomb: it is rejected with
ParseError(`unreadable`) before anything is expanded.
"""

import re
from dataclasses import dataclass

from feeds.errors import ParseError
from feeds.wording import gettext as _

MAX_EXPANSION = 300_000  # characters that all references of a document together may expand to
_MAX_ENTITIES = 200  # declarations that are read; real documents have a few dozen

DOCTYPE_START = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_DOCTYPE = re.compile(
    r"<!DOCTYPE(?:[^\[>\"']|\"[^\"]*\"|'[^']*')*+"
    r"(?:\[(?:[^\]\"'<]|\"[^\"]*\"|'[^']*'|<!--(?:.*?-->|.*)|<)*+\]\s*)?>",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--(?:.*?-->|.*)", re.DOTALL)
_INTERNAL_ENTITY = re.compile(r"<!ENTITY\s+([A-Za-z_][\w.-]*)\s+(?:\"([^\"]*)\"|'([^']*)')\s*>")
_ANY_ENTITY = re.compile(r"<!ENTITY\s+(?:%\s+)?([A-Za-z_][\w.-]*)\s")
_REFERENCE = re.compile(r"&([A-Za-z_][\w.-]*);")
_PREDEFINED = frozenset({"amp", "lt", "gt", "quot", "apos"})
_CDATA_OR_REFERENCE = re.compile(r"<!\[CDATA\[(?:.*?\]\]>|.*)|&([A-Za-z_][\w.-]*);", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A document type declaration: whether it is Netscape's RSS 0.91, and its entities ("" for external ones)."""

    is_netscape: bool
    entities: dict[str, str]


def read_doctype(head: str) -> DeclaredType:
    """Read the declaration in the text before the root element, if there is one."""
    start = DOCTYPE_START.search(head)
    match = _DOCTYPE.match(head, start.start()) if start else None
    if match is None:
        return DeclaredType(is_netscape=False, entities={})
    declaration = _COMMENT.sub("", match.group())
    entities: dict[str, str] = {}
    for name in _ANY_ENTITY.findall(declaration)[:_MAX_ENTITIES]:
        entities.setdefault(name, "")
    for name, double_quoted, single_quoted in _INTERNAL_ENTITY.findall(declaration)[:_MAX_ENTITIES]:
        value = double_quoted or single_quoted
        if not entities.get(name) and "<" not in value:
            entities[name] = value
    for name in _PREDEFINED & entities.keys():
        del entities[name]
    return DeclaredType("netscape" in declaration.lower(), entities)


def end_of_doctype(text: str, start: int) -> int:
    """Return the end of the declaration that begins at `start`; a malformed one ends at the next `>`."""
    match = _DOCTYPE.match(text, start)
    return match.end() if match else text.find(">", start) + 1 or len(text)


def expand_entities(text: str, entities: dict[str, str]) -> str:
    """Replace references to the document's own entities, outside CDATA.

    Raises ParseError(`unreadable`) if they would expand to more than MAX_EXPANSION characters.
    """
    if not entities:
        return text
    sizes = _Sizes(entities)
    if sum(sizes.of(name) for name in _CDATA_OR_REFERENCE.findall(text) if name in entities) > MAX_EXPANSION:
        raise ParseError(_("The document's entities expand to an excessive size."), reason="unreadable")
    expanded: dict[str, str] = {}

    def replacement(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in entities:
            return match.group()
        if name not in expanded:
            expanded[name] = _expand(name, entities)
        return expanded[name]

    return _CDATA_OR_REFERENCE.sub(replacement, text)


class _Sizes:
    """Computes the expanded size of each entity without expanding it.

    An entity that refers to itself, even indirectly, is infinite: it counts as more than MAX_EXPANSION.
    """

    def __init__(self, entities: dict[str, str]) -> None:
        self._references = {name: _REFERENCE.findall(value) for name, value in entities.items()}
        self._own = {name: len(value) for name, value in entities.items()}
        self._sizes: dict[str, int] = {}

    def of(self, name: str) -> int:
        """Return the expanded size in characters, at most MAX_EXPANSION + 1."""
        pending = [name]
        open_names: set[str] = set()
        while pending:
            current = pending[-1]
            inner = [other for other in self._references[current] if other in self._own]
            missing = [other for other in dict.fromkeys(inner) if other not in self._sizes]
            if current in self._sizes:
                pending.pop()
            elif missing and current not in open_names:
                open_names.add(current)
                pending.extend(missing)
            else:
                total = self._own[current] + sum(self._sizes.get(other, MAX_EXPANSION + 1) for other in inner)
                self._sizes[current] = min(total, MAX_EXPANSION + 1)
                pending.pop()
        return self._sizes[name]


def _expand(name: str, entities: dict[str, str]) -> str:
    """Return the text of an entity whose size is known to be small, and so its depth."""
    value = entities[name]
    while any(reference in entities for reference in _REFERENCE.findall(value)):
        value = _REFERENCE.sub(lambda match: entities.get(match.group(1), match.group()), value)
    return value
