"""Words for people in a template that stand outside `translate` and `blocktranslate`."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from django.template.base import Lexer, Token, TokenType

SHOWN_ATTRIBUTES = frozenset({"title", "aria-label", "aria-description", "placeholder", "alt", "label", "summary"})
NOT_WORDS = frozenset({"script", "style", "code", "kbd"})  # elements whose text is nobody's language
NAMES = frozenset({"rssmanager", "T", "RSS", "Atom", "OPML"})
MACHINE_DATES = frozenset({"c", "U", "H:i", "Y-m-d"})  # formats that are the same in every language
_HOLE = "\ufffc"  # stands for what a template fills in
_LETTERS = re.compile(r"[^\W\d_]+")
_LITERAL = re.compile(r"""(?<![_(])["']([^"']*)["']""")


def words_outside(source: str) -> list[str]:
    """Each text, attribute or literal with words that no translation reaches, in the order of the template."""
    found: list[str] = []
    page = "".join(_html(source, found))
    finder = _Finder(found)
    finder.feed(page)
    finder.close()
    return found


def _html(source: str, found: list[str]) -> Iterator[str]:
    """The template as HTML with holes; what its tags and variables say in words is added to `found`."""
    ends: list[str] = []  # of the blocks whose content is no text here
    before, in_class = "", False  # a block within `class="…"` holds names for the style sheet
    for token in Lexer(source).tokenize():
        name = token.contents.split()[0] if token.token_type == TokenType.BLOCK and token.contents.split() else ""
        if ends:
            if name == ends[-1]:
                ends.pop()
                yield _HOLE if name == "endblocktranslate" else ""
            continue
        if name in ("blocktranslate", "comment", "verbatim"):
            ends.append(f"end{name}")
        elif token.token_type == TokenType.TEXT:
            before = token.contents
            yield "" if in_class else token.contents
        elif token.token_type == TokenType.VAR:
            found += _said_by_variable(token.contents)
            yield "x" if before.endswith(("<", "</")) else _HOLE
        elif name in ("block", "endblock"):
            in_class = name == "block" and token.contents.endswith("_class")
        elif name:
            found += _said_by_tag(token, name)
            yield _HOLE if name == "translate" else ""


def _said_by_variable(contents: str) -> Iterator[str]:
    """What its filters say: a default in words, an English plural, a date in an English order."""
    for name, literal in re.findall(r"""\|(\w+)(?::["']([^"']*)["'])?""", contents):
        is_date = name in ("date", "time") and literal and literal not in MACHINE_DATES
        says = name in ("default", "default_if_none", "yesno", "add", "join") and _has_words(literal)
        if name == "pluralize" or is_date or (says and literal not in ("false,true", "true,false")):
            yield "{{ " + contents + " }}"


def _said_by_tag(token: Token, name: str) -> Iterator[str]:
    """Words given to a template or a tag; names of pages, files and fields begin small and hold no space."""
    if name in ("translate", "url", "static", "extends", "load", "if", "elif", "icon"):
        return
    for literal in _LITERAL.findall(token.contents):
        if _has_words(literal) and (" " in literal.strip() or literal[:1].isupper()):
            yield "{% " + token.contents + " %}"
            return


class _Finder(HTMLParser):
    """Texts and attributes with words."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(convert_charrefs=True)
        self._found = found
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in NOT_WORDS:
            self._silent.append(tag)
        given = dict(attrs)
        shown = {name: value or "" for name, value in attrs if name in SHOWN_ATTRIBUTES}
        if tag == "meta" and given.get("name") == "description":
            shown["content"] = given.get("content") or ""
        if tag == "input" and given.get("type") in ("submit", "button", "reset"):
            shown["value"] = given.get("value") or ""
        self._found += [f'{name}="{value}"' for name, value in shown.items() if _has_words(value)]

    def handle_endtag(self, tag: str) -> None:
        if self._silent and self._silent[-1] == tag:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent and _has_words(data):
            self._found.append(" ".join(data.split()))


def _has_words(text: str) -> bool:
    return any(word not in NAMES for word in _LETTERS.findall(text))
