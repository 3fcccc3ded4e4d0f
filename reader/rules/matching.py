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
from dataclasses import dataclass

from reader.rules.conditions import Conditions, Subject, alternatives, folded, terms

# Thai, Lao, Myanmar, Khmer; Hangul; kana; Han with its extensions.
_SPACELESS = "฀-໿က-႟ក-៿ᄀ-ᇿ぀-ヿ㄰-㆏ㇰ-ㇿ㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U000323af"
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
class Matcher:
    """Compiled conditions."""

    conditions: Conditions
    words: tuple[_Term, ...]
    authors: tuple[_Term, ...]
    categories: frozenset[str]
    language: str
    pattern: tuple[tuple[str, ...], ...]

    @property
    def reads_text(self) -> bool:
        """Whether the article's text is needed, which is most of the cost."""
        return bool(self.words or self.pattern)

    def matches(self, subject: Subject) -> bool:
        """Whether the article meets all conditions; cheap ones are checked first."""
        wanted = self.conditions
        return not (
            wanted.are_none
            or (wanted.subscription_id is not None and wanted.subscription_id != subject.subscription_id)
            or (wanted.folder_id is not None and wanted.folder_id != subject.folder_id)
            or (self.language and self.language != subject.language)
            or (self.categories and not self.categories & subject.categories)
            or (self.authors and not any(author.is_in(subject.author) for author in self.authors))
            or (self.words and not any(word.is_in(subject.title) or word.is_in(subject.text) for word in self.words))
            or (self.pattern and not any(_has(subject, pieces) for pieces in self.pattern))
        )


def compile_rule(conditions: Conditions) -> Matcher:
    """Compile conditions, to match any number of articles."""
    return Matcher(
        conditions=conditions,
        words=tuple(_term(term) for term in terms(conditions.words)),
        authors=tuple(_term(term) for term in terms(conditions.author)),
        categories=frozenset(terms(conditions.category)),
        language=folded(conditions.language).strip().partition("-")[0],
        pattern=alternatives(conditions.pattern),
    )


def _term(term: str) -> _Term:
    literal = term.strip("* \n")
    begins = not term.startswith("*") and _LETTER.match(literal) is not None
    ends = not term.endswith("*") and _LETTER.match(literal[-1]) is not None
    return _Term(literal, begins, ends)


def _has(subject: Subject, pieces: tuple[str, ...]) -> bool:
    """Whether the title or a line of the text has all pieces in order."""
    if _follow(subject.title, pieces):
        return True
    if not all(piece in subject.text for piece in pieces):
        return False
    return any(_follow(line, pieces) for line in subject.text.split("\n"))


def _follow(line: str, pieces: tuple[str, ...]) -> bool:
    place = 0
    for piece in pieces:
        found = line.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return True
