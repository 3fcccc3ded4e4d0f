"""Compares titles: layer 3 of deduplication. Pure.

Theory. Copies of an article keep its title but for labels, the publisher's name, punctuation and a word or two. So a
title is normalized, and two are candidates when the Jaccard similarity of their word sets is at least 0.85, or 0.95
where either has fewer than 5 (one word more is then another title), and nothing contradicts it (`title_differences`):
of two headlines of one template it is a number or a name that tells them apart, one word of a dozen, which no
similarity of sets sees. Jaro–Winkler is reported as a second signal and decides nothing here.

Normalizing: NFKC; labels and the publisher's name dropped (`title_trimming`); lower case; numbers in one form
(`title_numbers`), digits for "two" to "twenty"; "U.S." is "us", "Apple's" is "apple", "C++" and "C#" keep their signs;
all other punctuation is left out, also within scripts without spaces, where a comma, a space and nothing are used
alike. Accents stay.

Prefix filter (Bayardo, Ma, Srikant 2007; Xiao et al. 2008). J(x, y) ≥ t implies |x ∩ y| ≥ t·max(|x|, |y|). Let all
tokens be ordered in one total order. If the first |x| − ⌈t|x|⌉ + 1 tokens of x and the first |y| − ⌈t|y|⌉ + 1 of y had
none in common, then fewer than ⌈t·max⌉ tokens could be; so it is enough to look up titles that share one of these.
Rarest first keeps the lists short. Any order is right as long as it is the same for both titles: commonness must not
change between the storing of one title and the asking for the other. Sizes on both sides of the border of 5 tokens are
no gap: a pair that needs 0.95 and has fewer than 5 tokens on one side matches only if the sets are equal. Thresholds
are whole percents, so the ceiling is taken of integers.
Sources: strategy.md step 3, layer 3; SPEC §6.
"""

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from hashlib import blake2b

from rapidfuzz.distance import JaroWinkler

from feeds.dedup.title_differences import Wording, difference
from feeds.dedup.title_numbers import numbers_of, with_numerals, with_plain_numbers
from feeds.dedup.title_trimming import without_prefixes, without_suffixes
from feeds.dedup.title_words import SPACELESS
from feeds.normalizing.text import words

LONG_TITLE = 5  # tokens from which on one word may differ
LONG_PERCENT = 85  # SPEC §6
SHORT_PERCENT = 95  # SPEC §6, for titles of fewer tokens

# Vowel signs and other marks that belong to words, which \w leaves out.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
    "\u0eb1-\u0ecd\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_ASCII_WORD = re.compile(r"\d+(?:[.-]\d+)+[a-z]?|[a-z]\d+(?:[.-]\d+)+|[a-z0-9]+[+#]*")
_WORD = re.compile(
    rf"\d+(?:[.-]\d+)+[a-z]?|[a-z]\d+(?:[.-]\d+)+|[{SPACELESS}{_MARKS}]+|(?:(?![{SPACELESS}])[\w{_MARKS}])+[+#]*"
)
_SPACELESS = re.compile(f"[{SPACELESS}]")
_BETWEEN_SPACELESS = re.compile(rf"(?<=[{SPACELESS}])(?:[^\w{_MARKS}]|_)+(?=[{SPACELESS}])")
_ACRONYM = re.compile(r"(?<!\w)[^\W\d_](?:\.[^\W\d_])+(?!\w)\.?")
_POSSESSIVE = re.compile(r"(?<=\w)'s(?!\w)")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "ʼ": "'", "丨": "|", "‐": "-", "‑": "-",
                        "™": " ", "®": " ", "©": " ", "℠": " ", "\u200b": "", "\u00ad": "", "\ufeff": ""})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Title:
    """A title made ready to be compared.

    `tokens`: its words; pairs of characters where a script has no spaces. `numbers`: what must not differ, in one form:
    numbers, versions, amounts, scores, months, weekdays, quarters. `cased`: without labels and publisher, as it was
    published otherwise. `suffix`: what was dropped behind a pipe without being known for a publisher, "" for nothing.
    """

    normalized: str
    tokens: frozenset[str]
    numbers: frozenset[str]
    cased: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """How alike two titles are that nothing tells apart; both figures in [0, 1], 1 = identical."""

    jaccard: float
    jaro_winkler: float


def title_of(title: str, *, language: str = "", source_names: Collection[str] = ()) -> Title:
    """Return a clean title (plain text on one line) made ready to be compared.

    `language`: ISO 639-1, "" unknown. `source_names`: how the title's publisher may call itself behind it.
    """
    if not title.isascii():
        title = unicodedata.normalize("NFKC", title.translate(_SIGNS)).replace("’", "'")
    cased, suffix = without_suffixes(without_prefixes(title.strip()), source_names)
    found = _words_of(cased.lower())
    normalized = " ".join(found)
    return Title(normalized, _tokens_of(found, normalized, language), numbers_of(normalized), cased, suffix)


def jaccard(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """The share of common tokens among all tokens of two sets, in [0, 1]; 0.0 when either is empty."""
    n_common = len(ours & theirs)
    return n_common / (len(ours) + len(theirs) - n_common) if n_common else 0.0


def jaro_winkler(ours: Title, theirs: Title) -> float:
    """Jaro–Winkler similarity of the normalized titles, in [0, 1]; 0.0 when either is empty."""
    if not ours.normalized or not theirs.normalized:
        return 0.0
    return JaroWinkler.similarity(*sorted((ours.normalized, theirs.normalized)))


def required_jaccard(ours: Title, theirs: Title) -> float:
    """The least Jaccard similarity of two titles that are candidates."""
    return _percent(min(len(ours.tokens), len(theirs.tokens))) / 100


def contradiction(ours: Title, theirs: Title) -> str:
    """What tells two titles apart, in words for people ("1.84 is not 1.83"); "" for nothing. Order does not matter."""
    if ours.suffix and theirs.suffix and ours.suffix != theirs.suffix:
        return " is not ".join(sorted((ours.suffix, theirs.suffix)))
    if ours.normalized == theirs.normalized:
        return ""
    one, other = sorted((ours, theirs), key=lambda title: (title.normalized, title.cased))
    return difference(
        Wording(one.normalized, one.cased, one.numbers), Wording(other.normalized, other.cased, other.numbers)
    )


def title_match(ours: Title, theirs: Title) -> TitleMatch | None:
    """How alike two titles are if they may be one article's; None when they are not, or something tells them apart."""
    similarity = jaccard(ours.tokens, theirs.tokens)
    if not similarity or similarity < required_jaccard(ours, theirs) or contradiction(ours, theirs):
        return None
    return TitleMatch(similarity, jaro_winkler(ours, theirs))


def prefix_tokens(tokens: Collection[str], commonness: Callable[[str], float]) -> list[str]:
    """The rarest tokens of a title, rarest first, of which any title that matches it has at least one among its own.

    `commonness` must be the same function for all titles that are compared; ties are broken by a hash.
    """
    distinct = set(tokens)
    n_needed = -(-_percent(len(distinct)) * len(distinct) // 100)
    rarest = sorted(distinct, key=lambda token: (commonness(token), _hash(token)))
    return rarest[: len(distinct) - n_needed + 1]


def token_bits(tokens: Collection[str]) -> int:
    """64 bits, one set for each token; every bit in which two titles differ needs a token that one of them lacks."""
    bits = 0
    for token in tokens:
        bits |= 1 << (_hash(token)[0] & 63)
    return bits


def most_bits_apart(n_tokens: int) -> int:
    """In how many of `token_bits` a title that matches one of so many tokens may differ.

    J(x, y) ≥ t implies |x ∪ y| ≤ |x| / t, of which at most the share 1 − t is not common: |x|·(1 − t) / t tokens.
    """
    return (100 - _percent(n_tokens)) * n_tokens // _percent(n_tokens)


def _percent(n_tokens: int) -> int:
    return LONG_PERCENT if n_tokens >= LONG_TITLE else SHORT_PERCENT


def _hash(token: str) -> bytes:
    return blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _words_of(text: str) -> list[str]:
    """The words of lower-case text in order; a run of a script without spaces is one."""
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


def _tokens_of(found: list[str], normalized: str, language: str) -> frozenset[str]:
    if normalized.isascii():
        return frozenset(found)
    tokens: set[str] = set()
    for word in found:
        if _SPACELESS.match(word):
            tokens.update(words(word, language))
        else:
            tokens.add(word)
    return frozenset(tokens)
