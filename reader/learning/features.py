"""What learning reads of an article: hashed terms with counts, marks such as its source. Pure; kept once an article.

Terms are the words of the title and of the first 200 words (best-practices.md, Topic Relevance), those of the title
counted twice, without words that every text has. Marks are what is either there or not: the source and the sites it is
part of, the author, the categories, pairs of words in the title. Each becomes a number below 2^20, so that what a
person's weights are held against is the same for all and never grows; two features rarely share a number, and where
they do, little is lost.

Three bytes a feature: 20 bits of number, 4 bits of count; for a mark, in place of a count, its kind. 100 features are
300 bytes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from zlib import crc32

from feeds.normalizing.text import words
from reader.learning.stop_words import stop_words

BUCKETS = 2**20
READ_WORDS = 200  # of the text; best-practices.md, TF-IDF Vectorization
READ_CHARACTERS = 2000  # of the text, which hold 200 words of any language
TITLE_WEIGHT = 2  # strategy.md step 5: the title weighs twice
KINDS = ("source", "author", "category", "pair", "site")  # of marks, stored as 1, 2, 3 …
_MOST = 15  # the largest count that four bits hold
_BYTES = 3
_CODES = {kind: code for code, kind in enumerate(KINDS, start=1)}


@dataclass(frozen=True, slots=True)
class Packed:
    """Features as they are stored."""

    terms: bytes
    marks: bytes


def index_of(feature: str) -> int:
    """The number of a feature, from 0 to 2^20 - 1; the same in every process and version."""
    return crc32(feature.encode("utf-8", "surrogatepass")) % BUCKETS


def term_counts(title: str, text: str, language: str = "") -> Counter[str]:
    """How often each term occurs in the title, counted twice, and in the first 200 words of the text."""
    counts: Counter[str] = Counter()
    for term in _terms(words(title, language), language):
        counts[term] += TITLE_WEIGHT
    counts.update(_terms(islice(words(text[:READ_CHARACTERS], language), READ_WORDS), language))
    return counts


def marks_of(
    *, title: str, language: str = "", source: str = "", author: str = "", categories: Sequence[str] = ()
) -> list[str]:
    """The marks of an article, each with its kind before it, such as `source:paper.example`."""
    named = [("source", source), ("author", author), *(("category", each) for each in categories)]
    marks = [f"{kind}:{value.strip().casefold()}" for kind, value in named if value.strip()]
    marks += (f"site:{site}" for site in _sites(source.strip().casefold()))
    pairs = pairwise(_terms(words(title, language), language))
    return list(dict.fromkeys([*marks, *(f"pair:{one} {other}" for one, other in pairs)]))


def pack(terms: Counter[str], marks: Iterable[str]) -> Packed:
    """The stored form; `marks` as of `marks_of`. Of two marks with one number, the first kind stays."""
    counted: Counter[int] = Counter()
    for term, n in terms.items():
        counted[index_of(term)] += n
    kinds: dict[int, int] = {}
    for mark in marks:
        kinds.setdefault(index_of(mark), _CODES[mark.partition(":")[0]])
    return Packed(_packed(counted), _packed(kinds))


def unpack(stored: bytes) -> Iterator[tuple[int, int]]:
    """The number of each feature with its count, of a mark with its kind, by number; nothing for b""."""
    for start in range(0, len(stored) - _BYTES + 1, _BYTES):
        value = int.from_bytes(stored[start : start + _BYTES], "little")
        yield value >> 4, value & _MOST


def _terms(found: Iterable[str], language: str) -> list[str]:
    """What is long enough and not in every text; figures say little of what a person likes."""
    without = stop_words(language)
    return [word for word in found if len(word) > 1 and word not in without and not word.isdecimal()]


def _sites(source: str) -> list[str]:
    """What a source's host is part of: of `blog.lab.example` `lab.example` and `example`; nothing for other names."""
    labels = source.removeprefix("www.").split(".")
    if len(labels) < 2 or not all(labels) or any(character.isspace() for character in source):
        return []
    return [".".join(labels[start:]) for start in range(1, len(labels))]


def _packed(numbered: dict[int, int]) -> bytes:
    return b"".join((index << 4 | min(n, _MOST)).to_bytes(_BYTES, "little") for index, n in sorted(numbered.items()))
