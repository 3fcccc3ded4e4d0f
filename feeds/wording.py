"""Translated messages for modules that don't import Django.

Modules that use Django import the same names from `django.utils.translation`. Without a translator, messages stay in
English.
"""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Protocol


class Translator(Protocol):
    """The interface of `django.utils.translation` and of the standard library's `gettext`."""

    def gettext(self, message: str, /) -> str: ...
    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...
    def pgettext(self, context: str, message: str, /) -> str: ...


_translators: list[Translator] = [NullTranslations()]


def use_translator(translator: Translator) -> None:
    """Translate all messages of this process with `translator`; called once, on start."""
    _translators[:] = [translator]


def gettext(message: str) -> str:
    return _translators[0].gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    return _translators[0].ngettext(singular, plural, number)


def pgettext(context: str, message: str) -> str:
    return _translators[0].pgettext(context, message)


def format_number(value: float, decimals: int | None = None) -> str:
    """`1,234.5`, as the language writes it, with as many decimals as needed unless they are given."""
    text = f"{value:,.15g}" if decimals is None else f"{value:,.{decimals}f}"
    marks = {}
    if "," in text:
        marks[ord(",")] = pgettext("between thousands and hundreds", ",")
    if "." in text:
        marks[ord(".")] = pgettext("before decimals", ".")
    return text.translate(marks)


def join_list(names: Sequence[str]) -> str:
    """Return `one`, `one and two`, `one, two and three`; "" for none."""
    if len(names) < 2:
        return "".join(names)
    return gettext("%(several)s and %(last)s") % {"several": comma().join(names[:-1]), "last": names[-1]}


def comma() -> str:
    """What stands between the names of a list."""
    return pgettext("between the names of a list", ", ")


def colon() -> str:
    """What stands between a label and its text; without its space if the text is a list below."""
    return pgettext("between a label and its text", ": ")


def sentence(text: str) -> str:
    """The text with a full stop."""
    return pgettext("a sentence with its full stop", "%(text)s.") % {"text": text}


def sentence_of(clauses: Sequence[str]) -> str:
    """One sentence of several clauses."""
    return sentence(pgettext("between the clauses of a sentence", ", ").join(clauses))
