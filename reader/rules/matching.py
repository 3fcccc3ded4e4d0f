"""Whether an article matches a rule. Pure.

Patterns are wildcards instead of regular expressions: in Python's backtracking engine, `(a+)+$` on a line of forty
letters runs for hours. Each literal piece is searched after the one before, within one line, which never needs to go
back, so the cost is bounded by pieces × text.

Words match whole words: "art" doesn't match "start". Chinese, Japanese, Korean and Thai match anywhere, because words
have no separators there, and a Latin word between them matches too ("最新AI技術" has the word "AI"). An asterisk at an
end matches the rest of a word: `econom*`. Words are searched literally, then the characters around them are checked,
which is eight times as fast as a regular expression with a lookbehind.

Not matched: inflected words, phrases across lines, and text after `MAX_TEXT`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reader.rules.conditions import (
    NEGATIVE,
    Comparison,
    Condition,
    Conditions,
    Field,
    Subject,
    alternatives,
    folded,
    terms,
)

# Thai, Lao, Myanmar, Khmer; Hangul; kana; Han with its extensions.
_SPACELESS = "฀-໿က-႟ក-៿ᄀ-ᇿ぀-ヿ㄰-㆏ㇰ-ㇿ㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U000323af"
_WITH_TEXT = frozenset({Field.ANYWHERE, Field.TEXT})
_LETTER = re.compile(rf"[^\W{_SPACELESS}]")  # of a script with spaces, or a digit


@dataclass(frozen=True, slots=True)
class _Term:
    """A word or phrase; whether a word must start and end with it."""

    literal: str
    begins: bool
    ends: bool

    def is_in(self, text: str) -> bool:
        place = text.find(self.literal)
        while place >= 0:
            end = place + len(self.literal)
            goes_before = self.begins and place > 0 and _LETTER.match(text, place - 1)
            if not goes_before and not (self.ends and _LETTER.match(text, end)):
                return True
            place = text.find(self.literal, place + 1)
        return False


@dataclass(frozen=True, slots=True)
class _Row:
    """A compiled condition; of `terms`, `values` and `pattern`, one is set."""

    field: Field
    is_negative: bool
    terms: tuple[_Term, ...] = ()
    values: frozenset[str] = frozenset()
    pattern: tuple[tuple[str, ...], ...] = ()

    def is_met(self, subject: Subject) -> bool:
        return self.is_negative != any(self._has(text) for text in _texts(subject, self.field))

    def _has(self, text: str) -> bool:
        if self.terms:
            return any(term.is_in(text) for term in self.terms)
        if self.values:
            return text in self.values
        return any(_has(text, pieces) for pieces in self.pattern)


@dataclass(frozen=True, slots=True)
class Matcher:
    """Compiled conditions."""

    conditions: Conditions
    rows: tuple[_Row, ...]

    @property
    def reads_text(self) -> bool:
        """Whether the article's text is needed, which is most of the cost."""
        return any(row.field in _WITH_TEXT for row in self.rows)

    @property
    def reads_feed(self) -> bool:
        """Whether the feed's name is needed."""
        return any(row.field == Field.FEED for row in self.rows)

    def matches(self, subject: Subject) -> bool:
        """Whether the article meets the conditions; cheap ones are checked first."""
        wanted = self.conditions
        if (
            wanted.are_none
            or (wanted.subscription_id is not None and wanted.subscription_id != subject.subscription_id)
            or (wanted.folder_id is not None and wanted.folder_id != subject.folder_id)
        ):
            return False
        met = (row.is_met(subject) for row in self.rows)
        return any(met) if wanted.is_any and self.rows else all(met)


def compile_rule(conditions: Conditions) -> Matcher:
    """Compile conditions, to match any number of articles."""
    rows = [_compile(row) for row in conditions.rows if not row.is_empty]
    return Matcher(conditions, tuple(sorted(rows, key=lambda row: row.field in _WITH_TEXT)))


def _compile(row: Condition) -> _Row:
    is_negative = row.test in NEGATIVE
    if row.is_pattern:
        return _Row(row.field, is_negative, pattern=alternatives(row.value))
    if row.is_whole:
        return _Row(row.field, is_negative, values=frozenset({_whole(folded(row.value).strip(), row.field)}))
    if row.test in (Comparison.IS, Comparison.IS_NOT):
        return _Row(row.field, is_negative, values=frozenset(_whole(term, row.field) for term in terms(row.value)))
    is_part = row.field == Field.URL  # a URL has no words
    return _Row(row.field, is_negative, terms=tuple(_term(term, is_part=is_part) for term in terms(row.value)))


def _whole(value: str, field: Field) -> str:
    """A value as it is compared with the whole field."""
    if field == Field.LANGUAGE:
        return value.partition("-")[0]
    return value.rstrip("/") if field == Field.URL else value


def _texts(subject: Subject, field: Field) -> Iterable[str]:
    match field:
        case Field.ANYWHERE:
            return subject.title, subject.text
        case Field.CATEGORY:
            return subject.categories
        case Field.URL:
            return (subject.url.rstrip("/"),)
        case _:
            return (getattr(subject, field),)


def _term(term: str, *, is_part: bool = False) -> _Term:
    literal = term.strip("* \n")
    begins = not is_part and not term.startswith("*") and _LETTER.match(literal) is not None
    ends = not is_part and not term.endswith("*") and _LETTER.match(literal[-1]) is not None
    return _Term(literal, begins, ends)


def _has(text: str, pieces: tuple[str, ...]) -> bool:
    """Whether a line of the text has all pieces in order."""
    if "\n" not in text:
        return _follow(text, pieces)
    if not all(piece in text for piece in pieces):
        return False
    return any(_follow(line, pieces) for line in text.split("\n"))


def _follow(line: str, pieces: tuple[str, ...]) -> bool:
    place = 0
    for piece in pieces:
        found = line.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True
