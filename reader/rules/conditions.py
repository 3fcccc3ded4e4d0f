"""The conditions of a rule, the article fields they apply to, and their limits. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from feeds.wording import gettext as _
from feeds.wording import ngettext
from reader.errors import RuleRefused

MAX_TEXT = 20_000  # characters of an article's text
MAX_TERMS = 50  # words or phrases of one condition
MAX_TERM_LENGTH = 100  # characters
MAX_PATTERN_LENGTH = 300
MAX_PIECES = 20  # in one alternative, and alternatives in one pattern
_COMMAS = re.compile("[,，、;；\n]")  # with those of Chinese and Japanese


@dataclass(frozen=True, slots=True)
class Conditions:
    """An article must meet all conditions that are set; without any, none matches.

    `words`, `author`: any of these comma-separated words or phrases; `category`: any of these categories; `language`: a
    code such as `de`; `pattern`: text with `*` for anything and `|` for alternatives.
    """

    words: str = ""
    author: str = ""
    category: str = ""
    language: str = ""
    pattern: str = ""
    subscription_id: int | None = None
    folder_id: int | None = None

    @property
    def are_none(self) -> bool:
        has_terms = any(terms(value) for value in (self.words, self.author, self.category, self.language))
        has_scope = self.subscription_id is not None or self.folder_id is not None
        return not (has_terms or has_scope or alternatives(self.pattern))


@dataclass(frozen=True, slots=True)
class Subject:
    """An article delivered by a subscription; its texts are `folded`."""

    title: str
    text: str
    author: str
    categories: frozenset[str]
    language: str
    subscription_id: int
    folder_id: int | None


def subject(
    *,
    title: str,
    text: str,
    author: str,
    categories: Iterable[str],
    language: str,
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
    if conditions.are_none or (conditions.pattern.strip() and not alternatives(conditions.pattern)):
        raise RuleRefused(_("Set at least one condition."))
    for listed in (conditions.words, conditions.author, conditions.category):
        found = terms(listed)
        if len(found) > MAX_TERMS:
            text = ngettext(
                "A field can have up to %(n)s word or phrase. Split this into two rules.",
                "A field can have up to %(n)s words or phrases. Split this into two rules.",
                MAX_TERMS,
            )
            raise RuleRefused(text % {"n": MAX_TERMS})
        if any(len(term) > MAX_TERM_LENGTH for term in found):
            text = ngettext(
                "A word or phrase can have up to %(n)s character.",
                "A word or phrase can have up to %(n)s characters.",
                MAX_TERM_LENGTH,
            )
            raise RuleRefused(text % {"n": MAX_TERM_LENGTH})
    if len(conditions.pattern) > MAX_PATTERN_LENGTH:
        text = ngettext(
            "A pattern can have up to %(n)s character.",
            "A pattern can have up to %(n)s characters.",
            MAX_PATTERN_LENGTH,
        )
        raise RuleRefused(text % {"n": MAX_PATTERN_LENGTH})
    pieces = alternatives(conditions.pattern)
    if len(pieces) > MAX_PIECES or any(len(piece) > MAX_PIECES for piece in pieces):
        text = ngettext(
            "A pattern can have up to %(n)s alternative, with %(n)s piece in each.",
            "A pattern can have up to %(n)s alternatives, with %(n)s pieces in each.",
            MAX_PIECES,
        )
        raise RuleRefused(text % {"n": MAX_PIECES})
