"""Detects contradictions between titles with nearly the same words: the precision of layer 3. Pure.

Theory. Jaccard ≥ 0.85 allows one word of thirteen to differ, or two of twelve to be added. Those are often the words
that matter: headlines come from templates ("X Corp reports Q3 results …", "X beat Y 2-1 …"), and the varying words are
the content. So two titles contradict each other if

- both have a number that the other lacks (`title_numbers`), but not "Rust 1.84 released" and "Rust released";
- one has a word and the other its opposite: rise and fall, before and after, 上涨 and 下跌;
- only one is a numbered part or has a variant of a number: "part 2", "16 Pro", "1.84 beta";
- only one has a negation: "will not run", "denies", 不, ない;
- two words changed places around others: "Arsenal beat Chelsea", "Chelsea beat Arsenal";
- both have unrelated content words (`word_variants`) in the same place, except initials ("UN", "United Nations"); or
  unrelated names anywhere.

The same place is found by aligning the words (Levenshtein; characters in scripts without spaces), so words added in
one place and left out in another, or moved, are no contradiction. Function words don't count. Names are only recognized
in titles in sentence case; in others any word may be a name.

Tried and dropped: contradiction by any two exclusive words in any place (loses copies with a word added at each end).
Known false contradictions: synonyms ("Fed", "central bank"), nicknames, transliterations, 不 within an added word.
Known misses: an added qualifier ("former", "alleged"), unmarked parts in one title, opposites missing
from the list. Source: SPEC §6; rules derived from pairs of real headlines with Jaccard ≥ 0.7.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from feeds.dedup.title_words import (
    ARTICLES,
    CONJUNCTIONS,
    FUNCTION_CHARACTERS,
    FUNCTION_WORDS,
    NEGATIONS,
    NEGATIVE_CHARACTERS,
    NUMBERS_BY_WORD,
    OPPOSITE,
    OPPOSITE_TEXTS,
    ROMAN_LETTERS,
    SERIES,
    SPACELESS,
    VARIANTS,
)
from feeds.dedup.word_variants import are_initials, are_related

_UNIT = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
_SPACELESS = re.compile(f"[{SPACELESS}]")
_CASED_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Wording:
    """A `normalized` title, the same with its case (`cased`), and its numbers."""

    normalized: str
    cased: str
    numbers: frozenset[str]

    @cached_property
    def units(self) -> list[str]:
        """Its words in order; characters in scripts without spaces."""
        return self.normalized.split() if self.normalized.isascii() else _UNIT.findall(self.normalized)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.units)

    @cached_property
    def characters(self) -> str:
        """Its runs of scripts without spaces, "" if there are none."""
        return "" if self.normalized.isascii() else " ".join(filter(_SPACELESS.search, self.normalized.split()))

    @cached_property
    def common_words(self) -> frozenset[str]:
        """Words that aren't names: in lower case in a title in sentence case."""
        cased = _CASED_WORD.findall(self.cased)
        small = frozenset(word for word in cased if word[0].islower())
        if not cased or not cased[0][0].isupper() or len([w for w in small - FUNCTION_WORDS if len(w) > 3]) < 2:
            return frozenset()
        return small

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that are names: capitalized within a title in sentence case."""
        if not self.common_words:
            return frozenset()
        capitalized = {word.lower() for word in _CASED_WORD.findall(self.cased)[1:] if word[0].isupper()}
        return frozenset(capitalized & self.words) - self.common_words - FUNCTION_WORDS


def difference(ours: Wording, theirs: Wording) -> str:
    """The contradiction between two titles as text ("1.84 is not 1.83"), "" for none."""
    only_ours, only_theirs = ours.words - theirs.words, theirs.words - ours.words
    return (
        _of_numbers(ours, theirs)
        or _of_opposites(ours, only_ours, theirs, only_theirs)
        or _of_one_side(ours, only_ours, theirs, only_theirs)
        or _of_order(ours.units, theirs.units)
        or _of_places(ours, theirs)
        or _of_names(ours, only_ours, theirs, only_theirs)
    )


def _of_numbers(ours: Wording, theirs: Wording) -> str:
    left, right = ours.numbers - theirs.numbers, theirs.numbers - ours.numbers
    return _is_not(sorted(left), sorted(right)) if left and right else ""


def _of_one_side(ours: Wording, only_ours: frozenset[str], theirs: Wording, only_theirs: frozenset[str]) -> str:
    for wording, other, own in ((ours, theirs, only_ours), (theirs, ours, only_theirs)):
        for before, word in zip(wording.units, wording.units[1:], strict=False):
            number = NUMBERS_BY_WORD.get(word, ROMAN_LETTERS.get(word, word))
            is_part = before in SERIES and number != "1" and number in wording.numbers - other.numbers
            is_variant = word in VARIANTS and word in own and (before[-1].isdigit() or before in VARIANTS)
            if is_part or is_variant:
                return f"only one has “{before} {word}”"
    left, right = _negations(ours, only_ours), _negations(theirs, only_theirs)
    if bool(left) != bool(right):
        return f"only one has “{min(left or right)}”"
    return ""


def _negations(wording: Wording, exclusive: frozenset[str]) -> list[str]:
    return [word for word in exclusive & NEGATIONS if word != "no" or not _is_number_sign(wording.units)]


def _is_number_sign(units: Sequence[str]) -> bool:
    """Whether "no" means "number"."""
    at = units.index("no")
    return at + 1 < len(units) and units[at + 1][0].isdigit()


def _of_opposites(ours: Wording, only_ours: frozenset[str], theirs: Wording, only_theirs: frozenset[str]) -> str:
    for word in sorted(only_ours):
        if against := OPPOSITE.get(word, frozenset()) & only_theirs:
            return _is_not([word], [min(against)])
    if ours.characters and theirs.characters:
        for pair in OPPOSITE_TEXTS:
            for one, other in (pair, pair[::-1]):
                if _only_in(one, ours, theirs) and _only_in(other, theirs, ours):
                    return _is_not([one], [other])
    return ""


def _only_in(text: str, ours: Wording, theirs: Wording) -> bool:
    return text in ours.characters and text not in theirs.characters


def _of_order(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """A contradiction if two runs of words changed places around others that aren't just conjunctions."""
    ours = [unit for unit in ours if unit not in ARTICLES]
    theirs = [unit for unit in theirs if unit not in ARTICLES]
    if ours == theirs or sorted(ours) != sorted(theirs):
        return ""
    while ours[0] == theirs[0]:
        ours, theirs = ours[1:], theirs[1:]
    while ours[-1] == theirs[-1]:
        ours, theirs = ours[:-1], theirs[:-1]
    for first in range(1, len(ours) - 1):
        if ours[:first] != theirs[-first:]:
            continue
        for last in range(1, len(ours) - first):
            between = ours[first:-last]
            if ours[-last:] == theirs[:last] and between == theirs[last:-first] and between[-1] not in CONJUNCTIONS:
                return f"{_joined(ours)} is not {_joined(theirs)}"
    return ""


def _of_places(ours: Wording, theirs: Wording) -> str:
    """A contradiction by unrelated content words in one place, or by negation in scripts without spaces."""
    common = ours.common_words | theirs.common_words
    for left, right in _changed_places(ours.units, theirs.units):
        if _is_letter(left) and _is_letter(right):
            if not FUNCTION_CHARACTERS.issuperset((*left, *right)) and not are_related(left[0], right[0]):
                return _is_not(left, right)
            continue
        negative = _negative_characters(left), _negative_characters(right)
        if bool(negative[0]) != bool(negative[1]):
            return f"only one has “{negative[0] or negative[1]}”"
        if difference := _of_contents(_content(left, theirs), _content(right, ours), common):
            return difference
    return ""


def _is_letter(units: Sequence[str]) -> bool:
    return len(units) == 1 and len(units[0]) == 1 and units[0].isalpha()


def _changed_places(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The differing runs of units between aligned common ones."""
    at_ours = at_theirs = 0
    for block in Levenshtein.opcodes(ours, theirs).as_matching_blocks():
        if at_ours < block.a or at_theirs < block.b:
            yield ours[at_ours : block.a], theirs[at_theirs : block.b]
        at_ours, at_theirs = block.a + block.size, block.b + block.size


def _negative_characters(units: Sequence[str]) -> str:
    text = "".join(units)
    return next((word for word in NEGATIVE_CHARACTERS if word in text), "")


def _content(units: Sequence[str], other: Wording) -> list[str]:
    """The content of a run that is nowhere in the other title."""
    if "".join(units) in other.characters:
        return []
    return [
        unit
        for unit in units
        if unit not in FUNCTION_WORDS
        and unit not in FUNCTION_CHARACTERS
        and (unit not in other.words or _SPACELESS.match(unit))
    ]


def _of_contents(left: list[str], right: list[str], common: frozenset[str] = frozenset()) -> str:
    if sorted(left) == sorted(right) or are_related("".join(left), "".join(right)):
        return ""
    rest = [word for word in right if not any(are_related(word, other, common) for other in left)]
    left = [word for word in left if not any(are_related(word, other, common) for other in right)]
    if not left or not rest or are_initials(left, rest) or are_initials(rest, left):
        return ""
    return _is_not(left, rest)


def _of_names(ours: Wording, only_ours: frozenset[str], theirs: Wording, only_theirs: frozenset[str]) -> str:
    left, right = sorted(ours.names & only_ours), sorted(theirs.names & only_theirs)
    return _of_contents(left, right) if left and right else ""


def _is_not(left: Sequence[str], right: Sequence[str]) -> str:
    return f"{_joined(left)} is not {_joined(right)}"


def _joined(units: Sequence[str]) -> str:
    """The units as in a title, shortened."""
    separator = "" if any(_SPACELESS.match(unit) for unit in units) else " "
    text = separator.join(units)
    return text if len(text) <= 60 else f"{text[:59]}…"
