"""Words for people, out of rooms that know no Django: what is said stands there, in which language is set from outside.

Rooms that know Django take the same names from `django.utils.translation`. Until somebody hands a translator over,
everything is said as it is written, in English.
"""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Protocol


class Translator(Protocol):
    """What `django.utils.translation` is, and the standard library's translations are."""

    def gettext(self, message: str, /) -> str: ...
    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...
    def pgettext(self, context: str, message: str, /) -> str: ...


_translators: list[Translator] = [NullTranslations()]


def speak_through(translator: Translator) -> None:
    """Have all words of this process translated by it; called once, when the program starts."""
    _translators[:] = [translator]


def gettext(message: str) -> str:
    """The message in the language of the moment."""
    return _translators[0].gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """The form for this number, in the language of the moment."""
    return _translators[0].ngettext(singular, plural, number)


def pgettext(context: str, message: str) -> str:
    """The message as it is meant in a context, in the language of the moment."""
    return _translators[0].pgettext(context, message)


def listed(names: Sequence[str]) -> str:
    """`one`, `one and two`, `one, two and three`; "" for none."""
    if len(names) < 2:
        return "".join(names)
    comma = pgettext("between the names of a list", ", ")
    return gettext("%(several)s and %(last)s") % {"several": comma.join(names[:-1]), "last": names[-1]}
