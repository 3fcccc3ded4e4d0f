"""Compares titles: layer 3 of deduplication. Pure.

Theory. Copies of an article keep its title except for labels, the publisher's name, punctuation and a word or two. So
titles are normalized, and two match if the Jaccard similarity of their word sets is at least 0.85 (0.95 if either has
fewer than 5 words) and nothing contradicts it (`title_contradictions`): two headlines from one template differ in a
number or a name, one word of a dozen, which set similarity doesn't show. Jaro–Winkler adds nothing to that: where the
sets are alike, it is high for copies and contradictions, too.

Normalization: NFKC; without labels and the publisher's name (`title_cleanup`); lower case; normalized numbers
(`title_numbers`), digits for "two" to "twenty"; "U.S." becomes "us", "Apple's" "apple", "C++" and "C#" keep their
signs; other punctuation is removed, also within scripts without spaces. Accents stay.

Prefix filter (Bayardo, Ma, Srikant 2007; Xiao et al. 2008). J(x, y) ≥ t implies |x ∩ y| ≥ t·max(|x|, |y|). With all
tokens in one total order, if the first |x| − ⌈t|x|⌉ + 1 tokens of x and the first |y| − ⌈t|y|⌉ + 1 of y have none in
common, then fewer than ⌈t·max⌉ tokens can be common. So it is enough to look up titles that share one of these. Rarest
first keeps the lists short; the order must be the same for both titles, so commonness must not change over time.

One word is shared by more and more titles as articles accumulate: with 100,000 articles of invented words, looking up
took half of the time. So a title is looked up by pairs (Xiao et al., extended prefixes): with one more token in each
prefix, titles that match have at least two tokens of their prefixes in common, and a headline of 7 to 13 words has
three pairs instead of two words. A title of one word matches only itself.

The border of 5 tokens leaves no gap: a pair that needs 0.95 and has fewer than 5 tokens on one side matches only if the
sets are equal. Thresholds are whole percents, so the ceiling is computed with integers.
Sources: strategy.md step 3, layer 3; SPEC §6.
"""

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz.distance import JaroWinkler

from feeds.dedup.keys import word_hash
from feeds.dedup.title_cleanup import without_prefixes, without_suffixes
from feeds.dedup.title_contradictions import Wording, difference
from feeds.dedup.title_numbers import numbers_of, with_numerals, with_plain_numbers
from feeds.dedup.title_words import (
    FUNCTION_CHARACTERS,
    FUNCTION_WORDS,
    GENERIC,
    GENERIC_CHARACTERS,
    MONTHS,
    SPACELESS,
    WEEKDAYS,
)
from feeds.normalizing.text import words

LONG_TITLE = 5  # tokens from which one word may differ
LONG_PERCENT = 85  # SPEC §6
SHORT_PERCENT = 95  # SPEC §6, for titles of fewer tokens

# Vowel signs and other marks within words that \w doesn't match.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
    "\u0eb1-\u0ecd\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_ASCII_WORD = re.compile(r"\d+(?:[.-]\d+)+[a-z]?|[a-z]\d+(?:[.-]\d+)+|[a-z0-9]+[+#]*", re.ASCII)
_WORD = re.compile(
    rf"\d+(?:[.-]\d+)+[a-z]?|[a-z]\d+(?:[.-]\d+)+|[{SPACELESS}{_MARKS}]+|(?:(?![{SPACELESS}])[\w{_MARKS}])+[+#]*"
)
_SPACELESS = re.compile(f"[{SPACELESS}]")
_GENERIC_WORDS = GENERIC | FUNCTION_WORDS | {*MONTHS, *WEEKDAYS}
_GENERIC_RUN = re.compile(rf"(?:{'|'.join(GENERIC_CHARACTERS)}|[{FUNCTION_CHARACTERS}年月日期第\d])+")
_BETWEEN_SPACELESS = re.compile(rf"(?<=[{SPACELESS}])(?:[^\w{_MARKS}]|_)+(?=[{SPACELESS}])")
_ACRONYM = re.compile(r"(?<!\w)[^\W\d_](?:\.[^\W\d_])+(?!\w)\.?")
_POSSESSIVE = re.compile(r"(?<=\w)'s(?!\w)")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "ʼ": "'", "丨": "|", "‐": "-", "‑": "-",
                        "™": " ", "®": " ", "©": " ", "℠": " ", "\u200b": "", "\u00ad": "", "\ufeff": ""})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Title:
    """A normalized title.

    `tokens`: its words; pairs of characters in scripts without spaces. `numbers`: normalized numbers, versions,
    amounts, scores, months, weekdays, quarters. `cased`: the published title without labels and publisher. `suffix`: a
    part after a pipe that was removed as a doubtful publisher's name, "" for none.
    """

    normalized: str
    tokens: frozenset[str]
    numbers: frozenset[str]
    cased: str = ""
    suffix: str = ""


def title_of(title: str, *, language: str = "", source_names: Collection[str] = ()) -> Title:
    """Normalize a clean title (plain text on one line).

    `language`: ISO 639-1, "" unknown. `source_names`: names of the publisher that may follow the title.
    """
    if not title.isascii():
        title = unicodedata.normalize("NFKC", title.translate(_SIGNS)).replace("’", "'")
    cased, suffix = without_suffixes(without_prefixes(title.strip()), source_names)
    title_words = _words_of(cased.lower())
    normalized = " ".join(title_words)
    return Title(normalized, _tokens_of(title_words, normalized, language), numbers_of(normalized), cased, suffix)


def is_generic(title: Title) -> bool:
    """Whether a headline only names a column or a date ("Weekly update", "Open thread #12"), not what it is about."""
    return all(
        word in _GENERIC_WORDS or word[0].isdigit() or _GENERIC_RUN.fullmatch(word) for word in title.normalized.split()
    )


def jaccard(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """The Jaccard similarity of two sets, in [0, 1]; 0.0 if either is empty."""
    n_common = len(ours & theirs)
    return n_common / (len(ours) + len(theirs) - n_common) if n_common else 0.0


def jaro_winkler(ours: Title, theirs: Title) -> float:
    """Jaro–Winkler similarity of the normalized titles, in [0, 1]; 0.0 if either is empty."""
    if not ours.normalized or not theirs.normalized:
        return 0.0
    return JaroWinkler.similarity(*sorted((ours.normalized, theirs.normalized)))


def required_jaccard(ours: Title, theirs: Title) -> float:
    """The Jaccard similarity that two titles need to match."""
    return _percent(min(len(ours.tokens), len(theirs.tokens))) / 100


def contradiction(ours: Title, theirs: Title) -> str:
    """The contradiction between two titles as text ("1.84 is not 1.83"), "" for none. Symmetric."""
    if ours.suffix and theirs.suffix and ours.suffix != theirs.suffix:
        return " is not ".join(sorted((ours.suffix, theirs.suffix)))
    if ours.normalized == theirs.normalized:
        return ""
    one, other = sorted((ours, theirs), key=lambda title: (title.normalized, title.cased))
    return difference(
        Wording(one.normalized, one.cased, one.numbers), Wording(other.normalized, other.cased, other.numbers)
    )


def title_match(ours: Title, theirs: Title) -> float | None:
    """The Jaccard similarity of two titles, None if they aren't similar enough or contradict each other."""
    similarity = jaccard(ours.tokens, theirs.tokens)
    if not similarity or similarity < required_jaccard(ours, theirs) or contradiction(ours, theirs):
        return None
    return similarity


def prefix_pairs(tokens: Collection[str], commonness: Callable[[str], float]) -> list[tuple[str, ...]]:
    """Pairs of the rarest tokens of a title, of a title of one token that one. Matching titles have one in common."""
    rarest = prefix_tokens(tokens, commonness, n_common=2)
    return list(combinations(rarest, min(2, len(rarest)))) if rarest else []


def prefix_tokens(tokens: Collection[str], commonness: Callable[[str], float], *, n_common: int = 1) -> list[str]:
    """The rarest tokens of a title, rarest first. Matching titles have at least `n_common` of these in common, or all.

    `commonness` must be the same function for all titles; ties are broken by a hash.
    """
    distinct = set(tokens)
    n_needed = -(-_percent(len(distinct)) * len(distinct) // 100)
    rarest = sorted(distinct, key=lambda token: (commonness(token), word_hash(token)))
    return rarest[: len(distinct) - n_needed + n_common]


def token_bits(tokens: Collection[str]) -> int:
    """64 bits, one per token: each bit that differs between two titles comes from a token that one of them lacks."""
    bits = 0
    for token in tokens:
        bits |= 1 << (word_hash(token)[0] & 63)
    return bits


def most_bits_apart(n_tokens: int) -> int:
    """The most `token_bits` in which a title matching one of `n_tokens` tokens can differ.

    J(x, y) ≥ t implies |x ∪ y| ≤ |x| / t, of which at most the share 1 − t isn't common: |x|·(1 − t) / t tokens.
    """
    return (100 - _percent(n_tokens)) * n_tokens // _percent(n_tokens)


def _percent(n_tokens: int) -> int:
    return LONG_PERCENT if n_tokens >= LONG_TITLE else SHORT_PERCENT


def _words_of(text: str) -> list[str]:
    """The words of lower-case text in order; a run of a script without spaces is one word."""
    is_ascii = text.isascii()
    if "'" in text:
        text = _POSSESSIVE.sub("", text).replace("'", "")
    if " & " in text:
        text = text.replace(" & ", " and ")
    if "." in text:
        text = _ACRONYM.sub(lambda match: match[0].replace(".", ""), text)
    if not is_ascii:
        text = _BETWEEN_SPACELESS.sub("", unicodedata.normalize("NFKC", text))
    text = with_plain_numbers(text).replace("_", " ")
    return with_numerals((_ASCII_WORD if is_ascii else _WORD).findall(text))


def _tokens_of(title_words: list[str], normalized: str, language: str) -> frozenset[str]:
    if normalized.isascii():
        return frozenset(title_words)
    tokens: set[str] = set()
    for word in title_words:
        if _SPACELESS.match(word):
            tokens.update(words(word, language))
        else:
            tokens.add(word)
    return frozenset(tokens)
