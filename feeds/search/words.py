"""What is a word to search: one rule for texts and queries, whatever the database. Pure.

A text is folded run by run (`feeds.normalizing.text`): lower case, without accents, wide and narrow forms alike. A run
between spaces is one word. In scripts without spaces it becomes its overlapping pairs of characters, so that words of
two characters are found, longer ones as pairs in a row; and its last character once more, so that every character
begins some word: a single one is looked for as the beginning of words.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator

from feeds.normalizing.text import is_spaceless, runs

MOST_WORDS = 10_000  # of one text; what comes later is not found. PostgreSQL counts 16,383 positions
MOST_CHARACTERS = 120_000  # of one text's words; with four bytes each still half of PostgreSQL's 1 MB
LONGEST_WORD = 40  # characters; longer runs of letters are no words

# Accents of Latin, Greek and Cyrillic, vowel points of Hebrew and Arabic. Marks of other scripts make other letters.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_NOT_OF_WORDS = re.compile(r"[\x00-/:-@\[-`{-\x7f\s]")


def folded_runs(text: str) -> Iterator[str]:
    """The runs of a text, folded, in its order."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return filter(None, (folded(run[0]) for run in runs(text)))


def folded(run: str) -> str:
    """A run without case, accents and width: what is compared."""
    if run.isascii():
        return run.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", run))
    return _NOT_OF_WORDS.sub("", unicodedata.normalize("NFKC", bare).casefold())


def words_of(text: str) -> list[str]:
    """What is indexed of a text, in its order."""
    found: list[str] = []
    left = MOST_CHARACTERS
    for run in folded_runs(text):
        for word in _words(run):
            left -= len(word)
            if left < 0 or len(found) == MOST_WORDS:
                return found
            found.append(word)
    return found


def words_asked(folded: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """What to look for, in a row, to find these folded runs; and whether the last is only the beginning of a word."""
    asked = list(folded)
    found = [word for run in asked for word in _words(run)]
    if not asked or not is_spaceless(asked[-1]):
        return tuple(found), False
    if len(asked[-1]) == 1:
        return tuple(found), True
    return tuple(found[:-1]), False  # where the last run ends here it may go on in a text


def _words(run: str) -> Iterator[str]:
    if not is_spaceless(run):
        return iter((run[:LONGEST_WORD],))
    return itertools.chain(map("".join, itertools.pairwise(run)), (run[-1],))
