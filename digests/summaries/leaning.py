"""Sentences that can't be understood without the one before them. Pure.

A sentence that begins with a pronoun or a connective ("She said…", "However, …"), is one quotation from end to end, or
was "said by him" may only follow the sentence before it. "This week" and "It is clear that" don't count; the patterns
exclude them. In languages without patterns, every sentence counts as self-contained.
"""

import re

from digests.summaries.patterns import pattern, word_list
from feeds.dedup.entity_tables import DAYS_AND_MONTHS, FUNCTION_WORDS

_OPENING = "\"'“‘«„「『（(¿¡—–- "
_CAPITALIZED = re.compile(r"(?<!\A)\b[A-ZÀ-ÖØ-ÞĆČĐŁŃŚŠŹŻŽİА-ЯЁІЇЄ][\w’'-]*")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_QUOTATION_MARKS = (("“", "”"), ('"', '"'), ("«", "»"), ("„", "“"), ("„", "”"), ("»", "«"), ("「", "」"), ("『", "』"))


def leans(text: str, language: str) -> bool:
    """Whether a sentence needs the one before it to be understood."""
    start = text.lstrip(_OPENING)
    if pattern("leaning", language).match(start) or _is_quotation(text):
        return True
    if (match := pattern("said_by_pronoun", language).search(text)) and not _has_name(text[: match.start()]):
        return True
    clause = pattern("clause_and_pronoun", language).match(start)
    return clause is not None and not _has_name(clause[0])


def is_in_first_person(text: str, language: str) -> bool:
    """Whether a sentence begins with "I", "We", "My"."""
    first = _WORD.match(text.lstrip(_OPENING))
    return first is not None and first[0].lower() in word_list("first_person", language)


def _is_quotation(text: str) -> bool:
    return any(
        text.startswith(opening) and text.find(closing, 1) == len(text) - 1
        for opening, closing in _QUOTATION_MARKS
        if text.endswith(closing)
    )


def _has_name(text: str) -> bool:
    """Whether a text has a capitalized word that isn't its first, a day or a month."""
    words = (word.lower() for word in _CAPITALIZED.findall(text.lstrip(_OPENING)))
    return any(word not in DAYS_AND_MONTHS and word not in FUNCTION_WORDS for word in words)
