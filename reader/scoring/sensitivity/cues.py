"""Finds in a text the phrases that tell how fast it loses relevance. Pure; the phrases are in `cues.tsv`, by language.

A cue is a kind of phrase, such as `alert` or `history`, the same in every language, so that what is learned of a cue
in one language holds in the others. Of phrases that begin at one place the longest counts and takes its words: "last
decade" is not also a decade. Where a script has spaces, phrases are whole words ("*" ends the beginning of a word, "#"
is any number); in Chinese and Japanese they are looked for at every character.

Nothing is searched with regular expressions: a word or character looks up the phrases that begin with it, which takes
some 0.1 ms for a title with a summary.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

FALLBACK = "en"  # for languages without phrases: its words of the news trade are used everywhere
SPACELESS = frozenset({"zh", "ja"})
LONGEST_NUMBER = 2  # digits of what "#" stands for: "12 ways", but no year and no half of "12,000"
REMEMBERED_WORDS = 50_000  # words, over all languages, whose phrases are not worked out again

_TABLE = Path(__file__).with_name("cues.tsv")
_WORD = re.compile(r"[^\W_]+(?:['’&-][^\W_]+)*|[^\w\s'’\"“”]|\n")  # punctuation too: no phrase goes across it
_KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")

Phrase = tuple[tuple[str, ...], str]  # the words or characters after the first one, the cue


@dataclass(frozen=True, slots=True)
class Found:
    """A cue and the words it was found by, as the text writes them."""

    cue: str
    words: str


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a word can begin: a phrase of its own, its cue or ""; longer ones by their second word; and those whose
    second word is only a beginning or a number."""

    alone: str
    followed: dict[str, tuple[Phrase, ...]]
    loosely_followed: tuple[Phrase, ...]


def cues_in(text: str, language: str) -> list[Found]:
    """The cues of a text in the order of their words; `language` as `reading_language` gives it."""
    return list(_in_characters(text, language) if language in SPACELESS else _in_words(text, language))


def reading_language(declared: str, title: str, text: str) -> str:
    """The language whose phrases are looked for: what the script says, else what is declared, else English."""
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


def cue_names() -> tuple[str, ...]:
    """Every cue once, in alphabetical order."""
    return tuple(sorted({cue for cue, _, _ in _rows()}))


def _in_words(text: str, language: str) -> Iterator[Found]:
    lowered = (
        text.replace("\u2019", "'").replace("\u0130", "I").lower()
    )  # the latter alone would grow: places must agree
    matches = list(_WORD.finditer(lowered))
    words = [match.group() for match in matches]
    i = 0
    while i < len(words):
        beginning = _beginning_with(words[i], language)
        length, cue = _longest(beginning, words, i) if beginning else (0, "")
        if cue:
            yield Found(cue, text[matches[i].start() : matches[i + length - 1].end()])
        i += max(1, length)


def _longest(beginning: Beginning, words: list[str], start: int) -> tuple[int, str]:
    """How many words the longest phrase from here has, 0 for none, and its cue."""
    if start + 1 < len(words):
        for rest, cue in (*beginning.followed.get(words[start + 1], ()), *beginning.loosely_followed):
            following = words[start + 1 : start + 1 + len(rest)]
            if len(following) == len(rest) and all(map(_fits, rest, following)):
                return 1 + len(rest), cue
    return 1 if beginning.alone else 0, beginning.alone


@lru_cache(maxsize=REMEMBERED_WORDS)
def _beginning_with(word: str, language: str) -> Beginning | None:
    """The phrases whose first word this is; None for none, as for most words."""
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


def _in_characters(text: str, language: str) -> Iterator[Found]:
    phrases = _phrases()[language]
    i = 0
    while i < len(text):
        for first, rest, cue in phrases.get(text[i], ()):
            if not rest or text.startswith(rest[0], i + 1):
                yield Found(cue, first + "".join(rest))
                i += len(first) + sum(map(len, rest)) - 1
                break
        i += 1


@cache
def _phrases() -> dict[str, dict[str, tuple[tuple[str, tuple[str, ...], str], ...]]]:
    """By language and first character: first word or character, what follows it, cue; the longest first."""
    found: dict[str, dict[str, list[tuple[str, tuple[str, ...], str]]]] = {}
    for cue, language, phrases in _rows():
        by_character = found.setdefault(language, {})
        for phrase in phrases:
            first, *rest = (phrase[0], phrase[1:]) if language in SPACELESS else phrase.split()
            by_character.setdefault(first[0], []).append((first, tuple(filter(None, rest)), cue))
    return {
        language: {character: tuple(sorted(some, key=_longest_first)) for character, some in by_character.items()}
        for language, by_character in found.items()
    }


def _longest_first(phrase: tuple[str, tuple[str, ...], str]) -> tuple[int, int]:
    first, rest, _ = phrase
    return -len(rest), -len(first) - sum(map(len, rest))


@cache
def _rows() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """The table: cue, language, phrases."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return tuple((cue, language, tuple(phrases.split(" | "))) for cue, language, phrases in rows)
