"""Warnings about a query, for the user."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from feeds.wording import comma
from reader.search.query_filters import STATES

TOO_LONG = gettext_lazy("Searched only the first %(value)s characters.")
TOO_MANY_TERMS = gettext_lazy("Searched only the first %(value)s words.")
TOO_MANY_GROUPS = gettext_lazy("Ignored the parentheses: a search can have up to %(value)s pairs.")
OPEN_QUOTE = gettext_lazy("Missing closing quotation mark: the phrase runs to the end.")
NOT_CLOSED = gettext_lazy("Missing closing parenthesis: added one at the end.")
NOT_OPENED = gettext_lazy("Ignored a closing parenthesis without an opening one.")
EMPTY = gettext_lazy("Ignored parentheses with nothing to search for inside.")
LONELY = gettext_lazy("Ignored “%(value)s”: nothing to combine it with.")
NO_VALUE = gettext_lazy("Put a value right after “%(value)s”, without a space. Searched for it as a word.")
NO_OPERATOR = gettext_lazy("“%(name)s:” isn't an operator. Searched for “%(value)s” as words.")
NO_STATE = gettext_lazy("“is:” can be followed by %(states)s. Searched for “%(value)s” as words.")
NO_LANGUAGE = gettext_lazy("“lang:” takes a code such as en, ja or zh. Searched for “%(value)s” as words.")
NO_NUMBER = gettext_lazy("“score>” takes a number from 0 to 100. Searched for “%(value)s” as words.")
NO_DAY = gettext_lazy(
    "Write dates as 2026-03-01, 2026-03, 2026, today, yesterday or 7d. Searched for “%(value)s” as words."
)
NO_SUCH_DAY = gettext_lazy("That date doesn't exist. Searched for “%(value)s” as words.")


@dataclass(frozen=True, slots=True)
class QueryWarning:
    """One of the messages above about `value`; `at`: the character of the query, from 1.

    `instead`: a suggested query, "" if there is none.
    """

    message: Promise
    value: str = ""
    at: int | None = None
    instead: str = ""

    def __str__(self) -> str:
        values = {"value": self.value, "name": self.value.partition(":")[0], "states": comma().join(STATES)}
        text = str(self.message) % values
        return text if self.at is None else _("At character %(at)d: %(text)s") % {"at": self.at, "text": text}
