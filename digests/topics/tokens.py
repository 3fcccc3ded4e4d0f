"""Words of a text for topics and labels: stemmed, without stop words. Pure.

Words are those of `feeds.normalizing.text`; in scripts without spaces they are pairs of characters and their own stems.
In addition:

- Vowel signs belong to the word in Indic scripts.
- Apostrophes are split by language: English and unknown drop a possessive `'s`, French, Italian and Catalan the article
  before (`l'armée`), Turkish the case after a name (`Ankara'da`).
- Latin words in a text of another script (`OpenAI` in Russian or Chinese) are English.

Stop words in Japanese include pairs of two hiragana, which are endings and particles.

Source: strategy.md step 5 (lower case, stop words, stemming; title twice, first 200 words); SPEC §12.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from digests.edition.candidates import READ_CHARACTERS
from feeds.normalizing.stemming import get_stemmer
from feeds.normalizing.text import words
from reader.interests.learning.stop_words import stop_words

READ_WORDS = 200  # of the text; SPEC §12
TITLE_WEIGHT = 2  # SPEC §12
KNOWN_WORDS = 2**16  # cached stems of a language, about 10 MB
KNOWN_LANGUAGES = 16

_NOT_LATIN = (
    "am ar be bg bn dv el fa gu he hi hy ja ka kk km kn ko ky lo mk ml mn mr my ne pa ps ru sd si sr ta te tg th ti ug "
    "uk ur yi zh"
)
_OTHER_SCRIPTS = frozenset(_NOT_LATIN.split())
_OF_STOP_WORDS = {"nn": "nb", "no": "nb"}
_ELIDING = frozenset(("ca", "fr", "it"))
_LONGEST_ELIDED = 5  # letters: l', qu', dell', quest'
_DOTTED = frozenset(("az", "tr"))  # languages whose lower-case I has no dot, and whose names take cases after '
_DOTTED_LOWER = str.maketrans("Iİ", "ıi")
_HIRAGANA_PAIR = re.compile("[\u3041-\u309f]{2}")
_INDIC = re.compile("[\u0900-\u0dff]")
_INDIC_WORD = re.compile("(?:[^\\W_]|[\u0900-\u0963\u0971-\u0dff\u200c\u200d])+(?:['’][^\\W_]+)*")


class Stem(NamedTuple):
    """A word of a text with its stem."""

    stem: str
    surface: str


def stems(text: str, language: str) -> list[Stem]:
    """The words of a text without stop words, in order; `language` is ISO 639-1, "" if unknown."""
    result = []
    for word, start in _placed(_words(text, language), _lowered(text, language)):
        stem, begin, end = _reduced(word, language)
        if stem:
            result.append(Stem(stem, text[start + begin : start + end]))
    return result


def document_terms(title: str, text: str, language: str) -> Counter[str]:
    """The counts of stems in the title, which counts twice, and in the first 200 words of the text."""
    in_title = Counter(_stems_of(_words(title, language), language))
    counts = Counter({stem: TITLE_WEIGHT * n for stem, n in in_title.items()})
    counts.update(_stems_of(_words(text[:READ_CHARACTERS], language)[:READ_WORDS], language))
    counts.pop("", None)
    return counts


def _stems_of(words: Iterable[str], language: str) -> Iterator[str]:
    """The stem of each word, "" for a stop word; without a Python frame for each, as a window has a million."""
    return map(_known_stems(language).__getitem__, words)


class _KnownStems(dict[str, str]):
    """The stems of words that were already reduced, "" for stop words."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> str:
        if len(self) >= KNOWN_WORDS:
            self.clear()
        stem = self[word] = _reduced(word, self._language)[0]
        return stem


@lru_cache(maxsize=KNOWN_LANGUAGES)
def _known_stems(language: str) -> _KnownStems:
    return _KnownStems(language)


def _words(text: str, language: str) -> list[str]:
    """The words in lower case; signs of Indic scripts stay with their letters."""
    if not text.isascii() or language in _DOTTED:
        text = _lowered(text, language)
        if _INDIC.search(text):
            return _INDIC_WORD.findall(text)
    return words(text, language)


def _lowered(text: str, language: str) -> str:
    """The text in lower case with the same length: only İ would become two characters."""
    if language in _DOTTED:
        text = text.translate(_DOTTED_LOWER)
    return text.replace("İ", "i").lower()


def _placed(words: Iterable[str], lowered: str) -> Iterator[tuple[str, int]]:
    """Each word with its position in the lower-cased text; consecutive pairs of characters overlap."""
    end, was_pair = 0, False
    for word in words:
        overlaps = was_pair and len(word) == 2 and lowered.startswith(word, end - 1)
        start = end - 1 if overlaps else lowered.index(word, end)
        end, was_pair = start + len(word), len(word) == 2
        yield word, start


def _reduced(word: str, language: str) -> tuple[str, int, int]:
    """The stem of a lower-case word, "" for a stop word, and the part of the word it is from."""
    begin, end = _without_apostrophe(word, language)
    bare = word[begin:end].replace("’", "'")
    if _is_stop_word(word, language) or _is_stop_word(bare, language):
        return "", begin, end
    stemmer = get_stemmer(_language_of(bare, language))
    return (stemmer.stemWord(bare) if stemmer else bare), begin, end


def _without_apostrophe(word: str, language: str) -> tuple[int, int]:
    """The part of a word without what is joined by an apostrophe."""
    at = max(word.find("'"), word.find("’"))
    if at < 0:
        return 0, len(word)
    if language in _ELIDING:
        return (at + 1 if at <= _LONGEST_ELIDED else 0), len(word)
    if language in _DOTTED:
        return 0, at
    return 0, (len(word) - 2 if word.endswith(("'s", "’s")) else len(word))


def _is_stop_word(word: str, language: str) -> bool:
    if len(word) < 2 or word.isdigit() or word in stop_words(_OF_STOP_WORDS.get(language, language)):
        return True
    if word.isascii():
        return language in _OTHER_SCRIPTS and word in stop_words("en")
    return _HIRAGANA_PAIR.fullmatch(word) is not None


def _language_of(word: str, language: str) -> str:
    """The language to stem a word in, "" for none."""
    if not language or language in _OTHER_SCRIPTS:
        return "en" if word.isascii() else language
    return language
