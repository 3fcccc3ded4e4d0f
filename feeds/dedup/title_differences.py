"""Tells two titles apart that are nearly equal in words but make different claims. Pure; the precision of layer 3.

Theory. Jaccard ≥ 0.85 lets one word of thirteen be another one, and two of twelve be added. The words that may differ
so are just those that tell news apart: headlines come from templates ("X Corp reports Q3 results …", "X beat Y 2-1 …"),
and in a template the varying words are the content. So a pair of titles is contradicted when

- their numbers differ on both sides (`title_numbers`); one side may say more: "Rust 1.84 released", "Rust released";
- a word and its opposite stand on one side each: rise and fall, before and after, 上涨 and 下跌;
- one side alone is a numbered part, or names a variant of a number: "part 2", "16 Pro", "1.84 beta";
- one side alone negates: "will not run", "denies", 不, ない;
- two words changed places around others: "Arsenal beat Chelsea", "Chelsea beat Arsenal";
- at one place stand words of content on both sides that have nothing to do with each other (`related_words`) and are
  no initials of one another ("UN", "United Nations"); or names do so, anywhere.

"At one place" is found by aligning the words (Levenshtein; characters where a script has no spaces), so that what was
added here and left out there is no contradiction, and words that moved are none. Function words do not count. Which
words are names is known only in titles in sentence case; elsewhere any word may be one.

Dropped: contradiction by any two exclusive words wherever they stand (loses copies with a word added at each end).
Known false contradictions: synonyms ("Fed", "central bank"), nicknames, transliterations, 不 within a word that was
added. Known misses: a qualifying word added ("former", "alleged"), one-sided numbers that are not marked as a part,
opposites that are on no list.
Source: SPEC §6; the rules were found on pairs of real headlines with Jaccard ≥ 0.7.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Levenshtein

from feeds.dedup.related_words import are_initials, are_related
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

_UNIT = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
_SPACELESS = re.compile(f"[{SPACELESS}]")
_CASED_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Wording:
    """A title taken apart: `normalized`, the same with its case (`cased`), and its numbers."""

    normalized: str
    cased: str
    numbers: frozenset[str]

    @cached_property
    def units(self) -> list[str]:
        """Its words in order, and its characters where a script has no spaces."""
        return self.normalized.split() if self.normalized.isascii() else _UNIT.findall(self.normalized)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.units)

    @cached_property
    def characters(self) -> str:
        """Its runs of scripts without spaces, "" when there are none."""
        return "" if self.normalized.isascii() else " ".join(filter(_SPACELESS.search, self.normalized.split()))

    @cached_property
    def common_words(self) -> frozenset[str]:
        """Words that are known to be no names: small in a title in sentence case."""
        found = _CASED_WORD.findall(self.cased)
        small = frozenset(word for word in found if word[0].islower())
        if not found or not found[0][0].isupper() or len([w for w in small - FUNCTION_WORDS if len(w) > 3]) < 2:
            return frozenset()
        return small

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that are known to be names: capitalised within a title in sentence case."""
        if not self.common_words:
            return frozenset()
        capitalised = {word.lower() for word in _CASED_WORD.findall(self.cased)[1:] if word[0].isupper()}
        return frozenset(capitalised & self.words) - self.common_words - FUNCTION_WORDS


def difference(ours: Wording, theirs: Wording) -> str:
    """What tells two titles apart, in words for people ("1.84 is not 1.83"); "" for nothing."""
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
    """Whether "no" stands for "number"."""
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
    """Whether two runs of words changed places around others that do not merely join them."""
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
    """Words of content at one place that have nothing to do with each other; negation in scripts without spaces."""
    common = ours.common_words | theirs.common_words
    for left, right in _changed_places(ours.units, theirs.units):
        if _is_letter(left) and _is_letter(right):
            if not FUNCTION_CHARACTERS.issuperset((*left, *right)) and not are_related(left[0], right[0]):
                return _is_not(left, right)
            continue
        negative = _negative_characters(left), _negative_characters(right)
        if bool(negative[0]) != bool(negative[1]):
            return f"only one has “{negative[0] or negative[1]}”"
        if told := _of_contents(_content(left, theirs), _content(right, ours), common):
            return told
    return ""


def _is_letter(units: Sequence[str]) -> bool:
    return len(units) == 1 and len(units[0]) == 1 and units[0].isalpha()


def _changed_places(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The runs of units between those that both have, aligned."""
    at_ours = at_theirs = 0
    for block in Levenshtein.opcodes(ours, theirs).as_matching_blocks():
        if at_ours < block.a or at_theirs < block.b:
            yield ours[at_ours : block.a], theirs[at_theirs : block.b]
        at_ours, at_theirs = block.a + block.size, block.b + block.size


def _negative_characters(units: Sequence[str]) -> str:
    text = "".join(units)
    return next((word for word in NEGATIVE_CHARACTERS if word in text), "")


def _content(units: Sequence[str], other: Wording) -> list[str]:
    """What of a run is content that the other title has nowhere."""
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
    """The units as they would stand in a title, shortened."""
    separator = "" if any(_SPACELESS.match(unit) for unit in units) else " "
    text = separator.join(units)
    return text if len(text) <= 60 else f"{text[:59]}…"
