"""Finds phrases that indicate how fast a text loses relevance. Pure; the phrases are in `cues.tsv`, by language.

A cue is a kind of phrase, such as `alert` or `history`, the same in every language, so that what is learned in one
language applies to the others. If several phrases start at one word, the longest wins and consumes its words: "last
decade" is not also "decade". In scripts with spaces, phrases match whole words ("*" is a prefix match, "#" any number);
Chinese and Japanese are matched at every character.

Phrases are looked up by first word or character instead of with regular expressions: about 0.1 ms per title and
summary.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

FALLBACK = "en"  # for languages without phrases: its news terms are used everywhere
SPACELESS = frozenset({"zh", "ja"})
LONGEST_NUMBER = 2  # digits that "#" matches: "12 ways", but neither a year nor half of "12,000"
CACHED_WORDS = 50_000  # cached lookups, over all languages

_TABLE = Path(__file__).with_name("cues.tsv")
_WORD = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*|[^\w\s'’\"“”]|\n")  # including punctuation, which phrases can't span
_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")

Phrase = tuple[tuple[str, ...], str]  # the words or characters after the first one, the cue


@dataclass(frozen=True, slots=True)
class CueMatch:
    """A cue and the words that matched, as written in the text."""

    cue: str
    words: str


@dataclass(frozen=True, slots=True)
class Beginning:
    """The phrases that start with a word: the cue of the word alone, or ""; longer phrases by their second word; and
    those whose second word is a prefix or a number.
    """

    alone: str
    followed: dict[str, tuple[Phrase, ...]]
    loosely_followed: tuple[Phrase, ...]


def find_cues(text: str, language: str) -> list[CueMatch]:
    """The cues of a text in order; `language` as `detect_language` returns it."""
    return list(_in_characters(text, language) if language in SPACELESS else _in_words(text, language))


def detect_language(declared: str, title: str, text: str) -> str:
    """The language whose phrases apply: by script, else as declared, else English."""
    sample = title + text[:100]
    if sample.isascii():
        return declared if declared in _phrases() and declared not in ("zh", "ja", "ru") else FALLBACK
    if _KANA.search(sample):
        return "ja" if declared != "zh" or not _HAN.search(title) or _KANA.search(title) else "zh"
    if _HAN.search(sample):
        return "ja" if declared == "ja" else "zh"
    if _CYRILLIC.search(sample):
        return "ru"
    return declared if declared in _phrases() and declared not in ("zh", "ja", "ru") else FALLBACK


def _in_words(text: str, language: str) -> Iterator[CueMatch]:
    lowered = text.replace("\u2019", "'").replace("\u0130", "I").lower()  # İ would become two characters
    matches = list(_WORD.finditer(lowered))
    words = [match.group() for match in matches]
    i = 0
    while i < len(words):
        beginning = _beginning_with(words[i], language)
        length, cue = _longest(beginning, words, i) if beginning else (0, "")
        if cue:
            yield CueMatch(cue, text[matches[i].start() : matches[i + length - 1].end()])
        i += max(1, length)


def _longest(beginning: Beginning, words: list[str], start: int) -> tuple[int, str]:
    """The number of words of the longest phrase that starts here, 0 for none, and its cue."""
    if start + 1 < len(words):
        for rest, cue in (*beginning.followed.get(words[start + 1], ()), *beginning.loosely_followed):
            following = words[start + 1 : start + 1 + len(rest)]
            if len(following) == len(rest) and all(map(_fits, rest, following)):
                return 1 + len(rest), cue
    return 1 if beginning.alone else 0, beginning.alone


@lru_cache(maxsize=CACHED_WORDS)
def _beginning_with(word: str, language: str) -> Beginning | None:
    candidates = (*_phrases()[language].get(word[:1], ()), *_phrases()[language].get("#", ()))
    fitting = [(rest, cue) for first, rest, cue in candidates if _fits(first, word)]
    followed: dict[str, tuple[Phrase, ...]] = {}
    for rest, cue in fitting:
        if rest and not _is_loose(rest[0]):
            followed[rest[0]] = (*followed.get(rest[0], ()), (rest, cue))
    loosely = tuple((rest, cue) for rest, cue in fitting if rest and _is_loose(rest[0]))
    alone = next((cue for rest, cue in fitting if not rest), "")
    return Beginning(alone, followed, loosely) if fitting else None


def _is_loose(pattern: str) -> bool:
    return pattern == "#" or pattern.endswith("*")


def _fits(pattern: str, word: str) -> bool:
    if pattern == "#":
        return word.isdecimal() and len(word) <= LONGEST_NUMBER
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern


def _in_characters(text: str, language: str) -> Iterator[CueMatch]:
    phrases = _phrases()[language]
    i = 0
    while i < len(text):
        for first, rest, cue in phrases.get(text[i], ()):
            if not rest or text.startswith(rest[0], i + 1):
                yield CueMatch(cue, first + "".join(rest))
                i += len(first) + sum(map(len, rest)) - 1
                break
        i += 1


@cache
def _phrases() -> dict[str, dict[str, tuple[tuple[str, tuple[str, ...], str], ...]]]:
    """By language and first character: first word or character, the rest, cue; the longest first."""
    by_language: dict[str, dict[str, list[tuple[str, tuple[str, ...], str]]]] = {}
    for cue, language, phrases in _rows():
        by_character = by_language.setdefault(language, {})
        for phrase in phrases:
            first, *rest = (phrase[0], phrase[1:]) if language in SPACELESS else phrase.split()
            by_character.setdefault(first[0], []).append((first, tuple(filter(None, rest)), cue))
    return {
        language: {character: tuple(sorted(some, key=_longest_first)) for character, some in by_character.items()}
        for language, by_character in by_language.items()
    }


def _longest_first(phrase: tuple[str, tuple[str, ...], str]) -> tuple[int, int]:
    first, rest, _ = phrase
    return -len(rest), -len(first) - sum(map(len, rest))


@cache
def _rows() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return tuple((cue, language, tuple(phrases.split(" | "))) for cue, language, phrases in rows)
