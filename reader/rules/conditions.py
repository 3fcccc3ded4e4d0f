"""The conditions of a rule, the article fields they apply to, and their limits. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from feeds.wording import gettext as _
from feeds.wording import ngettext
from reader.errors import RuleRefused

MAX_TEXT = 20_000  # characters of an article's text
MAX_ROWS = 20  # conditions of one rule
MAX_VALUE = 2000  # characters of one condition
MAX_TERMS = 50  # words or phrases of one condition
MAX_TERM_LENGTH = 100  # characters
MAX_PATTERN_LENGTH = 300
MAX_PIECES = 20  # in one alternative, and alternatives in one pattern
_COMMAS = re.compile("[,，、;；\n]")  # with those of Chinese and Japanese


class Field(StrEnum):
    """What of an article a condition is about; `ANYWHERE`: the title or the text."""

    ANYWHERE = "anywhere"
    TITLE = "title"
    TEXT = "text"
    AUTHOR = "author"
    FEED = "feed"
    URL = "url"
    CATEGORY = "category"
    LANGUAGE = "language"


class Comparison(StrEnum):
    """How a field is compared with a condition's value."""

    CONTAINS = "contains"
    CONTAINS_NOT = "contains_not"
    IS = "is"
    IS_NOT = "is_not"
    MATCHES = "matches"
    MATCHES_NOT = "matches_not"


NEGATIVE = frozenset({Comparison.CONTAINS_NOT, Comparison.IS_NOT, Comparison.MATCHES_NOT})
LISTED = frozenset({Field.CATEGORY, Field.LANGUAGE})  # which may be any of several comma-separated values


@dataclass(frozen=True, slots=True)
class Condition:
    """A row of a rule, such as "title contains chess".

    The value is, for `CONTAINS`, comma-separated words or phrases, any of which counts; for `IS` the whole field (for
    those `LISTED`, any of several); for `MATCHES` text with `*` for anything and `|` for alternatives.
    """

    field: Field
    test: Comparison
    value: str

    @property
    def is_pattern(self) -> bool:
        return self.test in (Comparison.MATCHES, Comparison.MATCHES_NOT)

    @property
    def is_whole(self) -> bool:
        """Whether the value is compared as a whole, not split at commas."""
        return self.test in (Comparison.IS, Comparison.IS_NOT) and self.field not in LISTED

    @property
    def is_empty(self) -> bool:
        if self.is_pattern:
            return not alternatives(self.value)
        return not (folded(self.value).strip() if self.is_whole else terms(self.value))


@dataclass(frozen=True, slots=True)
class Conditions:
    """An article must meet all rows, or any of them if `is_any`, and be in the feed or folder; without any of these,
    none matches."""

    rows: tuple[Condition, ...] = ()
    is_any: bool = False
    subscription_id: int | None = None
    folder_id: int | None = None

    @property
    def are_none(self) -> bool:
        has_scope = self.subscription_id is not None or self.folder_id is not None
        return not has_scope and all(row.is_empty for row in self.rows)


@dataclass(frozen=True, slots=True)
class Subject:
    """An article delivered by a subscription; its texts are `folded`."""

    title: str
    text: str
    author: str
    categories: frozenset[str]
    language: str
    feed: str
    url: str
    subscription_id: int
    folder_id: int | None


def subject(
    *,
    title: str,
    text: str,
    author: str,
    categories: Iterable[str],
    language: str,
    feed: str = "",
    url: str = "",
    subscription_id: int,
    folder_id: int | None,
) -> Subject:
    """The `Subject` of an article, for any number of rules."""
    return Subject(
        title=folded(title),
        text=folded(text[:MAX_TEXT]),
        author=folded(author),
        categories=frozenset(folded(category) for category in categories),
        language=folded(language).partition("-")[0],
        feed=folded(feed),
        url=folded(url),
        subscription_id=subscription_id,
        folder_id=folder_id,
    )


def folded(text: str) -> str:
    """Text for comparison: without case and width, runs of white space as one space, lines kept."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "\n".join(" ".join(line.split()) for line in plain.splitlines())


def terms(listed: str) -> tuple[str, ...]:
    """The words and phrases of a comma-separated list, folded, without duplicates."""
    return tuple(dict.fromkeys(term for part in _COMMAS.split(listed) if (term := folded(part).strip()).strip("* \n")))


def alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    """For each alternative of a pattern, the literal pieces between its asterisks, folded."""
    found = (
        tuple(piece for part in alternative.split("*") if (piece := folded(part))) for alternative in pattern.split("|")
    )
    return tuple(pieces for pieces in found if pieces)


def check(conditions: Conditions) -> None:
    """Check the conditions. Raises RuleRefused, with a message for the user, if there are none or too many."""
    if conditions.are_none or any(row.is_empty for row in conditions.rows):
        raise RuleRefused(_("Set at least one condition."))
    if len(conditions.rows) > MAX_ROWS:
        text = ngettext("A rule can have up to %(n)s condition.", "A rule can have up to %(n)s conditions.", MAX_ROWS)
        raise RuleRefused(text % {"n": MAX_ROWS})
    for row in conditions.rows:
        if row.is_pattern:
            _check_pattern(row.value)
        else:
            _check_terms((row.value,) if row.is_whole else terms(row.value), MAX_VALUE if row.is_whole else None)


def _check_terms(found: tuple[str, ...], most: int | None) -> None:
    if len(found) > MAX_TERMS:
        text = ngettext(
            "A field can have up to %(n)s word or phrase. Split this into two rules.",
            "A field can have up to %(n)s words or phrases. Split this into two rules.",
            MAX_TERMS,
        )
        raise RuleRefused(text % {"n": MAX_TERMS})
    most = most or MAX_TERM_LENGTH
    if any(len(term) > most for term in found):
        text = ngettext(
            "A word or phrase can have up to %(n)s character.",
            "A word or phrase can have up to %(n)s characters.",
            most,
        )
        raise RuleRefused(text % {"n": most})


def _check_pattern(pattern: str) -> None:
    if len(pattern) > MAX_PATTERN_LENGTH:
        text = ngettext(
            "A pattern can have up to %(n)s character.",
            "A pattern can have up to %(n)s characters.",
            MAX_PATTERN_LENGTH,
        )
        raise RuleRefused(text % {"n": MAX_PATTERN_LENGTH})
    pieces = alternatives(pattern)
    if len(pieces) > MAX_PIECES or any(len(piece) > MAX_PIECES for piece in pieces):
        text = ngettext(
            "A pattern can have up to %(n)s alternative, with %(n)s piece in each.",
            "A pattern can have up to %(n)s alternatives, with %(n)s pieces in each.",
            MAX_PIECES,
        )
        raise RuleRefused(text % {"n": MAX_PIECES})
