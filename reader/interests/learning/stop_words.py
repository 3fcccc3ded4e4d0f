"""Stop words by language. Pure.

English is our own list of function words in `stop_words.tsv`, since public packages include "AI", "computer" and
"system"; the other languages are from the package `stop-words`. Scripts without spaces use pairs of characters, which
need no stop words: common pairs have a low IDF.
"""

from functools import cache

from stop_words import LANGUAGE_MAPPING, get_stop_words

from feeds.word_lists import read_words

_ENGLISH = read_words("reader.interests.learning", "stop_words.tsv")["en"]


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1) in lower case; English if unknown, none for other languages."""
    if language in ("", "en"):
        return _ENGLISH
    if language not in LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(word.lower() for word in get_stop_words(language))
