"""Features of an article for the time sensitivity classifier: cues by place, style, words of the title. Pure; about
0.3 ms per article.

Only the title and the first 600 characters are used, because that is where a text says what it is. The same cue in the
title and in the text are different features; repeated cues have diminishing effect. Training prefers large features:
cues of the title, then of the text, which hold for other publishers and languages, then words of the title. Words of
the text add nothing.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from reader.scoring.sensitivity.cues import SPACELESS, CueMatch, detect_language, find_cues
from reader.scoring.sensitivity.dates import find_dates

READ_CHARACTERS = 600  # of the text
TITLE_CHARACTERS = 300
TITLE, LEAD = "title", "text"
WORD = "word:"
WORD_VALUE, TITLE_TIMES = 1 / 3, 2  # against 1 of a cue of the text; the best on publishers left out
REPORTED = "said"  # the cue that a dateline counts as

_WORD = re.compile(r"[^\W\d_]{2,}")
_CHARACTERS = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff]+")
_STYLE = re.compile(
    r"(?P<label>^\W{0,2}(?:breaking|just in|update[sd]?|watch|developing|urgent|alert)\b\W{0,2}[:\uff1a|–—-]"
    r"|^[【\[][^】\]]{1,12}[】\]])"
    r"|(?P<running>(?<!\bto )\blive(?: (?:updates?|blog|results|coverage|news|stream))?\b\W{0,2}[:\uff1a|–—]"
    r"|[-–—|:] live\b|[-–—|] (?:[\w’']+ ){1,3}live$|^watch live\b|\w updates[:\uff1a]|\bas it happen(?:ed|s)\b)"
    r"|(?P<question>[?\uff1f])|(?P<exclamation>[!\uff01])"
    r"|(?P<score>(?<![\d-])\d{1,3}\s?[-–:\uff1a比対]\s?\d{1,3}(?![\d-]))"
    r"|(?P<percent>\d\s?(?:[%\uff05]|percent|per cent))"
    r"|(?P<money>[$€£¥\uffe5]\s?\d|\d[\d.,]*\s?(?:[万億亿千百]?[元円]|₽))"
    r"|(?P<release>\bv?\d+\.\d+(?:\.\d+)*\b)|(?P<list>^\d{1,3}\s\w)"
    r"|(?P<quote>[“”\"「『«])",
    re.IGNORECASE,
)
_DATELINE = re.compile(
    r"^(?:[A-Z][A-Z.,' -]{2,30}(?:, \w+\.? \d{1,2})?(?: ?\([A-Z]\w+\))?\s?[-—–:]|\([A-Z]{2}\w*\) ?[-—–]"
    r"|[^\s,。]{2,12}\d*日?[电電][\s(\uff08]|【[^】]{2,12}[=\uff1d][^】]{2,12}】)"
)
_CAPITALS = re.compile(r"\b[A-Z]{4,}(?:\W+[A-Z]{2,})+\b")


@dataclass(frozen=True, slots=True)
class Features:
    """The value of each feature, and the first phrase that matched each cue."""

    values: dict[str, float]
    phrases: dict[str, str]


def extract_features(title: str, text: str, *, language: str = "", published_at: datetime | None = None) -> Features:
    """Features of the title and the first 600 characters of the text."""
    title, lead = title[:TITLE_CHARACTERS], text[:READ_CHARACTERS]
    language = detect_language(language, title, lead)
    counts: Counter[str] = Counter()
    phrases: dict[str, str] = {}
    for place, piece in ((TITLE, title), (LEAD, lead)):
        for match in _find_matches(piece, language, published_at, is_title=place == TITLE):
            name = f"{place}:{match.cue}"
            counts[name] += 1
            phrases.setdefault(name, match.words)
    values = {name: math.log2(1 + min(n, 3)) * _times(name) for name, n in counts.items()}
    if not lead.strip():
        values["text:none"] = 1.0
    values.update((WORD + word, WORD_VALUE) for word in extract_words(title))
    return Features(values, phrases)


def _times(name: str) -> int:
    return TITLE_TIMES if name.startswith(f"{TITLE}:") else 1


def extract_words(text: str) -> Iterable[str]:
    """The distinct words of a text in lower case; pairs of characters in scripts without spaces."""
    lowered = text.lower()
    if lowered.isascii():
        return set(_WORD.findall(lowered))
    spaced = set(_WORD.findall(_CHARACTERS.sub(" ", lowered)))
    return spaced.union(*(map("".join, pairwise(run)) for run in _CHARACTERS.findall(lowered)))


def _find_matches(piece: str, language: str, published_at: datetime | None, *, is_title: bool) -> Iterator[CueMatch]:
    yield from find_cues(piece, language)
    yield from find_dates(piece, spaceless=language in SPACELESS, published_at=published_at)
    if is_title:
        yield from _style_cues(piece)
    elif dateline := _DATELINE.match(piece):
        yield CueMatch(REPORTED, dateline.group().strip(" -—–:"))


def _style_cues(title: str) -> Iterator[CueMatch]:
    for match in _STYLE.finditer(title):
        if match.lastgroup:
            yield CueMatch(match.lastgroup, match.group().strip())
    capitals = _CAPITALS.search(title)
    if capitals and not title.isupper():
        yield CueMatch("capitals", capitals.group())
