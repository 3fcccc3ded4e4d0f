"""A pseudo-language that marks every translated message, to find untranslated ones."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from html import unescape

from django.utils import translation
from django.utils.translation import trans_real

CODE = "eo"  # any language not installed
_MARKED = re.compile("⟦[^⟦⟧]*⟧")
_TAGS = re.compile(r"<(script|style|code|kbd)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)
_SHOWN = re.compile(r'\s(?:title|aria-label|placeholder|alt)="([^"]*)"')
_LETTERS = re.compile(r"[A-Za-z]{2,}")


class _Marking(NullTranslations):
    """The parts of Django's message catalogue that pages use."""

    def gettext(self, message: str) -> str:
        context, _, text = message.rpartition("\x04")
        return text if context.startswith("date format") else f"⟦{text}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def language(self) -> str:
        return CODE

    def to_language(self) -> str:
        return CODE


@contextmanager
def speaking_marked() -> Iterator[None]:
    """Activate the pseudo-language within the block."""
    with knowing_marked(), translation.override(CODE):
        yield


@contextmanager
def knowing_marked() -> Iterator[None]:
    """Make the pseudo-language available within the block."""
    before = trans_real._translations.get(CODE)
    trans_real._translations[CODE] = _Marking()  # type: ignore[assignment]
    try:
        yield
    finally:
        if before is None:
            trans_real._translations.pop(CODE, None)  # changing settings clears all catalogues
        else:
            trans_real._translations[CODE] = before


def unmarked(text: str) -> list[str]:
    """Words outside any translation mark; marks can be nested."""
    shorter = text
    while (text := _MARKED.sub(" ", shorter)) != shorter:
        shorter = text
    return _LETTERS.findall(text)


def unmarked_in_page(page: str) -> list[str]:
    """Unmarked words in a page: its text and visible attributes."""
    visible = [unescape(value) for value in _SHOWN.findall(page)]
    return [word for text in (unescape(_TAGS.sub(" ", page)), *visible) for word in unmarked(text)]
