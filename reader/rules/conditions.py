"""What a rule looks for, what of an article it looks at, and the bounds of both. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from feeds.wording import gettext as _
from feeds.wording import ngettext
from reader.errors import RuleRefused

LOOKED_AT = 20_000  # characters of a text; what an article is about stands there, and looking costs as much
MOST_TERMS = 50  # words or phrases of one condition
LONGEST_TERM = 100  # characters
LONGEST_PATTERN = 300
MOST_PIECES = 20  # between the asterisks of one alternative, and alternatives of one pattern
_COMMAS = re.compile("[,，、;；\n]")  # Chinese and Japanese write others


@dataclass(frozen=True, slots=True)
class Conditions:
    """All that are set must hold; with none set nothing is met.

    `words`, `author`: any of the words or phrases in a list with commas; `category`: any of these, whole; `language`: a
    code such as `de`; `pattern`: literal text with `*` for anything between and `|` for either.
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
        said = any(terms(each) for each in (self.words, self.author, self.category, self.language))
        is_about = self.subscription_id is not None or self.folder_id is not None
        return not (said or is_about or alternatives(self.pattern))


@dataclass(frozen=True, slots=True)
class Subject:
    """An article as one subscription brought it, already `folded` where it is compared."""

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
    """The article, made ready for any number of rules."""
    return Subject(
        title=folded(title),
        text=folded(text[:LOOKED_AT]),
        author=folded(author),
        categories=frozenset(folded(each) for each in categories),
        language=folded(language).partition("-")[0],
        subscription_id=subscription_id,
        folder_id=folder_id,
    )


def folded(text: str) -> str:
    """Text as it is compared: case and width do not count, white space is one space, lines stay lines."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "\n".join(" ".join(line.split()) for line in plain.splitlines())


def terms(listed: str) -> tuple[str, ...]:
    """The words and phrases of a list with commas, folded, each once."""
    return tuple(dict.fromkeys(term for part in _COMMAS.split(listed) if (term := folded(part).strip()).strip("* \n")))


def alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    """For each alternative of a pattern the literal pieces between its asterisks, folded, without the empty ones."""
    found = (tuple(piece for part in each.split("*") if (piece := folded(part))) for each in pattern.split("|"))
    return tuple(pieces for pieces in found if pieces)


def check(conditions: Conditions) -> None:
    """Raises RuleRefused, with words for a person, if there is nothing to look for or too much of it."""
    if conditions.are_none or (conditions.pattern.strip() and not alternatives(conditions.pattern)):
        raise RuleRefused(_("Say at least one thing that the articles have in common."))
    for listed in (conditions.words, conditions.author, conditions.category):
        found = terms(listed)
        if len(found) > MOST_TERMS:
            told = ngettext(
                "At most %(n)s word or phrase fits in one field. Make two rules of it.",
                "At most %(n)s words or phrases fit in one field. Make two rules of it.",
                MOST_TERMS,
            )
            raise RuleRefused(told % {"n": MOST_TERMS})
        if any(len(each) > LONGEST_TERM for each in found):
            told = ngettext(
                "A word or phrase has at most %(n)s character.",
                "A word or phrase has at most %(n)s characters.",
                LONGEST_TERM,
            )
            raise RuleRefused(told % {"n": LONGEST_TERM})
    if len(conditions.pattern) > LONGEST_PATTERN:
        told = ngettext(
            "A pattern has at most %(n)s character.", "A pattern has at most %(n)s characters.", LONGEST_PATTERN
        )
        raise RuleRefused(told % {"n": LONGEST_PATTERN})
    pieces = alternatives(conditions.pattern)
    if len(pieces) > MOST_PIECES or any(len(each) > MOST_PIECES for each in pieces):
        told = ngettext(
            "A pattern has at most %(n)s alternative, and %(n)s piece in each.",
            "A pattern has at most %(n)s alternatives, and %(n)s pieces in each.",
            MOST_PIECES,
        )
        raise RuleRefused(told % {"n": MOST_PIECES})
