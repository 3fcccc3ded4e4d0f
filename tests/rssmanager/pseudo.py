"""A language in which every message is marked: what is not, was never given to a translator."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from html import unescape

from django.utils import translation
from django.utils.translation import trans_real

CODE = "eo"  # any that is not spoken here
_MARKED = re.compile("⟦[^⟦⟧]*⟧")
_TAGS = re.compile(r"<(script|style|code|kbd)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)
_SHOWN = re.compile(r'\s(?:title|aria-label|placeholder|alt)="([^"]*)"')
_LETTERS = re.compile(r"[A-Za-z]{2,}")


class _Marking(NullTranslations):
    """Django's catalogue of a language, as far as pages ask it."""

    def gettext(self, message: str) -> str:
        context, _, text = message.rpartition("\x04")
        return text if context == "date format" else f"⟦{text}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def language(self) -> str:
        return CODE

    def to_language(self) -> str:
        return CODE


@contextmanager
def speaking_marked() -> Iterator[None]:
    """Let everything be said in that language meanwhile."""
    with knowing_marked(), translation.override(CODE):
        yield


@contextmanager
def knowing_marked() -> Iterator[None]:
    """Let that language be there meanwhile, for who asks for it."""
    before = trans_real._translations.get(CODE)
    trans_real._translations[CODE] = _Marking()  # type: ignore[assignment]
    try:
        yield
    finally:
        if before is None:
            trans_real._translations.pop(CODE, None)  # a change of settings forgets them all
        else:
            trans_real._translations[CODE] = before


def unmarked(text: str) -> list[str]:
    """Words that no translator was given; a mark may hold others."""
    shorter = text
    while (text := _MARKED.sub(" ", shorter)) != shorter:
        shorter = text
    return _LETTERS.findall(text)


def unmarked_in_page(page: str) -> list[str]:
    """The same in a page: its text, and attributes that are shown."""
    shown = [unescape(value) for value in _SHOWN.findall(page)]
    return [word for text in (unescape(_TAGS.sub(" ", page)), *shown) for word in unmarked(text)]
