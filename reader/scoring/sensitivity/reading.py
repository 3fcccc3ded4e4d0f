"""What the judge reads of an article: cues by place, marks of style, words. Pure; some 0.3 ms an article.

Only the title and the first 600 characters are read, for there a text says what it is. A cue in the title and one in
the text are different features; a second of the same kind says less than the first.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from reader.scoring.sensitivity.cues import SPACELESS, Found, cues_in, reading_language
from reader.scoring.sensitivity.dates import dates_in

READ_CHARACTERS = 600  # of the text
TITLE_CHARACTERS = 300
TITLE, LEAD = "title", "text"
WORD = "word:"
REPORTED = "said"  # the cue that a dateline counts as

_WORD = re.compile(r"[^\W\d_]{2,}")
_CHARACTERS = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff]+")
_MARKS = re.compile(
    r"(?P<label>^\W{0,2}(?:live|breaking|just in|update[sd]?|watch|developing|urgent|alert)\b\W{0,2}[:\uff1a|–—-]"
    r"|[-–—|:] live\b|^[【\[][^】\]]{1,12}[】\]])"
    r"|(?P<question>[?\uff1f])|(?P<exclamation>[!\uff01])"
    r"|(?P<score>(?<![\d-])\d{1,3}\s?[-–:\uff1a比対]\s?\d{1,3}(?![\d-]))"
    r"|(?P<percent>\d\s?(?:[%\uff05]|percent|per cent))"
    r"|(?P<money>[$€£¥\uffe5]\s?\d|\d[\d.,]*\s?(?:[万億亿千百]?[元円]|₽))"
    r"|(?P<release>\bv?\d+\.\d+(?:\.\d+)*\b)|(?P<list>^\d{1,3}\s\w)"
    r"|(?P<quote>[“”\"「『«])",
    re.IGNORECASE,
)
_DATELINE = re.compile(
    r"^(?:[A-Z][A-Z.,' -]{2,30}(?:, \w+\.? \d{1,2})?(?: ?\([A-Z]\w+\))?\s?[-—–:]|\([A-Z]{2,}\w*\) ?[-—–]"
    r"|[^\s,。]{2,12}\d*日?[电電][\s(\uff08]|【[^】]{2,12}[=\uff1d][^】]{2,12}】)"
)
_CAPITALS = re.compile(r"\b[A-Z]{4,}(?:\W+[A-Z]{2,})+\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """The features of an article with their values, and the words that each cue was first found by."""

    features: dict[str, float]
    found: dict[str, str]


def read(title: str, text: str, *, language: str = "", published_at: datetime | None = None) -> Reading:
    """What the title and the first 600 characters of the text say."""
    title, lead = title[:TITLE_CHARACTERS], text[:READ_CHARACTERS]
    language = reading_language(language, title, lead)
    counts: Counter[str] = Counter()
    found: dict[str, str] = {}
    for place, piece in ((TITLE, title), (LEAD, lead)):
        for one in _found_in(piece, language, published_at, marks=place == TITLE):
            name = f"{place}:{one.cue}"
            counts[name] += 1
            found.setdefault(name, one.words)
    features = {name: math.log2(1 + min(n, 3)) for name, n in counts.items()}
    if not lead.strip():
        features["text:none"] = 1.0
    features.update((WORD + word, 1.0) for word in words_of(f"{title}\n{lead}"))
    return Reading(features, found)


def words_of(text: str) -> Iterable[str]:
    """The different words of a text in lower case; pairs of characters where a script has no spaces."""
    lowered = text.lower()
    if lowered.isascii():
        return set(_WORD.findall(lowered))
    spaced = set(_WORD.findall(_CHARACTERS.sub(" ", lowered)))
    return spaced.union(*(map("".join, pairwise(run)) for run in _CHARACTERS.findall(lowered)))


def _found_in(piece: str, language: str, published_at: datetime | None, *, marks: bool) -> Iterator[Found]:
    yield from cues_in(piece, language)
    yield from dates_in(piece, spaceless=language in SPACELESS, published_at=published_at)
    if marks:
        yield from _marks_in(piece)
    elif dateline := _DATELINE.match(piece):
        yield Found(REPORTED, dateline.group().strip(" -—–:"))


def _marks_in(title: str) -> Iterator[Found]:
    for match in _MARKS.finditer(title):
        if match.lastgroup:
            yield Found(match.lastgroup, match.group().strip())
    capitals = _CAPITALS.search(title)
    if capitals and not title.isupper():
        yield Found("capitals", capitals.group())
