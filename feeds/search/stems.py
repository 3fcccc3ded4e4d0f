"""Which words are forms of one word: "elections" of "election", by Snowball's rules for a language. Pure.

The index holds words as they are written, so that phrases stay exact. Beside it a list of words by their stems says
which others to look for, too (`feeds.search.forms`). A word that is its own stem is not on the list: most names and
numbers are, and the stem is known from the word that was asked for.
"""

from collections.abc import Iterator

from feeds.normalizing.stemming import ALGORITHMS, stemmer_of
from feeds.normalizing.text import is_spaceless, runs
from feeds.search.words import LONGEST_WORD, folded

LEAST_LETTERS = 3  # of a word that has forms
_NOT_LATIN = frozenset(("ar", "el", "fa", "hi", "hy", "ne", "ru", "ta", "yi"))
_SAME = {"nb": "no", "nn": "no"}
LANGUAGES = tuple(sorted({_SAME.get(each, each) for each in ALGORITHMS}))

Form = tuple[str, str, str]  # language, stem, word; both folded


def forms_in(text: str, language: str) -> Iterator[Form]:
    """The words of a text that are other than their stems; one and the same perhaps several times."""
    for run in {match[0] for match in runs(text)}:
        spoken = language_of(run, language)
        if spoken and (stem := stem_of(run, spoken)) and stem != (word := folded(run)):
            yield spoken, stem, word


def language_of(run: str, language: str) -> str:
    """The language by whose rules a word in a text of `language` is stemmed, "" for none: Latin letters in Chinese,
    Japanese, Russian … are taken for English."""
    if run.isascii() and (language in _NOT_LATIN or language not in ALGORITHMS):
        return "en"
    return _SAME.get(language, language) if language in ALGORITHMS else ""


def stem_of(run: str, language: str) -> str:
    """The stem of a word, folded; "" where it can have none: numbers, what is short, scripts without spaces.

    Accents count while stemming, for rules know them, and not in what comes of it.
    """
    stemmer = stemmer_of(language)
    if stemmer is None or not LEAST_LETTERS <= len(run) <= LONGEST_WORD or not run.isalpha() or is_spaceless(run):
        return ""
    return folded(stemmer.stemWord(run.lower()))
