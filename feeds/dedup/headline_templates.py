"""What the form of headlines says about events: lists of several items, and templates filled with other subjects. Pure.

Theory. Newsrooms and companies write headlines from templates: "Belmont: net profit of 2025 expected to grow by 40 %",
"Carrow files for a listing". The subject comes first and is all that differs, so two such headlines are more alike than
two independent reports on one event. Two observations tell them apart:

- *beginnings*: aligned unit by unit (Levenshtein; characters in scripts without spaces, words in others), the two
  begin with different units, while half of the rest or more is the same, numbers counting as one sign;
- *heads*: the first two terms of each aren't anywhere in the other article. Chinese reports on one event nearly always
  have its subject in common.

In scripts with spaces reports often call the subject something else ("Fed", "Central bank"), so there three quarters of
the rest have to be the same, and the first term of each missing in the other article.

A headline that lists several items ("…；…；…") is close to the reports on each of them, but reports none of these
events.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from rapidfuzz.distance import Levenshtein

from feeds.dedup.title_words import FUNCTION_WORDS, SPACELESS
from feeds.normalizing.text import words

HEAD = 2  # terms
LONGEST_BEGINNING = 12  # units
MIN_BLOCK = 2  # aligned units in a row, fewer may be chance
MIN_SEPARATORS = 2  # in a headline of several items

_SEPARATOR = re.compile(r"[;；丨｜|]|\s/\s|/(?=[\u4e00-\u9fff])")
_MORE = re.compile(r", (?:and )?more\W*$", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:【[^】]*】|\[[^\]]*\])?[\W_]*")
_UNIT = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
_NUMBER = re.compile(r"[\d.,:%-]+[a-z%]*")


def is_roundup(title: str) -> bool:
    """Whether a headline lists several items."""
    return len(_SEPARATOR.findall(title)) >= MIN_SEPARATORS or _MORE.search(title) is not None


def head_of(title: str, language: str) -> tuple[str, ...]:
    """The first terms of a headline, without labels ("【快讯】") and words such as "the"."""
    terms = words(_LABEL.sub("", title) or title, language)
    return tuple(term for term in terms if term not in FUNCTION_WORDS)[:HEAD]


def missing_share(head: Sequence[str], terms: Mapping[str, float], weight: Callable[[str], float]) -> float:
    """How much of a head isn't among an article's terms, by weight, in [0, 1]; 0 for an empty head."""
    total = sum(map(weight, head))
    return sum(weight(term) for term in head if term not in terms) / total if total else 0.0


def alike_after_beginnings(ours: str, theirs: str) -> float:
    """How alike the rest of two normalized headlines is, in [0, 1], if they begin with different units, else 0."""
    left, right = _units(ours), _units(theirs)
    blocks = [block for block in Levenshtein.opcodes(left, right).as_matching_blocks() if block.size >= MIN_BLOCK]
    if not blocks or not 0 < blocks[0].a <= LONGEST_BEGINNING or not 0 < blocks[0].b <= LONGEST_BEGINNING:
        return 0.0
    if not set(left[: blocks[0].a]).isdisjoint(right[: blocks[0].b]):
        return 0.0
    return sum(block.size for block in blocks) / max(len(left) - blocks[0].a, len(right) - blocks[0].b)


def _units(normalized: str) -> list[str]:
    return ["#" if _NUMBER.fullmatch(unit) else unit for unit in _UNIT.findall(normalized)]
