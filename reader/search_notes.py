"""What of a query was not understood, in words for a person."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from reader.search.filters import STATES
from reader.search.notes import Note, Trouble

_WORDS: Mapping[Trouble, Promise] = {
    Trouble.TOO_LONG: gettext_lazy("Only the first %(value)s characters were looked for."),
    Trouble.TOO_MANY: gettext_lazy("Only the first %(value)s words were looked for."),
    Trouble.TOO_DEEP: gettext_lazy("Parentheses stand %(value)s deep at most; those within were left out."),
    Trouble.OPEN_QUOTE: gettext_lazy("A quotation mark was not closed, so the phrase goes on to the end."),
    Trouble.NOT_CLOSED: gettext_lazy("A parenthesis was not closed, so it goes on to the end."),
    Trouble.NOT_OPENED: gettext_lazy("A parenthesis was closed that was not opened; it was left out."),
    Trouble.EMPTY: gettext_lazy("Nothing to look for is in the parentheses."),
    Trouble.LONELY: gettext_lazy("“%(value)s” wants something beside it; it was left out."),
    Trouble.NO_VALUE: gettext_lazy(
        "“%(value)s” wants its value right after it, without a space; it was looked for as a word."
    ),
    Trouble.NO_OPERATOR: gettext_lazy("“%(name)s:” is none of the operators; “%(value)s” was looked for as words."),
    Trouble.NO_STATE: gettext_lazy("After “is:” comes one of %(states)s. “%(value)s” was looked for as words."),
    Trouble.NO_LANGUAGE: gettext_lazy(
        "After “lang:” comes a code of two letters, such as en, ja or zh. “%(value)s” was looked for as words."
    ),
    Trouble.NO_NUMBER: gettext_lazy(
        "After “score>” comes a number from 0 to 100. “%(value)s” was looked for as words."
    ),
    Trouble.NO_DAY: gettext_lazy(
        "A day is written as 2026-03-01, 2026-03, 2026, today, yesterday or 7d. “%(value)s” was looked for as words."
    ),
    Trouble.NO_SUCH_DAY: gettext_lazy("No calendar has that day. “%(value)s” was looked for as words."),
}


def in_words(note: Note) -> str:
    """The note as sentences, with the place where there is one."""
    comma = pgettext("between the names of a list", ", ")
    values = {"value": note.value, "name": note.value.partition(":")[0], "states": comma.join(STATES)}
    said = str(_WORDS[note.trouble]) % values
    if note.at is None:
        return said
    return _("At character %(at)d: %(said)s") % {"at": note.at, "said": said}
