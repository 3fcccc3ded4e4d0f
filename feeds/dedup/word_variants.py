"""Whether two words of two titles are variants of each other. Pure.

They are if they differ only in inflection ("reports", "reported"), accent or spelling ("centre", "center"; "Zelenskyy",
"Zelensky"), are the same number ("two", "2"), or are listed as synonyms ("says", "told"). Words that aren't names may
also have longer endings or typing errors (Jaro–Winkler ≥ 0.9). That would fail for names: "Austria" and "Australia"
reach 0.95, "Niger" and "Nigeria" share a stem of five letters.
"""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz.distance import JaroWinkler

from feeds.dedup.title_words import NUMBERS_BY_WORD, SAME, SPACELESS

SPELLED_ALIKE = 0.9  # Jaro–Winkler from which a word counts as a typing error of another
MIN_TYPED_LENGTH = 5  # characters; short words are too similar
MIN_STEM = 4  # characters shared by all forms of a word
MAX_ENDING = 3  # characters after the stem
MAX_ENDING_OF_NAME = 2  # the same for possible names, in scripts that inflect names

_SPACELESS = re.compile(f"[{SPACELESS}]")
_NAME_ENDINGS = frozenset(("", "s", "es", "n", "an", "ian", "ns", "ans", "ians", "ish", "ese", "ed", "d", "ing"))
_VERB_ENDINGS = frozenset(("s", "es", "e", "ed", "ing"))
_SPELLINGS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"our(?=s?$|ed|ing|ful|ite)", "or"),  # colour
        (r"is(?=e|ing|ation)", "iz"),  # organise
        (r"(?<=[^aeiou])re(?=s?$)", "er"),  # centre
        (r"ogue", "og"),  # catalogue
        (r"[iy]+", "y"),  # Zelenskiy
        (r"(.)\1+", r"\1"),  # cancelled
    )
)


def are_initials(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether `short` is one word of the first letters of `long`: "un", "united nations"."""
    return len(short) == 1 and len(long) > 1 and short[0] == "".join(word[0] for word in long)


def are_related(ours: str, theirs: str, common: frozenset[str] = frozenset()) -> bool:
    """Whether two words are variants of each other. `common`: words that aren't names. Symmetric."""
    if ours == theirs or _number(ours) == _number(theirs) or (ours in SAME and SAME[ours] == SAME.get(theirs)):
        return True
    if any(map(str.isdigit, ours + theirs)) or _SPACELESS.match(ours) or _SPACELESS.match(theirs):
        return False
    if _as_spelled(ours) == _as_spelled(theirs):
        return True
    if not (ours in common or theirs in common):
        return _is_inflected_name(ours, theirs)
    is_long = min(len(ours), len(theirs)) >= MIN_TYPED_LENGTH
    if is_long and JaroWinkler.similarity(*sorted((ours, theirs))) >= SPELLED_ALIKE:
        return True
    return _n_shared(ours, theirs) >= MIN_STEM and _longest_ending(ours, theirs) <= MAX_ENDING


def _number(word: str) -> str:
    return NUMBERS_BY_WORD.get(word, word)


def _is_inflected_name(ours: str, theirs: str) -> bool:
    """Whether two possible names differ only in number or as a demonym, or are forms of a verb."""
    n_shared = _n_shared(ours, theirs)
    if not ours.isascii() and not theirs.isascii():
        return n_shared >= MIN_STEM and _longest_ending(ours, theirs) <= MAX_ENDING_OF_NAME
    endings = {ours[n_shared:], theirs[n_shared:]}
    if "" in endings:
        return n_shared >= MIN_STEM - 1 and endings <= _NAME_ENDINGS
    return n_shared >= MIN_STEM and endings <= _VERB_ENDINGS


def _n_shared(ours: str, theirs: str) -> int:
    """The length of the common beginning of two words."""
    pairs = zip(ours, theirs, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))


def _longest_ending(ours: str, theirs: str) -> int:
    return max(len(ours), len(theirs)) - _n_shared(ours, theirs)


def _as_spelled(word: str) -> str:
    """One form of a word's spellings: without accents, doubled letters, British endings."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFD", word.replace("ß", "ss")) if not unicodedata.combining(c))
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word
