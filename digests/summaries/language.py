"""The language a text is read in, and its length in that language. Pure."""

import re
from collections import Counter

from digests.topics.tokens import stems
from feeds.normalizing.text import count_words

READ_CHARACTERS = 1500
MIN_WORDS = 3  # frequent words of a language that a text must contain to be read in it

SPACELESS = frozenset(("zh", "ja"))  # no space between words or sentences

_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_WORD = re.compile(r"[^\W\d_]+")
_FREQUENT_WORDS = {  # frequent in one of these languages and rare in the others
    "en": "the of and to that with was from is has have are this it",
    "de": "der das und ist nicht ein eine mit auf für dem zu von sich auch wird",
    "fr": "le les des est et dans une du pour qui sur pas au avec",
    "es": "el los las del y una por con para que se lo está más",
}
_LANGUAGE_OF_WORD = {word: language for language, words in _FREQUENT_WORDS.items() for word in words.split()}


def language_of(text: str, declared: str) -> str:
    """The primary subtag of `declared` (`zh-Hant` is `zh`); without one a guess by script and frequent words, or ""."""
    if declared:
        return re.split("[-_]", declared)[0].lower()
    start = text[:READ_CHARACTERS]
    n_letters = sum(map(str.isalpha, start))
    if len(_KANA.findall(start)) * 10 > n_letters:
        return "ja"
    if len(_HAN.findall(start)) * 4 > n_letters:
        return "zh"
    if len(_CYRILLIC.findall(start)) * 2 > n_letters:
        return "ru"
    words = _WORD.findall(start.lower())
    counts = Counter(_LANGUAGE_OF_WORD[word] for word in words if word in _LANGUAGE_OF_WORD)
    [(language, n_words)] = counts.most_common(1) or [("", 0)]
    return language if n_words >= MIN_WORDS else ""


def count(text: str, language: str) -> int:
    """Words between spaces, plus characters in scripts without spaces: 50 to 75 words are 50 to 75 characters there."""
    if language == "ko":  # Han characters in Korean are parts of words
        return len(text.split())
    n_words, n_characters = count_words(text)
    return n_words + n_characters


def terms_of(text: str, language: str) -> frozenset[str]:
    """The stems of a text; pairs of characters in scripts without spaces."""
    return frozenset(stem.stem for stem in stems(text, language))
