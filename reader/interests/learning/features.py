"""Features of an article for learning: hashed terms with counts, and attributes such as its source. Pure.

Terms are the words of the title and of the first 200 words (best-practices.md, Topic Relevance), those of the title
counted twice, without stop words. Attributes are binary: the source and the sites it is part of, the author, the
categories, word pairs in the title. Each is hashed to a number below 2^20, so that all users share one space that never
grows; collisions are rare and cost little.

Three bytes per feature: 20 bits of hash, 4 bits of count, or of kind for an attribute. 100 features are 300 bytes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from zlib import crc32

from feeds.normalizing.text import words
from reader.interests.learning.stop_words import stop_words

BUCKETS = 2**20
READ_WORDS = 200  # of the text; best-practices.md, TF-IDF Vectorization
READ_CHARACTERS = 2000  # of the text, which hold 200 words of any language
TITLE_WEIGHT = 2  # strategy.md step 5: the title weighs twice
KINDS = ("source", "author", "category", "pair", "site")  # of marks, stored as 1, 2, 3 …
MAX_COUNT = 15  # the largest count that four bits hold
_BYTES = 3
_CODES = {kind: code for code, kind in enumerate(KINDS, start=1)}


@dataclass(frozen=True, slots=True)
class Packed:
    """Features in their stored form."""

    terms: bytes
    attributes: bytes


def hash_feature(feature: str) -> int:
    """The hash of a feature, from 0 to 2^20 - 1; stable across processes and versions."""
    return crc32(feature.encode("utf-8", "surrogatepass")) % BUCKETS


def count_terms(title: str, text: str, language: str = "") -> Counter[str]:
    """How often each term occurs in the title, counted twice, and in the first 200 words of the text."""
    counts: Counter[str] = Counter()
    for term in _terms(words(title, language), language):
        counts[term] += TITLE_WEIGHT
    counts.update(_terms(islice(words(text[:READ_CHARACTERS], language), READ_WORDS), language))
    return counts


def extract_attributes(
    *, title: str, language: str = "", source: str = "", author: str = "", categories: Sequence[str] = ()
) -> list[str]:
    """The attributes of an article, each prefixed with its kind, such as `source:paper.example`."""
    named = [("source", source), ("author", author), *(("category", category) for category in categories)]
    attributes = [f"{kind}:{value.strip().casefold()}" for kind, value in named if value.strip()]
    attributes += (f"site:{site}" for site in _sites(source.strip().casefold()))
    pairs = pairwise(_terms(words(title, language), language))
    return list(dict.fromkeys([*attributes, *(f"pair:{one} {other}" for one, other in pairs)]))


def pack(terms: Counter[str], attributes: Iterable[str]) -> Packed:
    """The stored form. If two attributes collide, the first kind wins."""
    counted: Counter[int] = Counter()
    for term, n in terms.items():
        counted[hash_feature(term)] += n
    kinds: dict[int, int] = {}
    for attribute in attributes:
        kinds.setdefault(hash_feature(attribute), _CODES[attribute.partition(":")[0]])
    return Packed(_pack(counted), _pack(kinds))


def unpack(stored: bytes) -> Iterator[tuple[int, int]]:
    """The hash of each feature with its count or kind, sorted by hash; nothing for b""."""
    for start in range(0, len(stored) - _BYTES + 1, _BYTES):
        value = int.from_bytes(stored[start : start + _BYTES], "little")
        yield value >> 4, value & MAX_COUNT


def _terms(tokens: Iterable[str], language: str) -> list[str]:
    ignored = stop_words(language)
    return [token for token in tokens if len(token) > 1 and token not in ignored and not token.isdecimal()]


def _sites(source: str) -> list[str]:
    """The parent domains of a source's host: such as `lab.example` and `example` for `blog.lab.example`."""
    labels = source.removeprefix("www.").split(".")
    if len(labels) < 2 or not all(labels) or any(character.isspace() for character in source):
        return []
    return [".".join(labels[start:]) for start in range(1, len(labels))]


def _pack(numbered: dict[int, int]) -> bytes:
    return b"".join(
        (index << 4 | min(n, MAX_COUNT)).to_bytes(_BYTES, "little") for index, n in sorted(numbered.items())
    )
