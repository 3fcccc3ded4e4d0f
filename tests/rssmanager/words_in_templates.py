"""Finds user-visible text in templates outside `translate` and `blocktranslate`."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from django.template.base import Lexer, Token, TokenType

SHOWN_ATTRIBUTES = frozenset({"title", "aria-label", "aria-description", "placeholder", "alt", "label", "summary"})
NOT_WORDS = frozenset({"script", "style", "code", "kbd"})  # elements whose text isn't language
NAMES = frozenset({"rssmanager", "T", "RSS", "Manager", "Atom", "OPML"})
MACHINE_DATES = frozenset({"c", "U", "H:i", "Y-m-d"})  # formats that are the same in every language
_HOLE = "\ufffc"  # placeholder for template output
_LETTERS = re.compile(r"[^\W\d_]+")
_LITERAL = re.compile(r"""(?<![_(])["']([^"']*)["']""")


def words_outside(source: str) -> list[str]:
    """Each untranslated text, attribute or literal with words, in template order."""
    texts: list[str] = []
    page = "".join(_html(source, texts))
    finder = _Finder(texts)
    finder.feed(page)
    finder.close()
    return texts


def _html(source: str, found: list[str]) -> Iterator[str]:
    """The template as HTML with placeholders; adds texts of its tags and variables to `found`."""
    ends: list[str] = []  # of blocks whose content isn't text
    before, in_class = "", False  # a block within `class="…"` contains CSS classes
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
    """Texts in its filters: a default in words, an English plural, a date in English order."""
    for name, literal in re.findall(r"""\|(\w+)(?::["']([^"']*)["'])?""", contents):
        is_date = name in ("date", "time") and literal and literal not in MACHINE_DATES
        says = name in ("default", "default_if_none", "yesno", "add", "join") and _has_words(literal)
        if name == "pluralize" or is_date or (says and literal not in ("false,true", "true,false")):
            yield "{{ " + contents + " }}"


def _said_by_tag(token: Token, name: str) -> Iterator[str]:
    """Texts passed to a template or tag; names of URLs, files and fields start in lowercase and have no spaces."""
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
        attributes = dict(attrs)
        visible = {name: value or "" for name, value in attrs if name in SHOWN_ATTRIBUTES}
        if tag == "meta" and attributes.get("name") == "description":
            visible["content"] = attributes.get("content") or ""
        if tag == "input" and attributes.get("type") in ("submit", "button", "reset"):
            visible["value"] = attributes.get("value") or ""
        self._found += [f'{name}="{value}"' for name, value in visible.items() if _has_words(value)]

    def handle_endtag(self, tag: str) -> None:
        if self._silent and self._silent[-1] == tag:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent and _has_words(data):
            self._found.append(" ".join(data.split()))


def _has_words(text: str) -> bool:
    return any(word not in NAMES for word in _LETTERS.findall(text))
