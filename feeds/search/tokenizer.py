"""Splits texts and queries into searchable words, in the same way for every database. Pure.

Runs of letters (`feeds.normalizing.text`) are folded: lower case, no accents, wide and narrow forms alike. A run is one
word. In scripts without spaces it becomes overlapping pairs of characters, so that words of two characters are found,
longer ones as pairs in a row; and its last character again, so that every character begins some word: a single one is
searched for as a prefix.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from feeds.normalizing.text import is_spaceless, runs

MAX_WORDS = 10_000  # of one text; the rest is not indexed. PostgreSQL counts 16,383 positions
MAX_CHARACTERS = 120_000  # of one text's words; with four bytes each still half of PostgreSQL's 1 MB
LONGEST_WORD = 40  # characters; longer runs are cut

# Accents of Latin, Greek and Cyrillic, vowel points of Hebrew and Arabic. Marks of other scripts make other letters.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_NOT_OF_WORDS = re.compile(r"[\x00-/:-@\[-`{-\x7f\s]")


def folded_runs(text: str) -> Iterator[str]:
    """The runs of a text, folded, in order."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return filter(None, (folded(run[0]) for run in runs(text)))


def folded(run: str) -> str:
    """A run without case, accents and width, for comparing."""
    if run.isascii():
        return run.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", run))
    return _NOT_OF_WORDS.sub("", unicodedata.normalize("NFKC", bare).casefold())


def words_of(text: str) -> list[str]:
    """The words of a text to index, in order."""
    words: list[str] = []
    left = MAX_CHARACTERS
    for run in folded_runs(text):
        for word in _words(run):
            left -= len(word)
            if left < 0 or len(words) == MAX_WORDS:
                return words
            words.append(word)
    return words


def words_with_places(text: str) -> Iterator[tuple[str, int, int]]:
    """Each word with its place in the text; a whole run's where folding changed the number of its characters."""
    for match in runs(text):
        run, (start, end) = folded(match[0]), match.span()
        is_in_place = is_spaceless(run) and len(run) == end - start
        for at, word in enumerate(_words(run) if run else ()):
            yield (word, start + at, start + at + len(word)) if is_in_place else (word, start, end)


def query_words(folded: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """The consecutive words that find these folded runs, and whether the last one is a prefix."""
    terms = list(folded)
    words = [word for run in terms for word in _words(run)]
    if not terms or not is_spaceless(terms[-1]):
        return tuple(words), False
    if len(terms[-1]) == 1:
        return tuple(words), True
    return tuple(words[:-1]), False  # in a text the last run may continue


def _words(run: str) -> Iterator[str]:
    if not is_spaceless(run):
        return iter((run[:LONGEST_WORD],))
    return itertools.chain(map("".join, itertools.pairwise(run)), (run[-1],))
