"""Whether an article is what a rule looks for. Pure; what can be worked out once is worked out by `compile_rule`.

Theory. People ask for regular expressions, and a regular expression is a program: `(a+)+$` on a line of forty letters
runs for hours in Python's engine, which backtracks and cannot be stopped from within. An engine that is linear by
construction (RE2) is no dependency of this program, limits on length do not help (that one has six characters), and
telling the dangerous ones from the others is a research field of its own. So patterns are wildcards: literal pieces
that must follow each other within one line, and alternatives. Finding each piece after the one before, leftmost first,
never needs to go back, so a pattern costs its pieces times the text, whatever either says.

*Words* stand by themselves: "art" is not met by "start". In scripts without spaces there is no telling where a word
ends, so Chinese, Japanese, Korean (whose particles cling to the word) and Thai are found anywhere, and a Latin word is
found among them ("最新AI技術" has the word "AI"). An asterisk at an end lets the word go on there: `econom*`. Each
word is sought literally, and the characters beside what is found are looked at: an expression with a look behind at its
beginning asks at every character of a text, and took eight times as long.

Known to be missed: words that are inflected, phrases that run over a line's end, what stands after `LOOKED_AT`.
"""

import re
from dataclasses import dataclass

from reader.rules.conditions import Conditions, Subject, alternatives, folded, terms

# Thai, Lao, Myanmar, Khmer; Hangul; kana; Han with its extensions.
_SPACELESS = "฀-໿က-႟ក-៿ᄀ-ᇿ぀-ヿ㄰-㆏ㇰ-ㇿ㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U000323af"
_LETTER = re.compile(rf"[^\W{_SPACELESS}]")  # of a script with spaces, or a digit


@dataclass(frozen=True, slots=True)
class _Term:
    """A word or phrase: the literal that must be there, and whether a word must begin and end with it."""

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
    """Conditions made ready."""

    conditions: Conditions
    words: tuple[_Term, ...]
    authors: tuple[_Term, ...]
    categories: frozenset[str]
    language: str
    pattern: tuple[tuple[str, ...], ...]

    @property
    def reads_text(self) -> bool:
        """Whether the text counts, which is the most of what looking costs."""
        return bool(self.words or self.pattern)

    def matches(self, subject: Subject) -> bool:
        """Whether all conditions hold; the cheap ones are looked at first."""
        wanted = self.conditions
        return not (
            wanted.are_none
            or (wanted.subscription_id is not None and wanted.subscription_id != subject.subscription_id)
            or (wanted.folder_id is not None and wanted.folder_id != subject.folder_id)
            or (self.language and self.language != subject.language)
            or (self.categories and not self.categories & subject.categories)
            or (self.authors and not any(each.is_in(subject.author) for each in self.authors))
            or (self.words and not any(each.is_in(subject.title) or each.is_in(subject.text) for each in self.words))
            or (self.pattern and not any(_has(subject, pieces) for pieces in self.pattern))
        )


def compile_rule(conditions: Conditions) -> Matcher:
    """The conditions, to be asked of any number of articles."""
    return Matcher(
        conditions=conditions,
        words=tuple(_term(each) for each in terms(conditions.words)),
        authors=tuple(_term(each) for each in terms(conditions.author)),
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
    """Whether the title or a line of the text has all pieces in this order."""
    if _follow(subject.title, pieces):
        return True
    if not all(each in subject.text for each in pieces):
        return False
    return any(_follow(line, pieces) for line in subject.text.split("\n"))


def _follow(line: str, pieces: tuple[str, ...]) -> bool:
    place = 0
    for each in pieces:
        found = line.find(each, place)
        if found < 0:
            return False
        place = found + len(each)
    return True
