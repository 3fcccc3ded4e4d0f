"""Which language's rules a text is read by. Pure."""

import re
from collections import Counter

READ_CHARACTERS = 1500
LEAST_WORDS = 3  # of a language that a text must hold to be read as it

SPACELESS = frozenset(("zh", "ja"))  # no space between words, none between sentences

_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_WORD = re.compile(r"[^\W\d_]+")
_TELLING = {  # words that are frequent in one of these languages and rare in the others
    "en": "the of and to that with was from is has have are this it",
    "de": "der das und ist nicht ein eine mit auf für dem zu von sich auch wird",
    "fr": "le les des est et dans une du pour qui sur pas au avec",
    "es": "el los las del y una por con para que se lo está más",
}
_OF_WORD = {word: language for language, telling in _TELLING.items() for word in telling.split()}


def language_of(text: str, declared: str) -> str:
    """The language of a tag (`zh-Hant` is `zh`); without one a guess by script and frequent words, "" if unsure."""
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
    counts = Counter(_OF_WORD[word] for word in _WORD.findall(start.lower()) if word in _OF_WORD)
    [(best, n_words)] = counts.most_common(1) or [("", 0)]
    return best if n_words >= LEAST_WORDS else ""


def joiner(language: str) -> str:
    """What stands between two sentences: nothing in Chinese and Japanese."""
    return "" if language in SPACELESS else " "
